/**
 * From a story that fails to a short one that fails in the same way: steps taken out in chunks, singly and in pairs, answers
 * moved to the step that begins, everything said more plainly, until nothing helps or the executions are spent.
 */
import type { Scope, Step } from "../src/contract.ts";
import { type Begun, type Bound, begun, bind, rebind, within } from "./bind.ts";
import { breathing } from "./breath.ts";
import { type Next, type Oracle, type Run, run, type Watch } from "./loop.ts";
import { answeredAhead, renamed, renamings, replaced, simplerBounds, simplerScopes, unheld } from "./simplify.ts";
import type { Target } from "./target.ts";

export interface Shrunk {
  readonly scope: Scope;
  readonly run: Run;
  readonly executions: number;
  /** The story did not fail when it was told again. */
  readonly fickle: boolean;
}
/** Stories up to so many steps also lose pairs of steps. */
const pairsMax = 20;
/** Stories up to so many steps lose pairs of steps while another one moves. */
const movesMax = 9;

/** A story that failed, with its names bound to its steps. */
interface Held {
  readonly scope: Scope;
  readonly list: readonly Bound[];
  readonly run: Run;
}

/** Gives the steps of a list with their names as they are where each comes to stand, and binds them anew. */
export function follow(list: readonly Bound[]): {
  readonly next: Next;
  readonly watch: Watch;
  readonly bound: readonly Bound[];
} {
  const earlier: Begun = new Map();
  const fresh: Begun = new Map();
  const bound: Bound[] = [];
  const next: Next = (world, index) => {
    const held = list[index];
    if (held === undefined) return null;
    const step = rebind(held, world, earlier);
    bound.push(bind(step, world, fresh));
    return step;
  };
  const stepped = (before: Parameters<Next>[0], _: unknown, after: Parameters<Next>[0]): void => {
    const index = bound.length - 1;
    const [held, anew] = [list[index], bound[index]];
    if (held === undefined || anew === undefined) return;
    const ops = begun(before, after);
    earlier.set(held, ops);
    fresh.set(anew, ops);
  };
  return { next, watch: { stepped }, bound };
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
  const kinds = failed.failure?.kinds ?? ["nothing"];
  let executions = 0;
  const attempt = async (list: readonly Bound[], within: Scope): Promise<Held | null> => {
    await breath();
    if (executions >= executionsMax || (signal?.aborted === true && executions > 0)) return null;
    executions++;
    const { next, watch, bound } = follow(list);
    const tried = await run(target, within, next, watch, oracle);
    const same = tried.failure?.kinds.some((kind) => kinds.includes(kind)) === true;
    return same ? { scope: within, list: bound, run: tried } : null;
  };

  const plain = failed.told.map(([step]) => unbound(step));
  const first = await attempt(plain, scope);
  if (first === null) return { scope, run: failed, executions, fickle: true };
  let best = first;
  const passes = [chunks, aheads, pairs, simplifications, renames, scopes, moves];
  for (let improved = true; improved && executions < executionsMax; ) {
    improved = false;
    for (const pass of passes) {
      for (let again = true; again; ) {
        again = false;
        for (const [list, within] of pass(best)) {
          const better = await attempt(list, within);
          if (better === null || better.list.length > best.list.length) continue;
          best = better;
          improved = true;
          again = true;
          break;
        }
      }
    }
  }
  return { scope: best.scope, run: best.run, executions, fickle: false };
}

/** With its names as they stand. */
function unbound(step: Step): Bound {
  return { step, op: null, turn: null, token: null, inner: within(step).map(unbound) };
}

type Candidates = Generator<readonly [readonly Bound[], Scope]>;

/** Half, a quarter, … one step, from the end: late steps more often do not matter. The last one is where it fails. */
function* chunks({ list, scope }: Held): Candidates {
  for (let size = Math.ceil(list.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
    for (let from = list.length - size; from > -size; from -= size)
      yield [list.filter((_, index) => index < from || index >= from + size), scope];
}

function* pairs({ list, scope }: Pick<Held, "list" | "scope">): Candidates {
  if (list.length > pairsMax) return;
  for (let one = 0; one < list.length; one++)
    for (let other = one + 2; other < list.length; other++)
      yield [list.filter((_, index) => index !== one && index !== other), scope];
}

/** Two steps fewer, and one of the rest elsewhere: how two restores become one. */
function* moves({ list, scope }: Held): Candidates {
  if (list.length > movesMax) return;
  for (const [fewer] of pairs({ list, scope }))
    for (const moved of fewer) {
      const others = fewer.filter((each) => each !== moved);
      for (let to = 0; to <= others.length; to++)
        if (fewer[to] !== moved) yield [[...others.slice(0, to), moved, ...others.slice(to)], scope];
    }
}

function* aheads({ list, scope }: Held): Candidates {
  for (let at = list.length - 1; at >= 0; at--) {
    for (const ahead of answeredAhead(list, at)) yield [ahead, scope];
    const ended = unheld(list, at);
    if (ended !== null) yield [ended, scope];
  }
}

function* simplifications({ list, scope }: Held): Candidates {
  for (const bound of list) for (const simpler of simplerBounds(bound)) yield [replaced(list, bound, simpler), scope];
}

function* renames({ list, scope }: Held): Candidates {
  for (const [from, to] of renamings(list)) {
    const moved = list.map(({ step }) => renamed(step, from, to)).filter((step) => step !== null);
    if (moved.length === list.length) yield [moved.map(unbound), scope];
  }
}

function* scopes({ list, scope }: Held): Candidates {
  for (const simpler of simplerScopes(scope, list)) yield [list, simpler];
}
