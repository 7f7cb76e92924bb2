/**
 * A story that went wrong, looked into: told again, since what does not fail twice alike says nothing about a law; then
 * shrunk as it was resolved: what was drawn shrinks less, and for more.
 */
import type { Seen } from "../model/index.ts";
import { type Failure, run } from "./loop.ts";
import { type Shrunk, shrink } from "./shrink.ts";
import { type Parting, parting, type Sight, sightOf } from "./sights.ts";
import { originOf } from "./sources.ts";
import { storyAt } from "./stories.ts";
import { type Judging, type Tale, tell, type Wrong } from "./tale.ts";
import type { OpenTarget, Source, Target } from "./target.ts";
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
  /** Pinning any one of these makes the difference go away; none where the source is unknown. */
  readonly sources: readonly Source[];
  /** How that is known, or why it is not. */
  readonly why: string;
}

export interface Effort {
  /** Executions spent on shrinking. */
  readonly shrinksMax: number;
  /** Ends it early, with the shortest so far. */
  readonly signal: AbortSignal | undefined;
}

/** A failure is told so often more before it is called one: what varies may well come out the same twice. */
const againTimes = 3;

export async function lookedInto(
  target: Target,
  open: OpenTarget,
  judging: Judging,
  { index, steps, wrong }: Tale & { readonly wrong: Wrong },
  effort: Effort,
): Promise<Failed> {
  const told = storyAt(judging.seed, index);
  const place = { story: index + 1, length: steps };
  let again = await tell(target, told, judging.oracle);
  let parted = parting(target.capabilities, wrong.sights, wrong.again ?? again.sights);
  for (let more = 1; more < againTimes && parted === null; more++) {
    again = await tell(target, told, judging.oracle);
    parted = parting(target.capabilities, wrong.sights, again.sights);
  }
  const fickle = async (found: Parting | null, shown: Shown): Promise<Failed> => {
    const origin = await originOf(target, open, told, judging, effort.signal);
    const { sources, why } = origin;
    return { ...place, ...shown, fickle: { parting: found ?? origin.parting, sources, why } };
  };
  if (parted === null && again.run.failure !== null) {
    const shrunk = await shrink(target, told.shape.scope, again.run, effort.shrinksMax, judging.oracle, effort.signal);
    const { failure } = shrunk.run;
    if (failure === null) throw new Unusable(4, "a story that failed was shrunk to one that does not");
    const shown: Shown = { shrunk, failure, executions: shrunk.executions };
    // It failed alike as often as it was drawn, and not once its steps were given; or what is left of it varies.
    if (shrunk.fickle) return await fickle(null, shown);
    const varies = effort.signal?.aborted === true ? null : await varying(target, shrunk, judging);
    return varies === null ? { ...place, ...shown, fickle: null } : await fickle(varies, shown);
  }
  const second = (wrong.again ?? again.sights)[parted?.step ?? 0];
  const failure = again.run.failure ?? unlike(wrong, parted, second);
  const shrunk: Shrunk = { scope: told.shape.scope, run: again.run, executions: 1, checks: 0, fickle: true };
  return await fickle(parted, { shrunk, failure, executions: againTimes });
}

type Shown = Pick<Failed, "shrunk" | "failure" | "executions">;

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

/** The shrunk story is told twice more, step by step as it is written down. */
async function varying(target: Target, { scope, run: shrunk }: Shrunk, { oracle }: Judging): Promise<Parting | null> {
  const seen: (readonly Sight[])[] = [];
  for (let times = 0; times < 2; times++) {
    const sights: Sight[] = [];
    const showed = (...each: Parameters<typeof sightOf>): void => {
      sights.push(sightOf(...each));
    };
    await run(target, scope, (_, index) => shrunk.told[index]?.[0] ?? null, { showed }, oracle);
    seen.push(sights);
  }
  const [first = [], second = []] = seen;
  return parting(target.capabilities, first, second);
}
