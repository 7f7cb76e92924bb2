/** What `import` and `reproduce` answer to good and bad input: the sentence, the exit code, the files. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseCapture } from "../captures/capture.ts";
import { synthetic } from "../captures/synthetic.ts";
import { parseTrace } from "../trace.ts";
import { importCaptures } from "./import.ts";
import { reproduce } from "./reproduce.ts";
import { said } from "./said.ts";

let folder = "";
const at = (name: string): string => join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "rollcall-captures-"));
  await writeFile(at("telemetry-log.el"), synthetic(120, 1, true));
  await writeFile(at("text.txt"), "hello");
  await writeFile(at("code.el"), "(:version 1 #.(delete-file))");
});
afterAll(() => rm(folder, { recursive: true }));

describe("the verbs for captures", () => {
  test("import says what it read, and writes what reproduce takes", async () => {
    const { code, out } = await said(importCaptures, at("telemetry-log.el"), "--out", at("capture.json"));
    expect([code, out]).toEqual([0, expect.stringContaining("telemetry-log.el: 120 events (telemetry)")]);
    expect(out).toContain("telemetry has no event for recovery");
    const written = await readFile(at("capture.json"), "utf8");
    expect(parseCapture(written, "capture.json").from[0]?.read).toBe(120);

    const args = [at("capture.json"), "--target", "twin:keeps_result_while_starting", "--drafts", folder];
    const found = await said(reproduce, ...args, "--tries", "5", "--json", at("found.json"));
    expect(found.err).toBe("");
    expect(found.code).toBe(1);
    expect(found.out).toContain("distance from the capture 0:");
    const machine: unknown = JSON.parse(await readFile(at("found.json"), "utf8"));
    expect(machine).toMatchObject({ verdict: "found", tries: 1, distance: { total: 0 } });
    const draft = await readFile(at("twin-keeps-result-while-starting-l8.json"), "utf8");
    expect(parseTrace(draft, "draft").steps).toHaveLength(3);
  });

  test("reproduce exits with 0 where it finds nothing", async () => {
    const { code, out } = await said(reproduce, at("telemetry-log.el"), "--tries", "5", "--target", "model");
    expect([code, out]).toEqual([0, expect.stringContaining("none found  model: 5 stories")]);
  });

  test.each([
    ["no file", importCaptures, [], "name the files of a capture"],
    ["a file that is not there", importCaptures, ["nowhere.el"], "there is no file nowhere.el"],
    ["a folder", importCaptures, ["."], "is no file"],
    ["what is no capture", importCaptures, ["text.txt"], "is no capture"],
    ["what would be evaluated", importCaptures, ["code.el"], "(evaluation): line 1, column 13"],
    ["an option that is none", reproduce, ["--bogus"], "--bogus"],
    ["a budget that is none", reproduce, ["telemetry-log.el", "--budget", "soon"], "--budget takes a time"],
    ["no tries", reproduce, ["telemetry-log.el", "--tries", "0"], "--tries takes a whole number"],
    ["a target that is none", reproduce, ["telemetry-log.el", "--target", "nobody"], "there is no target nobody"],
  ] as const)("say what is wrong with %s", async (_, verb, args, why) => {
    const files = args.map((each) => (/\.(el|txt)$/.test(each) && each !== "nowhere.el" ? at(each) : each));
    const { code, err } = await said(verb, ...files);
    expect([code, err]).toEqual([2, expect.stringContaining(why)]);
  });
});
