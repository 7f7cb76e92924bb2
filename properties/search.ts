/**
 * The shortest story so far that fails alike, and ways to try another: none is told twice, and none whose end the specification
 * answers in another way than where the story failed.
 */
import type { Reply, Scope } from "../src/contract.ts";
import { applicable } from "./applicable.ts";
import type { Bound } from "./bind.ts";
import { breathing } from "./breath.ts";
import { type Failure, type Next, type Oracle, type Run, run } from "./loop.ts";
import { isRebuffed, kindOfReply, type Plan, plan } from "./plan.ts";
import type { Target } from "./target.ts";

/** A story that failed, with its names bound to its steps, and what the specification answers to each. */
export interface Held {
  readonly scope: Scope;
  readonly list: readonly Bound[];
  readonly replies: ReadonlyMap<Bound, Reply>;
  readonly run: Run;
}

export interface Effort {
  readonly executionsMax: number;
  readonly oracle: Oracle;
  readonly signal: AbortSignal | undefined;
}
/** What was spent on finding it, and on seeing that nothing more can be left out. */
interface Spent {
  executions: number;
  checks: number;
}

/** Each answers whether the candidate failed alike, and is held now. */
export interface Search {
  readonly spent: Readonly<Spent>;
  held(): Held;
  /** Told as it is. */
  tell(candidate: Plan, on: keyof Spent): Promise<boolean>;
  /** Told if it ends as it should. */
  attempt(list: readonly Bound[], scope: Scope): Promise<boolean>;
  /** Without these steps, and without those that mean nothing then. */
  without(gone: readonly Bound[]): Promise<boolean>;
  /** Another way there; what means nothing any more goes. */
  merge(list: readonly Bound[]): Promise<boolean>;
  /** As `attempt`, a few times only, and only if nothing is turned away that was not. */
  guess(list: readonly Bound[], scope: Scope): Promise<boolean>;
}

/** Executions spent on losing several steps at once. */
const guessesMax = 40;

/** Begins with the story as it failed, which is `first`. */
export function searching(target: Target, first: Held, { executionsMax, oracle, signal }: Effort): Search {
  const breath = breathing();
  const isAlike = alike(first.run.failure);
  const told = new Set<string>();
  const spent: Spent = { executions: 0, checks: 0 };
  let best: Held = first;
  let guesses = guessesMax;

  const tell = async ({ scope, list, steps, replies }: Plan, on: keyof Spent): Promise<boolean> => {
    await breath();
    const key = JSON.stringify([steps, scope]);
    const isOver = spent.executions + spent.checks >= executionsMax || (signal?.aborted === true && told.size > 0);
    if (isOver || steps.length === 0 || told.has(key)) return false;
    told.add(key);
    spent[on]++;
    // What the target cannot be given ends a candidate as it would a replay.
    const next: Next = (world, index) => {
      const step = steps[index];
      return step === undefined || applicable(step, target.capabilities, world) !== null ? null : step;
    };
    const tried = await run(target, scope, next, {}, oracle);
    const { length } = tried.told;
    if (tried.failure === null || !isAlike(tried.failure) || length > best.list.length) return false;
    best = { scope, list: list.slice(0, length), replies: answered(list, replies), run: tried };
    return true;
  };
  const attempt = async (list: readonly Bound[], scope: Scope): Promise<boolean> => {
    const candidate = plan(scope, list);
    return endsAs(candidate, best) && (await tell(candidate, "executions"));
  };
  const tidied = async (rest: readonly Bound[]): Promise<boolean> => {
    const { list, scope } = best;
    const last = list.at(-1);
    const candidate = plan(scope, rest, (each, reply) => each !== last && isTurned(best, each, reply));
    if (candidate.list.length === rest.length || !endsAs(candidate, best)) return false;
    return await tell(candidate, "executions");
  };
  return {
    spent,
    held: () => best,
    tell,
    attempt,
    without: async (gone) => {
      const { list, scope } = best;
      const rest = list.filter((each) => !gone.includes(each));
      return (await tidied(rest)) || (await attempt(rest, scope));
    },
    merge: async (list) => {
      const { scope } = best;
      return (await tidied(list)) || (await tell(plan(scope, list), "executions"));
    },
    guess: async (list, scope) => {
      if (guesses <= 0) return false;
      const candidate = plan(scope, list);
      const turned = candidate.replies.some((reply, index) => isTurned(best, list[index], reply));
      if (turned || !endsAs(candidate, best)) return false;
      const before = spent.executions;
      const better = await tell(candidate, "executions");
      guesses -= spent.executions - before;
      return better;
    },
  };
}

function answered(list: readonly Bound[], replies: readonly Reply[]): Held["replies"] {
  return new Map(list.map((bound, index) => [bound, replies[index] ?? { ok: "done" }]));
}

/** It is turned away now, and was not. */
function isTurned({ replies }: Held, bound: Bound | undefined, reply: Reply): boolean {
  const was = bound === undefined ? undefined : replies.get(bound);
  return isRebuffed(reply) && was !== undefined && !isRebuffed(was);
}

/** What the specification answers at the end is of the kind that it was where the story failed. */
function endsAs({ replies }: Plan, held: Held): boolean {
  const last = held.list.at(-1);
  const [now, was] = [replies.at(-1), last === undefined ? undefined : held.replies.get(last)];
  return now !== undefined && was !== undefined && kindOfReply(now) === kindOfReply(was);
}

/** It breaks a law that was broken, or, where none was, differs in the same part of what is compared. */
function alike(first: Failure | null): (other: Failure) => boolean {
  const kinds = first?.kinds ?? ["nothing"];
  const parts = first?.broken.length === 0 ? kinds.map(partOf) : [];
  return ({ kinds: found, broken }) =>
    found.some((kind) => kinds.includes(kind)) ||
    (broken.length === 0 && found.some((kind) => parts.includes(partOf(kind))));
}
const partOf = (kind: string): string => kind.split(".")[0] ?? kind;
