/** Reading an archive in SQLite: what stands in the tables, decoded row by row. Never more than was asked for. */
import type { Path } from "../contract.ts";
import { fault } from "../errors.ts";
import { ancestorsOf, rootPath } from "../paths.ts";
import type { Head, Message, ReadRequest, Row } from "./archive.ts";
import { type Database, type Found, textOf } from "./binding.ts";
import {
  agentColumns,
  type Configs,
  configAt,
  decodeMailbox,
  decodeMessage,
  decodeRow,
  decodeSession,
  mailColumns,
  messageColumns,
  resultColumns,
} from "./codec.ts";
import { isLocation } from "./flaws.ts";

/** Where the root's conversation is kept; the one location that is not below `agents/`. */
const rootLocation = "root";

export function locationOf({ path, location }: { readonly path: Path; readonly location: string }): string {
  return path === rootPath ? rootLocation : location;
}

/** Columns that hold NULL for the root, which has no row. */
export const mayBeRoot: readonly string[] = ["parent", "owner"];

/** Cells in one blob, long texts beside it: one value to bring over instead of ten, and nothing to quote twice. */
function selected(columns: readonly string[]): string {
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
/** Messages are numbered without gaps. Two queries, since only a lone min or max is one step in the index. */
export const countFrom: string = `SELECT (SELECT max(n) FROM message WHERE conversation = number) + 1
  - (SELECT min(n) FROM message WHERE conversation = number) AS count FROM conversation WHERE location = ?`;

export interface Meta {
  readonly epoch: number;
  readonly owner: string;
  readonly agents: number;
  readonly session: string;
}
export function readMeta(db: Database): Meta {
  const found = db.get("SELECT CAST(json_array(epoch, owner, agents, session) AS BLOB) AS cells FROM meta");
  if (found === undefined) throw fault("archive_malformed", "archive", new Error("the row of the session is gone"));
  const [epoch, owner, agents, session] = cellsIn(found, []);
  return { epoch: Number(epoch), owner: String(owner), agents: Number(agents), session: String(session) };
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

function countAt(db: Database, location: string): number {
  const found = db.get(countFrom, location);
  return Number(found?.["count"] ?? 0);
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
  return agents.map((agent) => {
    const [path, , , , config, , , location] = agent;
    return decodeRow(String(path), {
      ...{ agent, results: results.get(path) ?? [], mail: mail.get(path) ?? [] },
      config: configAt(configs, config, (hash) => configText(db, hash)),
      messages: countAt(db, String(location)),
    });
  });
}

export function rowsAt(db: Database, configs: Configs, paths: readonly Path[]): readonly Row[] {
  return paths.flatMap((path) => {
    const agents = cellsOfAll(db.all(`${agentsFrom} WHERE path = ?`, path), agentColumns);
    return agents.length === 0 ? [] : rowsOf(db, configs, agents);
  });
}

export function scan(db: Database, configs: Configs, prefix: Path, after: Path | null, count: number): readonly Row[] {
  // "0" is the character after "/". From the root everything is read, also a row whose path is none.
  const isAll = prefix === rootPath;
  const within = isAll ? "path > ?" : "path > ? AND (path = ? OR (path > ? AND path < ?))";
  const bounds = isAll ? [] : [prefix, `${prefix}/`, `${prefix}0`];
  const sql = `${agentsFrom} WHERE ${within} ORDER BY path LIMIT ?`;
  const agents = cellsOfAll(db.all(sql, after ?? "", ...bounds, count), agentColumns);
  return agents.length === 0 ? [] : rowsOf(db, configs, agents);
}

export function head(db: Database, configs: Configs): Head {
  const { agents, session } = readMeta(db);
  const capacity = decodeSession(cellsOfText(session));
  const rootMail = decodeMailbox(
    rootPath,
    cellsOfAll(db.all(`${mailFrom} WHERE owner IS NULL ORDER BY seq`), mailColumns),
  );
  if (capacity === null || rootMail === null) throw fault("session_invalid", "session");
  const urgent = db.all(urgentFrom);
  const paths = new Set(urgent.flatMap((each) => pathAndAncestors(textOf(each["path"]))));
  const last = db.get("SELECT seq FROM sqlite_sequence WHERE name = 'mail'");
  return {
    ...{ capacity, agents, rootMail, seq: Number(last?.["seq"] ?? 0) },
    rootMessages: countAt(db, rootLocation),
    urgent: rowsAt(db, configs, [...paths].sort()),
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

export function messages(db: Database, request: ReadRequest): readonly Message[] {
  const { path, last } = request;
  if (path !== rootPath && !isLocation(request.location)) throw fault("location_unsafe", path);
  const found = db.get("SELECT number FROM conversation WHERE location = ?", locationOf(request));
  if (found === undefined && path === rootPath) return [];
  if (found === undefined) throw fault("conversation_missing", path);
  return cellsOfAll(db.all(messagesFrom, Number(found["number"]), last ?? -1), messageColumns)
    .map((cells) => {
      const message = decodeMessage(cells);
      if (message === null) throw fault("conversation_corrupt", path);
      return message;
    })
    .reverse();
}
