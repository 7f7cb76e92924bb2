/**
 * What is said to be covered is. False would be: a hole that some story fills, a count of steps taken for one of stories, or an
 * estimate of what is left that the next stories belie.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { begin, step as decide, goals } from "../../model/index.ts";
import type { Scope, Step } from "../../src/contract.ts";
import { check } from "../check.ts";
import { digest } from "../digest.ts";
import { registrars, roles } from "../shape.ts";
import { taleOf } from "../tale.ts";
import { targetNamed } from "../targets/named.ts";
import { addCells, during, pairs } from "./cells.ts";
import { covering } from "./coverage.ts";
import { escapedIn } from "./escaped.ts";
import { coverageText } from "./say.ts";

const scope: Scope = { capacity: 1, roles, registrars, archive: "memory", process: "same" };

function cellsOf(...steps: readonly Step[]): readonly string[] {
  const cells = new Set<string>();
  let world = begin(digest, scope);
  for (const each of steps) {
    const { world: after, reply } = decide(world, each);
    addCells(cells, world, each, reply);
    world = after;
  }
  return [...cells];
}

test("a behaviour is what somebody was doing, the command, and what came of it", () => {
  const through = { prepare: "ok", dispatch: "ok" } as const;
  const op = "/root/a#1.2";
  expect(
    cellsOf(
      { do: "spawn", by: "/root", name: "a", role: "r", text: "t", answers: through },
      { do: "finish", path: "/root/a", turn: 1, outcome: "completed", text: "R" },
      { do: "follow_up", by: "/root", to: "a", text: "u" },
      { do: "execution", owner: "/root", text: "e" },
      { do: "answer", op, gate: "prepare", with: "refuse" },
      { do: "wait", by: "/root/zz" },
      { do: "crash" },
      { do: "restore", mode: "read" },
      { do: "save" },
    ),
  ).toEqual([
    ...["root running spawn: ok", "running finish: settled", "idle follow_up: at prepare"],
    ...[
      "root running execution: done",
      "prepare: execution",
      "starting answer: refused task_refused",
      "prepare: answer",
    ],
    ...[
      "nobody wait: refused caller_unknown",
      "writing crash: done",
      "closed restore: done",
      "reading save: refused read_only",
    ],
  ]);
});

describe("sums", () => {
  test("count stories, name what none has shown, and estimate by what one alone has shown", () => {
    const sums = covering();
    sums.add(["idle evict: done", "idle compact: done"], [0, 1]);
    sums.add(["idle evict: done", "prepare: save"], [0]);
    sums.add(["idle evict: done", "prepare: save"], [0]);
    sums.add(["idle evict: refused in_use", "idle evict: done"], [0]);
    const { cells, holes, next, stories } = sums.sum();
    expect([stories, cells.get("idle evict: done"), cells.get("prepare: save")]).toEqual([4, 4, 2]);
    expect(holes.pairs).toHaveLength(pairs.length - 2);
    expect(holes.during).toHaveLength(during.length - 1);
    expect(holes.goals).toHaveLength(goals.length - 2);
    // Seen once: compact, in_use, the second goal. Signatures: three, of which one twice.
    expect(next).toEqual({ classes: 6, once: 3, unseen: 0.75, signatures: 3, unseenSignature: 0.5 });
  });
  test("of nothing promise nothing", () => {
    expect(covering().sum().next).toMatchObject({ classes: 0, unseen: 1, unseenSignature: 1 });
  });
});

test("the estimate is borne out by the next stories", { timeout: 120_000 }, async () => {
  const target = await (await targetNamed("model"))();
  const judging = { seed: 21, oracle: "both", covers: true } as const;
  const sums = covering();
  const seen = new Set<string>();
  const classesOf = async (index: number): Promise<{ cells: readonly string[]; met: readonly number[] }> => {
    const { cells, goals: met } = await taleOf(target, judging, index);
    return { cells, met };
  };
  for (let index = 0; index < 150; index++) {
    const { cells, met } = await classesOf(index);
    sums.add(cells, met);
    for (const each of [...cells, ...met.map(String)]) seen.add(each);
  }
  // What each of the next stories shows that none of the first has, whatever the others among the next.
  let fresh = 0;
  for (let index = 150; index < 250; index++) {
    const { cells, met } = await classesOf(index);
    fresh += [...cells, ...met.map(String)].filter((each) => !seen.has(each)).length;
  }
  const { once } = sums.sum().next;
  const [expected, found] = [once / 150, fresh / 100];
  expect(found).toBeGreaterThan(expected / 1.6);
  expect(found).toBeLessThan(expected * 1.6);
});

test("a run tells what it covers, the same in several processes", { timeout: 120_000 }, async () => {
  const open = await targetNamed("model");
  const covered = async (count: number) =>
    (await check({ runs: 40, seed: 2, open, covers: true, workers: { name: "model", count } })).coverage;
  const one = await covered(1);
  expect(one?.stories).toBe(40);
  expect(await covered(2)).toEqual(one);
  expect((await check({ runs: 1, seed: 2, open })).coverage).toBeNull();
});

test("the share of faults that escaped counts planted ones, and is read from what was hunted", async () => {
  const folder = await mkdtemp(join(tmpdir(), "rollcall-escaped-"));
  const file = join(folder, "faults.json");
  const fault = (name: string, is: string, kills: number, survived: readonly number[]) => ({
    ...{ name, is, kills: Array.from({ length: kills }, () => ({})), survived },
  });
  try {
    const faults = [fault("a", "planted", 20, []), fault("b", "planted", 18, [3, 9]), fault("c", "twin", 0, [1])];
    await writeFile(file, JSON.stringify({ asked: {}, faults }));
    const escaped = await escapedIn(file);
    expect(escaped).toEqual({ faults: 2, escaped: ["b"], hunts: 40, survived: 2 });
    expect(coverageText(covering().sum(), escaped)).toMatch(/escaped: 50 %, 1 of 2 \(b\); 2 of 40 hunts/);
    await writeFile(file, `{"faults":[{"name":1}]}`);
    await expect(escapedIn(file)).rejects.toThrow(/not what rollcall faults --json writes/);
    await expect(escapedIn(join(folder, "none.json"))).rejects.toThrow(/cannot be read/);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
