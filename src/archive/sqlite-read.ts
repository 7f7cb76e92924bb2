/** Reading an archive in SQLite: what stands in the tables, decoded row by row. Never more than was asked for. */
import type { Path } from "../contract.ts";
import { fault, type RollcallError } from "../errors.ts";
import { ancestorsOf, parentOf, rootPath } from "../paths.ts";
import type { Head, Message, ReadRequest, Row } from "./archive.ts";
import { type Database, type Found, textOf } from "./binding.ts";
import {
  agentColumns,
  type Cells,
  type Configs,
  type ConversationCells,
  configAt,
  conversationColumns,
  decodeConversation,
  decodeMailbox,
  decodeMessage,
  decodeRow,
  decodeSession,
  decodeTally,
  mailColumns,
  messageColumns,
  ownerSum,
  resultColumns,
  tallyColumns,
} from "./codec.ts";
import { isLocation } from "./flaws.ts";
import { changedTally, emptyTally, isSameTally, sumOfPath, type Tally, tallyOf } from "./tally.ts";

/** Where the root's conversation is kept; the one location that is not below `agents/`. There from the beginning. */
export const rootLocation = "root";

export function locationOf({ path, location }: { readonly path: Path; readonly location: string }): string {
  return path === rootPath ? rootLocation : location;
}

/** Columns that hold NULL for the root, which has no row. */
export const mayBeRoot: readonly string[] = ["parent", "owner"];

/** Cells in one blob, long texts beside it: one value to bring over instead of ten, and nothing to quote twice. */
export function selected(columns: readonly string[]): string {
  const cell = (column: string) => (mayBeRoot.includes(column) ? `coalesce(${column}, '${rootPath}')` : column);
  const narrow = columns.map((each) => (each === "text" ? "''" : cell(each)));
  const wide = columns.includes("text") ? "CAST(text AS BLOB)" : "NULL";
  return `CAST(json_array(${narrow.join(", ")}) AS BLOB) AS cells, ${wide} AS text`;
}
export function cellsIn(found: Found, columns: readonly string[]): readonly unknown[] {
  const cells: unknown = JSON.parse(textOf(found["cells"]));
  if (!Array.isArray(cells)) return [];
  const wide = columns.indexOf("text");
  return wide < 0 ? cells : cells.with(wide, textOf(found["text"]));
}
export function cellsOfAll(all: readonly Found[], columns: readonly string[]): readonly (readonly unknown[])[] {
  return all.map((each) => cellsIn(each, columns));
}

export const agentsFrom: string = `SELECT ${selected(agentColumns)} FROM agent`;
export const resultsFrom: string = `SELECT ${selected(resultColumns)} FROM result`;
export const mailFrom: string = `SELECT ${selected(mailColumns)} FROM mail`;
/** Newest first, so that the last few are read without the rest. */
export const messagesFrom: string = `SELECT ${selected(messageColumns)} FROM message
  WHERE conversation = ? ORDER BY n DESC LIMIT ?`;
/** What is not known to be idle is looked at. The partial index is found by these very words. */
export const urgentFrom = "SELECT CAST(path AS BLOB) AS path FROM agent WHERE activity <> 'idle' OR owes <> 0";
export const conversationFrom: string = `SELECT ${selected(conversationColumns)} FROM conversation WHERE location = ?`;
/** An index that is damaged may lead to another's: they are told apart by their own location. */
const conversationsFrom = `SELECT ${selected(conversationColumns)} FROM conversation
  WHERE location IN (SELECT location FROM agent WHERE path BETWEEN ? AND ?)`;
const talliesFrom = `SELECT ${selected(tallyColumns)} FROM tally`;

export interface Meta {
  readonly epoch: number;
  readonly owner: string;
  /** Number of the log that was begun last. */
  readonly log: number;
  readonly session: string;
}
export function readMeta(db: Database): Meta {
  const found = db.get("SELECT CAST(json_array(epoch, owner, log, owned, session) AS BLOB) AS cells FROM meta");
  if (found === undefined) throw malformed("archive", "the row of the session is gone");
  const [epoch, owner, log, owned, session] = cellsIn(found, []);
  if (ownerSum(epoch, owner, log) !== owned) throw malformed("archive", "the row of its owner is damaged");
  return { epoch: Number(epoch), owner: String(owner), log: Number(log), session: String(session) };
}

