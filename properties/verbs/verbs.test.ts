/** What the judging verbs say to wrong use and bad input: one sentence, the right exit code, nothing written. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { traceFiles } from "../../regressions/files.ts";
import type { Io, Verb } from "../io.ts";
import { check } from "./check.ts";
import { explore } from "./explore.ts";
import { gate } from "./gate.ts";
import { orders } from "./orders.ts";
import { replay } from "./replay.ts";

let folder = "";
const at = (name: string): string => join(folder, name);

async function said(verb: Verb, ...args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const told = { out: "", err: "" };
  const io: Io = {
    out: (text) => {
      told.out += text;
    },
    err: (text) => {
      told.err += text;
    },
    ...{ tty: false, color: false, columns: 100, env: {} },
  };
  return { code: await verb(args, io), ...told };
}

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

describe("one sentence and exit code 2", () => {
  const bad: readonly (readonly [verb: Verb, args: readonly string[], says: RegExp])[] = [
    [replay, ["none.json"], /there is no trace/],
    [check, ["--oracle", "all"], /--oracle is both, laws, comparison, not "all"/],
    [replay, ["folder.json"], /is no file/],
    [replay, ["empty.json"], /is empty/],
    [replay, ["torn.json"], /is not JSON/],
    [replay, ["other.json"], /is not a trace/],
    [replay, ["newer.json"], /version 3; this reads versions 1 and 2/],
    [replay, ["key.json"], /Unrecognized key: "wy"|expected string/],
    [replay, ["step.json"], /at steps\.0\.0/],
    [replay, ["verb.json"], /at steps\.0\.0\.do/],
    [replay, ["deep.json"], /nested too deeply|at /],
    [check, ["--runs", "many"], /--runs takes a whole number of at least 1, not "many"/],
    [check, ["--seed", "-1"], /seed/],
    [check, ["--target", "nobody"], /there is no target nobody; there are/],
    [check, ["--target", "twin:nobody"], /there is no twin nobody; there are/],
    [check, ["--colour"], /Unknown option '--colour'/],
    [explore, ["nowhere"], /there is no world nowhere; there are/],
    [orders, ["nobody"], /there is no thread nobody; there are/],
    [orders, ["start"], /one thread has one order: name two or more/],
    [explore, ["--agents", "9"], /--agents takes at most 3/],
    [explore, ["--agents", "0"], /--agents takes a whole number of at least 1/],
    [explore, ["--depth", "2"], /--depth is for a world of your own: say --agents N as well/],
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
  ["explore", explore],
  ["orders", orders],
  ["gate", gate],
] as const)("%s --help says what it takes and which exit codes there are", async (name, verb) => {
  const { code, out } = await said(verb, "--help");
  expect(code).toBe(0);
  expect(out).toMatch(new RegExp(`^Usage: rollcall ${name}`));
  expect(out).toMatch(/Exit codes/);
});
