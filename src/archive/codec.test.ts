// Rows: everything a record can be comes back as it was; everything it cannot be is refused, written or read.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Config, Json } from "../contract.ts";
import { RollcallError } from "../errors.ts";
import { parentOf } from "../paths.ts";
import type { Mail, Message, Result, StoredRecord } from "./archive.ts";
import {
  decodeConfig,
  decodeMessage,
  decodeRow,
  decodeSession,
  encodeMessage,
  encodeRecord,
  encodeSession,
  type RecordRows,
} from "./codec.ts";
import { config, mail, message, record, result } from "./samples.ts";

const text = fc.string({ unit: "binary", maxLength: 40 });
const count = fc.nat({ max: Number.MAX_SAFE_INTEGER });
const name = fc.stringMatching(/^[a-z0-9_]{1,8}$/).filter((each) => each !== "root");
const path = fc.array(name, { minLength: 1, maxLength: 32 }).map((names) => ["", "root", ...names].join("/"));
const results: fc.Arbitrary<Result> = fc.record({
  outcome: fc.constantFrom("completed", "errored", "interrupted"),
  text,
  reason: fc.option(text),
  partial: fc.option(text),
});
// What JSON cannot tell apart does not come out as it went in: RFC 8785 writes -0 as 0.
const plain = (given: number) => given + 0;
const json: fc.Arbitrary<Json> = fc
  .jsonValue({ stringUnit: "binary", noUnicodeString: false })
  .map((value) => JSON.parse(JSON.stringify(value)));
const configs: fc.Arbitrary<Config> = fc.record({
  instructions: text,
  model: text,
  effort: fc.option(text),
  tools: fc.uniqueArray(fc.tuple(text, text), { selector: (each) => JSON.stringify(each), maxLength: 4 }),
  limits: fc.dictionary(text, fc.double({ noNaN: true, noDefaultInfinity: true }).map(plain), { maxKeys: 3 }),
  parameters: fc.dictionary(text, json, { maxKeys: 3 }),
});
function mails(to: string): fc.Arbitrary<readonly Mail[]> {
  const digest = fc.stringMatching(/^[0-9a-f]{16}$/);
  const kinds = fc.oneof(
    fc.record({ kind: fc.constant("mail" as const), from: fc.oneof(path, fc.constant("/root")) }),
    fc.record({ kind: fc.constant("execution" as const), from: fc.constantFrom(to, `${to}/x`) }),
    fc.record({
      kind: fc.constant("result" as const),
      from: fc.constant(`${to}/x`),
      outcome: fc.constantFrom("completed" as const, "errored" as const, "interrupted" as const),
      digest,
    }),
  );
  const one = fc
    .tuple(kinds, text, count)
    .map(([kind, said, at]) => ({ outcome: null, digest: null, ...kind, text: said, at }));
  return fc
    .tuple(fc.array(one, { maxLength: 4 }), fc.nat({ max: 1_000_000 }))
    .map(([all, before]) => all.map((each, index) => ({ ...each, to, seq: before + index * 3 + 1 })));
}
const records: fc.Arbitrary<StoredRecord> = path
  .filter((each) => each.split("/").length < 34)
  .chain((at) =>
    fc
      .record({
        id: fc.string({ unit: "binary", minLength: 1, maxLength: 20 }),
        role: text,
        config: configs,
        activity: fc.constantFrom(
          "idle",
          "starting",
          "running",
          "waiting",
          "permission_blocked",
          "interaction_blocked",
        ),
        result: fc.option(results),
        owed: fc.array(results, { maxLength: 3 }),
        turns: fc.integer({ min: 3, max: Number.MAX_SAFE_INTEGER }),
        mail: mails(at),
        messages: count,
      })
      .map(({ result: last, owed, ...rest }) => ({
        ...rest,
        path: at,
        parent: parentOf(at),
        location: `agents${at}`,
        result: rest.activity === "idle" ? last : null,
        undo: rest.activity === "starting" ? last : null,
        owed: owed.map((each, index) => ({ turn: index + 1, result: each })),
      })),
  );

