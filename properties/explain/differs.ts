/** What differs between the two sides, in words: one entry a place, the same place in several sights told once. */
import type { Event } from "../../src/contract.ts";
import { equal } from "../compare.ts";
import type { Explanation, Sight, Unlike } from "./explanation.ts";
import { sayEvent, sayOutcome, sayValue, short } from "./say.ts";

export interface Differs {
  /** As `a: result`. */
  readonly where: string;
  readonly model: string;
  readonly target: string;
}

const prefixes: Record<Sight, string> = {
  reply: "the answer",
  view: "",
  encoded: "what a commit would write",
  stored: "the archive",
};

export function differsOf(explanation: Explanation): readonly Differs[] {
  const { failing } = explanation;
  if (failing === null) return [];
  if (failing.thrown !== null)
    return [{ where: "the answer", model: answer(explanation), target: `threw: ${failing.thrown}` }];
  const merged: { readonly first: Unlike; readonly sights: Sight[] }[] = [];
  for (const each of failing.unlike) {
    const known = merged.find(({ first }) => alike(first, each));
    if (known === undefined) merged.push({ first: each, sights: [each.sight] });
    else known.sights.push(each.sight);
  }
  return merged.map(({ first, sights }) => sayUnlike(first, sights));
}

const alike = (one: Unlike, other: Unlike): boolean =>
  one.sight !== "reply" && equal(one.at, other.at) && equal(one.model, other.model) && equal(one.target, other.target);

function answer({ frames, failing }: Explanation): string {
  const reply = frames[(failing?.step ?? -1) + 1]?.model.reply ?? null;
  return reply === null ? "nothing yet" : sayOutcome(reply);
}

/** One place, as seen in these sights. */
export function sayUnlike(unlike: Unlike, sights: readonly Sight[] = [unlike.sight]): Differs {
  const { at, model, target } = unlike;
  const place = placeOf(at);
  const seen = sights.filter((sight) => sight !== "view").map((sight) => prefixes[sight]);
  const inView = sights.includes("view");
  const where =
    unlike.sight === "reply" && at[0] === "events"
      ? "what happens"
      : inView
        ? `${place}${seen.length === 0 ? "" : ` (and ${seen.join(" and ")})`}`
        : [...seen, ...(place === "" ? [] : [place])].join(", ");
  if (at[0] === "events" || bothLists(model, target)) return { where, ...lists(model, target) };
  return { where, model: side(unlike, model), target: side(unlike, target) };
}

/** `a: result` for `agents./root/a.result`. */
function placeOf(at: readonly string[]): string {
  const [first = "", second, ...rest] = at;
  if (first === "agents" && second !== undefined) return [short(second), ...rest].join(": ");
  if (first === "root") return ["root", ...at.slice(1)].join(": ");
  if (first === "aside" && second !== undefined) return `${short(second)}: set aside`;
  if (first === "open") return "open gates";
  if (first === "others" && second !== undefined) return `${second}: ${placeOf(rest)}`;
  return at.join(": ");
}

function side({ sight, at }: Unlike, value: unknown): string {
  if (sight === "reply") return sayOutcome(value as Parameters<typeof sayOutcome>[0]); // what stands there is an outcome
  if (sight === "encoded" && at.length === 0) return encoded(value);
  if (at[0] === "agents" && at.length === 2) return agent(value);
  return sayValue(value);
}

function encoded(value: unknown): string {
  if (typeof value === "object" && value !== null && "fault" in value)
    return `${String(value.fault)}${"at" in value ? ` at ${sayValue(value.at)}` : ""}`;
  return value === undefined ? "nothing" : "a valid archive";
}

function agent(value: unknown): string {
  if (typeof value !== "object" || value === null) return "no such agent";
  const { role: _, config: __, ...rest } = { role: "", config: "", ...value };
  return Object.entries(rest)
    .map(([key, member]) => (key === "activity" ? sayValue(member) : `${key} ${sayValue(member)}`))
    .join(", ");
}

const isList = (value: unknown): value is readonly unknown[] =>
  Array.isArray(value) && value.every((each) => Array.isArray(each));
const bothLists = (model: unknown, target: unknown): boolean =>
  (isList(model) && (isList(target) || target === undefined)) || (isList(target) && model === undefined);

/** Only the items that one side has more of; all of them where nothing but their order differs. */
function lists(model: unknown, target: unknown): Pick<Differs, "model" | "target"> {
  const [one, other] = [isList(model) ? model : [], isList(target) ? target : []];
  const [more, extra] = [less(one, other), less(other, one)];
  const moved = more.length === 0 && extra.length === 0;
  const say = (list: readonly unknown[], left: number): string => {
    const items = list.map(item).join(", ");
    const rest = left === 0 ? "" : ` (and ${left} alike)`;
    return items === "" ? (left === 0 ? "nothing" : `nothing more${rest}`) : `${items}${rest}`;
  };
  if (moved) return { model: say(one, 0), target: say(other, 0) };
  return { model: say(more, one.length - more.length), target: say(extra, other.length - extra.length) };
}

function less(list: readonly unknown[], taken: readonly unknown[]): readonly unknown[] {
  const left = [...taken];
  return list.filter((each) => {
    const at = left.findIndex((other) => equal(each, other));
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

const eventKinds: readonly unknown[] = [
  "woke",
  "settled",
  "provider",
  "handled",
  "ended",
  "then",
  "warned",
  "set_aside",
];
/** Its first word says so. */
const isEvent = (each: unknown): each is Event => Array.isArray(each) && eventKinds.includes(each[0]);
const item = (each: unknown): string => (isEvent(each) ? sayEvent(each) : sayValue(each));
