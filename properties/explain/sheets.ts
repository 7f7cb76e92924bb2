/**
 * Both sides of every moment as sheets of words for the page: sections, in them groups (the session, the root, an agent), in
 * them fields. Equal groups are kept once, so that what does not change over forty steps costs a number a step.
 */
import type { Encoded, StoredView, View } from "../../src/contract.ts";
import type { Explanation, Side, Sight } from "./explanation.ts";
import { sayEvent, sayOutcome, sayValue, short } from "./say.ts";
import { visible } from "./visible.ts";

/** A list has several items; a plain field one. */
type Field = readonly [key: string, items: readonly string[]];
export type Group = readonly [name: string, fields: readonly Field[]];
/** By section, the groups by their place in the pool. */
type Sheet = readonly (readonly number[])[];
export interface Sheets {
  readonly target: string;
  readonly pool: readonly Group[];
  /** One for each moment; `target` where it is unlike, section by section, `null` where that section is alike. */
  readonly frames: readonly { readonly model: Sheet; readonly target: readonly (readonly number[] | null)[] | null }[];
}

/** In this order. */
const sections: readonly Sight[] = ["reply", "view", "encoded", "stored"];

export function sheetsOf({ frames, failing, target }: Explanation): Sheets {
  const pool: Group[] = [];
  const known = new Map<string, number>();
  const keep = (group: Group): number => {
    const name = JSON.stringify(group);
    const at = known.get(name) ?? pool.push(group) - 1;
    known.set(name, at);
    return at;
  };
  const sheet = (side: Side, sight: Sight): readonly number[] => groupsOf(side, sight).map(keep);
  const told = frames.map(({ model, target: other }, at) => ({
    model: sections.map((sight) => sheet(model, sight)),
    target: at === (failing?.step ?? Number.NaN) + 1 ? unlike(other, sheet, failing, keep) : null,
  }));
  return { target: visible(target), pool, frames: told };
}

function unlike(
  side: Side | null,
  sheet: (side: Side, sight: Sight) => readonly number[],
  failing: Explanation["failing"],
  keep: (group: Group) => number,
): readonly (readonly number[] | null)[] {
  if (side === null)
    return [[keep(["", [["answer", [`threw: ${visible(failing?.thrown ?? "")}`]]]])], null, null, null];
  const seen = failing?.unlike.map(({ sight }) => sight) ?? [];
  return sections.map((sight) => (seen.includes(sight) ? sheet(side, sight) : null));
}

function groupsOf(side: Side, sight: Sight): readonly Group[] {
  if (sight === "view") return viewGroups(side.view);
  if (sight === "encoded") return encodedGroups(side.encoded);
  if (sight === "stored") return storedGroups(side.stored);
  const { reply } = side;
  if (reply === null) return [];
  return [
    [
      "",
      [
        ["answer", [sayOutcome(reply)]],
        ...(reply.events === undefined ? [] : [["events", reply.events.map(sayEvent)] as const]),
      ],
    ],
  ];
}

/** Any plain object as fields; lists of tuples item by item. */
function fieldsOf(of: object): readonly Field[] {
  return Object.entries(of)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]): Field => [visible(key), isList(value) ? value.map(sayValue) : [sayValue(value)]]);
}
const isList = (value: unknown): value is readonly unknown[] =>
  Array.isArray(value) && value.every((each) => Array.isArray(each));

function viewGroups({ root, agents, aside, others, ...session }: View, as = ""): readonly Group[] {
  const set = Object.entries(aside ?? {}).map(([path, code]): Field => [short(path), [`set aside: ${code}`]]);
  return [
    [`${as}session`, [...fieldsOf(session), ...set]],
    ...(root === undefined ? [] : [[`${as}root`, fieldsOf(root)] as const]),
    ...agentGroups(agents ?? {}, as),
    ...Object.entries(others ?? {}).flatMap(([name, view]) => viewGroups(view, `${visible(name)}: `)),
  ];
}

const agentGroups = (agents: { readonly [path: string]: object }, as: string): readonly Group[] =>
  Object.keys(agents)
    .sort()
    .map((path): Group => [`${as}${short(path)}`, fieldsOf(agents[path] ?? {})]);

function storedGroups(stored: StoredView | null): readonly Group[] {
  if (stored === null) return [];
  const { root, agents, ...session } = stored;
  return [["session", fieldsOf(session)], ["root", fieldsOf(root)], ...agentGroups(agents, "")];
}

function encodedGroups(encoded: Encoded | null): readonly Group[] {
  if (encoded === null) return [];
  if ("ok" in encoded) return storedGroups(encoded.ok);
  return [["session", [["cannot be written", [`${encoded.fault} at ${short(encoded.at)}`]]]]];
}