export function malformed(at: string, why: string): RollcallError {
  return fault("archive_malformed", at, new Error(why));
}

// ── Sets, and whether they are what was written ──────────────────────────────────────────────────────────────────

export type TallyKind = "mail" | "children" | "urgent";
/** Null where its row is damaged. */
export function tallyAt(db: Database, owner: Path, kind: TallyKind): Tally | null {
  const found = db.get(`${talliesFrom} WHERE whose = ? AND kind = ?`, owner, kind);
  if (found === undefined) return emptyTally;
  const cells = cellsIn(found, tallyColumns);
  return cells[0] === owner && cells[1] === kind ? decodeTally(cells) : null;
}
/** Those between two owners, by owner; `undefined` is an empty one. */
function talliesOf(db: Database, kind: TallyKind, first: Path, last: Path): ReadonlyMap<unknown, Tally | null> {
  const found = db.all(`${talliesFrom} WHERE whose BETWEEN ? AND ? AND kind = ?`, first, last, kind);
  return new Map(cellsOfAll(found, tallyColumns).map((cells) => [cells[0], decodeTally(cells)]));
}
function isTallied(tally: Tally | null | undefined, sums: readonly unknown[]): boolean {
  return tally !== null && isSameTally(tally ?? emptyTally, tallyOf(sums));
}
function sumsOf(rows: readonly (readonly unknown[])[]): readonly unknown[] {
  return rows.map((each) => each.at(-1));
}

/** Told of an agent whose children are not those that were written. */
export type Lost = (parent: Path) => void;
export const refuseLost: Lost = (parent) => {
  throw malformed(parent, "its children are not those that were written; rollcall salvage keeps those that are left");
};
const ofParent = (parent: Path) => (parent === rootPath ? "parent IS NULL" : "parent = ?");
const parentValue = (parent: Path): Cells => (parent === rootPath ? [] : [parent]);

/** Children as they were found, while one lists them page by page. */
interface Listing {
  readonly prefix: Path;
  /** The last one found. */
  after: Path | null;
  readonly children: Map<Path, Tally>;
}
function listed({ children }: Listing, agents: readonly (readonly unknown[])[]): void {
  for (const [path, parent] of agents) {
    const found = children.get(String(parent)) ?? emptyTally;
    children.set(String(parent), changedTally(found, [sumOfPath(String(path))]));
  }
}
/** At its end: everybody's children were those that were written. Not by the index, which may know of a row that is gone. */
function checkListing(db: Database, { prefix, children }: Listing, lost: Lost): void {
  const [first, last] = prefix === rootPath ? ["", "0"] : [prefix, `${prefix}0`];
  const tallies = talliesOf(db, "children", first, last);
  // Whose parent was not listed is another's affair: of whoever lists that.
  const isListed = (path: Path) => path === prefix || path.startsWith(`${prefix}/`);
  const parents = new Set([...children.keys(), ...[...tallies.keys()].map(String)].filter(isListed));
  for (const parent of [...parents].sort()) {
    const tally = tallies.get(parent);
    if (tally === null || !isSameTally(tally ?? emptyTally, children.get(parent) ?? emptyTally)) lost(parent);
  }
}
/** So many paths at once, where all children of one are looked at. */
const absencePage = 1_000;
/**
 * That nobody is there is an answer, too: the parent's children are those that were written, and this is none of them. Looked
 * at once for a parent and handle; `known` holds those. Their number alone does not say it: one may be called otherwise now.
 */
function requireAbsence(db: Database, path: Path, { parents: known, ...handle }: Known): void {
  const parent = parentOf(path);
  const within = `FROM agent ${handle.hint(db)} WHERE ${ofParent(parent)}`;
  if (db.get(`SELECT 1 AS one ${within} AND path = ?`, ...parentValue(parent), path) !== undefined) refuseLost(parent);
  if (known.has(parent)) return;
  const page = `SELECT CAST(json_group_array(path) AS BLOB) AS cells FROM
    (SELECT path ${within} AND path > ? ORDER BY path LIMIT ${absencePage})`;
  let children = emptyTally;
  for (let after: Path | null = ""; after !== null; ) {
    const found = db.get(page, ...parentValue(parent), after);
    const paths = found === undefined ? [] : cellsIn(found, []);
    after = nextAfter(after, paths.at(-1));
    // Somebody from elsewhere is no child, whatever its row says.
    const own = paths.map(String).filter((each) => each.startsWith(`${parent}/`) && parentOf(each) === parent);
    children = changedTally(children, own.map(sumOfPath));
  }
  const written = tallyAt(db, parent, "children");
  if (written === null || !isSameTally(written, children)) refuseLost(parent);
  known.add(parent);
}

