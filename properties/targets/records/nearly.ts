/** Records, mails and messages that are nearly so: valid ones, in which one or two places hold something else. */
import fc from "fast-check";
import type { Mail, Message, Result, StoredRecord } from "../../../src/index.ts";

const said = fc.constantFrom("", "R1", "a\0b\u{1F600}", "two\nlines");
const result: fc.Arbitrary<Result> = fc.record({
  outcome: fc.constantFrom("completed", "errored", "interrupted"),
  text: said,
  reason: fc.option(said),
  partial: fc.option(said),
});
const config = fc.record({
  instructions: said,
  model: said,
  effort: fc.option(said),
  tools: fc.constantFrom<[string, string][][]>(
    [],
    [["core", "read"]],
    [
      ["core", "read"],
      ["core", "write"],
    ],
  ),
  limits: fc.constantFrom<Record<string, number>[]>({}, { steps: 40 }, { b: 0.5, a: -1 }),
  parameters: fc.constantFrom<Record<string, never>[]>({}, JSON.parse('{"style":{"b":[1,null,"x"],"a":true}}')),
});

function mails(to: string): fc.Arbitrary<readonly Mail[]> {
  const digest = "0123456789abcdef";
  const one = fc.record({
    kind: fc.constantFrom<Pick<Mail, "kind" | "from" | "outcome" | "digest">[]>(
      { kind: "mail", from: "/root", outcome: null, digest: null },
      { kind: "mail", from: "/root/b/c", outcome: null, digest: null },
      { kind: "execution", from: to, outcome: null, digest: null },
      { kind: "execution", from: `${to}/x`, outcome: null, digest: null },
      { kind: "result", from: `${to}/x`, outcome: "completed", digest },
      { kind: "result", from: `${to}/y`, outcome: "errored", digest },
    ),
    text: said,
    at: fc.constantFrom(0, 1_700_000_000_000),
  });
  return fc
    .array(one, { maxLength: 3 })
    .map((all) => all.map(({ kind, ...rest }, index) => ({ ...kind, ...rest, to, seq: index * 2 + 1 })));
}

const activities = ["idle", "starting", "running", "waiting", "permission_blocked", "interaction_blocked"] as const;
export const record: fc.Arbitrary<StoredRecord> = fc.constantFrom("/root/a", "/root/a/b_1").chain((path) =>
  fc
    .record({
      ...{ config, mail: mails(path), last: fc.option(result), owed: fc.array(result, { maxLength: 2 }) },
      activity: fc.constantFrom(...activities),
      location: fc.constantFrom(`agents${path.slice("/root".length)}`, "agents/A.b-c_9/0"),
      turns: fc.constantFrom(2, 3, 9),
      messages: fc.constantFrom(0, 7),
      role: said,
    })
    .map(({ last, owed, ...rest }) => ({
      ...{ ...rest, id: `id of ${path}`, path, parent: path.slice(0, path.lastIndexOf("/")) },
      result: rest.activity === "idle" ? last : null,
      undo: rest.activity === "starting" ? last : null,
      owed: owed.map((each, index) => ({ turn: index + 1, result: each })),
    })),
);
export const mail: fc.Arbitrary<Mail> = mails("/root/a").chain(([first]) =>
  fc.constantFrom<Mail>(
    first ?? { ...{ seq: 1, kind: "user", from: "user", to: "/root" }, text: "s", at: 0, outcome: null, digest: null },
    { ...{ seq: 1, kind: "user", from: "user", to: "/root" }, text: "s", at: 0, outcome: null, digest: null },
    { ...{ seq: 2, kind: "execution", from: "/root", to: "/root" }, text: "e", at: 0, outcome: null, digest: null },
    { ...{ seq: 3, kind: "mail", from: "/root/a", to: "/root" }, text: "m", at: 0, outcome: null, digest: null },
  ),
);
export const message: fc.Arbitrary<Message> = fc.record({
  kind: fc.constantFrom("task", "partial", "mail", "note"),
  turn: fc.constantFrom(0, 1),
  from: fc.constantFrom("user", "/root", "/root/a"),
  text: said,
  at: fc.constantFrom(0, 5),
});

/** What stands in the place of something. Undefined: a key without a value; `gone` takes the key away. */
const gone = Symbol("gone");
const odd: readonly unknown[] = [
  ...[null, undefined, gone, "", "a", "\ud800", "a\udc00", true, [], {}, ["x"]],
  ...[0, 1, 2, 3, 9, 10, -1, 1.5, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY],
  ...[
    "/root",
    "/root/a",
    "/root/a/",
    "/root/b",
    "/root/a/b_1",
    "/root/a/x",
    "/root/a/x/y",
    "/root/A",
    "root",
    "/",
    "user",
  ],
  ...["idle", "starting", "running", "completed", "errored", "result", "execution", "mail", "user", "task", "note"],
  ...["agents", "agents/", "agents/a/", "agents//a", "agents/.", "agents/a/..", "agents/..a", "agents/a\n", "Agents/a"],
  ...["agents/a b", "/agents/a", "agents/a\\b"],
  ...["0123456789abcdef", "0123456789ABCDEF", "0123456789abcde", "0123456789abcdef0", "x0123456789abcdef"],
  ...[
    { outcome: "completed", text: "t", reason: null, partial: null },
    { outcome: "completed", text: "t" },
  ],
  ...[
    { outcome: "other", text: "t", reason: null, partial: null },
    { turn: 1 },
    { steps: Number.NaN },
    { "\ud800": 1 },
  ],
];

export type Edit = readonly [where: number, what: number, kind: number];
export const edit: fc.Arbitrary<Edit> = fc.tuple(
  fc.nat({ max: 9_999 }),
  fc.nat({ max: odd.length - 1 }),
  fc.nat({ max: 11 }),
);

/** The value with something else at one of its places: by far most often a plain exchange. */
export function edited(given: unknown, [where, what, kind]: Edit): unknown {
  const places = placesOf(given);
  const at = places[where % places.length] ?? [];
  const put = kind === 11 ? { more: 1 } : odd[what];
  return changed(given, at, (old) => {
    if (kind === 0 && Array.isArray(old)) return old.toReversed();
    if (kind === 1 && Array.isArray(old)) return [...old, ...old];
    if (kind === 11 && typeof old === "object" && old !== null && !Array.isArray(old)) return { ...old, more: 1 };
    return put;
  });
}
function placesOf(given: unknown, at: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof given !== "object" || given === null) return [at];
  const inner = Object.entries(given).flatMap(([key, value]) => placesOf(value, [...at, key]));
  return at.length === 0 ? inner : [at, ...inner];
}
function changed(given: unknown, [key, ...rest]: readonly string[], change: (old: unknown) => unknown): unknown {
  if (key === undefined || typeof given !== "object" || given === null) return change(given);
  if (Array.isArray(given))
    return given
      .map((each, index) => (String(index) === key ? changed(each, rest, change) : each))
      .filter((each) => each !== gone);
  const members = Object.entries(given).map(([name, value]) => [
    name,
    name === key ? changed(value, rest, change) : value,
  ]);
  return Object.fromEntries(members.filter(([, value]) => value !== gone));
}
