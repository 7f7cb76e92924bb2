/**
 * Shrinking and recording from the command line. False would be: a story that got shorter and fails otherwise, or is said to
 * fail where it holds; a draft that is recorded though it is red on nothing, green on nothing, or told already.
 */
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readTrace, traceFiles } from "../../regressions/files.ts";
import { replay } from "../../regressions/replay.ts";
import { specification } from "../specification.ts";
import { targetNamed } from "../targets/named.ts";
import { printTrace, type Trace } from "../trace.ts";
import { promote } from "./promote.ts";
import { said } from "./said.ts";
import { shrink } from "./shrink.ts";

let folder = "";
const at = (name: string): string => join(folder, name);
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "rollcall-promote-"));
  await mkdir(at("into"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const september = (await traceFiles()).find((file) => file.includes("2026-09-23")) ?? "";
const config = { instructions: "do", model: "m", effort: null, tools: [], limits: {}, parameters: {} };
const bare: Trace = {
  trace: 2,
  spec: specification,
  why: "as it was drawn",
  laws: [8, 9],
  found: "rollcall check --target twin:keeps_result_while_starting --seed 1",
  fault: "twin:keeps_result_while_starting",
  scope: {
    capacity: 3,
    roles: { r: config },
    registrars: { core: { category: "core", tools: [] } },
    archive: "memory",
    process: "same",
  },
  steps: [
    [
      { do: "spawn", by: "/root", name: "a", role: "r", text: "t", answers: { prepare: "ok", dispatch: "ok" } },
      { ok: "done" },
    ],
    [{ do: "finish", path: "/root/a", turn: 1, outcome: "completed", text: "t" }, { ok: "done" }],
    [{ do: "follow_up", by: "/root", to: "a", text: "u" }, { ok: "done" }],
  ],
};
const draft = async (trace: Trace, name = "draft.json"): Promise<string> => {
  await writeFile(at(name), printTrace(trace));
  return at(name);
};
const why =
  "A reviewer has a result and is followed up. While that start is under way the record still shows the result.";
const into = (): readonly string[] => ["--into", at("into"), "--day", "2026-12-01", "--why", why];

describe("rollcall shrink", () => {
  test("finds a shorter story that fails alike, and writes it as a trace that does", async () => {
    const fault = "twin:keeps_result_while_starting";
    const { code, out } = await said(shrink, september, "--target", fault, "--out", at("short.json"));
    expect(code).toBe(1);
    expect(out).toMatch(/^2026-09-23-.* fails on twin:keeps_result_while_starting\n {2}L8 /);
    expect(out).toMatch(/3 steps, shrunk from 8 steps in \d+ executions/);
    const { trace } = await readTrace(at("short.json"));
    expect(trace.steps.length).toBe(3);
    expect(trace.why).toBe((await readTrace(september)).trace.why);
    const verdict = await replay(trace, await (await targetNamed(fault))());
    expect(verdict).toMatchObject({ is: "reproduces", step: 3 });
    expect((await replay(trace, await (await targetNamed("model"))())).is).toBe("fixed");
  });

  test("says of a story that holds that there is nothing to shrink, and writes nothing", async () => {
    const { code, out } = await said(shrink, september, "--target", "model", "--out", at("short.json"));
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^holds .*it does not fail, so there is nothing to shrink\n$/),
    ]);
    expect(await readdir(folder)).toEqual(["into"]);
  });

  test("says of a story that is stale and fails nowhere that it is stale", async () => {
    const { code, err } = await said(shrink, await draft(bare), "--target", "model");
    expect([code, err]).toEqual([3, expect.stringMatching(/does not fail on model, and is stale at step 1: /)]);
  });

  test("spends no more executions than it is given", async () => {
    const one = await said(shrink, september, "--target", "twin:keeps_result_while_starting", "--executions", "1");
    expect(one.out).toMatch(/shrunk from 8 steps in 1 execution:/);
  });
});

