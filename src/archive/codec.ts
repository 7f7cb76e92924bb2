/**
 * Records, mails and messages as rows of plain cells, the same for every store, each row with a checksum; and back. What
 * is written has passed the check that it will have to pass when it is read.
 */
import { configText, frozenConfig, isConfig, nameOfConfig, sha256 } from "../config.ts";
import type { Config, Path } from "../contract.ts";
import { fault, type RollcallError } from "../errors.ts";
import type { Mail, Message, Result, Row, StoredRecord } from "./archive.ts";
import {
  capacityFlaw,
  type Flaw,
  isCount,
  mailboxFlaw,
  mailFlaw,
  messageFlaw,
  recordFlaw,
  type Trunk,
  trunkFlaw,
} from "./flaws.ts";
import type { Tally } from "./tally.ts";

/** What every store can keep. */
export type Cell = string | number | null;
export type Cells = readonly Cell[];

/** The cells of each row, in order; `sum` is the checksum over those before it. */
export const agentColumns: readonly string[] = "path parent id role config activity turns location owes sum".split(" ");
export const resultColumns: readonly string[] = "path slot turn outcome text reason partial sum".split(" ");
export const mailColumns: readonly string[] = "seq owner kind sender text at outcome digest sum".split(" ");
export const messageColumns: readonly string[] = "n kind turn sender text at sum".split(" ");
export const tallyColumns: readonly string[] = "whose kind count digest sum".split(" ");
export const conversationColumns: readonly string[] = "number location first count digest sum".split(" ");

const configHash = /^[0-9a-f]{64}$/;

/** All rows of one record but the messages of its conversation. */
export interface RecordRows {
  readonly agent: Cells;
  readonly results: readonly Cells[];
  readonly mail: readonly Cells[];
  /** Canonical text of the configuration whose hash the agent's row holds; null where the archive has none of that name. */
  readonly config: string | null;
}

/** Over the JSON of the cells: what they are, not how a store writes them. */
function sumOf(cells: readonly unknown[]): string {
  return sha256(JSON.stringify(cells)).slice(0, 16);
}
/** A row with its checksum. */
export function sealed(cells: Cells): Cells {
  return [...cells, sumOf(cells)];
}
function isSealed(cells: readonly unknown[]): boolean {
  return sumOf(cells.slice(0, -1)) === cells.at(-1);
}
/** An agent's row vouches for its results too, so that none is lost or exchanged unseen. */
export function sealedAgent(cells: Cells, results: readonly Cells[]): Cells {
  return [...cells, agentSum(cells, results)];
}
function agentSum(cells: readonly unknown[], results: readonly (readonly unknown[])[]): string {
  return sumOf([...cells, ...results.map((each) => each.at(-1)).sort()]);
}

function refuse(flaw: Flaw, at: Path): void {
  if (flaw !== null) throw fault("record_invalid", at, new Error(flaw));
}

/** Who an agent is and what it is made of never changes (L2, L27); nor is a row overwritten that is not its own. */
export function changedIdentity(at: Path): RollcallError {
  return fault(
    "record_invalid",
    at,
    new Error("the record stored there has another id, role, configuration or location"),
  );
}
export function isSameAgent(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && [0, 1, 2, 3, 4, 7].every((column) => one[column] === other[column]);
}

function encodeResult(path: Path, slot: string, turn: number, result: Result): Cells {
  return sealed([path, slot, turn, result.outcome, result.text, result.reason, result.partial]);
}

