/**
 * Whether a history can be explained: by some order of steps of the specification in which nothing happens before it was asked
 * or after it was answered. A search in depth that remembers where it has been (after Wing and Gong, and Lowe).
 */
import { encode, view, type World } from "../../../model/index.ts";
import { difference } from "../../compare.ts";
import { again, attempt, isForgotten, liveOf, type Node } from "./attempt.ts";
import type { History } from "./history.ts";
import { type Item, itemsOf } from "./items.ts";
import type { Case } from "./seen.ts";
import { reopened } from "./setups.ts";
import { stateKey } from "./state-key.ts";

/** `issued`: calls in the order in which they were made, too; that is what the registry promises. `any`: linearizable. */
export type Order = "issued" | "any";
export type Verdict =
  | { readonly is: "explained"; readonly order: readonly Item[]; readonly states: number }
  /** With a difference at the end, if an order got so far. */
  | { readonly is: "unexplained"; readonly states: number; readonly left: string | null }
  /** Too many states to say. */
  | { readonly is: "undecided"; readonly states: number };

const statesMax = 20_000;

/** What was seen up to the horizon; to the end unless told, and then what is left there, too. */
export function explain(start: World, history: History, order: Order, horizon: number = history.end): Verdict {
  const c: Case = { history, items: itemsOf(history), horizon };
  const items = c.items.all.filter((each) => each.lower <= horizon);
  const visited = new Set<string>();
  const path: Item[] = [];
  let isOver = false;
  let left: string | null = null;

  const search = (node: Node): boolean => {
    // What is not in order yet, and what was seen next, cannot have happened before.
    let frontier = history.events[node.events]?.at ?? Number.POSITIVE_INFINITY;
    for (const each of items) if ((node.done & each.bit) === 0n) frontier = Math.min(frontier, each.upper);
    if (node.at > frontier) return false;
    if (isEnd(c, items, node)) {
      left = horizon < history.end ? null : leftOver(history, node);
      if (left === null) return true;
    }
    const key = `${node.done.toString(36)} ${node.events} ${node.commits} ${node.ends} ${stateKey(node.world)} ${othersKey(node)}`;
    if (visited.has(key) || isOver) return false;
    visited.add(key);
    isOver = visited.size > statesMax;

    const onward = (item: Item, nexts: readonly Node[]): boolean =>
      nexts.some((next) => {
        path.push(item);
        if (next.at <= item.upper && search(next)) return true;
        path.pop();
        return false;
      });
    for (const item of items) {
      if (item.lower > frontier) break;
      if ((node.done & item.bit) !== 0n) continue;
      if (order === "issued" && (item.before & ~node.done) !== 0n) continue;
      if (onward(item, attempt(c, node, item))) return true;
    }
    return node.kept.some((each) => onward({ ...each.item, upper: history.end }, again(c, node, each)));
  };
  const first: Node = {
    ...{ world: start, done: 0n, at: 0, events: 0, commits: 0, sleeping: {}, ends: false, kept: [] },
    reads: {},
  };
  if (search(first)) return { is: "explained", order: path, states: visited.size };
  return isOver ? { is: "undecided", states: visited.size } : { is: "unexplained", states: visited.size, left };
}

/** Whose wait it is follows from the order, and not from the state. */
function othersKey({ sleeping, reads, kept }: Node): string {
  const sleepers = Object.entries(sleeping).map(([path, call]) => `${path}:${call.id}`);
  const settlements = kept.map(({ item, commit }) => `${item.bit}:${commit}`);
  return `${sleepers.sort().join()} ${Object.values(reads).sort().join()} ${settlements.join()}`;
}

function isEnd(c: Case, items: readonly Item[], node: Node): boolean {
  const { history, horizon } = c;
  if (node.ends && horizon >= history.end) return false;
  if (horizon >= history.end && liveOf(node.world) !== null && node.kept.some((each) => isForgotten(c, each)))
    return false;
  if (items.some((each) => each.upper <= horizon && (node.done & each.bit) === 0n)) return false;
  const left = history.events[node.events];
  if (left !== undefined && left.at <= horizon) return false;
  return horizon < history.end || node.commits === history.commits.length;
}

/** How what is there at the end differs from what the steps have left. */
function leftOver(history: History, { world, sleeping }: Node): string | null {
  const live = liveOf(world);
  const isOpen = (op: string): boolean => live?.ops.some((each) => each.op === op) === true;
  for (const call of history.calls) {
    if (call.answered !== null) continue;
    const isPending = call.begun === null ? Object.values(sleeping).includes(call) : isOpen(call.begun.op);
    if (!isPending) return `#${call.id} was never answered`;
  }
  const found =
    difference(view(world), history.view, "left") ??
    (live === null ? null : difference(encode(world), history.encoded, "encoded")) ??
    difference(view(reopened(world)), history.restored, "restored");
  if (found === null) return null;
  const { at, model, target } = found;
  return `${at}: ${JSON.stringify(model)} by the specification, ${JSON.stringify(target)} was found`;
}
