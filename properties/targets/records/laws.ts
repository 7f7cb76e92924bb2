/**
 * What holds of the archive's records, as laws over generated ones that are nearly valid: the check refuses exactly what is
 * none, what is written stands in rows as the format says, and what is read is that or is set aside for the first reason.
 */
import { inspect, isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import {
  type Configs,
  configAt,
  decodeConfig,
  decodeMailbox,
  decodeMessage,
  decodeRow,
  decodeSession,
  encodeAgent,
  encodeMail,
  encodeMessage,
  encodeRecord,
  encodeSession,
  isSameAgent,
} from "../../../src/archive/codec.ts";
import { encoded } from "../../../src/archive/encoded.ts";
import { configLater } from "../../../src/config.ts";
import type { Commit, Config, Mail, Message, StoredRecord } from "../../../src/index.ts";
import { RollcallError } from "../../../src/index.ts";
import { edit, edited, mail, message, record } from "./nearly.ts";
import * as opinion from "./opinion.ts";

export interface RecordLaw {
  readonly name: string;
  readonly property: () => fc.IRawProperty<unknown, false>;
}
const law = <Given>(name: string, over: fc.Arbitrary<Given>, holds: (given: Given) => void): RecordLaw => ({
  name,
  property: () =>
    fc.property(
      over.map((given) => [given] as const),
      ([given]) => holds(given),
    ),
});

function same(found: unknown, expected: unknown, what: string): void {
  if (!isDeepStrictEqual(found, expected)) throw new Error(`${what}: ${inspect(found)} is not ${inspect(expected)}`);
}
/** What it answers, or the code and place of its fault; anything else it throws is a fault of ours. */
function told<Value>(act: () => Value): Value | { readonly code: string; readonly at: string } {
  try {
    return act();
  } catch (error) {
    // Who wrote it wants to know what is wrong with it.
    if (error instanceof RollcallError && !(error.cause instanceof Error && error.cause.message !== ""))
      throw new Error(`${error.code} at ${error.at} does not say why`, { cause: error });
    if (error instanceof RollcallError) return { code: error.code, at: error.at };
    throw error;
  }
}

/** Untouched, or with one or two places changed: of any shape. */
const near = <Given>(valid: fc.Arbitrary<Given>): fc.Arbitrary<{ readonly valid: Given; readonly given: Given }> =>
  fc.tuple(valid, fc.array(edit, { maxLength: 2 })).map(([value, edits]) => ({
    valid: value,
    given: edits.reduce<unknown>(edited, value) as Given, // a lie on purpose: the check is there for what is not
  }));

const isObject = (given: unknown): given is object =>
  typeof given === "object" && given !== null && !Array.isArray(given);
/** Whether it can stand in rows at all, as `rowsOf` puts it there. */
function hasRows({ path, result, undo, owed, mail: box, config }: StoredRecord): boolean {
  return (
    typeof path === "string" &&
    [result, undo].every((each) => each === null || isObject(each)) &&
    Array.isArray(owed) &&
    owed.every((each: unknown) => isObject(each) && "result" in each && isObject(each.result)) &&
    Array.isArray(box) &&
    box.every(isObject) &&
    isObject(config)
  );
}
/** What rows cannot hold, a key too many, is not looked for there. */
function inRows(given: StoredRecord): StoredRecord {
  const { id, path, parent, role, activity, result, undo, owed, turns, mail: box, location, messages } = given;
  const cells = (each: typeof result) =>
    each === null ? null : { outcome: each.outcome, text: each.text, reason: each.reason, partial: each.partial };
  return {
    ...{ id, path, parent, role, activity, result: cells(result), undo: cells(undo) },
    config: JSON.parse(opinion.rowsOf(given).config),
    owed: owed
      .map((each) => ({ turn: each.turn, result: cells(each.result) ?? each.result }))
      .sort((one, other) => one.turn - other.turn),
    turns,
    mail: box.map(({ seq, kind, from, to, text, at, outcome, digest }) => ({
      seq,
      kind,
      from,
      to,
      text,
      at,
      outcome,
      digest,
    })),
    ...{ location, messages },
  };
}
const bare = ({ id, path, parent, role, activity, result, undo, owed, turns, location }: StoredRecord) => ({
  ...{ id, path, parent, role, activity, turns, location, result, undo, owed },
});
/** As a record comes back, whatever the order of its keys. */
const shown = (given: StoredRecord): unknown => ({
  ...bare(given),
  config: given.config,
  mail: given.mail,
  messages: given.messages,
});

/** The first reason why rows are no record, apart from checksums. */
function reason(given: StoredRecord, isWhole: boolean): string | null {
  const any = { instructions: "", model: "", effort: null, tools: [], limits: {}, parameters: {} };
  if (!opinion.isRecord({ ...given, config: any, messages: 0 })) return "record_malformed";
  if (!isWhole) return "checksum";
  return opinion.isConfig(given.config) ? null : "config_malformed";
}
function read(path: string, rows: opinion.Rows, messages: number): unknown {
  const { agent, results, mail: box } = rows;
  const found = decodeRow(path, { agent, results, mail: box, config: decodeConfig(rows.hash, rows.config), messages });
  return "record" in found ? shown(found.record) : found.aside;
}

type Damage = (rows: opinion.Rows) => opinion.Rows;
const agentCells = (rows: opinion.Rows, change: (cells: readonly unknown[]) => readonly unknown[]): opinion.Rows => ({
  ...rows,
  agent: opinion.agentRow(change(rows.agent.slice(0, -1)), rows.results),
});
const resultRows = (rows: opinion.Rows, results: opinion.Rows["results"]): opinion.Rows => ({
  ...rows,
  results,
  agent: opinion.agentRow(rows.agent.slice(0, -1), results),
});
/** Rows that are no record's, whatever their checksums say. */
const shapeless: readonly (readonly [string, Damage])[] = [
  ["a cell too many", (rows) => agentCells(rows, (cells) => [...cells, 1])],
  ["a cell too few", (rows) => agentCells(rows, (cells) => cells.slice(0, -1))],
  ["a configuration of no name", (rows) => agentCells(rows, (cells) => cells.with(4, "none"))],
  ["a configuration of a longer name", (rows) => agentCells(rows, (cells) => cells.with(4, `${cells[4]}0`))],
  ["a configuration after a longer name", (rows) => agentCells(rows, (cells) => cells.with(4, `0${cells[4]}`))],
  ["a configuration of a number", (rows) => agentCells(rows, (cells) => cells.with(4, 1))],
  ["more owed than there is", (rows) => agentCells(rows, (cells) => cells.with(8, Number(cells[8]) + 1))],
];
/** Of each of its results, where it has any. */
const shapelessResults: readonly (readonly [string, (row: readonly unknown[]) => readonly (readonly unknown[])[]])[] = [
  ["a result with a cell too many", (row) => [[...row, 1]]],
  ["a result of somebody else", (row) => [row.with(0, "/root/other")]],
  ["a result in no known slot", (row) => [row.with(1, "other")]],
  ["a result twice", (row) => [row, row]],
];

const rowed = near(record).filter(({ given }) => hasRows(given));

export const recordLaws: readonly RecordLaw[] = [
  law("a record is written exactly if it is one, and stands in rows as the format says", near(record), ({ given }) => {
    const expected = opinion.isRecord(given) ? opinion.rowsOf(given) : { code: "record_invalid", at: given.path };
    const found = told(() => encodeRecord(given));
    if ("code" in found || "code" in expected) return same(found, expected, "encodeRecord");
    const { hash: _, ...rows } = expected;
    same(found, { agent: rows.agent, results: rows.results, config: rows.config, mail: rows.mail }, "encodeRecord");
    const { mail: __, ...agent } = found;
    same(encodeAgent(given), agent, "encodeAgent");
  }),
  law("what is read is a record as it was written, or is set aside for the first reason", rowed, ({ given }) => {
    const rows = opinion.rowsOf(given);
    const found = inRows(given);
    const messages = 7;
    same(read(given.path, rows, messages), reason(found, true) ?? shown({ ...found, messages }), "decodeRow");
    same(read(`${given.path}0`, rows, messages), "record_malformed", "decodeRow at another path");
  }),
  law("a row that changed without its checksum is set aside", rowed, ({ valid, given }) => {
    const [before, after] = [opinion.rowsOf(valid), opinion.rowsOf(given)];
    const sums = (now: readonly (readonly unknown[])[], was: readonly (readonly unknown[])[]) =>
      now.map((each, index) => each.with(-1, (was[index] ?? []).at(-1) ?? each.at(-1)));
    const rows = {
      ...{ ...after, agent: after.agent.with(-1, before.agent.at(-1)) },
      ...{ results: sums(after.results, before.results), mail: sums(after.mail, before.mail) },
    };
    const isWhole =
      JSON.stringify([rows.agent, rows.results, rows.mail]) ===
      JSON.stringify([after.agent, after.results, after.mail]);
    const found = inRows(given);
    same(read(given.path, rows, 0), reason(found, isWhole) ?? shown({ ...found, messages: 0 }), "decodeRow");
  }),
  law("rows of another shape are no record", record, (given) => {
    const rows = opinion.rowsOf(given);
    for (const [what, damage] of shapeless) same(read(given.path, damage(rows), 0), "record_malformed", what);
    for (const [what, damage] of shapelessResults)
      for (const [index] of rows.results.entries()) {
        const damaged = rows.results.flatMap((each, at) => (at === index ? damage(each) : [each]));
        // Of what is owed there may be any number, but not of one turn.
        same(read(given.path, resultRows(rows, damaged), 0), "record_malformed", what);
      }
  }),
  law("an agent stays the same while it keeps its identity", rowed, ({ valid, given }) => {
    const [one, other] = [opinion.rowsOf(valid).agent, opinion.rowsOf(given).agent];
    const identity = (row: readonly unknown[]) => [0, 1, 2, 3, 4, 7].map((column) => row[column]);
    const isSame = identity(one).every((each, index) => each === identity(other)[index]);
    same(isSameAgent(one, other), isSame, "isSameAgent");
    same(isSameAgent(one, one.slice(0, -1)), false, "isSameAgent of a shorter row");
  }),
  law("a mail is written and read exactly if it is one", near(mail), ({ given }) => {
    const isOne = opinion.isMail(given);
    const row = isObject(given) ? opinion.mailRow(given) : [];
    const found = told(() => encodeMail(given));
    same(found, isOne ? row : { code: "record_invalid", at: given?.to }, "encodeMail");
    if (!isObject(given)) return;
    const { seq, kind, from, to, text, at, outcome, digest } = given;
    const cells: Mail = { seq, kind, from, to, text, at, outcome, digest };
    same(decodeMailbox(to, [row]), opinion.isMail(cells) ? [cells] : null, "decodeMailbox");
    same(decodeMailbox(to, [row.with(-1, "0")]), null, "decodeMailbox of a wrong checksum");
    same(decodeMailbox("/root/other", [row]), null, "decodeMailbox of another's mail");
    same(decodeMailbox(to, [row, row]), null, "decodeMailbox of a mail twice");
  }),
  law("a message is written and read exactly if it is one", near(message), ({ given }) => {
    const isOne = opinion.isMessage(given);
    const of = { path: "/root/a", location: "agents/a" };
    const row = isObject(given) ? opinion.messageRow(of.location, 4, given) : [];
    const found = told(() => encodeMessage(of, 4, given));
    same(found, isOne ? row : { code: "record_invalid", at: "/root/a" }, "encodeMessage");
    if (!isObject(given)) return;
    const { kind, turn, from, text, at } = given;
    const cells: Message = { kind, turn, from, text, at };
    same(decodeMessage(of.location, row), opinion.isMessage(cells) ? cells : null, "decodeMessage");
    same(decodeMessage(of.location, row.with(-1, "0")), null, "decodeMessage of a wrong checksum");
    same(decodeMessage("agents/b", row), null, "decodeMessage of another conversation's");
  }),
  law(
    "a capacity is a positive number, written or read",
    fc.constantFrom<unknown[]>(1, 2, 9, 0, -1, 1.5, "1", null, 2 ** 53),
    (given) => {
      const capacity = given as number; // some are none
      const isOne = Number.isSafeInteger(given) && capacity > 0;
      const session = { capacity, agents: 2, seq: 7 };
      same(decodeSession(opinion.sessionRow(given)), isOne ? session : null, "decodeSession");
      same(decodeSession([...opinion.sessionRow(given).slice(0, -1), "0"]), null, "decodeSession of a wrong checksum");
      same(decodeSession([capacity, opinion.sessionRow(capacity).at(-1)]), null, "decodeSession of two cells");
      const found = told(() => encoded(commitOf({ capacity })).capacity);
      const expected = isOne || capacity === null ? given : { code: "record_invalid", at: "session" };
      same(found, expected, "encoded");
      if (isOne) same(encodeSession(session), opinion.sessionRow(given), "encodeSession");
    },
  ),
  law(
    "a commit is refused whole for whatever is invalid in it",
    fc.tuple(near(record), near(mail), near(message)),
    ([one, post, note]) => {
      const commit = commitOf({
        records: [one.given],
        mailAdded: [post.given],
        messages: [{ path: "/root/b", location: "agents/b", append: [note.valid, note.given] }],
        compact: { path: "/root/c", location: "agents/c", keep: 1, note: note.given },
      });
      const isValid = opinion.isRecord({ ...one.given, mail: [] });
      const found = told(() => encoded(commit));
      const invalid = (at: string) => ({ code: "record_invalid", at });
      if (!isValid) return same(found, invalid(one.given.path), "encoded with a record that is none");
      if (!opinion.isMail(post.given)) return same(found, invalid(post.given?.to), "encoded with a mail that is none");
      if (!opinion.isMessage(note.given)) return same(found, invalid("/root/b"), "encoded with a message that is none");
      if ("code" in found) return same(found, "nothing refused", "encoded");
      const { agent, results, config } = opinion.rowsOf({ ...one.given, mail: [] });
      same([found.agents, found.mail], [[{ agent, results, config }], [opinion.mailRow(post.given)]], "encoded");
    },
  ),
  law("a note that is none is refused at its path", near(message), ({ given }) => {
    const found = told(
      () => encoded(commitOf({ compact: { path: "/root/c", location: "agents/c", keep: 1, note: given } })).mail,
    );
    same(found, opinion.isMessage(given) ? [] : { code: "record_invalid", at: "/root/c" }, "encoded");
  }),
  law(
    "a configuration is read exactly as it was named, once, can no longer change, and is copied for each agent",
    near(record),
    ({ valid, given }) => {
      const rows = opinion.rowsOf(valid);
      const configs: Configs = new Map();
      let asked = 0;
      const find = (text: string | null) => (hash: string) => {
        asked++;
        return hash === rows.hash ? text : null;
      };
      same(configAt(configs, rows.hash, find(null)), null, "configAt of none");
      same(configAt(configs, 1, find(rows.config)), null, "configAt of no name");
      same(configAt(configs, rows.hash, find(`${rows.config} `)), null, "configAt of another text");
      const [one, other] = [
        configAt(configs, rows.hash, find(rows.config)),
        configAt(configs, rows.hash, find(rows.config)),
      ];
      same([one, other, asked], [JSON.parse(rows.config), JSON.parse(rows.config), 3], "configAt");
      same([one === other, Object.isFrozen(one)], [true, true], "configAt reads once");
      const copies = [configLater(one ?? valid.config), configLater(valid.config)].map((copyOf) => [
        copyOf?.(),
        copyOf?.(),
      ]);
      const read: Config = JSON.parse(rows.config);
      same(
        copies,
        [
          [read, read],
          [read, read],
        ],
        "configLater",
      );
      same(
        copies.map(([first, again]) => [
          first === again,
          first === one,
          first === valid.config,
          Object.isFrozen(first),
        ]),
        [true, true].map((isSame) => [isSame, false, false, true]),
        "configLater gives each its own, always the same, that nobody can change",
      );
      const { config }: { readonly config: Config } = given;
      const written = opinion.rowsOf({ ...valid, config });
      same(
        decodeConfig(written.hash, written.config),
        opinion.isConfig(JSON.parse(written.config)) ? JSON.parse(written.config) : null,
        "decodeConfig",
      );
      const spaced = opinion.rowsOf({ ...valid, config: valid.config });
      same(decodeConfig(spaced.hash, "{"), null, "decodeConfig of no JSON");
    },
  ),
];

function commitOf(change: Partial<Commit>): Commit {
  const nothing = { records: [], mailAdded: [], mailRemoved: [], messages: [], compact: null, capacity: null };
  return { ...nothing, tag: null, ...change };
}