/** A record without its mail; the fault `record_invalid` at its path if it is none. */
export function encodeAgent(record: StoredRecord): Omit<RecordRows, "mail"> & { readonly config: string } {
  refuse(recordFlaw({ ...record, mail: [] }), record.path);
  const config = nameOfConfig(record.config);
  if (config === null) throw fault("record_invalid", record.path);
  const { path, result, undo, owed } = record;
  const results = [
    ...(result === null ? [] : [encodeResult(path, "result", 0, result)]),
    ...(undo === null ? [] : [encodeResult(path, "undo", 0, undo)]),
    ...owed.map((each) => encodeResult(path, "owed", each.turn, each.result)),
  ];
  const { parent, id, role, activity, turns, location } = record;
  const cells = [path, parent, id, role, config.hash, activity, turns, location, owed.length];
  return { agent: sealedAgent(cells, results), results, config: config.text };
}
export function encodeMail(mail: Mail): Cells {
  refuse(mailFlaw(mail), mail.to);
  const { seq, to, kind, from, text, at, outcome, digest } = mail;
  return sealed([seq, to, kind, from, text, at, outcome, digest]);
}
/** The fault `record_invalid` at the path if it is none. */
export function requireMessage(path: Path, message: Message): void {
  refuse(messageFlaw(message), path);
}
/** `n` is the message's place in its conversation. Its checksum knows the conversation too: a message is nowhere else. */
export function encodeMessage({ path, location }: Located, n: number, message: Message): Cells {
  requireMessage(path, message);
  const { kind, turn, from, text, at } = message;
  const cells = [n, kind, turn, from, text, at];
  return [...cells, messageSum(location, cells)];
}
/** Whose conversation, and where it is kept. */
export interface Located {
  readonly path: Path;
  readonly location: string;
}
export function messageSum(location: string, cells: readonly unknown[]): string {
  return sumOf([location, ...cells]);
}
/** A record as a whole; the fault `record_invalid` at its path if it is none. */
export function encodeRecord(record: StoredRecord): RecordRows {
  refuse(mailboxFlaw(record.path, record.mail), record.path);
  return { ...encodeAgent(record), mail: record.mail.map(encodeMail) };
}

// What is read may be anything: cells are put in their places as they are, and the check says whether that is a record.
// A cast below claims no more than the shape of the object, and every one is followed by that check.

function decodeResult(cells: readonly unknown[]): Result {
  const [, , , outcome, text, reason, partial] = cells;
  return { outcome, text, reason, partial } as Result; // checked by trunkFlaw
}
function decodeTrunk(agent: readonly unknown[], results: readonly (readonly unknown[])[]): Trunk | null {
  const [path, parent, id, role, config, activity, turns, location, owes] = agent;
  if (agent.length !== agentColumns.length || typeof config !== "string" || !configHash.test(config)) return null;
  if (results.some((each) => each.length !== resultColumns.length || each[0] !== path)) return null;
  const inSlot = (slot: string) => results.filter((each) => each[1] === slot);
  const [result, undo, owed] = [inSlot("result"), inSlot("undo"), inSlot("owed")];
  if (result.length > 1 || undo.length > 1 || result.length + undo.length + owed.length < results.length) return null;
  if (owed.length !== owes) return null;
  const trunk = {
    ...{ id, path, parent, role, activity, turns, location },
    result: result[0] === undefined ? null : decodeResult(result[0]),
    undo: undo[0] === undefined ? null : decodeResult(undo[0]),
    owed: owed
      .map((each) => ({ turn: each[2], result: decodeResult(each) }))
      .sort((one, other) => Number(one.turn) - Number(other.turn)),
  } as Trunk; // checked by the caller
  return trunkFlaw(trunk) === null ? trunk : null;
}
function decodeMails(cells: readonly (readonly unknown[])[]): readonly Mail[] {
  return cells.map(
    ([seq, to, kind, from, text, at, outcome, digest]) => ({ seq, kind, from, to, text, at, outcome, digest }) as Mail, // checked by mailboxFlaw
  );
}

/** A configuration as it was hashed, or null: for a key twice or in another order the text is not its own canonical one. */
export function decodeConfig(hash: unknown, text: string | null): Config | null {
  if (text === null || sha256(text) !== hash) return null;
  try {
    const config: unknown = JSON.parse(text);
    return isConfig(config) && configText(config) === text ? config : null;
  } catch {
    return null;
  }
}

/** Configurations that one handle has found whole, by hash: most agents share few. */
export type Configs = Map<string, Config>;
/** Null where there is none of that name, or it is damaged. Frozen, and the same for all of one handle: the registry copies it (L27). */
export function configAt(configs: Configs, hash: unknown, find: (hash: string) => string | null): Config | null {
  if (typeof hash !== "string") return null;
  const known = configs.get(hash);
  if (known !== undefined) return known;
  const config = frozenConfig(decodeConfig(hash, find(hash)));
  // Named as well, so that nobody looks at it once more for each agent.
  if (config !== null && nameOfConfig(config) !== null) configs.set(hash, config);
  return config;
}

