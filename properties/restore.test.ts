/**
 * A crash may come after any step, and the restore after it may crash as well. False would be: a step after which a crash
 * and a restore give anything but the committed state, starts rolled back and turns recovered, once. L28, L29, L30, L39
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Step } from "../src/contract.ts";
import { type Next, run } from "./loop.ts";
import { story, telling } from "./stories.ts";
import type { Target } from "./target.ts";
import { targetNamed } from "./targets/named.ts";

/** All that is live is gone, twice; then what was restored is saved, and read once more. */
const ending: readonly Step[] = [
  { do: "crash", as: "w2" },
  { do: "crash" },
  { do: "restore", mode: "read" },
  { do: "crash" },
  { do: "restore", mode: "write", answers: { hydrate: "ok" }, commit: "crash_before" },
  { do: "restore", mode: "write", answers: { hydrate: "missing" }, commit: "crash_after" },
  { do: "restore", mode: "write", answers: { hydrate: "ok" } },
  { do: "save" },
  { do: "sample", path: "/root" },
  { do: "close" },
  { do: "restore", mode: "write" },
];

/** The story up to `cut`, then the ending. */
function cutAt(told: Next, cut: number): Next {
  return (world, index, last) => (index < cut ? told(world, index, last) : (ending[index - cut] ?? null));
}

async function crashed(target: Target, seed: number, stories: number): Promise<{ runs: number; recovered: number }> {
  let [runs, recovered] = [0, 0];
  for (const each of fc.sample(story, { numRuns: stories, seed })) {
    const { told } = await run(target, each.shape.scope, telling(each, target.capabilities));
    for (let cut = 1; cut <= told.length; cut++) {
      const done = await run(target, each.shape.scope, cutAt(telling(each, target.capabilities), cut));
      expect(done.failure?.kinds ?? null, JSON.stringify(done.told.map(([step]) => step))).toBeNull();
      expect(done.told.length).toBe(cut + ending.length);
      runs++;
      // A restore that has nothing to recover commits nothing that could crash.
      if (done.told.slice(cut).some(([step, reply]) => step.do === "restore" && "crashed" in reply)) recovered++;
    }
  }
  return { runs, recovered };
}

describe("a crash after every step of every story loses nothing that was acknowledged", () => {
  test.each([
    ["memory", 12],
    ["sqlite", 4],
  ])("%s, %i stories", { timeout: 120_000 }, async (name, stories) => {
    const target = await (await targetNamed(name))();
    try {
      const { runs, recovered } = await crashed(target, 41, stories);
      expect(runs).toBeGreaterThan(10 * stories);
      expect(recovered, "some turns were abandoned").toBeGreaterThan(stories);
    } finally {
      await target.close();
    }
  });
});
