/**
 * Why a story fails, found out by telling it otherwise: without each step, with neighbours in the other order, with other
 * values. Nothing is concluded from what a step looks like; what was not tried is said to be untried.
 */
import type { Reply, Scope, Step } from "../../src/contract.ts";
import type { Bound } from "../bind.ts";
import { renamed, replaced } from "../simplify.ts";
import type { Need, Swap, Told, Verdict, Worth } from "./explanation.ts";
import { type Laboratory, plain, type Telling, verdictOf } from "./laboratory.ts";
import { replyTo } from "./say.ts";
import { type Other, variables } from "./variants.ts";

/** A place in a story: a step, or one inside a `together`. */
interface Place {
  readonly at: Told["at"];
  readonly bound: Bound;
  /** The story without it, and with it and the next of its kind in the other order; `null` for the last. */
  readonly without: readonly Bound[];
  readonly swapped: readonly Bound[] | null;
  readonly with: (other: Step) => readonly Bound[];
}

export interface Reasoning {
  readonly lab: Laboratory;
  readonly scope: Scope;
  /** The story as it failed, and how. */
  readonly first: Telling;
  readonly kinds: readonly string[];
}

/** In order of what is asked first, should executions run out: presence, order, values. */
export async function reasons(reasoning: Reasoning): Promise<readonly Told[]> {
  const { lab, first, kinds, scope } = reasoning;
  const places = placesOf(first.bound);
  const without: Verdict[] = [];
  for (const place of places) without.push(verdictOf(await lab.tell(place.without), kinds));
  const swaps: (Swap | null)[] = [];
  for (const place of places)
    swaps.push(place.swapped === null ? null : swapOf(place, first, await lab.tell(place.swapped), kinds));
  const told: Told[] = [];
  const agents = ["/root", ...pathsOf(first.bound)];
  for (const [index, { at, bound, with: given }] of places.entries()) {
    const worths: Worth[] = [];
    for (const { key, others } of variables(bound.step, scope, agents)) {
      const tried: (readonly [Other, Verdict])[] = [];
      for (const other of others) tried.push([other, verdictOf(await lab.tell(given(other.step)), kinds)]);
      worths.push(worthOf(key, tried));
    }
    if (bound.step.do === "spawn") worths.unshift(await nameOf(reasoning, bound.step));
    const missing = without[index] ?? "untried";
    const [swap, before] = [swaps[index] ?? null, previous(places, swaps, index)];
    told.push({ at, step: bound.step, need: needOf(missing, [swap, before]), without: missing, swap, worths });
  }
  return told;
}

/** A story that holds, or that was not asked about. */
export function untried(bound: readonly Bound[]): readonly Told[] {
  return placesOf(bound).map(({ at, bound: { step } }) => ({
    at,
    step,
    need: "untried",
    without: "untried",
    swap: null,
    worths: [],
  }));
}

function placesOf(list: readonly Bound[]): readonly Place[] {
  return list.flatMap((bound, index) => {
    const own: Place = {
      at: [index],
      bound,
      without: list.filter((each) => each !== bound),
      swapped: index + 1 < list.length ? exchanged(list, index) : null,
      with: (other) => replaced(list, bound, { ...bound, step: other }),
    };
    if (bound.step.do !== "together") return [own];
    const having = (inner: readonly Bound[]): readonly Bound[] => replaced(list, bound, { ...bound, inner });
    const inner = bound.inner.map(
      (each, nth): Place => ({
        at: [index, nth],
        bound: each,
        without: having(bound.inner.filter((one) => one !== each)),
        swapped: nth + 1 < bound.inner.length ? having(exchanged(bound.inner, nth)) : null,
        with: (other) => having(bound.inner.map((one) => (one === each ? { ...each, step: other } : one))),
      }),
    );
    return [own, ...inner];
  });
}

function exchanged(list: readonly Bound[], index: number): readonly Bound[] {
  const [one, other] = list.slice(index, index + 2);
  if (one === undefined || other === undefined) return list;
  return [...list.slice(0, index), other, one, ...list.slice(index + 2)];
}

