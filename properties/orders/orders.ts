/**
 * Every order in which a few short threads can happen, told to a target from the first step on. Orders that come to the same
 * state of the specification, names and all, go on alike from there: only the first is told to its end, the others up to
 * there, so that every step is told from every state in which it can be taken, and no more.
 */
import { begin, step as decide, type World } from "../../model/index.ts";
import type { Reply, Step } from "../../src/contract.ts";
import { digest } from "../digest.ts";
import { type Failure, type Next, run } from "../loop.ts";
import type { Target } from "../target.ts";
import type { Told } from "../trace.ts";
import { before, scope, type Thread } from "./threads.ts";

/** Which thread goes on, step by step. */
export type Order = readonly number[];

/** Where an order stands: the state, and what each thread was answered. */
interface Node {
  readonly world: World;
  readonly mine: readonly (readonly Reply[])[];
}

/** Steps of the threads in an order, each from what its own thread was answered before. */
function taken({ world, mine }: Node, threads: readonly Thread[], thread: number): readonly [Node, Step] | null {
  const own = mine[thread] ?? [];
  const line = threads[thread]?.steps[own.length];
  if (line === undefined) return null;
  const step = line(own);
  const { world: next, reply } = decide(world, step);
  return [{ world: next, mine: mine.map((each, at) => (at === thread ? [...own, reply] : each)) }, step];
}

function first(threads: readonly Thread[]): Node {
  let world = begin(digest, scope);
  for (const step of before) world = decide(world, step).world;
  return { world, mine: threads.map(() => []) };
}

/** All of them, or with `merged` those that differ. */
export function* orders(threads: readonly Thread[], merged: boolean): Generator<Order> {
  const known = new Set<string>();
  const path: number[] = [];
  function* from(node: Node): Generator<Order> {
    let isEnd = true;
    for (const thread of threads.keys()) {
      const next = taken(node, threads, thread);
      if (next === null) continue;
      isEnd = false;
      path.push(thread);
      const key = merged ? keyOf(next[0]) : null;
      if (key !== null && known.has(key)) yield [...path];
      else {
        if (key !== null) known.add(key);
        yield* from(next[0]);
      }
      path.pop();
    }
    if (isEnd) yield [...path];
  }
  yield* from(first(threads));
}

/** The whole state, and how the threads will go on. The order of keys tells nothing. */
function keyOf({ world, mine }: Node): string {
  const { roles, disk, handles, openings } = world;
  return JSON.stringify([mine.map((each) => [each.length, opsIn(each)]), roles, disk, handles, openings], sorted);
}
const opsIn = (mine: readonly Reply[]): readonly string[] => mine.flatMap((each) => ("gate" in each ? [each.op] : []));
function sorted(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

export interface Tried {
  readonly orders: number;
  readonly steps: number;
  readonly failed: { readonly order: Order; readonly told: readonly Told[]; readonly failure: Failure } | null;
}

/** Until the first that fails. */
export async function tryOrders(
  target: Target,
  threads: readonly Thread[],
  { merged, signal }: { readonly merged: boolean; readonly signal?: AbortSignal },
): Promise<Tried> {
  let [count, steps] = [0, 0];
  for (const order of orders(threads, merged)) {
    if (signal?.aborted === true) break;
    const { told, failure } = await run(target, scope, following(threads, order));
    count += 1;
    steps += told.length;
    if (failure !== null) return { orders: count, steps, failed: { order, told, failure } };
  }
  return { orders: count, steps, failed: null };
}

function following(threads: readonly Thread[], order: Order): Next {
  const mine: Reply[][] = threads.map(() => []);
  return (_, index, last) => {
    const at = index - before.length;
    const earlier = order[at - 1];
    if (earlier !== undefined && last != null) mine[earlier]?.push(last);
    if (at < 0) return before[index] ?? null;
    const thread = order[at];
    if (thread === undefined) return null;
    const own = mine[thread] ?? [];
    return threads[thread]?.steps[own.length]?.(own) ?? null;
  };
}

/** How many there are without merging: the multinomial. */
export function countOf(threads: readonly Thread[]): number {
  let [placed, count] = [0, 1];
  for (const { steps } of threads)
    for (let each = 1; each <= steps.length; each += 1) {
      placed += 1;
      count = (count * placed) / each;
    }
  return Math.round(count);
}
