/**
 * A story that went wrong, looked into: told again, since what does not fail twice alike says nothing about a law; then shrunk,
 * first as it was drawn, then as it was resolved, and a few others that fail alike as well.
 */
import fc from "fast-check";
import type { Seen } from "../model/index.ts";
import { breathing } from "./breath.ts";
import { type Failure, type Run, run } from "./loop.ts";
import { type Shrunk, shrink } from "./shrink.ts";
import { type Parting, parting, type Sight } from "./sights.ts";
import { drawing, type Story, story, storyAt, telling } from "./stories.ts";
import { type Judging, type Tale, tell, type Wrong } from "./tale.ts";
import type { Target } from "./target.ts";
import { Unusable } from "./unusable.ts";

export interface Failed {
  /** Number of the story in its run, from 1. */
  readonly story: number;
  /** As it first failed, in steps. */
  readonly length: number;
  readonly shrunk: Shrunk;
  readonly failure: Failure;
  readonly executions: number;
  /** Told again it was another; then the failure is no verdict on the target's laws. */
  readonly fickle: Fickle | null;
}
export interface Fickle {
  /** The first thing seen that was not the same twice; `null` where it only did not fail again. */
  readonly parting: Parting | null;
}

export interface Effort {
  /** Executions spent on shrinking, of either kind. */
  readonly shrinksMax: number;
  /** Ends it early, with the shortest so far. */
  readonly signal: AbortSignal | undefined;
}

/** After a failure so many more stories are told, to shrink others that fail alike: a shorter one may start elsewhere. */
const others = 300;
const alikeMax = 3;

export async function lookedInto(
  target: Target,
  judging: Judging,
  { index, steps, wrong }: Tale & { readonly wrong: Wrong },
  effort: Effort,
): Promise<Failed> {
  const told = storyAt(judging.seed, index);
  const again = await tell(target, told, judging.oracle);
  const parted = parting(target.capabilities, wrong.sights, wrong.again ?? again.sights);
  const place = { story: index + 1, length: steps };
  if (parted === null && again.run.failure !== null)
    return { ...place, ...(await shortened(target, judging, index, again.run, effort)) };
  const second = (wrong.again ?? again.sights)[parted?.step ?? 0];
  const failure = again.run.failure ?? unlike(wrong, parted, second);
  const shrunk: Shrunk = { scope: told.shape.scope, run: again.run, executions: 1, fickle: true };
  return { ...place, shrunk, failure, executions: 1, fickle: { parting: parted } };
}

/** What was seen once and not again, where the second telling did not fail at all. */
function unlike({ kinds, sights }: Wrong, parted: Parting | null, second: Sight | undefined): Failure {
  const first = sights[parted?.step ?? sights.length - 1];
  const [kind = "unlike", ...more] = kinds;
  const difference = parted === null ? null : { at: parted.at, model: parted.first, target: parted.second };
  return {
    kinds: [kind, ...more],
    broken: [],
    difference,
    thrown: null,
    expected: seenOf(first),
    found: seenOf(second),
  };
}

const closed: Seen = {
  step: null,
  reply: null,
  view: { mode: "closed" },
  encoded: { ok: { capacity: 0, root: {}, agents: {} } },
  stored: null,
  counters: null,
};
function seenOf(sight: Sight | undefined): Seen {
  if (sight === undefined || "threw" in sight) return closed;
  const { reply, view, encode, stored, work } = sight;
  return { step: null, reply, view, encoded: encode, stored, counters: work };
}

type Shortened = Omit<Failed, "story" | "length">;

async function shortened(
  target: Target,
  { seed, oracle }: Judging,
  index: number,
  failed: Run,
  { shrinksMax, signal }: Effort,
): Promise<Shortened> {
  const kinds: readonly string[] = failed.failure?.kinds ?? [];
  const breath = breathing();
  let found = { story: storyAt(seed, index), run: failed };
  let spent = 0;
  const holds = async (told: Story): Promise<boolean> => {
    await breath();
    if (signal?.aborted === true || ++spent > shrinksMax / 2) return true;
    const done = await run(target, told.shape.scope, telling(told, target.capabilities), {}, oracle);
    if (done.failure === null || !done.failure.kinds.some((kind) => kinds.includes(kind))) return true;
    if (done.told.length <= found.run.told.length) found = { story: told, run: done };
    return false;
  };
  await fc.check(fc.asyncProperty(story, holds), { ...drawing(seed, index), endOnFailure: false });
  const first = await shrink(target, found.story.shape.scope, found.run, shrinksMax / 2, oracle, signal);
  if (first.fickle) return fickle(first, spent);
  const shrunk = await shortest(target, { seed, oracle }, first, { shrinksMax: shrinksMax / 2, signal });
  const { failure } = shrunk.run;
  if (failure === null) throw new Unusable(4, "a story that failed was shrunk to one that does not");
  return { shrunk, failure, executions: spent + shrunk.executions, fickle: null };
}

/** It failed alike as often as it was drawn, and not once its steps were given. */
function fickle(first: Shrunk, spent: number): Shortened {
  const { failure } = first.run;
  if (failure === null) throw new Unusable(4, "a story that failed was shrunk to one that does not");
  return { shrunk: first, failure, executions: spent + first.executions, fickle: { parting: null } };
}

/** The shortest of what it is given and of a few other stories that fail alike. */
async function shortest(
  target: Target,
  { oracle }: Judging,
  first: Shrunk,
  { shrinksMax, signal }: Effort,
): Promise<Shrunk> {
  const kinds: readonly string[] = first.run.failure?.kinds ?? [];
  const breath = breathing();
  let [best, executions, alike] = [first, first.executions, 0];
  for (const told of fc.sample(story, { numRuns: others, seed: first.run.told.length })) {
    await breath();
    if (alike >= alikeMax || executions - first.executions >= shrinksMax || signal?.aborted === true) break;
    executions++;
    const again = await run(target, told.shape.scope, telling(told, target.capabilities), {}, oracle);
    if (again.failure?.kinds.some((kind) => kinds.includes(kind)) !== true) continue;
    alike++;
    const shrunk = await shrink(target, told.shape.scope, again, shrinksMax / alikeMax, oracle, signal);
    executions += shrunk.executions;
    if (!shrunk.fickle && shrunk.run.told.length < best.run.told.length) best = shrunk;
  }
  return { ...best, executions };
}
