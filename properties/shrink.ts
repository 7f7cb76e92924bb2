/**
 * From a story that fails to a short one that fails in the same way: steps taken out in chunks, with what means nothing
 * without them, answers moved to the step that begins, everything said more plainly; then whether anything more can be left out.
 */
import type { Scope } from "../src/contract.ts";
import type { Oracle, Run } from "./loop.ts";
import { crashing, mailed, quitting, regated } from "./merges.ts";
import { plan } from "./plan.ts";
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
import { type Held, type Search, searching } from "./search.ts";
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

export async function shrink(
  target: Target,
  scope: Scope,
  failed: Run,
  executionsMax: number,
  oracle: Oracle = "both",
  signal?: AbortSignal,
): Promise<Shrunk> {
  const first = plan(
    scope,
    failed.told.map(([step]) => unbound(step)),
  );
  const begun: Held = { scope, list: first.list, replies: new Map(), run: failed };
  const search = searching(target, begun, { executionsMax, oracle, signal });
  if (!(await search.tell(first, "executions"))) return { scope, run: failed, ...search.spent, fickle: true };
  let improved = true;
  while (improved && search.spent.executions < executionsMax && signal?.aborted !== true) {
    const before = weight(search.held());
    await reduced(search);
    improved = weight(search.held()) < before || (await isImprovable(search));
  }
  const { scope: least, run } = search.held();
  return { scope: least, run, ...search.spent, fickle: false };
}

/** The cheapest and likeliest first: what they leave is shorter for the others. */
async function reduced(search: Search): Promise<void> {
  await chunks(search);
  await taking(search, allPlain);
  await taking(search, aheads);
  await merging(search);
  await chunks(search);
  await plainSteps(search);
  await taking(search, scopes);
  await merging(search);
  await taking(search, renames);
  await taking(search, pairs, search.guess);
  await taking(search, moves, search.guess);
}

/** The last question, and the only one that is asked of everything there is: it is counted apart. */
async function isImprovable(search: Search): Promise<boolean> {
  for (const [list, scope] of [singles, aheads, simplifications].flatMap((pass) => [...pass(search.held())]))
    if (await search.tell(plan(scope, list), "checks")) return true;
  return false;
}

/** Each candidate of the pass, made anew from the best there is after each that was taken. */
async function taking(search: Search, pass: (from: Held) => Candidates, attempt = search.attempt): Promise<void> {
  for (let again = true; again; ) {
    again = false;
    for (const [list, scope] of pass(search.held())) {
      again = await attempt(list, scope);
      if (again) break;
    }
  }
}

/** Other ways to the same place. */
async function merging(search: Search): Promise<void> {
  for (let again = true; again; ) {
    again = false;
    for (const list of [crashing, quitting, regated, mailed].flatMap((merge) => [...merge(search.held())])) {
      again = await search.merge(list);
      if (again) break;
    }
  }
}

/** Half, a quarter, … one step, from the end: late steps more often do not matter. The last one is where it fails. */
async function chunks({ held, without }: Search): Promise<void> {
  for (let size = Math.ceil(held().list.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
    for (let to = held().list.length - 1; to > 0; ) {
      const from = Math.max(0, to - size);
      await without(held().list.slice(from, to));
      to = Math.min(from, held().list.length - 1);
    }
}

/** Each step as plain as can be, and where that is too plain, one thing of it after another. */
async function plainSteps({ held, attempt }: Search): Promise<void> {
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

/** Shorter first, then what is said of it. */
const weight = ({ list, scope }: Held): number =>
  list.length * 1_000_000 +
  JSON.stringify(list.map(({ step }) => step)).length * 10 +
  JSON.stringify(scope).length / 1_000;
