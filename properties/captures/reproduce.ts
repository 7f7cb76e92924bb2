/**
 * The search for a race that a capture allows: what was concurrent in it first, as it was recorded; then what may have happened
 * unseen, a different way each time, and once all of it, until a story breaks a law or differs, or the budget is spent.
 */
import { breathing } from "../breath.ts";
import { type Failure, type Oracle, run } from "../loop.ts";
import { type Shrunk, shrink } from "../shrink.ts";
import type { Target } from "../target.ts";
import { type Candidate, changedOf, plainOf, rolling, scopeOf, shapeOf, telling, wholeOf } from "./candidates.ts";
import type { Capture } from "./capture.ts";
import { type Distance, distanceOf } from "./distance.ts";
import { type Slice, sliceOf, spansByCompany, windowAt } from "./slices.ts";

export interface ReproduceOptions {
  readonly capture: Capture;
  readonly target: Target;
  readonly seed: number;
  /** Begins no story after so many milliseconds. */
  readonly budgetMs: number;
  /** Stories at most. */
  readonly triesMax: number;
  readonly shrinksMax: number;
  readonly oracle?: Oracle;
  readonly signal?: AbortSignal | undefined;
  readonly progress?: (tries: number, steps: number) => void;
}
/** As it was recorded, all of it, or changed in ways that the capture allows. */
type Way = "as recorded" | "whole" | "changed";
export interface Found {
  readonly way: Way;
  /** Number of the story, from 1. */
  readonly story: number;
  readonly length: number;
  /** Steps of other stories that were told before it failed. */
  readonly stepsBefore: number;
  readonly msBefore: number;
  readonly shrunk: Shrunk;
  readonly failure: Failure;
  readonly distance: Distance;
}
export interface Reproduced {
  readonly target: string;
  readonly seed: number;
  readonly tries: number;
  readonly steps: number;
  /** Known divergences at which a story ended, and how often. */
  readonly diverged: ReadonlyMap<string, number>;
  readonly found: Found | null;
  readonly interrupted: boolean;
  readonly spent: boolean;
  readonly ms: number;
}

/** A longer capture is not told as one story: its parts are. */
const wholeMax = 5_000;
/** Told before the whole, which takes as long as a hundred of them. */
const changedFirst = 20;

export async function reproduce(options: ReproduceOptions): Promise<Reproduced> {
  const { capture, target, seed, triesMax, signal, oracle = "both" } = options;
  const started = performance.now();
  const breath = breathing();
  const [shape, scope] = [shapeOf(capture), scopeOf(capture)];
  const diverged = new Map<string, number>();
  let [tries, steps] = [0, 0];
  const isSpent = (): boolean => performance.now() - started >= options.budgetMs || tries >= triesMax;
  let found: Found | null = null;
  for (const [way, candidate] of candidates(capture, seed)) {
    await breath();
    if (isSpent() || signal?.aborted === true) break;
    tries++;
    const told = await run(target, scope, telling(candidate, shape, target.capabilities), {}, oracle);
    if (told.diverged !== null) diverged.set(told.diverged, (diverged.get(told.diverged) ?? 0) + 1);
    if (told.failure !== null) {
      const msBefore = performance.now() - started;
      const shrunk = await shrink(target, scope, told, options.shrinksMax, oracle, signal);
      const failure = shrunk.run.failure ?? told.failure;
      const distance = distanceOf(
        capture,
        shrunk.run.told.map(([step]) => step),
      );
      const place = { way, story: tries, length: told.told.length, stepsBefore: steps, msBefore };
      found = { ...place, shrunk, failure, distance };
      break;
    }
    steps += told.told.length;
    options.progress?.(tries, steps);
  }
  const interrupted = signal?.aborted === true;
  return {
    ...{ target: target.name, seed, tries, steps, diverged, found, interrupted },
    ...{ spent: found === null && !interrupted, ms: performance.now() - started },
  };
}

function* candidates(capture: Capture, seed: number): Generator<readonly [Way, Candidate]> {
  const spans = spansByCompany(capture);
  const { length } = capture.moments;
  for (const span of spans) yield ["as recorded", plainOf(capture, sliceOf(capture, span))];
  if (length === 0) return;
  for (let number = 0; ; number++) {
    if (number === changedFirst && length <= wholeMax) yield ["whole", wholeOf(capture)];
    const roll = rolling(seed, number);
    // Mostly around what was concurrent; now and then anywhere.
    const span = spans[roll(Math.max(1, spans.length))];
    const slice: Slice = span !== undefined && roll(5) > 0 ? sliceOf(capture, span) : windowAt(capture, roll(length));
    yield ["changed", changedOf(capture, slice, roll)];
  }
}
