/**
 * Faulty twins are told from the truth. False would be: a fault that really happened once, which lives through the stories
 * that production is judged by; or a story of it that was not shrunk to nearly the shortest.
 */
import { describe, expect, test } from "vitest";
import { check } from "./check.ts";
import { targetNamed } from "./targets/named.ts";
import { shortest } from "./twins/shortest.ts";

/** Shrunk in full here; for the others `rollcall check --target twin:NAME` shows it, in a minute each. */
const shrunk = ["drain_clears_all", "keeps_result_while_starting", "slot_leak_on_settle", "wake_before_commit"];

describe("every twin is found", () => {
  test.each(Object.keys(shortest))("%s", { timeout: 120_000 }, async (name) => {
    const full = shrunk.includes(name);
    const open = await targetNamed(`twin:${name}`);
    const { failed, stories } = await check({ runs: 1_000, seed: 1, open, shrinksMax: full ? 6_000 : 40 });
    expect(failed, `${stories} stories`).not.toBeNull();
    if (full) expect(failed?.shrunk.run.told.length).toBeLessThanOrEqual((shortest[name] ?? 0) + 1);
  });
});
