/**
 * A run is the same run whoever tells it. False would be: a story that is another one in a shard, alone, or in another process;
 * a shard that leaves one out or tells one twice; a first failure that depends on which process was quicker.
 */
import { describe, expect, test } from "vitest";
import { check } from "./check.ts";
import { tellHere } from "./here.ts";
import { indexAt, type Numbers, numbersOf, shardOf } from "./numbers.ts";
import { sightOf } from "./sights.ts";
import { storyAt } from "./stories.ts";
import { type Tale, taleOf } from "./tale.ts";
import { targetNamed } from "./targets/named.ts";

const judging = { seed: 11, oracle: "both" } as const;
const runs = 61;

async function talesOf(numbers: Numbers): Promise<readonly Tale[]> {
  const target = await (await targetNamed("model"))();
  const tales: Tale[] = [];
  const take = (tale: Tale): boolean => tales.push(tale) > 0;
  await tellHere(target, { judging, numbers, take, isOver: () => false });
  await target.close();
  return tales;
}

describe("the shards of a run together are the run, story by story", () => {
  test.each([1, 2, 3, 7, 100])("%i of them", async (of) => {
    const whole = await talesOf(numbersOf(runs));
    expect(whole.map(({ index }) => index)).toEqual(Array.from({ length: runs }, (_, index) => index));
    const parts = await Promise.all(
      Array.from({ length: of }, (_, which) => talesOf(numbersOf(runs, shardOf(`${which + 1}/${of}`)))),
    );
    expect(parts.flat().toSorted((one, other) => one.index - other.index)).toEqual(whole);
    const sizes = parts.map(({ length }) => length);
    expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
  });

  test("a story told alone is the one that the run tells, however long the run", async () => {
    const [alone] = await talesOf({ first: 40, apart: 1, count: 1 });
    expect(alone).toEqual((await talesOf(numbersOf(runs)))[40]);
    expect(indexAt(numbersOf(1_000_000, { which: 41, of: 50 }), 0)).toBe(40);
  });

  test("stories of neighbouring numbers, and of neighbouring seeds, are others", () => {
    const drawn = [1, 2, 3].flatMap((seed) => Array.from({ length: 200 }, (_, index) => storyAt(seed, index)));
    expect(new Set(drawn.map((story) => JSON.stringify(story.drafts))).size).toBe(drawn.length);
    // A seed that was hardly mixed would draw the first of the shape's fields alike again and again.
    const first = new Map<string, number>();
    for (const { shape } of drawn) {
      const key = `${shape.names.length} ${shape.depth}`;
      first.set(key, (first.get(key) ?? 0) + 1);
    }
    expect(first.size).toBe(9);
  });
});

describe("several processes tell the run of one", () => {
  const told = async (name: string, count: number, seed = 5) => {
    const open = await targetNamed(name);
    const found = await check({ runs: 90, seed, open, workers: { name, count }, shrinksMax: 40 });
    const { failed, ms: _, ...sums } = found;
    return {
      ...sums,
      failed: failed && { story: failed.story, kinds: failed.failure.kinds, told: failed.shrunk.run.told },
    };
  };

  test("of a target that holds", async () => {
    const one = await told("memory", 1);
    expect(one).toMatchObject({ stories: 90, failed: null });
    expect(await told("memory", 3)).toEqual(one);
  });

  // The twin fails in many of these stories, so that later ones are found before the first.
  test("of one that fails: the first by its number wins", async () => {
    const seed = 5;
    const one = await told("twin:turn_numbers_restart", 1, seed);
    expect(one.failed?.story).toBeGreaterThan(1);
    for (const count of [2, 4]) expect(await told("twin:turn_numbers_restart", count, seed)).toEqual(one);
  });

  test("of one that is a process itself", { timeout: 120_000 }, async () => {
    const open = await targetNamed("child");
    const found = await check({ runs: 2, seed: 1, open, workers: { name: "child", count: 2 } });
    expect(found).toMatchObject({ stories: 2, failed: null });
  });
});

test("a story is made of plain data, so that another process can be told of it", async () => {
  const target = await (await targetNamed("twin:keeps_result_while_starting"))();
  const tales: Tale[] = [];
  for (const index of [0, 1, 2]) tales.push(await taleOf(target, { seed: 3, oracle: "both" }, index));
  expect(tales.some(({ wrong }) => wrong !== null)).toBe(true);
  expect(tales.map((tale) => structuredClone(tale))).toEqual(tales);
  expect(sightOf(null, new Error("it broke"))).toEqual({ threw: "it broke" });
});
