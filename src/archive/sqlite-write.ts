/**
 * Writing one commit into an archive in SQLite, inside a transaction that is somebody else's to begin and to end. It costs
 * what changed: a mail is one row.
 */
import type { Path } from "../contract.ts";
import { rootPath } from "../paths.ts";
import type { Commit } from "./archive.ts";
import { type Database, textOf } from "./binding.ts";
import {
  agentColumns,
  type Cells,
  changedIdentity,
  encodeMessage,
  mailColumns,
  messageColumns,
  resultColumns,
} from "./codec.ts";
import type { Encoded } from "./encoded.ts";
import { locationOf, mayBeRoot } from "./sqlite-read.ts";

export function insert(table: string, columns: readonly string[]): string {
  const value = (column: string) => (mayBeRoot.includes(column) ? `nullif(?, '${rootPath}')` : "?");
  return `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(value).join(", ")})`;
}
function updates(columns: readonly string[]): string {
  return columns.map((each) => `${each} = excluded.${each}`).join(", ");
}
// Who an agent is and what it is made of is for ever (L2, L27): where that differs, nothing is updated.
const kept = ["id", "role", "config", "location"];
const putAgent = `${insert("agent", agentColumns)} ON CONFLICT (path) DO UPDATE
  SET ${updates(["activity", "turns", "owes", "sum"])}
  WHERE ${kept.map((each) => `agent.${each} = excluded.${each}`).join(" AND ")}`;
const putResult = `${insert("result", resultColumns)}
  ON CONFLICT (path, slot, turn) DO UPDATE SET ${updates(resultColumns.slice(3))}`;
const putMail = insert("mail", mailColumns);
const removeMail = `DELETE FROM mail WHERE seq = ? AND coalesce(owner, '${rootPath}') = ?`;
const putMessage = insert("message", ["conversation", ...messageColumns]);
// The same hash and another text: damage, of which the text that was hashed is the cure.
const putConfig = `INSERT INTO config (hash, text) VALUES (?, ?)
  ON CONFLICT (hash) DO UPDATE SET text = excluded.text WHERE text <> excluded.text`;

/** Configurations known to be in the archive, by hash, so that each is offered once by a handle. */
export type Written = Set<string>;

export function write(db: Database, written: Written, { agents, mail, session, commit }: Encoded): readonly string[] {
  const added: string[] = [];
  for (const { agent, results, config } of agents) {
    const [path, hash] = [String(agent[0]), String(agent[4])];
    if (!written.has(hash)) {
      db.run(putConfig, hash, config);
      added.push(hash);
    }
    if (db.run(putAgent, ...agent) === 0) throw changedIdentity(path);
    writeResults(db, path, results);
  }
  for (const cells of mail) db.run(putMail, ...cells);
  for (const { to, seq } of commit.mailRemoved) db.run(removeMail, seq, to);
  for (const { path, location, append } of commit.messages) {
    const number = conversationAt(db, locationOf({ path, location }));
    const { end } = boundsOf(db, number);
    for (const [index, each] of append.entries()) db.run(putMessage, number, ...encodeMessage(path, end + index, each));
  }
  if (commit.compact !== null) compact(db, commit.compact);
  if (session !== null) db.run("UPDATE meta SET session = ?", JSON.stringify(session));
  return added;
}

/** Put over those that are there: SQLite writes the pages that differ, so a long result that stays costs nothing. */
function writeResults(db: Database, path: Path, results: readonly Cells[]): void {
  const key = (slot: unknown, turn: unknown) => `${slot} ${turn}`;
  const wanted = new Set(results.map(([, slot, turn]) => key(slot, turn)));
  for (const each of db.all("SELECT CAST(slot AS BLOB) AS slot, turn FROM result WHERE path = ?", path)) {
    const [slot, turn] = [textOf(each["slot"]), Number(each["turn"])];
    if (!wanted.has(key(slot, turn)))
      db.run("DELETE FROM result WHERE path = ? AND slot = ? AND turn = ?", path, slot, turn);
  }
  for (const cells of results) db.run(putResult, ...cells);
}

function conversationAt(db: Database, location: string): number {
  const found = db.get("SELECT number FROM conversation WHERE location = ?", location);
  if (found !== undefined) return Number(found["number"]);
  db.run("INSERT INTO conversation (location) VALUES (?)", location);
  return conversationAt(db, location);
}
/** Numbers of the first message, and of the one that comes next. */
function boundsOf(db: Database, number: number): { readonly first: number; readonly end: number } {
  // Two queries, since only a lone min or max is one step in the index.
  const first = db.get("SELECT min(n) AS n FROM message WHERE conversation = ?", number)?.["n"];
  const last = db.get("SELECT max(n) AS n FROM message WHERE conversation = ?", number)?.["n"];
  return { first: Number(first ?? 1), end: Number(last ?? 0) + 1 };
}
function compact(db: Database, { path, location, keep, note }: NonNullable<Commit["compact"]>): void {
  const number = conversationAt(db, locationOf({ path, location }));
  const { first, end } = boundsOf(db, number);
  const from = end - keep;
  if (from <= first) return;
  db.run("DELETE FROM message WHERE conversation = ? AND n < ?", number, from);
  db.run(putMessage, number, ...encodeMessage(path, from - 1, note));
}
