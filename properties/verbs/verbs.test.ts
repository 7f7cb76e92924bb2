/** What the judging verbs say to wrong use and bad input: one sentence, the right exit code, nothing written. */
import { mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { traceFiles } from "../../regressions/files.ts";
import type { Verb } from "../io.ts";
import { check } from "./check.ts";
import { explain } from "./explain.ts";
import { explore } from "./explore.ts";
import { gate } from "./gate.ts";
import { orders } from "./orders.ts";
import { promote } from "./promote.ts";
import { replay } from "./replay.ts";
import { said } from "./said.ts";
import { shrink } from "./shrink.ts";

let folder = "";
const at = (name: string): string => join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "rollcall-verbs-"));
  const [file] = await traceFiles();
  const good = await readFile(file ?? "", "utf8");
  await writeFile(at("good.json"), good);
  await writeFile(at("empty.json"), "");
  await writeFile(at("torn.json"), good.slice(0, 300));
  await writeFile(at("other.json"), "[1, 2]");
  await writeFile(at("newer.json"), good.replace('"trace": 2', '"trace": 3'));
  await writeFile(at("key.json"), good.replace('"why"', '"wy"'));
  await writeFile(at("step.json"), good.replace('"do":"spawn","by"', '"do":"spawn","bye"'));
  await writeFile(at("verb.json"), good.replace('"do":"spawn"', '"do":"span"'));
  await writeFile(
    at("deep.json"),
    `{"trace":2,"spec":1,"steps":${'[{"do":"together","steps":'.repeat(9_000)}[]${"}]".repeat(9_000)}}`,
  );
  await writeFile(at("old.json"), good.replace('"spec": 1', '"spec": 0').replace('"do":"finish"', '"do":"end"'));
  await writeFile(at("bare.json"), good.replace('"spec": 1,', ""));
  await writeFile(at("fault.json"), good.replace(/"fault": "[^"]*"/, '"fault": "somebody"'));
  await writeFile(at("ends.json"), good.replace(/"ends": "[^"]*"/, '"ends": "here"'));
  await writeFile(at("none.steps.json"), good.replace(/"steps": \[[\s\S]*$/, '"steps": [] }'));
  await writeFile(at("bytes.json"), Buffer.from([0xff, 0xfe, 0x00, 0x7b]));
  await writeFile(at("huge.json"), "");
  await truncate(at("huge.json"), 33 * 1024 * 1024);
  await writeFile(at("stale.json"), good.replace('{"ok":"settled"', '{"ok":"held"'));
  await writeFile(at("broken.js"), "this is no module");
  await writeFile(at("bare.js"), "export const nothing = 1;");
  await mkdir(at("folder.json"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("a world of one's own", () => {
  test("is explored to the depth asked for", async () => {
    const { code, out } = await said(explore, "--agents", "2", "--depth", "2");
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(
        /^held {2}2 agents, 2 steps: \d+ states.*\n {6}2 steps deep and no further, .* transitions\/s/,
      ),
    ]);
  });
  test("with too many states for what was allowed has not held", async () => {
    const { code, out } = await said(explore, "--agents", "1", "--states", "50");
    expect([code, out]).toEqual([1, expect.stringContaining("not explored completely: there are more than 50 states")]);
  });
});

describe("a world told to a target", () => {
  test("holds for ours", async () => {
    const { code, out } = await said(explore, "one", "--depth", "3", "--target", "memory");
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^held {2}memory, one, 3 steps: \d+ states.* in \d+ stories/),
    ]);
  });
  test("shows a twin's fault as a story", async () => {
    const { code, out } = await said(explore, "one", "--depth", "5", "--target", "twin:keeps_result_while_starting");
    expect([code, out]).toEqual([1, expect.stringMatching(/^failed.*\n\n {2}L8 /)]);
  });
});

