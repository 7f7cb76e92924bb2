/**
 * The one loop: each step is given to the model and to a target; outcome, events, whole view, encoding and archive are
 * compared, and the laws checked, after every step. The first step at which something is wrong ends the story.
 */

import { met } from "../model/goals/met.ts";
import {
  begin,
  step as decide,
  emptyLedger,
  encode,
  type Law,
  type Ledger,
  laws,
  remember,
  type Seen,
  stored,
  view,
  type World,
} from "../model/index.ts";
import type { Counters, Encoded, Reply, Scope, Step, StoredView, View } from "../src/contract.ts";
import { above, limited } from "./beyond.ts";
import { type Difference, difference, equal, kindOf } from "./compare.ts";
import { digest } from "./digest.ts";
import { evicted } from "./evicted.ts";
import { allLooked, completed, dueBefore, stillUnlooked, type Unlooked } from "./late.ts";
import { isKind, matches } from "./pattern.ts";
import { type Reduction, reduction, uncut } from "./reduce.ts";
import { type Awaitable, called, type Target } from "./target.ts";
import type { Told } from "./trace.ts";
import { Unusable } from "./unusable.ts";
import { overspent, overweight } from "./work.ts";

/** The next step where the story stands, and what was answered to the last; `null` ends it. */
export type Next = (world: World, index: number, last?: Reply | null) => Step | null;

export interface Broken {
  readonly law: Law;
  readonly what: string;
}
/** What was wrong at the last step told. */
export interface Failure {
  /** Names of what failed, for telling failures apart: laws as `L8`, differences as `view.agents.result`. */
  readonly kinds: readonly [string, ...string[]];
  /** Laws that the target's side breaks; with no difference beside them, the model breaks them too. */
  readonly broken: readonly Broken[];
  readonly difference: Difference | null;
  /** What it threw, where it did. */
  readonly thrown: unknown;
  readonly expected: Seen;
  readonly found: Seen | null;
}
export interface Run {
  /** Steps with the model's replies. */
  readonly told: readonly Told[];
  readonly failure: Failure | null;
  /** Known divergence at which the story ended, if it did. */
  readonly diverged: string | null;
  /** Steps that were refused, late or faulty. */
  readonly rebuffed: number;
}
/** What judges a step: the laws on what the target shows, the comparison with the model, or both. */
export type Oracle = "both" | "laws" | "comparison";
export const oracles: readonly Oracle[] = ["both", "laws", "comparison"];

export interface Watch {
  /** A step met this goal. */
  readonly met?: (goal: string) => void;
  readonly stepped?: (before: World, step: Step, after: World, reply: Reply) => void;
  /** It differs above the level that it promises; no failure. */
  readonly beyond?: (what: string) => void;
  /** What the target showed, before the first step and after each; `null` where it threw. */
  readonly showed?: (found: Seen | null, thrown: unknown) => void;
}

const isPromise = <Value>(given: Awaitable<Value>): given is Promise<Value> => given instanceof Promise;

/** Both sides of one moment. */
interface Moment {
  readonly world: World;
  readonly ledger: Ledger;
  /** Of a target that does not show everything. */
  readonly own: Ledger;
  readonly expected: Seen;
  readonly found: Seen;
  /** By laws alone: the target has left the model, which is no measure of its work from then on. */
  readonly apart: boolean;
}

/** How a target is judged. */
interface Bench extends Reduction {
  /** Laws of its own. */
  readonly more: readonly Law[];
}

