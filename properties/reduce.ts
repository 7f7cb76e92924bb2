/**
 * What a target promises to agree on, taken out of what it and the model say: by its level (spec: core, strict, house), and
 * without the view fields and events that it does not show. Nothing is taken out for a target that shows everything.
 */
import type { Sight } from "../model/index.ts";
import type { Encoded, Event, Reply, View } from "../src/contract.ts";
import type { Capabilities } from "./target.ts";

export interface Reduction {
  reply(reply: Reply): unknown;
  view(view: View): unknown;
  encoded(encoded: Encoded): unknown;
  /** What laws may ask to see. */
  readonly sights: readonly Sight[];
  /** Nothing is taken out, so whatever is equal is equal altogether. */
  readonly whole: boolean;
  /** As the capability says. */
  readonly rowBytes: number | undefined;
}

const fieldSights: readonly Sight[] = ["mail", "blockers", "residency", "messages", "owed", "open"];

export function reduction({ level, hides, encodes, rowBytes }: Capabilities): Reduction {
  const fields = hides?.fields ?? [];
  const events = hides?.events ?? [];
  const sights = fieldSights.filter((sight) => !fields.includes(sight));
  if (events.length === 0 && level !== "core") sights.push("events");
  if (encodes) sights.push("encode");
  // Where no result is seen, nobody knows what there is to give back.
  if (!fields.includes("undo") && !fields.includes("result")) sights.push("undo");
  const whole = level === "house" && fields.length === 0 && events.length === 0 && encodes;
  if (whole)
    return {
      reply: (reply) => reply,
      view: (view) => view,
      encoded: (encoded) => encoded,
      sights,
      whole,
      rowBytes,
    };
  const shown = (event: Event): boolean => level !== "core" && !events.includes(event[0]);
  return {
    reply: (reply) => reduceReply(reply, level === "house", shown, fields),
    view: (view) => without(view, fields),
    encoded: (encoded) => without(encoded, fields),
    ...{ sights, whole, rowBytes },
  };
}

function reduceReply(
  reply: Reply,
  codes: boolean,
  shown: (event: Event) => boolean,
  fields: readonly string[],
): unknown {
  const { events, ...outcome } = reply;
  const reduced = (each: Reply): unknown => reduceReply(each, codes, shown, fields);
  const left = (events ?? []).filter(shown).map((event): unknown => {
    if (event[0] === "then") return ["then", reduced(event[1])];
    return event[0] === "ended" ? ["ended", event[1], reduced(event[2])] : event;
  });
  const said = "refused" in outcome && !codes ? { refused: true } : within(outcome, reduced, fields);
  return left.length === 0 ? said : { ...said, events: left };
}

/** Only a `together` answers a list of objects: the replies of its steps. */
function within(outcome: Reply, reduced: (reply: Reply) => unknown, fields: readonly string[]): object {
  if (!("ok" in outcome) || !Array.isArray(outcome.ok) || outcome.ok.some(Array.isArray))
    return without(outcome, fields);
  const replies: readonly unknown[] = outcome.ok;
  return { ok: replies.map((each) => (typeof each === "object" && each !== null ? reduced(each as Reply) : each)) }; // as said above
}

function without(value: unknown, fields: readonly string[]): object {
  const members = Object.entries(value ?? {}).filter(([key]) => !fields.includes(key));
  return Object.fromEntries(members.map(([key, member]) => [key, inside(member, fields)]));
}

function inside(value: unknown, fields: readonly string[]): unknown {
  if (Array.isArray(value)) return value;
  return typeof value === "object" && value !== null ? without(value, fields) : value;
}

/** Longer mailed results are cut; how is one pure function of the result, and no matter of the specification. */
const mailedUnitsMin = 16_384;

/** A reply with what a mail that was cut for its length became in a conversation left out: only that it is there counts. */
export function uncut(reply: Reply): Reply {
  const read: Reply = JSON.parse(JSON.stringify(reply), (_, held: unknown) =>
    isLongMail(held) ? held.slice(0, 3) : held,
  );
  return read;
}

function isLongMail(held: unknown): held is readonly unknown[] {
  if (!Array.isArray(held) || held.length !== 4 || held[0] !== "mail") return false;
  const text: unknown = held[3];
  return typeof text === "object" && text !== null && "length" in text && Number(text.length) > mailedUnitsMin;
}
