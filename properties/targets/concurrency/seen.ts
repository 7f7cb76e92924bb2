/**
 * What was seen, held against what the specification answers: events in their order, and what each caller was told, when it
 * was, and whether the session may have died under it.
 */
import type { Event, StepOutcome } from "../../../src/contract.ts";
import { equal } from "../../compare.ts";
import type { Answered, Call, EventSeen, History } from "./history.ts";
import type { Item, Items } from "./items.ts";

/** What is looked at: the history up to the horizon. */
export interface Case {
  readonly history: History;
  readonly items: Items;
  readonly horizon: number;
}

export const closed: StepOutcome = { refused: "session_closed" };
export const late: StepOutcome = { ok: "late" };

/** The events that come next are these, in this order; the end of what was answered may stand anywhere among them. */
export function emitted(
  c: Case,
  from: number,
  { tag }: Item,
  expected: readonly Event[],
  own: Event | null,
  at: number,
): { readonly count: number; readonly isCut: boolean } | null {
  const wanted = expected.length + (own === null ? 0 : 1);
  if (wanted === 0) return { count: 0, isCut: false };
  const seen = (each: EventSeen): boolean => each.at <= c.horizon;
  const found = c.history.events.slice(from, from + wanted).filter(seen);
  if (found.some((each) => each.at < at || (tag !== "any" && each.tag !== tag))) return null;
  const { abandoned } = c.history;
  if (abandoned !== null && found.some((each) => each.at > abandoned)) return null;
  const isShort = found.length < wanted;
  const isCut = isShort && c.horizon === c.history.end;
  if (isCut && (abandoned === null || abandoned < at)) return null;
  const rest = found.map(({ event }) => event);
  const ending = own === null ? -1 : rest.findIndex((event) => equal(event, own));
  if (own !== null && ending < 0 && !isShort) return null;
  if (ending >= 0) rest.splice(ending, 1);
  return rest.every((event, index) => equal(event, expected[index])) ? { count: found.length, isCut } : null;
}

// ── What a caller was answered ───────────────────────────────────────────────────────────────────────────────────

function answerOf({ horizon }: Case, { answered }: Call): Call["answered"] {
  return answered !== null && answered.at <= horizon ? answered : null;
}
const isQuit = ({ aborted }: Call, { outcome, at }: NonNullable<Call["answered"]>): boolean =>
  "quit" in outcome && aborted !== null && aborted <= at;

/** `cut`: the session died while it was being told. */
export function told(c: Case, call: Call, expected: Answered, at: number): "fits" | "differs" | "cut" {
  const found = answerOf(c, call);
  if (found === null) return c.horizon < c.history.end ? "fits" : "differs";
  const { do: verb } = call.asked;
  // An interrupt that nobody listens to any more goes on.
  if (verb === "interrupt" && isQuit(call, found)) return "fits";
  if (found.at < at) return "differs";
  if (equal(found.outcome, expected)) return "fits";
  // A wait that ended without a word may have been given up as well; so may the child of a fork.
  if (isQuit(call, found) && ((verb === "wait" && "silent" in expected) || verb === "fork")) return "fits";
  const { abandoned } = c.history;
  if (verb === "close_within" && equal(found.outcome, { fault: "busy", at: "archive" }) && abandoned !== null)
    return equal(expected, closed) ? "fits" : "differs";
  return abandoned !== null && at <= abandoned && isCut(c, call, abandoned) ? "cut" : "differs";
}

/** The session closed under it. */
export function isCut(c: Case, call: Call, at: number): boolean {
  const found = answerOf(c, call);
  if (found === null) return c.horizon < c.history.end;
  if (found.at < at) return call.asked.do === "interrupt" && isQuit(call, found);
  const busy = call.asked.do === "close_within" && equal(found.outcome, { fault: "busy", at: "archive" });
  return busy || equal(found.outcome, closed) || (isQuit(call, found) && /^(wait|interrupt)$/.test(call.asked.do));
}