/** As bytes would bring it back. */
function reread(rows: RecordRows, messages: number) {
  const { agent, results: found, mail: box, config: configuration }: RecordRows = JSON.parse(JSON.stringify(rows));
  return decodeRow(String(agent[0]), {
    ...{ agent, results: found, mail: box, messages },
    config: decodeConfig(agent[4], configuration),
  });
}
function codeOf(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error instanceof RollcallError ? [error.code, error.at] : error;
  }
  return "nothing thrown";
}

describe("a record written and read", () => {
  it("is always the record it was", () => {
    fc.assert(
      fc.property(records, (one) => {
        expect(reread(encodeRecord(one), one.messages)).toEqual({ path: one.path, record: one });
      }),
      { numRuns: 300 },
    );
  });

  it("is never believed after any one cell of it was changed", () => {
    const cell = fc.oneof(text, count, fc.constant(null), fc.constant("idle"));
    fc.assert(
      fc.property(records, fc.nat(), fc.nat(), cell, (one, which, column, put) => {
        const rows = encodeRecord(one);
        const all = [rows.agent, ...rows.results, ...rows.mail];
        const row = all[which % all.length] ?? rows.agent;
        fc.pre(row[column % row.length] !== put);
        const changed = row.with(column % row.length, put);
        const swap = (each: typeof row) => (each === row ? changed : each);
        const found = { ...rows, agent: swap(rows.agent), results: rows.results.map(swap), mail: rows.mail.map(swap) };
        const again = decodeRow(one.path, {
          ...{ ...found, messages: one.messages },
          config: decodeConfig(found.agent[4], found.config),
        });
        expect(again).toHaveProperty("aside");
      }),
      { numRuns: 300 },
    );
  });

  it("keeps NUL, astral and very long texts in every field", () => {
    const odd = `a\0b\u{1F600}${"x".repeat(2_000_000)}`;
    const one = record("/root/a", {
      id: odd,
      role: odd,
      config: { ...config, instructions: odd, parameters: { [odd]: odd, ["__proto__"]: 1 } },
      result: { outcome: "interrupted", text: odd, reason: odd, partial: odd },
      mail: [mail("/root/a", 1, { text: odd })],
    });
    expect(reread(encodeRecord(one), 0)).toEqual({ path: "/root/a", record: one });
  });
});

