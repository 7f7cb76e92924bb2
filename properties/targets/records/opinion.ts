/**
 * A second opinion on what a record, a mail and a message may be, and on how a record stands in rows: written from the
 * specification and not from the archive's own check, so that the two can be compared.
 */
import { createHash } from "node:crypto";
import { z } from "zod";
import { isPath } from "../../../model/refusals.ts";
import type { Mail, Message, Result, StoredRecord } from "../../../src/index.ts";

const text = z.string().refine((given) => given.isWellFormed());
const count = z.number().int().min(0);
const path = z.string().refine(isPath);
const parent = (given: string): string => given.slice(0, given.lastIndexOf("/"));

const result = z.strictObject({
  outcome: z.enum(["completed", "errored", "interrupted"]),
  text,
  reason: text.nullable(),
  partial: text.nullable(),
});
const mail = z
  .strictObject({
    seq: count.min(1),
    kind: z.enum(["mail", "result", "user", "execution"]),
    from: z.string(),
    to: path,
    text,
    at: count,
    outcome: z.enum(["completed", "errored", "interrupted"]).nullable(),
    digest: z
      .string()
      .regex(/^[\da-f]{16}$/)
      .nullable(),
  })
  .refine(({ kind, outcome, digest }) => [outcome !== null, digest !== null].every((is) => is === (kind === "result")))
  .refine(({ kind, from, to }) => {
    if (kind === "user") return from === "user" && to === "/root";
    const isChild = from !== "/root" && parent(from) === to;
    return isPath(from) && (kind === "mail" || isChild || (kind === "execution" && from === to));
  });
const message = z.strictObject({
  kind: z.enum(["task", "partial", "mail", "note"]),
  turn: count,
  from: z.string().refine((given) => given === "user" || isPath(given)),
  text,
  at: count,
});
const json: z.ZodType = z.lazy(() =>
  z.union([z.null(), z.boolean(), z.number(), text, z.array(json), z.record(text, json)]),
);
const config = z.strictObject({
  instructions: text,
  model: text,
  effort: text.nullable(),
  tools: z
    .array(z.tuple([text, text]))
    .refine((given) => new Set(given.map((each) => JSON.stringify(each))).size === given.length),
  limits: z.record(text, z.number()),
  parameters: z.record(text, json),
});
const record = z
  .strictObject({
    id: text.min(1),
    path: path.refine((given) => given !== "/root"),
    parent: z.string(),
    role: text,
    config,
    activity: z.enum(["idle", "starting", "running", "waiting", "permission_blocked", "interaction_blocked"]),
    result: result.nullable(),
    undo: result.nullable(),
    owed: z.array(z.strictObject({ turn: count.min(1), result })),
    turns: count,
    mail: z.array(mail),
    location: z.string().regex(/^agents(\/(?!\.{1,2}(\/|$))[\w.-]+)+$/),
    messages: count,
  })
  .refine((given) => given.parent === parent(given.path))
  .refine(({ activity, turns }) => activity === "idle" || activity === "starting" || turns > 0)
  .refine(({ activity, result }) => result === null || activity === "idle")
  .refine(({ activity, undo }) => undo === null || activity === "starting")
  .refine(({ owed, turns }) => isRising(owed.map(({ turn }) => turn)) && owed.every(({ turn }) => turn <= turns))
  .refine(({ mail: box, path: owner }) => isMailbox(owner, box));

function isRising(numbers: readonly number[]): boolean {
  return numbers.every((each, index) => index === 0 || each > (numbers[index - 1] ?? each));
}
export const isMail = (given: unknown): boolean => mail.safeParse(given).success;
export const isMessage = (given: unknown): boolean => message.safeParse(given).success;
export const isConfig = (given: unknown): boolean => config.safeParse(given).success;
export const isRecord = (given: unknown): boolean => record.safeParse(given).success;
function isMailbox(owner: string, given: readonly Mail[]): boolean {
  return given.every((each) => isMail(each) && each.to === owner) && isRising(given.map(({ seq }) => seq));
}

// ── Rows ─────────────────────────────────────────────────────────────────────────────────────────────────────────

type Cells = readonly unknown[];
const digestOf = (given: string): string => createHash("sha256").update(given, "utf8").digest("hex");
const sum = (cells: Cells): string => digestOf(JSON.stringify(cells)).slice(0, 16);
const summed = (cells: Cells): Cells => [...cells, sum(cells)];

export interface Rows {
  readonly agent: Cells;
  readonly results: readonly Cells[];
  readonly mail: readonly Cells[];
  /** Its text, and the hash that names it. */
  readonly config: string;
  readonly hash: string;
}

/** RFC 8785. */
function canonical(given: unknown): string {
  if (Array.isArray(given)) return `[${given.map(canonical).join(",")}]`;
  if (typeof given !== "object" || given === null) return JSON.stringify(given) ?? "null";
  const members = Object.entries(given).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`).join(",")}}`;
}
const resultRow = (at: string, slot: string, turn: number, given: Result): Cells =>
  summed([at, slot, turn, given.outcome, given.text, given.reason, given.partial]);
export const mailRow = ({ seq, to, kind, from, text: said, at, outcome, digest }: Mail): Cells =>
  summed([seq, to, kind, from, said, at, outcome, digest]);
/** Its checksum is over where it is kept as well. */
export const messageRow = (location: string, n: number, { kind, turn, from, text: said, at }: Message): Cells =>
  summed([location, n, kind, turn, from, said, at]).slice(1);
/** With two records, and seven mails so far. */
export const sessionRow = (capacity: unknown): Cells => summed([capacity, 2, 7]);

/** The last cell of an agent's row vouches for its results as well. */
export function agentRow(cells: Cells, results: readonly Cells[]): Cells {
  return [...cells, sum([...cells, ...results.map((each) => each.at(-1)).sort()])];
}
/** Whether it is a record or not. */
export function rowsOf(given: StoredRecord): Rows {
  const { path: at, parent: above, id, role, activity, turns, location, owed } = given;
  const results = [
    ...(given.result === null ? [] : [resultRow(at, "result", 0, given.result)]),
    ...(given.undo === null ? [] : [resultRow(at, "undo", 0, given.undo)]),
    ...owed.map((each) => resultRow(at, "owed", each.turn, each.result)),
  ];
  const written = canonical(given.config);
  const hash = digestOf(written);
  const agent = agentRow([at, above, id, role, hash, activity, turns, location, owed.length], results);
  return { agent, results, mail: given.mail.map(mailRow), config: written, hash };
}
