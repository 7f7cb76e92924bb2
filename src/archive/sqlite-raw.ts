/**
 * The rows of an archive in a file as they are. Only while no handle is open on it: the file is read and replaced as a
 * whole, too, which would drop the locks of an owner in this process.
 */

import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import type { Path } from "../contract.ts";
import { rootPath } from "../paths.ts";
import { type Database, openDatabase, textOf } from "./binding.ts";
import {
  agentColumns,
  type Cells,
  encodeTally,
  mailColumns,
  type RecordRows,
  resultColumns,
  tallyColumns,
} from "./codec.ts";
import type { RawArchive } from "./raw.ts";
import { realFile } from "./sqlite-file.ts";
import {
  agentsFrom,
  cellsIn,
  cellsOfAll,
  cellsOfText,
  mailFrom,
  readMeta,
  resultsFrom,
  type TallyKind,
  urgentFrom,
} from "./sqlite-read.ts";
import { insert } from "./sqlite-write.ts";
import { sumOfPath, tallyOf } from "./tally.ts";

// Columns hold texts, numbers and null, nothing else: the tables are strict.
const asCells = (cells: readonly unknown[]): Cells => cells as Cells; // see the line above

/** Where the user's version stands in the head of every SQLite file. */
const versionOffset = 60;

/** One connection for one act, so that nothing of it is left when a handle is opened. */
function within<Value>(file: string, act: (db: Database) => Value): Value {
  const db = openDatabase(realFile(file), "rw");
  try {
    // What the tables would refuse is what is wanted here.
    db.exec("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON; PRAGMA synchronous = OFF; BEGIN");
    const value = act(db);
    db.exec("COMMIT");
    return value;
  } finally {
    db.close();
  }
}

export function rawSqlite(file: string): RawArchive {
  return {
    record: (path) =>
      within(file, (db) => {
        const found = db.get(`${agentsFrom} WHERE path = ?`, path);
        if (found === undefined) return null;
        const agent = asCells(cellsIn(found, agentColumns));
        const config = db.get("SELECT CAST(text AS BLOB) AS text FROM config WHERE hash = ?", agent[4] ?? null);
        return {
          agent,
          results: cellsOfAll(db.all(`${resultsFrom} WHERE path = ?`, path), resultColumns).map(asCells),
          mail: cellsOfAll(db.all(`${mailFrom} WHERE owner = ? ORDER BY seq`, path), mailColumns).map(asCells),
          config: config === undefined ? null : textOf(config["text"]),
        };
      }),
    putRecord: (path, rows) =>
      within(file, (db) => {
        db.run("DELETE FROM mail WHERE owner = ?", path);
        db.run("DELETE FROM result WHERE path = ?", path);
        db.run("DELETE FROM agent WHERE path = ?", path);
        // Counted by others: that it is gone is found.
        if (rows === null) return;
        if (rows.config !== null)
          db.run("INSERT OR IGNORE INTO config (hash, text) VALUES (?, ?)", rows.agent[4] ?? null, rows.config);
        db.run(insert("agent", agentColumns), ...rows.agent);
        for (const each of rows.results) db.run(insert("result", resultColumns), ...each);
        for (const each of rows.mail) db.run(insert("mail", mailColumns), ...each);
        retally(db, path, rows);
      }),
    session: () => within(file, (db) => asCells(cellsOfText(readMeta(db).session))),
    putSession: (cells) =>
      within(file, (db) => {
        db.run("UPDATE meta SET session = ?", JSON.stringify(cells));
      }),
    // The session's own count may be damaged itself.
    unusedSeq: () =>
      within(file, (db) => {
        const last = db.get("SELECT max(seq) AS seq FROM mail")?.["seq"];
        const [, , given] = cellsOfText(readMeta(db).session);
        return Math.max(Number(last ?? 0), Number(given ?? 0)) + 1;
      }),
    damageArchive: (how) => {
      const name = realFile(file);
      const kept = keptOf(name);
      if (!existsSync(kept)) setAside(name, kept);
      rmSync(name, { force: true });
      if (how === "malformed") writeFileSync(name, "This was an archive once.\n".repeat(400));
      if (how === "version") writeFileSync(name, ofAnotherVersion(readFileSync(kept)));
    },
    mendArchive: () => {
      const name = realFile(file);
      if (existsSync(keptOf(name))) renameSync(keptOf(name), name);
    },
  };
}

/** As if its rows had been written so: what counts them agrees, and only the rows themselves are damaged. */
function retally(db: Database, path: Path, { mail }: RecordRows): void {
  const put = (owner: Path, kind: TallyKind, sums: readonly unknown[]) =>
    db.run(insertOrReplace("tally", tallyColumns), ...encodeTally(owner, kind, tallyOf(sums)));
  put(
    path,
    "mail",
    mail.map((each) => each.at(-1)),
  );
  put(
    rootPath,
    "urgent",
    db.all(urgentFrom).map((each) => sumOfPath(textOf(each["path"]))),
  );
}
function insertOrReplace(table: string, columns: readonly string[]): string {
  return insert(table, columns).replace("INSERT", "INSERT OR REPLACE");
}

function keptOf(name: string): string {
  return `${name}-undamaged`;
}
/** Whole in one file: the log is cut first, and what lies beside the archive goes. */
function setAside(name: string, kept: string): void {
  const db = openDatabase(name, "rw");
  try {
    db.get("PRAGMA wal_checkpoint(TRUNCATE)");
  } finally {
    db.close();
  }
  for (const end of ["-wal", "-shm"]) rmSync(`${name}${end}`, { force: true });
  renameSync(name, kept);
}
function ofAnotherVersion(bytes: Buffer): Buffer {
  bytes.writeUInt32BE(999, versionOffset);
  return bytes;
}
