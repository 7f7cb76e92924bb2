/**
 * The same without a scheduler: real promises, turns of the loop and messages of a thread decide who comes first, over memory
 * and over files. A failure here cannot be repeated, so what was seen is printed.
 */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as library from "../../../src/index.ts";
import { memoryPlaces, type Places, sqlitePlaces } from "../places.ts";
import { judge } from "./judge.ts";
import { programs } from "./program.ts";
import { type Echo, echo, real } from "./schedule.ts";

describe("a session that is really called by many at once", () => {
  let thread: Echo;
  beforeAll(() => {
    thread = echo();
  });
  afterAll(() => thread.close());

  const story = fc.tuple(programs(4, 6), fc.array(fc.nat({ max: 63 }), { minLength: 8, maxLength: 40, size: "max" }));
  async function explained(places: Places, numRuns: number): Promise<void> {
    try {
      for (const [program, choices] of fc.sample(story, { numRuns, seed: 3 })) {
        const place = places.fresh();
        const { failure } = await judge(library, place.store, program, real(thread, choices));
        await place.remove();
        expect(failure, failure ?? "").toBe(null);
      }
    } finally {
      await places.close();
    }
  }
  test("is explained over memory", () => explained(memoryPlaces(), 120));
  test("is explained over a file", () => explained(sqlitePlaces(), 60));
});
