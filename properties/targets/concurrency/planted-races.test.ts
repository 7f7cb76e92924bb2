/**
 * Races planted in the production source are seen: each makes a history that no order of steps explains. False would be a race
 * that lives through so many stories, or an edit that no longer applies.
 */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Planted, plant } from "../planted.ts";
import { judge } from "./judge.ts";
import { programs } from "./program.ts";
import { races } from "./races.ts";
import { scheduled } from "./schedule.ts";

/** Of a race, by how many stories it is seen at the latest; most are seen within a dozen. */
const numRuns = 3_000;

describe("a race in the production source", () => {
  let planted: Planted;
  beforeAll(async () => {
    planted = await plant(races);
    // Compiling takes what it takes; this only ends what hangs.
  }, 120_000);
  afterAll(() => planted.remove());

  test.each(races.map((each) => [each.name, each.why, each.seed] as const))("%s is seen: %s", async (name, _, seed) => {
    const library = await import(/* @vite-ignore */ planted.url(name));
    const story = fc.asyncProperty(fc.scheduler(), programs(3, 6), async (scheduler, program) => {
      const schedule = scheduled(scheduler, program.pace);
      const { failure } = await judge(library, library.memoryStore(), program, schedule);
      if (failure !== null) throw new Error(failure);
    });
    const { failed, errorInstance } = await fc.check(story, { numRuns, seed, endOnFailure: true });
    expect(failed).toBe(true);
    expect(String(errorInstance)).toMatch(/explains this|nobody was told/);
  });
});
