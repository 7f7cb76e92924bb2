/**
 * From a story that fails to a short one that fails in the same way: steps taken out in chunks, with what means nothing
 * without them, answers moved to the step that begins, everything said more plainly; then whether anything more can be left out.
 */
import type { Reply, Scope } from "../src/contract.ts";
import type { Bound } from "./bind.ts";
import { breathing } from "./breath.ts";
import { type Failure, type Oracle, type Run, run } from "./loop.ts";
import { crashing, mailed, quitting, regated } from "./merges.ts";
import { isRebuffed, kindOfReply, type Plan, plan } from "./plan.ts";
import {
  aheads,
  allPlain,
  type Candidates,
  moves,
  pairs,
  renames,
  scopes,
  simplifications,
  singles,
} from "./reductions.ts";
import { plainest, replaced, simplerBounds } from "./simplify.ts";
import type { Target } from "./target.ts";
import { unbound } from "./unbound.ts";

export interface Shrunk {
  readonly scope: Scope;
  readonly run: Run;
  /** Spent on finding it, and on seeing that nothing more can be left out. */
  readonly executions: number;
  readonly checks: number;
  /** The story did not fail when it was told again. */
  readonly fickle: boolean;
}

/** Executions spent on losing several steps at once. */
const guessesMax = 40;

/** A story that failed, with its names bound to its steps, and what the specification answers to each. */
export interface Held {
  readonly scope: Scope;
  readonly list: readonly Bound[];
  readonly replies: ReadonlyMap<Bound, Reply>;
  readonly run: Run;
}

