/**
 * What programs are told. False would be: XML that does not parse, a name that changes from run to run, an annotation beside its
 * line, two reports mixed on one output, or a green log that nobody wants to read.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { laws } from "../../model/index.ts";
import { traceFiles } from "../../regressions/files.ts";
import { check } from "../verbs/check.ts";
import { gate } from "../verbs/gate.ts";
import { replay } from "../verbs/replay.ts";
import { saidWith } from "../verbs/said.ts";
import type { Case } from "./case.ts";
import { github } from "./github.ts";
import { junit } from "./junit.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "rollcall-reports-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
const at = (name: string): string => join(folder, name);

const red = ["--target", "twin:keeps_result_while_starting", "--runs", "20"] as const;

/** Enough of XML to see that it nests and that no mark stands where none may. */
function elements(xml: string): readonly string[] {
  const open: string[] = [];
  const seen: string[] = [];
  const body = xml.replace(/^<\?xml[^>]*\?>/, "");
  for (const [, close, name = "", attributes = "", self] of body.matchAll(
    /<(\/?)([a-z]+)((?:\s[a-z]+="[^"<]*")*)(\/?)>/g,
  )) {
    if (close === "/") expect(open.pop()).toBe(name);
    else {
      seen.push(`${name}${attributes}`);
      if (self !== "/") open.push(name);
    }
  }
  expect(open).toEqual([]);
  expect(body.replace(/<\/?[a-z]+(?:\s[a-z]+="[^"<]*")*\/?>/g, "")).not.toMatch(/[<>]|&(?!(amp|lt|gt|quot|#\d+);)/);
  return seen;
}

describe("JUnit", () => {
  const names = (xml: string): readonly string[] =>
    elements(xml).flatMap((each) => /^testcase.* name="([^"]*)"/.exec(each)?.[1] ?? []);

  test("has a case for each law, by the same name whatever the seed and the verdict", async () => {
    const file = at("red.xml");
    const { code, out } = await saidWith(check, [...red, "--reporter", `junit=${file}`, "--drafts", folder]);
    expect([code, out]).toEqual([1, ""]);
    const failing = await readFile(file, "utf8");
    expect(failing).toMatch(/<testcase classname="rollcall.check.twin:keeps_result_while_starting" name="L8 An active/);
    expect(failing.match(/<failure /g)?.length).toBeGreaterThanOrEqual(2);
    const green = await saidWith(check, ["--target", "model", "--runs", "3", "--seed", "9", "--reporter", "junit"]);
    expect(green.out).not.toMatch(/<failure/);
    expect(names(green.out)).toEqual(names(failing));
    expect(names(failing)).toHaveLength(laws.length + 3);
  });

  test("writes whatever a text holds", () => {
    const what = `a "quoted" <b> & c\u0000\u0008\ud800 ]]>\nsecond line`;
    const cases: readonly Case[] = [{ suite: "s", name: what, is: "failed", what, at: { file: `a"b.json`, line: 3 } }];
    const xml = junit(cases, 1_500);
    expect(elements(xml)).toHaveLength(4);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: XML can hold none of these
    expect(xml).not.toMatch(/[\u0000-\u0008]/);
    expect(xml.isWellFormed()).toBe(true);
  });
});

describe("annotations", () => {
  test("stand on the line of the step that fails, one for all that is wrong there", async () => {
    const { code, out } = await saidWith(check, [...red, "--drafts", folder], { GITHUB_ACTIONS: "true" });
    expect(code).toBe(1);
    const found = out.split("\n").filter((line) => line.startsWith("::"));
    expect(found).toHaveLength(1);
    const [, file = "", line, body = ""] =
      /^::error file=([^,]*),line=(\d+),title=[^:,]*(?:%3A|%2C|[^:,])*::(.*)$/.exec(found[0] ?? "") ?? [];
    expect(body).toMatch(/L8 .*%0A.*L9 /);
    const text = await readFile(file, "utf8");
    const steps = text.split("\n").filter((each) => /^\s*\[\{"do"/.test(each));
    expect(text.split("\n")[Number(line) - 1]).toBe(steps.at(-1));
  });

  test("of a recorded story stand in the recorded file", async () => {
    const [name = ""] = (await traceFiles()).filter((each) => each.includes("a-dispatch-error-gives"));
    const { code, out } = await saidWith(replay, [
      name,
      "--target",
      "twin:loses_result_on_error",
      "--reporter",
      "github",
    ]);
    expect(code).toBe(1);
    expect(out).toMatch(/^::error file=regressions\/[^,]*\.json,line=\d+,title=rollcall.replay.twin%3Aloses/);
    const line = (await readFile(name, "utf8")).split("\n")[Number(/line=(\d+)/.exec(out)?.[1]) - 1];
    expect(line).toMatch(/"answer".*"with":"error"/);
  });

  test("escape what has a meaning of its own", () => {
    const cases: readonly Case[] = [
      { suite: "s", name: "n, 1: x", is: "failed", what: "50 % of\r\nit", at: { file: "a,b:c.json", line: 2 } },
      { suite: "s", name: "green", is: "passed", what: "", at: null },
    ];
    expect(github(cases, "/")).toBe(
      "::error file=a%2Cb%3Ac.json,line=2,title=s%3A n%2C::n, 1: x%0A50 %25 of%0D%0Ait\n",
    );
  });
});

describe("several at once", () => {
  test("each in its place, text as it would be alone", async () => {
    const base = ["--target", "model", "--runs", "5"];
    const files = ["text", "json", "junit", "github"].map((kind) => `${kind}=${at(`all.${kind}`)}`);
    const { out } = await saidWith(check, [...base, ...files.flatMap((each) => ["--reporter", each])]);
    expect(out).toBe("");
    expect(await readFile(at("all.text"), "utf8")).toMatch(/^held {2}model: 5 stories/);
    expect(JSON.parse(await readFile(at("all.json"), "utf8"))).toMatchObject({ verdict: "held", stories: 5 });
    expect(await readFile(at("all.github"), "utf8")).toBe("");
    const both = await saidWith(check, [...base, "--reporter", "json"]);
    expect(JSON.parse(both.out)).toMatchObject({ verdict: "held", seed: 1 });
  });

  test.each([
    [["--reporter", "json", "--reporter", "text"], /json has standard output to itself/],
    [["--reporter", "json", "--reporter", "junit"], /json has standard output to itself/],
    [["--reporter", "tap"], /--reporter takes text, json, junit, github/],
    [["--reporter", "junit="], /not "junit="/],
    [["--reporter", "junit=/nowhere/at/all.xml"], /cannot be written/],
  ])("%j is wrong use", async (args, says) => {
    const { code, err } = await saidWith(check, ["--target", "model", "--runs", "1", ...args]);
    expect(code).toBe(2);
    expect(err).toMatch(says);
  });
});

test("a green log has at most 40 lines, also where all is told", { timeout: 600_000 }, async () => {
  const { code, out } = await saidWith(gate, ["--scale", "1", "--workers", "1"], { GITHUB_ACTIONS: "true" });
  expect(code).toBe(0);
  expect(out.trimEnd().split("\n").length).toBeLessThanOrEqual(40);
});
