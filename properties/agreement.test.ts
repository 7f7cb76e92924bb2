/**
 * Production does what the specification says, over both archives. False would be: a generated story after one of whose
 * steps outcome, events, view or encoding differ, or a law is broken.
 */
import { describe, expect, test } from "vitest";
import { check } from "./check.ts";
import { targetNamed } from "./targets/named.ts";

const sizes = [
  ["model", 400],
  ["memory", 200],
  ["sqlite", 60],
] as const;

describe("every generated story agrees with the specification", () => {
  test.each(sizes)("%s, %i stories", { timeout: 120_000 }, async (name, runs) => {
    const found = await check({ runs, seed: 20_26, open: await targetNamed(name), shrinksMax: 2_000 });
    expect(found.failed?.shrunk.run.told ?? null, String(found.failed?.failure.kinds)).toBeNull();
    expect(found.stories).toBe(runs);
    expect(found.steps).toBeGreaterThan(10 * runs);
  });
});