export async function run(
  target: Target,
  drawn: Scope,
  next: Next,
  watch: Watch = {},
  oracle: Oracle = "both",
): Promise<Run> {
  const shown = reduction(target.capabilities);
  // Judged by laws alone, a target is never taken for what the model shows.
  const reduced: Bench = { ...shown, more: target.laws ?? [], ...(oracle === "laws" ? { whole: false } : {}) };
  const scope: Scope = target.scope === undefined ? drawn : { ...drawn, ...target.scope };
  await target.reset(scope);
  const world = begin(digest, scope);
  const first: Seen = seen(null, null, world, null);
  let now: Moment = { world, ledger: emptyLedger, own: emptyLedger, expected: first, found: first, apart: false };
  const told: Told[] = [];
  let rebuffed = 0;
  let unlooked: Unlooked = allLooked;
  const ended = (failure: Failure | null, diverged: string | null = null): Run => ({
    told,
    failure,
    diverged,
    rebuffed,
  });

  for (let index = -1; ; index++) {
    // Before the first step the target is looked at as it was reset.
    const step = index < 0 ? null : next(now.world, index, now.expected.reply);
    if (step === null && index >= 0) return ended(await atLast(target, reduced, now, unlooked, oracle));
    const after: { world: World; reply: Reply | null } =
      step === null ? { world: now.world, reply: null } : { ...decide(now.world, step) };
    if (step !== null && after.reply !== null) {
      told.push([step, after.reply]);
      if (!("gate" in after.reply) && !("ok" in after.reply && after.reply.ok !== "late")) rebuffed++;
    }
    let found: Seen;
    try {
      const due = step === null ? [] : dueBefore(step, unlooked, now.world);
      for (const as of due) await verified(target, as);
      if (due.length > 0) unlooked = new Map([...unlooked].filter(([as]) => !due.includes(as)));
      const looked = look(target, step);
      found = isPromise(looked) ? await looked : looked;
    } catch (thrown) {
      if (thrown instanceof Unusable) throw thrown;
      watch.showed?.(null, thrown);
      const expected = seen(step, after.reply, after.world, null);
      return ended({ kinds: ["threw"], broken: [], difference: null, thrown, expected, found: null });
    }
    if (target.capabilities.evicts === true) after.world = evicted(after.world, found.view);
    // A third of all steps are refused or late, and change nothing.
    const still = after.world === now.world && step !== null;
    const expected = still
      ? { ...now.expected, step, reply: after.reply, counters: found.counters }
      : seen(step, after.reply, after.world, found.counters);
    if (target.capabilities.checksLate) {
      const shown = found;
      found = completed(unlooked, now.world, after.world, expected, found);
      unlooked = stillUnlooked(unlooked, step, now.world, shown, after.world);
    }
    watch.showed?.(found, null);
    const { failure, same } = judge(reduced, now, expected, found, step, after.world, oracle);
    const { level } = target.capabilities;
    if (failure !== null) {
      const limit = limited(level, expected, found);
      if (limit !== null) {
        watch.beyond?.(limit);
        return ended(null);
      }
      const known = target.capabilities.diverges?.find(
        ({ kind, step: like }) =>
          failure.kinds.some((each) => isKind(kind, each)) &&
          (like === undefined || (step !== null && matches(like, step, now.world))),
      );
      return known === undefined ? ended(failure) : ended(null, called(known));
    }
    if (watch.beyond !== undefined) for (const what of above(level, expected, found)) watch.beyond(what);
    const ledger = remember(now.ledger, now.expected, expected);
    if (watch.met !== undefined && index >= 0)
      for (const goal of met(now.ledger, now.expected, expected)) watch.met(goal);
    if (step !== null && after.reply !== null) watch.stepped?.(now.world, step, after.world, after.reply);
    const own = reduced.whole ? ledger : remember(now.own, now.found, found);
    now = { world: after.world, ledger, own, expected, found, apart: now.apart || !same };
  }
}

/** The model's side, with the target's counters, which the model does not have. */
function seen(step: Step | null, reply: Reply | null, world: World, counters: Counters | null): Seen {
  return { step, reply, view: view(world), encoded: encode(world), stored: stored(world), counters };
}

/** A step, and what the target shows after it; a promise only where the target makes one. */
function look(target: Target, step: Step | null): Awaitable<Seen> {
  const applied = step === null ? null : target.apply(step);
  if (isPromise(applied)) return looked(target, step, applied);
  const shown = target.view();
  const encoded = target.encode();
  const archive = target.stored();
  const counters = target.counters();
  if (!isPromise(shown) && !isPromise(encoded) && !isPromise(archive) && !isPromise(counters))
    return found(step, applied, shown, encoded, archive, counters);
  return Promise.all([shown, encoded, archive, counters]).then((all) => found(step, applied, ...all));
}

async function looked(target: Target, step: Step | null, applied: Promise<Reply>): Promise<Seen> {
  const reply = await applied;
  return found(step, reply, await target.view(), await target.encode(), await target.stored(), await target.counters());
}

const nothing: Reply = { ok: "done" };
const unencoded: Encoded = { ok: { capacity: 0, root: {}, agents: {} } };

function found(
  step: Step | null,
  reply: Reply | null,
  view: View,
  encoded: Encoded | null,
  stored: StoredView | null,
  counters: Counters | null,
): Seen {
  return { step, reply, view, encoded: encoded ?? unencoded, stored, counters };
}

/** A target that looks at idle records late is made to look at all of them. */
async function verified(target: Target, as: string): Promise<Reply> {
  return await target.apply(as === "w1" ? { do: "verify" } : { do: "verify", as });
}

/** At the end of a story everything is looked at: what it never asked for is compared, too. */
async function atLast(
  target: Target,
  reduced: Bench,
  { world, expected, found: before }: Moment,
  unlooked: Unlooked,
  oracle: Oracle,
): Promise<Failure | null> {
  if (oracle === "laws") return null;
  // All of them before any is compared: a view shows the other handles, too.
  const verifying = new Map<string, Reply>();
  try {
    for (const as of unlooked.keys()) verifying.set(as, await verified(target, as));
  } catch (thrown) {
    if (thrown instanceof Unusable) throw thrown;
    return { kinds: ["threw"], broken: [], difference: null, thrown, expected, found: null };
  }
  for (const [as, own] of verifying) {
    try {
      const { reply } = decide(world, as === "w1" ? { do: "verify" } : { do: "verify", as });
      const { step, counters, stored: archive } = before;
      const shown = found(step, own, await target.view(), await target.encode(), archive, counters);
      const differing = first(
        reduced,
        { ...expected, reply, stored: archive === null ? null : expected.stored },
        shown,
      );
      if (differing !== null) return fail([], differing, expected, shown);
    } catch (thrown) {
      if (thrown instanceof Unusable) throw thrown;
      return { kinds: ["threw"], broken: [], difference: null, thrown, expected, found: null };
    }
  }
  return null;
}

