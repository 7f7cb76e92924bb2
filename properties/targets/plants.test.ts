/**
 * Faults planted in the production source are found by the checker that judges production. False would be: an edit that no
 * longer applies, or a planted fault that lives through stories that the true registry passes.
 */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { plant } from "./planted.ts";
import { plants } from "./plants.ts";
import { morePlants } from "./plants-more.ts";
import { unseenPlants } from "./plants-unseen.ts";

/** Those judged here, in a few stories each; `rollcall faults` judges all. */
const judged = ["keeps_result_while_starting", "quit_leaves_starting", "eager_hydration", "omitted_by_codec"];

test.each([...plants, ...morePlants, ...unseenPlants].map((each) => [each.name, each] as const))(
  "%s applies exactly once",
  (_, { edits }) => {
    for (const { file, from } of edits) {
      const source = readFileSync(new URL(`../../src/${file}`, import.meta.url), "utf8");
      expect(source.split(from).length - 1, `in src/${file}`).toBe(1);
    }
  },
);

describe("planted faults are found in production", () => {
  test("the true source passes, each planted one fails", { timeout: 180_000 }, async () => {
    const chosen = plants.filter(({ name }) => judged.includes(name));
    const copies = await plant([{ name: "truth", edits: [] }, ...chosen], ["model", "properties", "regressions"]);
    try {
      const verdicts: string[] = [];
      for (const { name } of [{ name: "truth" }, ...chosen]) {
        const { check } = await import(/* @vite-ignore */ copies.url(name, "properties/check.ts"));
        const { targetNamed } = await import(/* @vite-ignore */ copies.url(name, "properties/targets/named.ts"));
        const found = await check({ runs: 150, seed: 7, open: await targetNamed("memory"), shrinksMax: 20 });
        verdicts.push(`${name}: ${found.failed === null ? "held" : "found"}`);
      }
      expect(verdicts).toEqual(["truth: held", ...judged.map((name) => `${name}: found`)]);
    } finally {
      await copies.remove();
    }
  });
});