/** Where the next page begins; null where there is none. In a damaged tree one comes back to where one was: never again and again. */
function nextAfter(after: Path, last: unknown): Path | null {
  if (last === undefined) return null;
  if (String(last) <= after) throw malformed(String(last), "the tree of records is damaged");
  return String(last);
}

function configText(db: Database, hash: string): string | null {
  const found = db.get("SELECT CAST(text AS BLOB) AS text FROM config WHERE hash = ?", hash);
  return found === undefined ? null : textOf(found["text"]);
}

function grouped(rows: readonly (readonly unknown[])[], column: number): Map<unknown, (readonly unknown[])[]> {
  const groups = new Map<unknown, (readonly unknown[])[]>();
  for (const row of rows) {
    const group = groups.get(row[column]);
    if (group === undefined) groups.set(row[column], [row]);
    else group.push(row);
  }
  return groups;
}

/** Undefined where there is none, null where its row is damaged. */
export function conversationAt(db: Database, location: string): ConversationCells | null | undefined {
  const found = db.get(conversationFrom, location);
  if (found === undefined) return undefined;
  const conversation = decodeConversation(cellsIn(found, conversationColumns));
  return conversation?.location === location ? conversation : null;
}
/** What cannot be read has none: whoever asks for the conversation is told why. */
function countAt(db: Database, location: string): number {
  return conversationAt(db, location)?.count ?? 0;
}
/** Of all agents between two of them, by location. */
function countsOf(db: Database, first: Path, last: Path): ReadonlyMap<unknown, number> {
  const found = db.all(conversationsFrom, first, last);
  const whole = cellsOfAll(found, conversationColumns).map(decodeConversation);
  return new Map(whole.flatMap((each) => (each === null ? [] : [[each.location, each.count]])));
}

/** Rows of agents that were found, all of which lie between the first and the last of them. */
function rowsOf(db: Database, configs: Configs, agents: readonly (readonly unknown[])[]): readonly Row[] {
  const [first, last] = [String(agents[0]?.[0]), String(agents.at(-1)?.[0])];
  const results = grouped(
    cellsOfAll(db.all(`${resultsFrom} WHERE path BETWEEN ? AND ? ORDER BY path`, first, last), resultColumns),
    0,
  );
  const mail = grouped(
    cellsOfAll(db.all(`${mailFrom} WHERE owner BETWEEN ? AND ? ORDER BY owner, seq`, first, last), mailColumns),
    1,
  );
  const tallies = talliesOf(db, "mail", first, last);
  const counts = countsOf(db, first, last);
  return agents.map((agent) => {
    const [path, , , , config, , , location] = agent;
    const mails = mail.get(path) ?? [];
    return decodeRow(String(path), {
      ...{ agent, results: results.get(path) ?? [], mail: mails },
      config: configAt(configs, config, (hash) => configText(db, hash)),
      messages: counts.get(location) ?? 0,
      isMailWhole: isTallied(tallies.get(path), sumsOf(mails)),
    });
  });
}

/** What one handle has found whole. */
export interface Known {
  readonly configs: Configs;
  /** Parents whose children are those that were written. */
  readonly parents: Set<Path>;
  /** The list that is being read. */
  listing: Listing | null;
  /** Names the index that knows of a row which its own table has lost; nothing where somebody has dropped it. */
  readonly hint: (db: Database) => string;
}
export function nothingKnown(): Known {
  let hint: string | null = null;
  const found = (db: Database) =>
    db.get("SELECT 1 AS one FROM sqlite_master WHERE name = 'agent_parent'") === undefined
      ? ""
      : "INDEXED BY agent_parent";
  return {
    configs: new Map(),
    parents: new Set(),
    listing: null,
    hint: (db) => {
      hint ??= found(db);
      return hint;
    },
  };
}

export function rowsAt(db: Database, known: Known, paths: readonly Path[]): readonly Row[] {
  return paths.flatMap((path) => {
    const rows = foundAt(db, known.configs, path);
    if (rows.length === 0) requireAbsence(db, path, known);
    return rows;
  });
}
function foundAt(db: Database, configs: Configs, path: Path): readonly Row[] {
  const agents = cellsOfAll(db.all(`${agentsFrom} WHERE path = ?`, path), agentColumns);
  // Where its tree is damaged SQLite may find another's row.
  if (agents.some((cells) => cells[0] !== path)) throw malformed(path, "the tree of records is damaged");
  return agents.length === 0 ? [] : rowsOf(db, configs, agents);
}