describe("rollcall promote", () => {
  test("records a draft in words, with what the specification answers, red on its twin", async () => {
    const { code, out } = await said(promote, await draft(bare), ...into());
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^recorded .*: 3 steps, L8, L9\n.*red on twin:keeps_.* at step 3/),
    ]);
    const file = at("into/2026-12-01-a-reviewer-has-a-result-and-is-followed.json");
    const { trace, rot } = await readTrace(file);
    expect(rot).toBeNull();
    expect({ ...trace, scope: Object.keys(trace.scope.roles), steps: trace.steps.map(([step]) => step) }).toEqual({
      ...{ trace: 2, spec: specification, why, laws: [8, 9], found: bare.found, fault: bare.fault },
      ends: expect.stringMatching(/^[0-9a-f]{16}$/),
      scope: ["worker"],
      steps: [
        expect.objectContaining({ do: "spawn", name: "reviewer", role: "worker", text: "review the change" }),
        expect.objectContaining({ do: "finish", path: "/root/reviewer", text: "the change is fine" }),
        expect.objectContaining({ do: "follow_up", to: "reviewer", text: "look again" }),
      ],
    });
    const target = await (await targetNamed("sqlite"))();
    expect((await replay(trace, target)).is).toBe("fixed");
    await target.close();
  });

  test("names the story that shows the same, under other names and with steps that do not matter", async () => {
    await said(promote, await draft(bare), ...into());
    const wordy: Trace = {
      ...bare,
      steps: [
        [{ do: "roster" }, { ok: "done" }],
        ...bare.steps.map(
          ([step, reply]) =>
            [
              JSON.parse(JSON.stringify(step).replaceAll('"a"', '"zed"').replaceAll("/root/a", "/root/zed")),
              reply,
            ] as const,
        ),
        [{ do: "execution", owner: "/root", text: "x" }, { ok: "done" }],
      ],
    };
    const before = await readdir(at("into"));
    const { code, out } = await said(promote, await draft(wordy), ...into(), "--name", "another");
    expect([code, out]).toEqual([1, expect.stringMatching(/^known .* shows what 2026-12-01-a-reviewer-has-.* shows/)]);
    expect(await readdir(at("into"))).toEqual(before);
  });

  test("knows what this package has recorded", async () => {
    for (const file of await traceFiles()) await copyFile(file, at(`into/${basename(file)}`));
    const { code, out } = await said(promote, await draft(bare), ...into());
    expect([code, out]).toEqual([
      1,
      expect.stringMatching(/shows what 2026-09-23-execution-during-a-follow-ups-start shows/),
    ]);
  });

  test("refuses what is not red on the fault that is named", async () => {
    const { code, out } = await said(promote, await draft(bare), ...into(), "--twin", "eager_hydration");
    expect([code, out]).toEqual([
      1,
      expect.stringMatching(/^not red .*it does not fail on twin:eager_hydration, so it shows nothing/),
    ]);
    expect(await readdir(at("into"))).toEqual([]);
  });

  test("keeps names that a person gave, and names that matter", async () => {
    const named: Trace = {
      ...bare,
      steps: (await readTrace(september)).trace.steps,
      scope: (await readTrace(september)).trace.scope,
    };
    await said(promote, await draft(named), ...into());
    const [file = ""] = await readdir(at("into"));
    const { trace } = await readTrace(at(`into/${file}`));
    expect(trace.steps.map(([step]) => step)).toEqual(named.steps.map(([step]) => step));
  });

  test("sees it red on a fault planted in the production source", { timeout: 120_000 }, async () => {
    const { code, out } = await said(promote, await draft(bare), ...into(), "--plant", "keeps_result_while_starting");
    expect([code, out]).toEqual([0, expect.stringMatching(/red on plant:keeps_result_while_starting at step 3/)]);
    expect((await readTrace(at(`into/${(await readdir(at("into")))[0]}`))).trace.fault).toBe(
      "plant:keeps_result_while_starting",
    );
  });

  test("never writes over a story that is there", async () => {
    const taken = at("into/2026-12-01-taken.json");
    await writeFile(
      taken,
      printTrace({ ...bare, fault: "twin:keeps_result_while_starting", steps: [[{ do: "save" }, { ok: "done" }]] }),
    );
    const before = await readFile(taken, "utf8");
    const { code, err } = await said(promote, await draft(bare), ...into(), "--name", "taken");
    expect([code, err]).toEqual([2, expect.stringMatching(/there is one of that name; choose another with --name/)]);
    expect(await readFile(taken, "utf8")).toBe(before);
  });

  test.each<[string, readonly string[], RegExp]>([
    ["no reason", ["--why", ""], /say with --why what the story shows/],
    ["a reason of three words", ["--why", "it was broken"], /at least 12 words/],
    ["two faults", ["--twin", "marks_erased", "--plant", "marks_erased"], /name one fault only/],
    ["an unknown twin", ["--twin", "nobody"], /there is no twin nobody; there are/],
    ["an unknown plant", ["--plant", "nobody"], /there is no plant nobody; there are/],
    ["an unknown commit", ["--commit", "0000000"], /there is no commit 0000000 in this repository/],
    ["a name that is none", ["--name", "Two Words"], /--name takes words of a-z and 0-9/],
    ["a day that is none", ["--day", "2026-13-41"], /--day is a day such as/],
    ["a folder that is not there", ["--into", "nowhere"], /there is no folder nowhere/],
    ["an option that is none", ["--colour"], /Unknown option '--colour'/],
  ])("says what is wrong with %s, and records nothing", async (_, args, sentence) => {
    const { code, out, err } = await said(promote, await draft(bare), ...into(), ...args);
    expect({ code, out, lines: err.trimEnd().split("\n").length }).toEqual({ code: 2, out: "", lines: 2 });
    expect(err).toMatch(sentence);
    expect(await readdir(at("into"))).toEqual([]);
  });

  test("says that a draft without a fault needs one, and that a long one is to be shrunk", async () => {
    const { fault: _, ...unnamed } = bare;
    const none = await said(promote, await draft(unnamed), ...into());
    expect([none.code, none.err]).toEqual([2, expect.stringMatching(/say what it was red on: --twin NAME/)]);
    const idle = Array.from({ length: 15 }, () => [{ do: "roster" }, { ok: "done" }] as const);
    const long = await said(promote, await draft({ ...bare, steps: [...idle, ...bare.steps] }), ...into());
    expect([long.code, long.err]).toEqual([
      2,
      expect.stringMatching(/has 18 steps, and a story to be read has 15; rollcall shrink it/),
    ]);
  });
});
