/**
 * A crash may come after any step. False would be: something acknowledged that is gone after the next restore, something
 * unacknowledged that is half there, a turn settled twice, or a record lost or reported wrongly (L28, L29, L30, L39).
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { World } from "../model/index.ts";
import type { Step } from "../src/contract.ts";
import { type Next, run } from "./loop.ts";
import { type Story, story, telling } from "./stories.ts";
import type { Target } from "./target.ts";
import { targetNamed } from "./targets/named.ts";

/** The story up to a step, then whatever is open crashes, is restored, crashes again and is restored again. */
function cut({ shape, drafts }: Story, at: number, target: Target): Next {
  const told = telling({ shape, drafts: drafts.slice(0, at) }, target.capabilities);
  let after: readonly Step[] | null = null;
  return (world, index, last) => {
    const step = after === null ? told(world, index, last) : null;
    if (step !== null) return step;
    after ??= ending(world);
    const [next, ...rest] = after;
    after = rest;
    return next ?? null;
  };
}

/** What was damaged is mended first, so that every record has to come back. */
function ending({ handles, disk }: World): readonly Step[] {
  const crash = Object.keys(handles).map((as): Step => ({ do: "crash", as }));
  const mend: readonly Step[] = [
    { do: "mend", what: "archive" },
    { do: "mend", what: "session" },
    ...Object.keys(disk.damaged).map((path): Step => ({ do: "mend", what: "record", path })),
  ];
  const restore: Step = { do: "restore", mode: "write", answers: { hydrate: "ok" } };
  const killed: Step = { do: "restore", mode: "write", answers: { hydrate: "ok" }, commit: "crash_before" };
  return [...crash, ...mend, killed, restore, { do: "save" }, { do: "crash" }, restore, { do: "roster" }];
}

async function holds(name: string, numRuns: number): Promise<void> {
  const target = await (await targetNamed(name))();
  const anywhere = fc.record({ told: story, at: fc.nat({ max: 60 }) });
  try {
    await fc.assert(
      fc.asyncProperty(anywhere, async ({ told, at }) => {
        const { failure } = await run(target, told.shape.scope, cut(told, at, target));
        expect(failure?.kinds).toBeUndefined();
      }),
      { numRuns, seed: 20_261_130 },
    );
  } finally {
    await target.close();
  }
}

describe("after a crash at any step everything acknowledged is back", () => {
  test("in memory", () => holds("memory", 150));
  test("in a file", () => holds("sqlite", 20));
});
