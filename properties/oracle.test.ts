/**
 * Each half of the judge stands by itself. False would be: the true registry found lawless where only laws judge, or a fault
 * found by laws that only a comparison shows, or the other way round.
 */
import { describe, expect, test } from "vitest";
import { check } from "./check.ts";
import type { Oracle } from "./loop.ts";
import { targetNamed } from "./targets/named.ts";

async function kindsOf(name: string, oracle: Oracle, runs: number): Promise<readonly string[]> {
  const open = await targetNamed(name);
  return (await check({ runs, seed: 1, open, oracle, shrinksMax: 20 })).failed?.failure.kinds ?? [];
}

describe("the judge", () => {
  test.each(["laws", "comparison"] as const)("by %s alone passes the true registry", async (oracle) => {
    expect(await kindsOf("memory", oracle, 150)).toEqual([]);
  });

  test("by laws alone finds a wake before its commit, and names no difference", async () => {
    const kinds = await kindsOf("twin:wake_before_commit", "laws", 300);
    expect(kinds).toContain("L20");
    expect(kinds.filter((kind) => !kind.startsWith("L"))).toEqual([]);
  });

  test("by comparison alone finds it too, and names no law", async () => {
    const kinds = await kindsOf("twin:wake_before_commit", "comparison", 300);
    expect(kinds).toHaveLength(1);
    expect(kinds[0]).toMatch(/^(reply|view|encode|stored)\./);
  });

  test("by laws alone does not find an answer that no law is about", async () => {
    expect(await kindsOf("twin:empty_prefix", "laws", 300)).toEqual([]);
    expect(await kindsOf("twin:empty_prefix", "comparison", 300)).not.toEqual([]);
  });
});