export async function shrink(
  target: Target,
  scope: Scope,
  failed: Run,
  executionsMax: number,
  oracle: Oracle = "both",
  signal?: AbortSignal,
): Promise<Shrunk> {
  const breath = breathing();
  const isAlike = alike(failed.failure);
  const told = new Set<string>();
  const spent = { executions: 0, checks: 0 };
  let best: Held | null = null;
  const held = (): Held => best ?? { scope, list: [], replies: new Map(), run: failed };

  /** Tells a story unless it was told before, and keeps it if it fails alike. */
  const tell = async (planned: Plan, on: keyof typeof spent): Promise<boolean> => {
    const { scope: within, list, steps, replies } = planned;
    const key = JSON.stringify([steps, within]);
    await breath();
    if (signal?.aborted === true && best !== null) return false;
    if (told.has(key) || steps.length === 0 || spent.executions + spent.checks >= executionsMax) return false;
    told.add(key);
    spent[on]++;
    const tried = await run(target, within, (_, index) => steps[index] ?? null, {}, oracle);
    if (tried.failure === null || !isAlike(tried.failure)) return false;
    const length = tried.told.length;
    if (best !== null && length > best.list.length) return false;
    const answered = new Map(list.slice(0, length).map((bound, index) => [bound, replies[index] ?? { ok: "done" }]));
    best = { scope: within, list: list.slice(0, length), replies: answered, run: tried };
    return true;
  };
  /** What the specification answers at the end is to be of the kind that it was where the story failed. */
  const endsAlike = ({ replies }: Plan, held: Held): boolean => {
    const [last, was] = [replies.at(-1), held.replies.get(held.list.at(-1) ?? unbound({ do: "save" }))];
    return last !== undefined && was !== undefined && kindOfReply(last) === kindOfReply(was);
  };
  const attempt = async (list: readonly Bound[], within: Scope): Promise<boolean> => {
    const planned = plan(within, list);
    return best !== null && endsAlike(planned, best) && (await tell(planned, "executions"));
  };
  /** Without those that were not turned away and would be now. */
  const tidied = async (rest: readonly Bound[], { list, replies, scope: within }: Held): Promise<boolean> => {
    const last = list.at(-1);
    const idle = (each: Bound, reply: Reply): boolean =>
      each !== last && isRebuffed(reply) && !isRebuffed(replies.get(each) ?? reply);
    const planned = plan(within, rest, idle);
    if (planned.list.length === rest.length || best === null || !endsAlike(planned, best)) return false;
    return await tell(planned, "executions");
  };
  const without = async (gone: readonly Bound[]): Promise<boolean> => {
    const now = held();
    const rest = now.list.filter((each) => !gone.includes(each));
    return (await tidied(rest, now)) || (await attempt(rest, now.scope));
  };

  const first = failed.told.map(([step]) => unbound(step));
  if (!(await tell(plan(scope, first), "executions"))) return { scope, run: failed, ...spent, fickle: true };
  /** Other ways to the same place; what means nothing any more goes with what was replaced. */
  const merging = async (): Promise<void> => {
    for (let again = true; again; ) {
      again = false;
      const now = held();
      for (const list of [crashing, quitting, regated, mailed].flatMap((merge) => [...merge(now)])) {
        again = (await tidied(list, now)) || (await tell(plan(now.scope, list), "executions"));
        if (again) break;
      }
    }
  };
  /** Each candidate of the pass, made anew from the best there is after each that was taken. */
  const taking = async (pass: (from: Held) => Candidates, attempting = attempt): Promise<void> => {
    for (let again = true; again; ) {
      again = false;
      for (const [list, within] of pass(held())) {
        again = await attempting(list, within);
        if (again) break;
      }
    }
  };
  /** Where many candidates are tried, only those of which the specification turns nothing away that it took before. */
  let guesses = guessesMax;
  const guess = async (list: readonly Bound[], within: Scope): Promise<boolean> => {
    const now = held();
    if (guesses <= 0) return false;
    const planned = plan(within, list);
    const turned = planned.replies.some((reply, index) => {
      const was = now.replies.get(list[index] ?? unbound({ do: "save" }));
      return isRebuffed(reply) && was !== undefined && !isRebuffed(was);
    });
    if (turned || !endsAlike(planned, now)) return false;
    const before = spent.executions;
    const better = await tell(planned, "executions");
    guesses -= spent.executions - before;
    return better;
  };

  for (let improved = true; improved && spent.executions < executionsMax; ) {
    const before = weight(held());
    await chunks(held, without);
    await taking(allPlain);
    await taking(aheads);
    await merging();
    await chunks(held, without);
    await plainSteps(held, attempt);
    await taking(scopes);
    await merging();
    await taking(renames);
    await taking(pairs, guess);
    await taking(moves, guess);
    improved = weight(held()) < before;
    if (improved) continue;
    // The last question, and the only one that is asked of everything there is: it is counted apart.
    for (const [list, within] of [singles, aheads, simplifications].flatMap((pass) => [...pass(held())])) {
      improved = await tell(plan(within, list), "checks");
      if (improved) break;
    }
  }
  return { scope: held().scope, run: held().run, ...spent, fickle: false };
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

/** Shorter first, then what is said of it. */
const weight = ({ list, scope }: Held): number =>
  list.length * 1_000_000 +
  JSON.stringify(list.map(({ step }) => step)).length * 10 +
  JSON.stringify(scope).length / 1_000;

/** Half, a quarter, … one step, from the end: late steps more often do not matter. The last one is where it fails. */
async function chunks(held: () => Held, without: (gone: readonly Bound[]) => Promise<boolean>): Promise<void> {
  for (let size = Math.ceil(held().list.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
    for (let to = held().list.length - 1; to > 0; ) {
      const from = Math.max(0, to - size);
      await without(held().list.slice(from, to));
      to = Math.min(from, held().list.length - 1);
    }
}

/** Each step as plain as can be, and where that is too plain, one thing of it after another. */
async function plainSteps(
  held: () => Held,
  attempt: (list: readonly Bound[], scope: Scope) => Promise<boolean>,
): Promise<void> {
  for (let index = held().list.length - 1; index >= 0; index--) {
    for (let again = true; again; ) {
      again = false;
      const { list, scope } = held();
      const bound = list[index];
      if (bound === undefined) break;
      const plain = plainest(bound, "all", index === list.length - 1);
      for (const simpler of [...(plain === null ? [] : [plain]), ...simplerBounds(bound)]) {
        again = await attempt(replaced(list, bound, simpler), scope);
        if (again) break;
      }
    }
  }
}
