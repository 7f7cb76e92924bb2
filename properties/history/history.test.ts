/**
 * The history of somebody else's repository: false would be a commit told by another one's code, a story that is broken taken for
 * one that cannot be told, a change put at the wrong commit, or a repository that is not as it was.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { rerecorded } from "../../regressions/replay.ts";
import { modelTarget } from "../targets/model.ts";
import { parseTrace, printTrace } from "../trace.ts";
import { history } from "../verbs/history.ts";
import { byLaw, changesIn, type Mark, stripSvg, stripText } from "./strip.ts";

const folder = mkdtempSync(join(tmpdir(), "rollcall-history-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const git = (...args: readonly string[]): string =>
  execFileSync("git", ["-C", folder, "-c", "user.name=a", "-c", "user.email=a@b", ...args]).toString();

/** A registry that is a twin of the specification, another at each commit. */
const minimal = fileURLToPath(new URL("../targets/minimal.py", import.meta.url));
const source = readFileSync(minimal, "utf8");
const commits: string[] = [];
beforeAll(() => {
  git("init", "-q");
  const told = [
    source,
    source.replace("path, outcome, sha16", 'path, "errored", sha16'),
    "import nothing_such",
    source,
  ];
  for (const [at, text] of told.entries()) {
    writeFileSync(join(folder, "registry.py"), `${text}\n# ${at}\n`);
    git("add", ".");
    git("commit", "-q", "-m", `change ${at}`);
    commits.push(git("rev-parse", "HEAD").trim());
  }
});

async function ran(...args: readonly string[]) {
  const told = { out: "", err: "" };
  const io = {
    out: (text: string) => {
      told.out += text;
    },
    err: (text: string) => {
      told.err += text;
    },
    ...{ tty: false, color: false, columns: 80, env: {} },
  };
  return { code: await history(args, io), ...told };
}
const story = fileURLToPath(new URL("../../regressions/2026-11-30-every-outcome-ends-a-wait.json", import.meta.url));
const own = {
  trace: 2,
  spec: 1,
  why: "A result comes by mail.",
  laws: [16],
  found: "by hand",
  scope: {
    capacity: 1,
    roles: { r: { instructions: "", model: "m", effort: null, tools: [], limits: {}, parameters: {} } },
    registrars: { core: { category: "core", tools: [] } },
    archive: "memory",
    process: "same",
  },
  steps: [
    [
      { do: "spawn", by: "/root", name: "a", role: "r", text: "t", answers: { prepare: "ok", dispatch: "ok" } },
      { ok: "/root/a", events: [["provider", "/root/a", { started: [] }]] },
    ],
    [
      { do: "finish", path: "/root/a", turn: 1, outcome: "completed", text: "R", answers: { handler: "ok" } },
      { ok: "settled", events: [["settled", "/root/a", 1]] },
    ],
  ],
};

test("tells each story at each commit, and where it changed", { timeout: 120_000 }, async () => {
  const file = join(folder, "..", `${folder.split("/").at(-1)}-own.json`);
  const json = `${file}.out`;
  try {
    const trace = parseTrace(JSON.stringify(own), "the story");
    writeFileSync(file, printTrace(await rerecorded(trace, modelTarget())));
    const [first = "", , , last = ""] = commits;
    const target = ["--target", "python3 {}/registry.py"];
    const told = await ran(folder, `${first}..${last}`, ...target, file, story, "--json", json, "--svg", `${file}.svg`);
    expect([told.code, told.err]).toEqual([0, ""]);
    const rows: readonly { readonly marks: readonly Mark[] }[] = JSON.parse(readFileSync(json, "utf8")).rows;
    expect(rows.map(({ marks }) => marks)).toEqual([
      ["holds", "broken", "does not start", "holds"],
      ["not applicable", "not applicable", "does not start", "not applicable"],
    ]);
    expect(told.out).toContain(`broken since ${commits[1]?.slice(0, 7)}`);
    expect(told.out).toContain(`holds since ${commits[3]?.slice(0, 7)}`);
    expect(readFileSync(`${file}.svg`, "utf8")).toMatch(/^<svg [\s\S]*does not start[\s\S]*<\/svg>\n$/);
    expect(git("status", "--short")).toBe("");
    expect((await ran(folder, `${commits[2]}`, ...target, file)).code).toBe(4);
  } finally {
    for (const each of [file, json, `${file}.svg`]) rmSync(each, { force: true });
  }
});

test("says what it is not told", async () => {
  expect(await ran(folder, "HEAD~1..HEAD", "--target", "model")).toMatchObject({
    code: 2,
    err: expect.stringContaining("name stories"),
  });
  expect(await ran(folder, "..HEAD", "--target", "model", story)).toMatchObject({
    code: 2,
    err: expect.stringContaining("A..B"),
  });
  expect(await ran(folder, "nothing..HEAD", "--target", "model", story)).toMatchObject({
    code: 4,
    err: expect.stringContaining("git show"),
  });
  expect(await ran(folder, "HEAD~1..HEAD", story)).toMatchObject({ code: 2, err: expect.stringContaining("--target") });
});

test("a law is broken where one of its stories is, and a change is not seen through what cannot be told", () => {
  const days = ["2026-01-01", "2026-01-02", "2026-01-02"].map((day, at) => ({
    id: `${at}`.repeat(40),
    day,
    subject: "s",
  }));
  const rows = [
    { name: "one", laws: [4, 10], marks: ["holds", "not applicable", "broken"] as const },
    { name: "other", laws: [10], marks: ["broken", "not applicable", "broken"] as const },
  ];
  const laws = byLaw(rows);
  expect(laws).toEqual([
    { name: "L4", marks: ["holds", "not applicable", "broken"] },
    { name: "L10", marks: ["broken", "not applicable", "broken"] },
  ]);
  expect(changesIn({ commits: days, rows: laws }).map(({ row, commit, is }) => [row, commit.id[0], is])).toEqual([
    ["L4", "2", "broken since"],
  ]);
  expect(stripText({ commits: days, rows: laws }).split("\n").slice(0, 3)).toEqual([
    "     01-01 01-02",
    "L4   ·     -     X",
    "L10  X     -     X",
  ]);
  expect(stripSvg({ commits: days, rows: laws }, "a < b")).toContain("a &#60; b");
});
