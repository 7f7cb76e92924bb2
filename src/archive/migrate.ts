/**
 * Archives of earlier formats brought to today's, inside the transaction that takes ownership: whole or not at all. Rows that
 * were damaged before stay as they were, and damaged.
 */
import { fault } from "../errors.ts";
import { rootPath } from "../paths.ts";
import { type Database, textOf } from "./binding.ts";
import {
  type Cells,
  encodeConversation,
  encodeSession,
  encodeTally,
  messageColumns,
  messageSum,
  ownerSum,
  sealed,
  tallyColumns,
} from "./codec.ts";
import { conversationCounts, formatVersion, mailTable, metaTable, tallyTable, versionPragma } from "./schema.ts";
import { cellsIn, cellsOfAll, cellsOfText, rootLocation, selected, type TallyKind, urgentFrom } from "./sqlite-read.ts";
import { addConversation, insert } from "./sqlite-write.ts";
import { sumOfPath, tallyOf } from "./tally.ts";

/** Whatever version the tables are of, so that it can be told whose archive it is before it is touched. */
export function versionOf(db: Database): number {
  return Number(db.get("PRAGMA user_version")?.["user_version"]);
}
export function isOlder(version: number): boolean {
  return version >= 1 && version < formatVersion;
}

/** Nothing where it is of today's. Foreign keys must be off: tables are put in the place of others. */
export function migrate(db: Database): void {
  const version = versionOf(db);
  if (version === formatVersion) return;
  if (version !== 1) throw fault("archive_version", "archive", new Error(`its format is ${version}`));
  fromFirst(db);
  db.exec(versionPragma);
}

/**
 * From 1 to 2: every mailbox, conversation and set of children gets its count and digest, the session vouches for how many
 * records and mails there were, and a message's checksum knows its conversation.
 */
function fromFirst(db: Database): void {
  db.exec("DROP TRIGGER agent_counted; DROP TRIGGER agent_uncounted;");
  migrateMeta(db);
  // In the order of the columns, which are the same: numbers are given by the session from now on.
  db.exec("DROP INDEX mail_owner; ALTER TABLE mail RENAME TO mail_of_old;");
  db.exec(mailTable);
  db.exec("INSERT INTO mail SELECT * FROM mail_of_old; DROP TABLE mail_of_old;");
  for (const each of conversationCounts) db.exec(`ALTER TABLE conversation ADD COLUMN ${each}`);
  migrateConversations(db);
  addConversation(db, rootLocation);
  db.exec(tallyTable);
  writeTallies(db);
}
function migrateMeta(db: Database): void {
  const found = db.get("SELECT CAST(json_array(epoch, owner, agents, session) AS BLOB) AS cells FROM meta");
  const [epoch, owner, agents, text] = found === undefined ? [] : cellsIn(found, []);
  const last = db.get("SELECT seq FROM sqlite_sequence WHERE name = 'mail'")?.["seq"];
  const cells = cellsOfText(String(text));
  const [capacity] = cells;
  const isWhole = typeof capacity === "number" && sealed([capacity])[1] === cells[1] && cells.length === 2;
  // A session that was damaged stays so.
  const session = isWhole
    ? encodeSession({ capacity, agents: Number(agents), seq: Number(last ?? 0) })
    : cellsOfText(String(text));
  db.exec("DROP TABLE meta");
  db.exec(metaTable);
  const [number, label] = [Number(epoch ?? 0), String(owner ?? "")];
  db.run(
    "INSERT INTO meta (one, epoch, owner, log, owned, session) VALUES (1, ?, ?, 0, ?, ?)",
    ...[number, label, ownerSum(number, label, 0), JSON.stringify(session)],
  );
}
function migrateConversations(db: Database): void {
  const rows = `SELECT ${selected(messageColumns)} FROM message WHERE conversation = ? ORDER BY n`;
  for (const each of db.all("SELECT number, CAST(location AS BLOB) AS location FROM conversation")) {
    const [number, location] = [Number(each["number"]), textOf(each["location"])];
    const sums: unknown[] = [];
    const numbers: number[] = [];
    for (const found of db.all(rows, number)) {
      const cells = cellsIn(found, messageColumns);
      const isWhole = sealed(cellsFrom(cells.slice(0, -1))).at(-1) === cells.at(-1);
      const sum = isWhole ? messageSum(location, cells.slice(0, -1)) : String(cells.at(-1));
      if (isWhole) db.run("UPDATE message SET sum = ? WHERE conversation = ? AND n = ?", sum, number, Number(cells[0]));
      sums.push(sum);
      numbers.push(Number(cells[0]));
    }
    const [first, last] = [numbers[0] ?? 1, numbers.at(-1) ?? 0];
    // Where a number is missing a message is: the count says so from now on.
    const row = encodeConversation({ number, location, first, ...tallyOf(sums), count: last - first + 1 });
    db.run(
      "UPDATE conversation SET first = ?, count = ?, digest = ?, sum = ? WHERE number = ?",
      ...row.slice(2),
      number,
    );
  }
}
// What a strict table holds: texts, numbers, null.
const cellsFrom = (cells: readonly unknown[]): Cells => cells as Cells; // see the line above

function writeTallies(db: Database): void {
  const write = (kind: TallyKind, sql: string, member: (given: string) => string) => {
    const sets = new Map<string, string[]>();
    for (const [owner, given] of cellsOfAll(db.all(sql), [])) {
      const set = sets.get(String(owner)) ?? [];
      set.push(member(String(given)));
      sets.set(String(owner), set);
    }
    for (const [owner, sums] of sets) db.run(insert("tally", tallyColumns), ...encodeTally(owner, kind, tallyOf(sums)));
  };
  const pairs = (one: string, other: string, table: string) =>
    `SELECT CAST(json_array(coalesce(${one}, '${rootPath}'), ${other}) AS BLOB) AS cells FROM ${table}`;
  write("mail", pairs("owner", "sum", "mail"), (sum) => sum);
  write("children", pairs("parent", "path", "agent"), sumOfPath);
  const urgent = db.all(urgentFrom).map((each) => sumOfPath(textOf(each["path"])));
  if (urgent.length > 0) db.run(insert("tally", tallyColumns), ...encodeTally(rootPath, "urgent", tallyOf(urgent)));
}