describe("what is no record", () => {
  const from = (kind: Mail["kind"], sender: string, change: Partial<Mail> = {}) =>
    record("/root/a", { mail: [mail("/root/a", 1, { kind, from: sender, ...change })] });
  const mailed = { outcome: "completed", digest: "0123456789abcdef" } as const;
  const wrong: Readonly<Record<string, StoredRecord>> = {
    "an active record with a result (L8)": record("/root/a", { activity: "running", result }),
    "a starting record with a result (L8)": record("/root/a", { activity: "starting", result }),
    "something to give back without a start": record("/root/a", { undo: result }),
    "a running record without a turn": record("/root/a", { activity: "running", turns: 0 }),
    "a fraction of a turn": record("/root/a", { turns: 1.5 }),
    "the root": record("/root/a", { path: "/root", parent: "" }),
    "a path of upper case": record("/root/A"),
    "a path too deep": record(`/root${"/a".repeat(33)}`),
    "another parent (L1)": record("/root/a/b", { parent: "/root" }),
    "no id": record("/root/a", { id: "" }),
    "a location outside": record("/root/a", { location: "agents/../../etc" }),
    "a location elsewhere": record("/root/a", { location: "/agents/a" }),
    "a location with a separator of another system": record("/root/a", { location: "agents/..\\a" }),
    "a result owed for no turn": record("/root/a", { owed: [{ turn: 2, result }] }),
    "what is owed out of order": record("/root/a", { turns: 2, owed: [2, 1].map((turn) => ({ turn, result })) }),
    "a lone surrogate in a role": record("/root/a", { role: "\ud800" }),
    "a lone surrogate in a result": record("/root/a", { result: { ...result, text: "\udc00" } }),
    "a lone surrogate in a configuration": record("/root/a", { config: { ...config, parameters: { a: ["\ud800"] } } }),
    "a tool named twice": record("/root/a", { config: { ...config, tools: [...config.tools, ...config.tools] } }),
    "an infinite limit": record("/root/a", { config: { ...config, limits: { tokens: Number.POSITIVE_INFINITY } } }),
    "a user's mail to an agent (L16)": from("user", "user"),
    "mail from nobody (L16)": from("mail", "user"),
    "an execution of a stranger (L16)": from("execution", "/root/b"),
    "an execution of a grandchild (L16)": from("execution", "/root/a/b/c"),
    "a result of a grandchild (L16)": from("result", "/root/a/b/c", mailed),
    "a result without an outcome": from("result", "/root/a/b", { digest: mailed.digest }),
    "a result without a digest": from("result", "/root/a/b", { outcome: "completed" }),
    "mail with an outcome": from("mail", "/root", mailed),
    "a mail of number 0": from("mail", "/root", { seq: 0 }),
    "mail in another's box (L16)": record("/root/a", { mail: [mail("/root/b", 1)] }),
    "mail out of order (L14)": record("/root/a", { mail: [mail("/root/a", 2), mail("/root/a", 1)] }),
    "fewer messages than none": record("/root/a", { messages: -1 }),
  };
  for (const [what, one] of Object.entries(wrong)) {
    it(`is not written: ${what}`, () => {
      expect(codeOf(() => encodeRecord(one))).toEqual(["record_invalid", one.path]);
    });
  }

  it("is not written: a record, a result, a mail, a configuration with a field too many", () => {
    const more = { colour: "red" };
    for (const one of [
      { ...record("/root/a"), ...more },
      record("/root/a", { result: { ...result, ...more } }),
      record("/root/a", { mail: [{ ...mail("/root/a", 1), ...more }] }),
      record("/root/a", { config: { ...config, ...more } }),
    ])
      expect(codeOf(() => encodeRecord(one))).toEqual(["record_invalid", "/root/a"]);
  });
});

describe("a configuration", () => {
  const written = String(encodeRecord(record("/root/a")).config);
  const name256 = encodeRecord(record("/root/a")).agent[4];
  it("is one text however its keys are ordered", () => {
    const { effort, ...rest } = config;
    expect(encodeRecord(record("/root/a", { config: { effort, ...rest } })).config).toBe(written);
  });
  it("is not read with a key twice, a key too many, spaces, or under another's name", () => {
    expect(decodeConfig(name256, written)).toEqual(config);
    for (const text of [
      written.replace("{", '{"effort":null,'),
      written.replace("{", '{"a":1,'),
      `${written} `,
      "",
      "{",
    ])
      expect(decodeConfig(name256, text)).toBeNull();
    expect(decodeConfig(name256, null)).toBeNull();
  });
});

describe("messages and the session's own row", () => {
  it("come back as they were, and not after a change", () => {
    const one: Message = message("a\0b\u{1F600}", { kind: "partial", from: "user", turn: 0 });
    const at = { path: "/root/a", location: "agents/a" };
    const cells = encodeMessage(at, 7, one);
    expect(decodeMessage("agents/a", cells)).toEqual(one);
    expect(decodeMessage("agents/a", cells.with(4, "b"))).toBeNull();
    expect(decodeMessage("agents/a", [])).toBeNull();
    // Whole, and in another's conversation.
    expect(decodeMessage("agents/b", cells)).toBeNull();
    expect(codeOf(() => encodeMessage(at, 1, { ...one, turn: -1 }))).toEqual(["record_invalid", "/root/a"]);
    const session = { capacity: 3, agents: 2, seq: 7 };
    expect(decodeSession(encodeSession(session))).toEqual(session);
    for (const column of [0, 1, 2]) expect(decodeSession(encodeSession(session).with(column, 4))).toBeNull();
    for (const wrong of [{ capacity: 0 }, { agents: -1 }, { seq: 0.5 }])
      expect(decodeSession(encodeSession({ ...session, ...wrong }))).toBeNull();
  });
});
