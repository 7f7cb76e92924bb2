/**
 * A story that went wrong, looked into: told again, since what does not fail twice alike says nothing about a law; then
 * shrunk as it was resolved: what was drawn shrinks less, and for more.
 */
import type { Seen } from "../model/index.ts";
import type { Scope } from "../src/contract.ts";
import type { Failure, Run } from "./loop.ts";
import { type Shrunk, shrink } from "./shrink.ts";
import { type Parting, parting, type Sight } from "./sights.ts";
import { storyAt } from "./stories.ts";
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
  /** Executions spent on shrinking. */
  readonly shrinksMax: number;
  /** Ends it early, with the shortest so far. */
  readonly signal: AbortSignal | undefined;
}

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
    return { ...place, ...(await shortened(target, judging, told.shape.scope, again.run, effort)) };
  const second = (wrong.again ?? again.sights)[parted?.step ?? 0];
  const failure = again.run.failure ?? unlike(wrong, parted, second);
  const shrunk: Shrunk = { scope: told.shape.scope, run: again.run, executions: 1, checks: 0, fickle: true };
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
  { oracle }: Judging,
  scope: Scope,
  failed: Run,
  { shrinksMax, signal }: Effort,
): Promise<Shortened> {
  const shrunk = await shrink(target, scope, failed, shrinksMax, oracle, signal);
  const { failure } = shrunk.run;
  if (failure === null) throw new Unusable(4, "a story that failed was shrunk to one that does not");
  // It failed alike as often as it was drawn, and not once its steps were given.
  const fickle = shrunk.fickle ? { parting: null } : null;
  return { shrunk, failure, executions: shrunk.executions, fickle };
}