const why = "What this story shows is said here in more than a dozen words, so that it may be recorded.";
const recording: Verb = (args, io) => promote([...args, "--why", why, "--into", folder], io);
const unreadable: readonly (readonly [file: string, says: RegExp])[] = [
  ["none.json", /there is no trace/],
  ["folder.json", /is no file/],
  ["empty.json", /is empty/],
  ["torn.json", /is not JSON/],
  ["bytes.json", /is not JSON/],
  ["huge.json", /is larger than a trace may be/],
  ["other.json", /is not a trace/],
  ["newer.json", /version 3; this reads versions 1 and 2/],
  ["bare.json", /has no "spec" key with the version of the specification, which is 1 today/],
  ["key.json", /Unrecognized key: "wy"|expected string/],
  ["fault.json", /at fault: not one of twin:NAME/],
  ["ends.json", /at ends: not 16 hex digits/],
  ["none.steps.json", /at steps: /],
  ["step.json", /at steps\.0\.0/],
  ["verb.json", /at steps\.0\.0\.do/],
  ["deep.json", /nested too deeply|at /],
];

describe("one sentence and exit code 2", () => {
  const bad: readonly (readonly [verb: Verb, args: readonly string[], says: RegExp])[] = [
    ...[replay, explain, shrink, recording].flatMap((verb) =>
      unreadable.map(([file, says]) => [verb, [file], says] as const),
    ),
    [explain, [], /name one trace to explain/],
    [shrink, [], /name one trace to shrink/],
    [shrink, ["good.json", "good.json"], /name one trace to shrink/],
    [shrink, ["good.json", "--executions", "none"], /--executions takes a whole number/],
    [shrink, ["good.json", "--target", "nobody"], /there is no target nobody/],
    [
      shrink,
      ["good.json", "--target", "twin:follow_up_through_inspection", "--out", "no/such/folder.json"],
      /cannot be written/,
    ],
    [promote, ["--why", why], /name one draft to record/],
    [check, ["--runs", "many"], /--runs takes a whole number of at least 1, not "many"/],
    [check, ["--seed", "-1"], /seed/],
    [check, ["--target", "nobody"], /there is no target nobody; there are/],
    [check, ["--target", "twin:nobody"], /there is no twin nobody; there are/],
    [check, ["--level", "high"], /--level is core, strict, house, not "high"/],
    [replay, ["--target-process", "old"], /--target-process is fresh or same, not "old"/],
    [gate, ["--target-timeout", "soon"], /--target-timeout takes a whole number of at least 1/],
    [check, ["--target", "python3 'target.py"], /has a quote that does not end/],
    [check, ["--colour"], /Unknown option '--colour'/],
    [explore, ["nowhere"], /there is no world nowhere; there are/],
    [orders, ["nobody"], /there is no thread nobody; there are/],
    [orders, ["start"], /one thread has one order: name two or more/],
    [explore, ["--agents", "9"], /--agents takes at most 3/],
    [explore, ["--agents", "0"], /--agents takes a whole number of at least 1/],
    [explore, ["--handlers"], /--handlers is for a world of your own: say --agents N as well/],
    [explore, ["one", "--agents", "1"], /one is a world of its own/],
    [explore, ["--agents", "1", "--commands", "spawn,nap"], /there is no "nap" here; there are spawn/],
    [gate, ["--scale", "0"], /--scale takes a whole number of at least 1/],
    [gate, ["--scale", "50", "--runs", "10"], /--runs and --scale say the same/],
    [check, ["--budget", "60"], /--budget takes a time such as 60s or 5m, not "60"/],
    [check, ["--budget", "0s"], /--budget takes a time/],
    [check, ["--shard", "3/2"], /--shard takes i\/n, as 1\/4 to 4\/4, not "3\/2"/],
    [check, ["--shard", "0/2"], /--shard takes i\/n/],
    [check, ["--shard", "1/2", "--story", "3"], /give one of them/],
    [check, ["--story", "0"], /--story takes a whole number of at least 1/],
    [check, ["--workers", "0"], /--workers takes a whole number of at least 1/],
    [check, ["--workers", "10000"], /--workers takes at most 256/],
  ];
  test.each(bad)("%#", async (verb, args, says) => {
    const files = args.map((arg) => (arg.endsWith(".json") ? at(arg) : arg));
    const before = await readdir(folder);
    const { code, out, err } = await said(verb, ...files);
    expect({ code, out, lines: err.trimEnd().split("\n").length }).toEqual({ code: 2, out: "", lines: 2 });
    expect(err).toMatch(says);
    expect(err).not.toMatch(/ at .*\.ts:\d+/);
    expect(await readdir(folder)).toEqual(before);
  });
});