/** What was found where a record should be. */
export interface FoundRows {
  readonly agent: readonly unknown[];
  readonly results: readonly (readonly unknown[])[];
  readonly mail: readonly (readonly unknown[])[];
  /** Null where there is none that is valid. */
  readonly config: Config | null;
  readonly messages: number;
  /** Whether the mailbox has what was put into it; absent where the store keeps no count. */
  readonly isMailWhole?: boolean;
}

/** A record, or the first reason why it is none: malformed row, checksum, configuration. The rest is the registry's. */
export function decodeRow(path: Path, found: FoundRows): Row {
  const { agent, results, config, messages } = found;
  const trunk = decodeTrunk(agent, results);
  const mail = decodeMails(found.mail);
  if (trunk === null || trunk.path !== path || mailboxFlaw(path, mail) !== null)
    return { path, aside: "record_malformed" };
  const isWhole =
    agentSum(agent.slice(0, -1), results) === agent.at(-1) &&
    results.every(isSealed) &&
    found.mail.every(isSealed) &&
    found.isMailWhole !== false;
  if (!isWhole) return { path, aside: "checksum" };
  return config === null ? { path, aside: "config_malformed" } : { path, record: { ...trunk, config, mail, messages } };
}

/** A mailbox without a record, the root's; null where a row of it is not what was written. */
export function decodeMailbox(owner: Path, found: readonly (readonly unknown[])[]): readonly Mail[] | null {
  const mail = decodeMails(found);
  return mailboxFlaw(owner, mail) === null && found.every(isSealed) ? mail : null;
}

/** A message of the conversation at this location, or null where the row is not what was written there. */
export function decodeMessage(location: string, cells: readonly unknown[]): Message | null {
  const [, kind, turn, from, text, at] = cells;
  const message = { kind, turn, from, text, at } as Message; // checked on the next line
  return messageFlaw(message) === null && messageSum(location, cells.slice(0, -1)) === cells.at(-1) ? message : null;
}

/** The session's own data: how many records it keeps, and the highest number ever given to a mail. */
export interface SessionCells {
  readonly capacity: number;
  readonly agents: number;
  readonly seq: number;
}
export function encodeSession({ capacity, agents, seq }: SessionCells): Cells {
  return sealed([capacity, agents, seq]);
}
/** Null where that is not what was written. */
export function decodeSession(cells: readonly unknown[]): SessionCells | null {
  const [capacity, agents, seq] = cells;
  if (cells.length !== 4 || !isSealed(cells)) return null;
  const [isCapacity, ...areCounts] = [capacityFlaw(capacity) === null, isCount(agents), isCount(seq)];
  return isCapacity && areCounts.every(Boolean) ? ({ capacity, agents, seq } as SessionCells) : null; // checked above
}

/** Whose archive it is, and which log was begun last; apart from the session, which an owner does not touch. */
export function ownerSum(epoch: unknown, owner: unknown, log: unknown): string {
  return sumOf([epoch, owner, log]);
}

/** A set's count and digest, as they are kept. */
export function encodeTally(owner: string, kind: string, { count, digest }: Tally): Cells {
  return sealed([owner, kind, count, digest]);
}
/** Null where that is not what was written. */
export function decodeTally(cells: readonly unknown[]): Tally | null {
  const [, , count, digest] = cells;
  return cells.length === 5 && isSealed(cells) ? ({ count, digest } as Tally) : null; // sealed by encodeTally
}

/** Where a conversation is: its number, its first message's, and the tally of all. */
export interface ConversationCells extends Tally {
  readonly number: number;
  readonly location: string;
  readonly first: number;
}
export function encodeConversation({ number, location, first, count, digest }: ConversationCells): Cells {
  return sealed([number, location, first, count, digest]);
}
/** Null where that is not what was written. */
export function decodeConversation(cells: readonly unknown[]): ConversationCells | null {
  const [number, location, first, count, digest] = cells;
  const isWhole = cells.length === conversationColumns.length && isSealed(cells);
  return isWhole ? ({ number, location, first, count, digest } as ConversationCells) : null; // sealed by encodeConversation
}
