/**
 * Several clients, callbacks, providers and signals at once: whatever the scheduler makes of it, there is an order of steps of
 * the specification that explains every answer, event and commit, what is there at the end and what a restore finds. False
 * would be a history without one.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as library from "../../../src/index.ts";
import { goals } from "./goals.ts";
import { judge } from "./judge.ts";
import { programs } from "./program.ts";
import { scheduled } from "./schedule.ts";

const runs = { numRuns: 600, seed: 20_261_201 };

describe("a session that is called by many at once", () => {
  test("is always explained by steps in the order in which they were issued", async () => {
    const missing = new Set(Object.keys(goals));
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), programs(3, 6), async (scheduler, program) => {
        const schedule = scheduled(scheduler, program.pace);
        const { history, failure } = await judge(library, library.memoryStore(), program, schedule);
        for (const name of missing) if (goals[name]?.(history) === true) missing.delete(name);
        expect(failure, failure ?? "").toBe(null);
      }),
      runs,
    );
    expect([...missing]).toEqual([]);
  });
});