function judge(
  reduced: Bench,
  before: Moment,
  expected: Seen,
  found: Seen,
  step: Step | null,
  world: World,
  oracle: Oracle,
): { readonly failure: Failure | null; readonly same: boolean } {
  const same =
    repliesAlike(reduced, expected, found) &&
    equal(reduced.view(expected.view), reduced.view(found.view)) &&
    encodesAlike(reduced, expected, found) &&
    (found.stored === null || equal(expected.stored, found.stored));
  const broken = oracle === "comparison" ? [] : breached(reduced, before, expected, found, step, world, same, oracle);
  const compared = oracle !== "laws";
  const differing = compared && !same ? first(reduced, expected, found) : null;
  const cost =
    compared && same && step !== null
      ? overweight(before.world, step, world, reduced.rowBytes, before.found.counters, found.counters)
      : null;
  if (differing === null && cost === null && broken.length === 0) return { failure: null, same };
  return { failure: fail(broken, differing ?? cost, expected, found), same };
}

function breached(
  reduced: Bench,
  before: Moment,
  expected: Seen,
  found: Seen,
  step: Step | null,
  world: World,
  same: boolean,
  oracle: Oracle,
): readonly Broken[] {
  // Equal values get equal verdicts, so one pass over the model's side, with the target's counters, judges both.
  // What was a lawful state a step ago still is one.
  const due = before.world === world && step !== null ? acrossSteps : laws;
  const models = same && oracle === "both" ? breaches(due, before.ledger, before.expected, expected) : [];
  // A target that shows all of it was equal so far, and is judged by what it shows now alone.
  const earlier = reduced.whole ? before.expected : before.found;
  const shown = reduced.whole ? filled(expected, found) : found;
  const own = same && reduced.whole ? [] : breaches(visible(reduced), before.own, earlier, shown);
  const counted = step !== null && !before.apart;
  const work = counted ? overspent(before.world, step, world, before.found.counters, found.counters) : [];
  // A project's own laws are about what its registry shows, agree it with the model or not.
  const more = reduced.more.length === 0 ? [] : breaches(reduced.more, before.own, before.found, found);
  const judged = [...models, ...own, ...more];
  return [...judged, ...work.filter(({ law }) => !judged.some((each) => each.law.number === law.number))];
}

/** What a target does not tell is taken to be as it should be: laws find nothing there. */
function filled(expected: Seen, found: Seen): Seen {
  const encoded = found.encoded === unencoded ? expected.encoded : found.encoded;
  return { ...found, encoded, stored: found.stored ?? expected.stored };
}

/** Nothing to compare where the target does not encode, or has nothing open for writing. */
function encodesAlike({ sights, encoded }: Reduction, expected: Seen, found: Seen): boolean {
  const same = (): boolean => equal(encoded(expected.encoded), encoded(found.encoded));
  return !sights.includes("encode") || found.encoded === unencoded || same();
}

const acrossSteps: readonly Law[] = laws.filter(({ kind }) => kind === "T");

const visible = ({ sights }: Reduction): readonly Law[] =>
  laws
    .filter(({ needs }) => needs.every((need) => sights.includes(need)))
    .map((law) =>
      law.withoutUndo === undefined || sights.includes("undo") ? law : { ...law, check: law.withoutUndo },
    );

function breaches(among: readonly Law[], ledger: Ledger, before: Seen, now: Seen): readonly Broken[] {
  const broken: Broken[] = [];
  for (const law of among) {
    const what = law.check(
      ledger,
      before.reply === null && before.step === null && now.step === null ? null : before,
      now,
    );
    if (what !== null) broken.push({ law, what });
  }
  return broken;
}

function repliesAlike({ reply }: Reduction, expected: Seen, found: Seen): boolean {
  const [own, other] = [expected.reply ?? nothing, found.reply ?? nothing];
  return equal(reply(own), reply(other)) || equal(reply(uncut(own)), reply(uncut(other)));
}

function first(reduced: Reduction, expected: Seen, found: Seen): Difference | null {
  return (
    difference(
      reduced.reply(uncut(expected.reply ?? nothing)),
      reduced.reply(uncut(found.reply ?? nothing)),
      "reply",
    ) ??
    difference(reduced.view(expected.view), reduced.view(found.view), "view") ??
    (encodesAlike(reduced, expected, found)
      ? null
      : difference(reduced.encoded(expected.encoded), reduced.encoded(found.encoded), "encode")) ??
    difference(expected.stored, found.stored, "stored")
  );
}

function fail(broken: readonly Broken[], differing: Difference | null, expected: Seen, found: Seen): Failure {
  const kinds = broken.map(({ law }) => `L${law.number}`);
  if (differing !== null) kinds.push(kindOf(differing.at));
  const [kind, ...others] = kinds;
  return { kinds: [kind ?? "nothing", ...others], broken, difference: differing, thrown: null, expected, found };
}
