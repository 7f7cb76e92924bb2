/**
 * Writing one commit into an archive in SQLite, inside a transaction that is somebody else's to begin and to end. It costs
 * what changed: a mail is one row.
 */
import type { Path } from "../contract.ts";
import { fault } from "../errors.ts";
import { parentOf, rootPath } from "../paths.ts";
import type { Commit } from "./archive.ts";
import { type Database, textOf } from "./binding.ts";
import {
  agentColumns,
  type Cells,
  type ConversationCells,
  changedIdentity,
  conversationColumns,
  decodeSession,
  encodeConversation,
  encodeMessage,
  encodeSession,
  encodeTally,
  mailColumns,
  messageColumns,
  resultColumns,
  tallyColumns,
} from "./codec.ts";
import type { Encoded } from "./encoded.ts";
import {
  cellsOfText,
  conversationAt as foundConversation,
  locationOf,
  malformed,
  mayBeRoot,
  readMeta,
  type TallyKind,
  tallyAt,
} from "./sqlite-read.ts";
import { changedTally, emptyTally, sumOfPath } from "./tally.ts";

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
const mailAt = `FROM mail WHERE seq = ? AND coalesce(owner, '${rootPath}') = ?`;
const putMessage = insert("message", ["conversation", ...messageColumns]);
// The same hash and another text: damage, of which the text that was hashed is the cure.
const putConfig = `INSERT INTO config (hash, text) VALUES (?, ?)
  ON CONFLICT (hash) DO UPDATE SET text = excluded.text WHERE text <> excluded.text`;

const putTally = `${insert("tally", tallyColumns)} ON CONFLICT (whose, kind) DO UPDATE SET ${updates(["count", "digest", "sum"])}`;
const putConversation = `${insert("conversation", conversationColumns)}
  ON CONFLICT (number) DO UPDATE SET ${updates(conversationColumns.slice(2))}`;

/** Configurations known to be in the archive, by hash, so that each is offered once by a handle. */
export type Written = Set<string>;

export function write(db: Database, written: Written, { agents, mail, capacity, commit }: Encoded): readonly string[] {
  const added: string[] = [];
  const sets = changedSets();
  let born = 0;
  for (const { agent, results, config } of agents) {
    const [path, hash] = [String(agent[0]), String(agent[4])];
    if (!written.has(hash)) {
      db.run(putConfig, hash, config);
      added.push(hash);
    }
    const before = db.get("SELECT activity <> 'idle' OR owes <> 0 AS urgent FROM agent WHERE path = ?", path);
    if (db.run(putAgent, ...agent) === 0) throw changedIdentity(path);
    writeResults(db, path, results);
    if (before === undefined) {
      born += 1;
      sets.at(parentOf(path), "children").added.push(sumOfPath(path));
    }
    const [was, is] = [Number(before?.["urgent"] ?? 0) === 1, agent[5] !== "idle" || agent[8] !== 0];
    if (was !== is) sets.at(rootPath, "urgent")[is ? "added" : "removed"].push(sumOfPath(path));
  }
  for (const cells of mail) {
    db.run(putMail, ...cells);
    sets.at(String(cells[1]), "mail").added.push(cells.at(-1));
  }
  for (const { to, seq } of commit.mailRemoved) {
    const found = db.get(`SELECT CAST(sum AS BLOB) AS sum ${mailAt}`, seq, to);
    if (found === undefined) continue;
    db.run(`DELETE ${mailAt}`, seq, to);
    sets.at(to, "mail").removed.push(textOf(found["sum"]));
  }
  for (const { path, location, append } of commit.messages) {
    const at = { path, location: locationOf({ path, location }) };
    const conversation = conversationAt(db, at.path, at.location);
    const { number, first, count } = conversation;
    const rows = append.map((each, index) => encodeMessage(at, first + count + index, each));
    setConversation(db, conversation, first, rows, []);
    for (const cells of rows) db.run(putMessage, number, ...cells);
  }
  if (commit.compact !== null) compact(db, commit.compact);
  writeTallies(db, sets.all);
  writeSession(
    db,
    capacity,
    born,
    mail.reduce((most, cells) => Math.max(most, Number(cells[0])), 0),
  );
  return added;
}

// ── Sets and counts, kept up with what changed ───────────────────────────────────────────────────────────────────

interface ChangedSet {
  readonly owner: Path;
  readonly kind: TallyKind;
  readonly added: unknown[];
  readonly removed: unknown[];
}
function changedSets() {
  const sets = new Map<string, ChangedSet>();
  const at = (owner: Path, kind: TallyKind): ChangedSet => {
    const set = sets.get(`${kind} ${owner}`) ?? { owner, kind, added: [], removed: [] };
    sets.set(`${kind} ${owner}`, set);
    return set;
  };
  return { at, all: sets };
}
function writeTallies(db: Database, sets: ReadonlyMap<string, ChangedSet>): void {
  for (const { owner, kind, added, removed } of sets.values()) {
    const tally = tallyAt(db, owner, kind);
    // Whatever is written over it would be vouched for.
    if (tally === null) throw malformed(owner, `the row that counts its ${kind} is damaged`);
    db.run(putTally, ...encodeTally(owner, kind, changedTally(tally, added, removed)));
  }
}
function writeSession(db: Database, capacity: number | null, born: number, seq: number): void {
  if (capacity === null && born === 0 && seq === 0) return;
  const session = decodeSession(cellsOfText(readMeta(db).session));
  if (session === null) throw fault("session_invalid", "session");
  const next = {
    capacity: capacity ?? session.capacity,
    agents: session.agents + born,
    seq: Math.max(session.seq, seq),
  };
  db.run("UPDATE meta SET session = ?", JSON.stringify(encodeSession(next)));
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

/** An empty one; of its own accord only the root's, so that it can be missed. */
export function addConversation(db: Database, location: string): void {
  if (foundConversation(db, location) === undefined)
    setConversation(db, conversationAt(db, rootPath, location), 1, [], []);
}
function conversationAt(db: Database, path: Path, location: string): ConversationCells {
  const found = foundConversation(db, location);
  if (found === null) throw fault("conversation_corrupt", path, new Error("its row is damaged"));
  if (found !== undefined) return found;
  const last = db.get("SELECT max(number) AS number FROM conversation")?.["number"];
  return { number: Number(last ?? 0) + 1, location, first: 1, ...emptyTally };
}
function setConversation(
  db: Database,
  { number, location, ...before }: ConversationCells,
  first: number,
  added: readonly Cells[],
  removed: readonly unknown[],
): void {
  const sums = added.map((each) => each.at(-1));
  db.run(putConversation, ...encodeConversation({ number, location, first, ...changedTally(before, sums, removed) }));
}
function compact(db: Database, { path, location, keep, note }: NonNullable<Commit["compact"]>): void {
  const at = { path, location: locationOf({ path, location }) };
  const conversation = conversationAt(db, path, at.location);
  const { number, first, count } = conversation;
  const from = first + count - keep;
  if (from <= first) return;
  const head = "FROM message WHERE conversation = ? AND n < ?";
  const removed = db.all(`SELECT CAST(sum AS BLOB) AS sum ${head}`, number, from).map((each) => textOf(each["sum"]));
  db.run(`DELETE ${head}`, number, from);
  const cells = encodeMessage(at, from - 1, note);
  db.run(putMessage, number, ...cells);
  setConversation(db, conversation, from - 1, [cells], removed);
}
