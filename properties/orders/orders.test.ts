/**
 * Leaving out orders that come to a known state changes no verdict. False would be a faulty registry, or ours, that some order
 * shows and none of those that are told; or an order that is told and is none of the threads'.
 */
import { describe, expect, test } from "vitest";
import { targetNamed } from "../targets/named.ts";
import { countOf, orders, tryOrders } from "./orders.ts";
import { type Thread, threads } from "./threads.ts";

const of = (...names: readonly string[]): readonly Thread[] => names.flatMap((name) => threads[name] ?? []);
const pairs: readonly (readonly [string, string])[] = [
  ["start", "mail"],
  ["start", "interrupt"],
  ["failing_start", "mail"],
  ["quit", "read"],
  ["spawn", "wait"],
  ["unwritten_start", "crash"],
  ["handled", "wait"],
  ["block", "takeover"],
];
const faulty = [
  "twin:keeps_result_while_starting",
  "twin:loses_result_on_error",
  "twin:quit_leaves_starting",
  "twin:wake_before_commit",
  "twin:drain_clears_all",
  "twin:slot_leak_on_settle",
  "twin:late_dispatch_admits_next",
  "twin:settled_flag_first",
];

/** Which pairs are red, and as what. */
async function verdicts(
  name: string,
  merged: boolean,
): Promise<{ readonly red: readonly string[]; readonly orders: number }> {
  const target = await (await targetNamed(name))();
  const red: string[] = [];
  let count = 0;
  for (const pair of pairs) {
    const tried = await tryOrders(target, of(...pair), { merged });
    count += tried.orders;
    if (tried.failed !== null) red.push(pair.join(" and "));
  }
  await target.close();
  return { red, orders: count };
}

describe("without the orders that cannot differ", () => {
  let reds = 0;
  for (const name of faulty)
    test(`${name} is judged alike`, async () => {
      const [some, all] = [await verdicts(name, true), await verdicts(name, false)];
      expect(some.red).toEqual(all.red);
      reds += all.red.length;
    });
  test("most of these are red somewhere", () => {
    expect(reds).toBeGreaterThan(faulty.length);
  });
  test("production holds in all, and fewer are told", async () => {
    const [some, all] = [await verdicts("memory", true), await verdicts("memory", false)];
    expect([some.red, all.red]).toEqual([[], []]);
    expect(all.orders).toBe(pairs.length * countOf(of("start", "mail")));
    expect(some.orders).toBeLessThan(all.orders / 2);
  });
});

test("every order is there once, and the merged ones are beginnings of some", () => {
  const chosen = of("start", "wait");
  const all = [...orders(chosen, false)].map((each) => each.join(""));
  expect([all.length, new Set(all).size, countOf(chosen)]).toEqual([70, 70, 70]);
  const some = [...orders(chosen, true)].map((each) => each.join(""));
  expect(some.every((each) => all.some((whole) => whole.startsWith(each)))).toBe(true);
});

test("production holds in every order of three threads of four steps", async () => {
  const target = await (await targetNamed("memory"))();
  const { failed, orders: told } = await tryOrders(target, of("start", "mail", "wait"), { merged: true });
  await target.close();
  expect(failed).toBeNull();
  // Of 34,650.
  expect(told).toBeGreaterThan(100);
  expect(told).toBeLessThan(2_000);
});
