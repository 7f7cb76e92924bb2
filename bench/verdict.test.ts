/** A verdict is right on numbers that are drawn: slow-downs of a tenth are caught, unchanged builds are not blamed. */
import { describe, expect, it } from "vitest";
import { generator } from "./prose.ts";
import { sentenceOf, verdictOf } from "./verdict.ts";

const pairs = 8;
/** About normal: twelve draws from a square, around one, with this deviation. */
function drawn(seed: number, around: number, deviation: number): readonly number[] {
  const draw = generator(seed);
  const normal = () =>
    Array.from({ length: 12 }, () => draw(1_000_000) / 1_000_000).reduce((sum, each) => sum + each, -6);
  return Array.from({ length: pairs }, () => around * Math.exp(deviation * normal()));
}
function slowerOf(around: number, deviation: number): number {
  return Array.from({ length: 1_000 }, (_, seed) => verdictOf(drawn(seed, around, deviation)).is).filter(
    (is) => is === "slower",
  ).length;
}

describe("a verdict over a thousand comparisons", () => {
  it.each([0.01, 0.03, 0.04])("catches a slow-down of a tenth where pairs differ by %d", (deviation) => {
    expect(slowerOf(1.1, deviation)).toBeGreaterThanOrEqual(950);
  });

  it.each([0.01, 0.03, 0.1, 0.3])("blames one unchanged in a hundred at most where pairs differ by %d", (deviation) => {
    expect(slowerOf(1, deviation)).toBeLessThanOrEqual(10);
  });
});

it("says which it is, and that it cannot tell", () => {
  const cases = [
    [[1.1, 1.11, 1.09, 1.1], "slower"],
    [[0.9, 0.91, 0.89, 0.9], "faster"],
    [[1, 1.01, 0.99, 1], "alike"],
    [[0.5, 2, 1, 1.1], "unclear"],
  ] as const;
  for (const [ratios, is] of cases) expect(verdictOf(ratios).is).toBe(is);
  expect(sentenceOf("saving", verdictOf([1.1, 1.1, 1.1]))).toBe(
    "saving: SLOWER by 10.0 % (between 10.0 % and 10.0 %, from 3 pairs of processes)",
  );
});