/** The swap of a place with the one before it, which is told with that one. */
function previous(places: readonly Place[], swaps: readonly (Swap | null)[], index: number): Swap | null {
  const { at } = places[index] ?? { at: [0] };
  const before = places.findIndex(({ at: other }) =>
    at.length === 1
      ? other.length === 1 && other[0] === at[0] - 1
      : other.length === 2 && other[0] === at[0] && other[1] === (at[1] ?? 0) - 1,
  );
  return before < 0 ? null : (swaps[before] ?? null);
}

function needOf(without: Verdict, swaps: readonly (Swap | null)[]): Need {
  if (without === "untried" || without === "unfit") return "untried";
  if (without !== "same") return "required";
  const moved = swaps.some((swap) => swap?.verdict === "gone" || swap?.verdict === "changed");
  return moved ? "order" : "free";
}

function swapOf(place: Place, first: Telling, swapped: Telling | null, kinds: readonly string[]): Swap {
  return { verdict: verdictOf(swapped, kinds), causal: swapped !== null && causal(place, first, swapped) };
}

/** The later one answers what the earlier one opened, or is turned away when it comes first and was not when it came second. */
function causal({ at, bound }: Place, first: Telling, swapped: Telling): boolean {
  const index = at[0];
  const later = at[1] === undefined ? first.bound[index + 1] : first.bound[index]?.inner[at[1] + 1];
  if (later === undefined) return false;
  if (later.op !== null && later.op.by === bound) return true;
  if ("op" in later.step && "op" in bound.step && later.step.op === bound.step.op) return true;
  const [was, is] = [telling(first, at, 1), telling(swapped, at, 0)];
  return was !== null && is !== null && !rebuffed(was) && rebuffed(is);
}

/** What was answered at this place, or so many further on. */
function telling({ run }: Telling, [step, inner]: Told["at"], further: number): Reply | null {
  if (inner === undefined) return run.told[step + further]?.[1] ?? null;
  return replyTo([step, inner + further], run.told[step]?.[1] ?? null);
}

const rebuffed = (reply: Reply): boolean => "refused" in reply || ("ok" in reply && reply.ok === "late");

function worthOf(key: string, tried: readonly (readonly [Other, Verdict])[]): Worth {
  const says = (wanted: (verdict: Verdict) => boolean): readonly string[] =>
    tried.filter(([, verdict]) => wanted(verdict)).map(([other]) => other.says);
  const keeps = says((verdict) => verdict === "same");
  const breaks = says((verdict) => verdict === "gone" || verdict === "changed");
  if (tried.some(([, verdict]) => verdict === "untried") || keeps.length + breaks.length === 0)
    return { key, matters: "untried", keeps, breaks };
  if (breaks.length === 0) return { key, matters: "no", keeps, breaks };
  const alike = tried.every(([other, verdict]) => !other.sameLength || verdict === "same");
  return { key, matters: key === "text" && alike && keeps.length > 0 ? "length" : "yes", keeps, breaks };
}

const pathsOf = (list: readonly Bound[]): readonly string[] => [
  ...new Set(list.flatMap(({ step, inner }) => [step, ...inner.map((each) => each.step)]).flatMap(spawned)),
];
const spawned = (step: Step): readonly string[] => (step.do === "spawn" ? [`${step.by}/${step.name}`] : []);

/** A name is changed wherever it stands, once to one that comes after all others and once to one that comes before. */
async function nameOf({ lab, first, kinds }: Reasoning, step: Extract<Step, { do: "spawn" }>): Promise<Worth> {
  const from = `${step.by}/${step.name}`;
  const tried: (readonly [Other, Verdict])[] = [];
  for (const name of ["zz", "0"].filter((each) => each !== step.name)) {
    const steps = first.bound.map((bound) => renamed(bound.step, from, `${step.by}/${name}`));
    const list = steps.flatMap((each) => (each === null ? [] : [plain(each)]));
    const verdict = list.length === steps.length ? verdictOf(await lab.tell(list), kinds) : "untried";
    tried.push([{ says: name, step, sameLength: false }, verdict]);
  }
  return worthOf("name", tried);
}