export interface Page {
  readonly prefix: Path;
  readonly after: Path | null;
  readonly count: number;
}
export function scan(db: Database, known: Known, { prefix, after, count }: Page, lost: Lost): readonly Row[] {
  // "0" is the character after "/". From the root everything is read, also a row whose path is none.
  const isAll = prefix === rootPath;
  const within = isAll ? "path > ?" : "path > ? AND (path = ? OR (path > ? AND path < ?))";
  const bounds = isAll ? [] : [prefix, `${prefix}/`, `${prefix}0`];
  const sql = `${agentsFrom} WHERE ${within} ORDER BY path LIMIT ?`;
  const agents = cellsOfAll(db.all(sql, after ?? "", ...bounds, count), agentColumns);
  nextAfter(after ?? "", agents.at(-1)?.[0]);
  // Where it is to begin with somebody, that is somebody who is there.
  if (after === null && !isAll && agents[0]?.[0] !== prefix) requireAbsence(db, prefix, known);
  if (after === null) known.listing = { prefix, after, children: new Map() };
  const { listing } = known;
  // Whoever begins in the middle has not seen all of them.
  if (listing !== null && listing.prefix === prefix && listing.after === after) {
    listed(listing, agents);
    listing.after = String(agents.at(-1)?.[0] ?? after);
    if (agents.length < count) {
      known.listing = null;
      checkListing(db, listing, lost);
    }
  }
  return agents.length === 0 ? [] : rowsOf(db, known.configs, agents);
}

export function head(db: Database, known: Known): Head {
  const session = decodeSession(cellsOfText(readMeta(db).session));
  const mails = cellsOfAll(db.all(`${mailFrom} WHERE owner IS NULL ORDER BY seq`), mailColumns);
  const rootMail = isTallied(tallyAt(db, rootPath, "mail"), sumsOf(mails)) ? decodeMailbox(rootPath, mails) : null;
  if (session === null || rootMail === null) throw fault("session_invalid", "session");
  const urgent = db.all(urgentFrom).map((each) => textOf(each["path"]));
  if (!isTallied(tallyAt(db, rootPath, "urgent"), urgent.map(sumOfPath)))
    throw malformed("archive", "the index of what is under way does not hold what was written");
  const paths = new Set(urgent.flatMap(pathAndAncestors));
  return {
    ...{ ...session, rootMail },
    rootMessages: countAt(db, rootLocation),
    // A parent that is gone sets its children aside; whoever lists is told.
    urgent: [...paths].sort().flatMap((path) => foundAt(db, known.configs, path)),
  };
}
function pathAndAncestors(path: Path): readonly Path[] {
  return [...ancestorsOf(path), path];
}
export function cellsOfText(text: string): readonly unknown[] {
  try {
    const cells: unknown = JSON.parse(text);
    return Array.isArray(cells) ? cells : [];
  } catch {
    return [];
  }
}

/** Whole, or the last of it; of either it is known that nothing is missing. */
export function messages(db: Database, request: ReadRequest): readonly Message[] {
  const { path, last } = request;
  if (path !== rootPath && !isLocation(request.location)) throw fault("location_unsafe", path);
  const location = locationOf(request);
  const conversation = conversationAt(db, location);
  if (conversation === undefined) throw fault("conversation_missing", path);
  if (conversation === null) throw fault("conversation_corrupt", path, new Error("its row is damaged"));
  const { number, first, count } = conversation;
  const rows = cellsOfAll(db.all(messagesFrom, number, last ?? -1), messageColumns);
  const end = first + count;
  const isWhole =
    rows.length === Math.min(count, last ?? count) && rows.every((cells, index) => cells[0] === end - 1 - index);
  if (!isWhole || (last === undefined && !isTallied(conversation, sumsOf(rows))))
    throw fault("conversation_corrupt", path, new Error("messages are missing, or are not those that were written"));
  return rows
    .map((cells) => {
      const message = decodeMessage(location, cells);
      if (message === null) throw fault("conversation_corrupt", path);
      return message;
    })
    .reverse();
}
