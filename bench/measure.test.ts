// Samples in turn, on a clock of the test: false would be a slow peer that costs everybody else theirs, or one that gets fewer than three.
import { afterEach, expect, test, vi } from "vitest";
import { type Case, interleave } from "./measure.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

test("a case that uses up the budget by itself rests after three samples, and the others go on", async () => {
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => now);
  const taking = (name: string, ms: number): Case => ({
    name,
    sample: async () => {
      now += ms;
      return { ms };
    },
  });
  const timings = await interleave([taking("quick", 1), taking("slow", 4_000), taking("other", 2)], {
    ...{ roundsMin: 7, budgetMs: 2_000 },
  });
  const samples = ["quick", "slow", "other"].map((name) => timings.get(name)?.get("ms")?.samples);
  expect(samples).toEqual([7, 3, 7]);
});
