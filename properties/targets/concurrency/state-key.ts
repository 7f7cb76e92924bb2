/** A short name for a state of the specification: equal states have equal names. What did not change is not written out again. */
import type { World } from "../../../model/index.ts";

const numbers = new Map<string, number>();
const known = new WeakMap<object, number>();
const namesMax = 200_000;
let given = 0;

/** Configurations are left out: they say no more than the role does. */
function numberOf(part: object): number {
  const found = known.get(part);
  if (found !== undefined) return found;
  const text = JSON.stringify(part, (key, value: unknown) => (key === "config" ? undefined : value));
  if (numbers.size >= namesMax) numbers.clear();
  const number = numbers.get(text) ?? ++given;
  numbers.set(text, number);
  known.set(part, number);
  return number;
}
const each = (parts: readonly object[]): string => parts.map(numberOf).join(",");

export function stateKey({ disk, handles, roles }: World): string {
  const stored = `${numberOf(roles)};${disk.capacity};${numberOf(disk.root)};${each(Object.values(disk.agents))}`;
  const live = handles["w1"];
  if (live === undefined || live.is === "restoring") return stored;
  const { root, agents, ops, ordinals, capacity, now } = live;
  return `${stored};${capacity};${now};${numberOf(root)};${each(Object.values(agents))};${each(ops)};${numberOf(ordinals)}`;
}
