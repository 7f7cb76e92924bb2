/**
 * Checks a target: generated stories until one fails or their number is told; then the failing one is shrunk, first as it was
 * drawn, then as it was resolved, and replayed to see that it fails again.
 */
import fc from "fast-check";
import { goals } from "../model/index.ts";
import { type Failure, type Oracle, type Run, run } from "./loop.ts";
import { type Shrunk, shrink } from "./shrink.ts";
import { type Story, story, telling } from "./stories.ts";
import type { OpenTarget, Target } from "./target.ts";
import { Unusable } from "./unusable.ts";

export interface CheckOptions {
  readonly runs: number;
  readonly seed: number;
  readonly open: OpenTarget;
  /** What judges; laws and comparison unless told. */
  readonly oracle?: Oracle;
  /** Executions spent on shrinking, of either kind. */
  readonly shrinksMax?: number;
  /** Ends it early, with what there was. */
  readonly signal?: AbortSignal;
  readonly progress?: (stories: number, steps: number) => void;
}

export interface Checked {
  readonly target: string;
  readonly oracle: Oracle;
  readonly seed: number;
  readonly stories: number;
  readonly steps: number;
  /** Steps that were refused, late or faulty. */
  readonly rebuffed: number;
  /** By goal, in how many stories it was reached. */
  readonly goals: ReadonlyMap<string, number>;
  /** Known divergences, and how often they ended a story. */
  readonly diverged: ReadonlyMap<string, number>;
  /** Known divergences that did not occur. */
  readonly missing: readonly string[];
  readonly failed: Failed | null;
  readonly interrupted: boolean;
  readonly ms: number;
}
export interface Failed {
  /** As it first failed, in steps. */
  readonly length: number;
  readonly shrunk: Shrunk;
  readonly failure: Failure;
  readonly executions: number;
  /** It failed once and then did not. */
  readonly fickle: boolean;
}

/** Enough for any story where a step costs microseconds; a target that answers by promises is given fewer. */
const shrinksUsual = { quick: 30_000, slow: 2_000 };
/** After a failure so many more stories are told, to shrink others that fail alike: a shorter one may start elsewhere. */
const others = 300;
const alikeMax = 3;

export async function check(options: CheckOptions): Promise<Checked> {
  const { runs, seed, open, oracle = "both", shrinksMax: given, signal, progress } = options;
  const started = performance.now();
  const target = await open();
  const shrinksMax = given ?? shrinksUsual[(await isQuick(target)) ? "quick" : "slow"];
  const reached = new Map(goals.map(({ name }) => [name, 0]));
  const diverged = new Map<string, number>();
  let [stories, steps, rebuffed, shrinks, length] = [0, 0, 0, 0, 0];
  let found: { readonly story: Story; readonly run: Run } | null = null;

  const tell = async (told: Story): Promise<Run> => {
    const inThis = new Set<string>();
    const watch = found === null ? { met: (goal: string) => inThis.add(goal) } : {};
    const done = await run(target, told.shape.scope, telling(told, target.capabilities), watch, oracle);
    for (const goal of inThis) reached.set(goal, (reached.get(goal) ?? 0) + 1);
    return done;
  };
  const holds = async (told: Story): Promise<boolean> => {
    if (signal?.aborted === true) return true;
    if (found !== null && ++shrinks > shrinksMax / 2) return true;
    const done = await tell(told);
    if (found === null) {
      stories++;
      steps += done.told.length;
      rebuffed += done.rebuffed;
      if (done.diverged !== null) diverged.set(done.diverged, (diverged.get(done.diverged) ?? 0) + 1);
      progress?.(stories, steps);
    }
    if (done.failure === null) return true;
    const first = found?.run.failure ?? done.failure;
    if (!done.failure.kinds.some((kind) => first.kinds.includes(kind))) return true;
    if (found === null) length = done.told.length;
    if (found === null || done.told.length <= found.run.told.length) found = { story: told, run: done };
    return false;
  };

  try {
    await fc.check(fc.asyncProperty(story, holds), { numRuns: runs, seed, endOnFailure: false });
    const failed = found === null ? null : await shorten(target, found, shrinksMax, shrinks, length, oracle);
    const ms = performance.now() - started;
    const interrupted = signal?.aborted === true;
    const expected = target.capabilities.diverges ?? [];
    const missing = expected.map(({ kind }) => kind).filter((kind) => !diverged.has(kind));
    return {
      target: target.name,
      oracle,
      seed,
      stories,
      steps,
      rebuffed,
      goals: reached,
      diverged,
      missing,
      failed,
      interrupted,
      ms,
    };
  } finally {
    await target.close();
  }
}

/** Whether it answers at once, and not by a promise. */
async function isQuick(target: Target): Promise<boolean> {
  await target.reset({ capacity: 1, roles: {}, registrars: {}, archive: "memory", process: "same" });
  const answered = target.view();
  await answered;
  return !(answered instanceof Promise) && target.counters() === null;
}

async function shorten(
  target: Target,
  found: { readonly story: Story; readonly run: Run },
  shrinksMax: number,
  spent: number,
  length: number,
  oracle: Oracle,
): Promise<Failed> {
  const first = await shrink(target, found.story.shape.scope, found.run, shrinksMax / 2, oracle);
  const shrunk = first.fickle ? first : await shortest(target, first, shrinksMax / 2, oracle);
  const { failure } = shrunk.run;
  if (failure === null) throw new Unusable(4, "a story that failed was shrunk to one that does not");
  return { length, shrunk, failure, executions: spent + shrunk.executions, fickle: first.fickle };
}

/** The shortest of what it is given and of a few other stories that fail alike. */
async function shortest(target: Target, first: Shrunk, shrinksMax: number, oracle: Oracle): Promise<Shrunk> {
  const kinds: readonly string[] = first.run.failure?.kinds ?? [];
  let [best, executions, alike] = [first, first.executions, 0];
  for (const told of fc.sample(story, { numRuns: others, seed: first.run.told.length })) {
    if (alike >= alikeMax || executions - first.executions >= shrinksMax) break;
    executions++;
    const again = await run(target, told.shape.scope, telling(told, target.capabilities), {}, oracle);
    if (again.failure?.kinds.some((kind) => kinds.includes(kind)) !== true) continue;
    alike++;
    const shrunk = await shrink(target, told.shape.scope, again, shrinksMax / alikeMax, oracle);
    executions += shrunk.executions;
    if (!shrunk.fickle && shrunk.run.told.length < best.run.told.length) best = shrunk;
  }
  return { ...best, executions };
}