test.each([
  ["broken.js", /cannot be loaded/],
  ["bare.js", /exports no function openTarget/],
  ["gone.js", /there is no module/],
])("a bad target is a fault of the world: %s", async (name, says) => {
  const { code, err } = await said(check, "--target", at(name));
  expect(code).toBe(4);
  expect(err).toMatch(says);
});

test.each([
  ["explain", explain],
  ["shrink", shrink],
  ["promote", recording],
] as const)("%s refuses a story of which a word is gone, with the step, and exits with 3", async (_, verb) => {
  const { code, out, err } = await said(verb, at("old.json"));
  expect([code, out]).toEqual([3, ""]);
  expect(err).toMatch(/old\.json is stale at step 2: There is no command "end"\. It was written for version 0 /);
});

test("replay says of each trace it was given how it stands, and exits with the worst", async () => {
  const one = await said(replay, at("good.json"), "--target", "model");
  expect([one.code, one.out]).toEqual([
    0,
    expect.stringMatching(/^fixed {2}good on model: all \d+ answers are as recorded.*\n1 trace: 1 fixed\n$/),
  ]);
  const two = await said(replay, at("good.json"), at("old.json"), "--target", "model");
  expect([two.code, two.out]).toEqual([
    3,
    expect.stringMatching(/stale at step 2 {2}old on model: There is no command "end"/),
  ]);
  expect(two.out).toMatch(/2 traces: 1 fixed, 1 stale\n$/);
  const bad = await said(replay, at("good.json"), at("torn.json"), "--target", "model");
  expect([bad.code, bad.out]).toEqual([2, ""]);
});

test("an update never touches a story that cannot be told to its end", async () => {
  const before = await readFile(at("old.json"), "utf8");
  const { code, err } = await said(replay, at("old.json"), "--update");
  expect([code, err]).toEqual([3, expect.stringMatching(/old\.json is stale at step 2/)]);
  expect(await readFile(at("old.json"), "utf8")).toBe(before);
});

test("a recording that the specification no longer agrees with is stale, and exits with 3", async () => {
  const { code, out } = await said(replay, at("stale.json"), "--target", "model");
  expect(code).toBe(3);
  expect(out).toMatch(/stale at step \d/);
});

test("texts of a story from elsewhere are shown as lengths and hashes unless asked for", async () => {
  const quiet = await said(replay, at("good.json"), "--target", "twin:follow_up_through_inspection");
  expect(quiet.code).toBe(1);
  expect(quiet.out).toMatch(/"text":\{"length":\d+,"sha256":"[0-9a-f]{16}"\}/);
  const open = await said(replay, at("good.json"), "--target", "twin:follow_up_through_inspection", "--texts");
  expect(open.out).not.toMatch(/"sha256"/);
});

test.each([
  ["check", check],
  ["replay", replay],
  ["explain", explain],
  ["shrink", shrink],
  ["promote", promote],
  ["explore", explore],
  ["orders", orders],
  ["gate", gate],
] as const)("%s --help says what it takes and which exit codes there are", async (name, verb) => {
  const { code, out } = await said(verb, "--help");
  expect(code).toBe(0);
  expect(out).toMatch(new RegExp(`^Usage: rollcall ${name}`));
  expect(out).toMatch(/Exit codes/);
});
