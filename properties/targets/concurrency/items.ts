/**
 * A history as what has to be put in some order: calls, signals, answers of the world, the clock, the end. Each has the moment
 * before which it cannot have happened, the one by which it must have, and, for the order of issue, what comes before it.
 */
import type { Op, StepOutcome } from "../../../src/contract.ts";
import type { Call, Elapsed, GateAnswer, History, Look } from "./history.ts";

type What =
  | { readonly is: "call"; readonly call: Call }
  | { readonly is: "abort"; readonly call: Call }
  | { readonly is: "gate"; readonly answer: GateAnswer }
  | { readonly is: "elapse"; readonly elapsed: Elapsed }
  | { readonly is: "look"; readonly look: Look }
  | { readonly is: "abandon" };

export interface Item {
  readonly what: What;
  readonly bit: bigint;
  readonly lower: number;
  readonly upper: number;
  /** Of the commit and the events that it makes; `null` where no call is behind it, `any` where that is not known. */
  readonly tag: number | null | "any";
  /** In the order of issue. */
  readonly before: bigint;
}
export interface Items {
  /** By the moment before which they cannot have happened. */
  readonly all: readonly Item[];
  readonly abandon: Item | null;
  readonly abortOf: ReadonlyMap<Call, Item>;
  readonly callOf: ReadonlyMap<Op, Call>;
  readonly itemOf: ReadonlyMap<Call, Item>;
  /** Starts that became turns. */
  readonly admitted: ReadonlySet<Op>;
}

type Placed = Omit<Item, "bit" | "before"> & { readonly queued: boolean };

/** Calls are decided as they were issued; so are signals and the clock. */
export function itemsOf(history: History): Items {
  const { end } = history;
  const callOf = new Map<Op, Call>();
  for (const call of history.calls) if (call.begun !== null) callOf.set(call.begun.op, call);
  const tagOf = (call: Call): number | null =>
    "op" in call.asked && call.asked.do.startsWith("own_") ? (callOf.get(call.asked.op)?.id ?? null) : call.id;

  const placed: Placed[] = [];
  for (const call of history.calls) {
    const upper = Math.min(call.begun?.at ?? end, call.answered?.at ?? end);
    placed.push({ what: { is: "call", call }, lower: call.at, upper, tag: tagOf(call), queued: true });
    if (call.aborted !== null)
      placed.push({ what: { is: "abort", call }, lower: call.aborted, upper: end, tag: call.id, queued: true });
  }
  for (const answer of history.gates) {
    const tag = answer.gate === "handler" ? "any" : (callOf.get(answer.op)?.id ?? null);
    placed.push({ what: { is: "gate", answer }, lower: answer.at, upper: end, tag, queued: false });
  }
  for (const elapsed of history.elapsed)
    placed.push({ what: { is: "elapse", elapsed }, lower: elapsed.at, upper: end, tag: null, queued: true });
  for (const look of history.looks)
    placed.push({ what: { is: "look", look }, lower: look.at, upper: look.at, tag: null, queued: false });
  const { abandoned } = history;
  if (abandoned !== null)
    placed.push({ what: { is: "abandon" }, lower: abandoned, upper: abandoned, tag: null, queued: false });
  placed.sort((one, other) => one.lower - other.lower);

  const all = placed.map((each, index): Item => {
    const { queued: _, ...rest } = each;
    return { ...rest, bit: 1n << BigInt(index), before: before(history, placed, index) };
  });
  const find = (is: What["is"]): readonly Item[] => all.filter((each) => each.what.is === is);
  const byCall = (is: "abort" | "call"): ReadonlyMap<Call, Item> =>
    new Map(find(is).flatMap((each) => ("call" in each.what ? [[each.what.call, each] as const] : [])));
  return {
    ...{ all, callOf },
    abandon: find("abandon")[0] ?? null,
    abortOf: byCall("abort"),
    itemOf: byCall("call"),
    admitted: new Set(
      history.events.flatMap(({ event }) => (event[0] === "ended" && isPath(event[2]) ? [event[1]] : [])),
    ),
  };
}
const isPath = (outcome: StepOutcome): boolean =>
  "ok" in outcome && typeof outcome.ok === "string" && outcome.ok.startsWith("/");

/** Not through the queue. */
const isAtOnce = ({ what }: Placed): boolean => what.is === "abandon" || what.is === "look";

/**
 * What was put into the queue before it. An answer is put there some microtasks after it was given, so what was issued before
 * it precedes it, and what was issued after a rest follows it. A read may have to look a second time: it follows nothing.
 */
function before({ rests }: History, placed: readonly Placed[], index: number): bigint {
  const own = placed[index];
  if (own === undefined || isAtOnce(own)) return 0n;
  let mask = 0n;
  for (const [other, each] of placed.entries()) {
    if (other >= index || isAtOnce(each)) continue;
    const isRead = each.what.is === "gate" && each.what.answer.gate === "hydrate";
    const isEarlier = each.queued || (!isRead && rests.some((rest) => each.lower < rest && rest < own.lower));
    if (isEarlier) mask |= 1n << BigInt(other);
  }
  return mask;
}
