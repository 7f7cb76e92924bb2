/**
 * Archives of the first format, small and large: the stored one, and others whose rows stand in its tables as that format had them.
 * And what is found in an archive, of either format, after a migration that was cut off.
 */
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { type Database, openDatabase, textOf } from "../../../src/archive/binding.ts";
import { type Cells, messageColumns, sealed } from "../../../src/archive/codec.ts";
import { exportLines } from "../../../src/archive/export.ts";
import { versionOf } from "../../../src/archive/migrate.ts";
import { cellsIn, cellsOfText, selected } from "../../../src/archive/sqlite-read.ts";
import { sqliteStore } from "../../../src/index.ts";
import { baseOf } from "../damaged/archives.ts";
import { root } from "../planted.ts";

export interface Older {
  readonly bytes: Buffer;
  /** Every row of every table, and the words of the tables. */
  readonly dump: string;
  /** What it holds once it is of today's format. */
  readonly lines: string;
}

/** Files in `folder` are written over. Number 0 is the stored one, any other is made from that seed. */
export async function olderArchive(folder: string, number: number): Promise<Older> {
  const file = join(folder, `older-${number}.rollcall`);
  const stored = gunzipSync(readFileSync(join(root, "src/archive/formats/1.rollcall.gz")));
  writeFileSync(file, stored);
  if (number === 0) {
    const dump = dumpOf(file);
    const lines = await linesOf(file);
    return { bytes: stored, dump, lines };
  }
  const today = join(folder, `today-${number}.rollcall`);
  writeFileSync(today, (await baseOf(folder, number)).closed);
  const lines = await linesOf(today);
  rewrite(file, today);
  return { bytes: readFileSync(file), dump: dumpOf(file), lines };
}

/** The rows of today's archive, in the place of those that stand in the tables of the first format. */
function rewrite(file: string, today: string): void {
  within(file, (db) => {
    db.exec("PRAGMA foreign_keys = OFF; PRAGMA journal_mode = DELETE");
    db.run("ATTACH ? AS today", today);
    db.exec(`BEGIN;
      DELETE FROM message; DELETE FROM conversation; DELETE FROM mail; DELETE FROM result; DELETE FROM agent; DELETE FROM config;
      INSERT INTO config SELECT * FROM today.config;
      INSERT INTO agent SELECT * FROM today.agent;
      INSERT INTO result SELECT * FROM today.result;
      INSERT INTO mail SELECT * FROM today.mail;
      INSERT INTO conversation SELECT number, location FROM today.conversation;
      INSERT INTO message SELECT * FROM today.message`);
    const session = db.get("SELECT CAST(session AS BLOB) AS session FROM today.meta");
    const [capacity = null, , seq = null] = numbersIn(cellsOfText(textOf(session?.["session"])));
    db.run("UPDATE meta SET session = ?", JSON.stringify(sealed([capacity])));
    db.run("UPDATE sqlite_sequence SET seq = ? WHERE name = 'mail'", seq);
    // A message's checksum did not know its conversation yet.
    const rows = `SELECT ${selected(messageColumns)} FROM message WHERE conversation = ? ORDER BY n`;
    for (const each of db.all("SELECT number FROM conversation"))
      for (const found of db.all(rows, Number(each["number"]))) {
        const cells = cellsFrom(cellsIn(found, messageColumns).slice(0, -1));
        const sum = sealed(cells).at(-1) ?? null;
        db.run(
          "UPDATE message SET sum = ? WHERE conversation = ? AND n = ?",
          sum,
          Number(each["number"]),
          cells[0] ?? 0,
        );
      }
    db.exec("COMMIT; DETACH today");
  });
}
const numbersIn = (cells: readonly unknown[]): readonly (number | null)[] =>
  cells.map((each) => (typeof each === "number" ? each : null));
// What a strict table holds: texts, numbers, null.
const cellsFrom = (cells: readonly unknown[]): Cells => cells as Cells; // see the line above

/** In a copy, log and all: whoever comes next finds what the dead one left, and not what a look has tidied up. */
function lookedAt<Value>(file: string, act: (db: Database) => Value): Value {
  const copy = `${file}-looked-at`;
  for (const end of ["", "-wal"]) if (existsSync(`${file}${end}`)) copyFileSync(`${file}${end}`, `${copy}${end}`);
  try {
    return within(copy, act);
  } finally {
    for (const end of ["", "-wal", "-shm"]) rmSync(`${copy}${end}`, { force: true });
  }
}
function within<Value>(file: string, act: (db: Database) => Value): Value {
  const db = openDatabase(file, "rw");
  try {
    return act(db);
  } finally {
    db.close();
  }
}

export function formatOf(file: string): number {
  return lookedAt(file, versionOf);
}
export function dumpOf(file: string): string {
  return lookedAt(file, (db) => {
    const textsOf = (sql: string): readonly string[] => db.all(sql).map((each) => textOf(each["text"]));
    const tables = textsOf("SELECT CAST(name AS BLOB) AS text FROM sqlite_master WHERE type = 'table' ORDER BY name");
    const rows = tables.map((table) => {
      const columns = textsOf(`SELECT CAST(name AS BLOB) AS text FROM pragma_table_info('${table}') ORDER BY cid`);
      return textsOf(`SELECT CAST(json_array(${columns.join(", ")}) AS BLOB) AS text FROM ${table} ORDER BY 1`);
    });
    const words = textsOf("SELECT CAST(coalesce(sql, name) AS BLOB) AS text FROM sqlite_master ORDER BY 1");
    return JSON.stringify([versionOf(db), words, tables, rows]);
  });
}

/** Opened as its next owner opens it, which migrates it where that is still to be done. */
export async function linesOf(file: string): Promise<string> {
  const archive = await sqliteStore(file).open({
    mode: "write",
    owner: "whoever looks",
    takeover: false,
    create: null,
  });
  const lines: string[] = [];
  try {
    for await (const line of exportLines(archive)) lines.push(line);
  } finally {
    await archive.close();
  }
  return lines.join("\n");
}
/** What SQLite's own check says. */
export function integrityOf(file: string): string {
  return lookedAt(file, (db) => {
    const found = db.all("SELECT CAST(integrity_check AS BLOB) AS text FROM pragma_integrity_check");
    const foreign = db.get("SELECT count(*) AS count FROM pragma_foreign_key_check");
    return `${found.map((each) => textOf(each["text"])).join("; ")}, ${Number(foreign?.["count"])} foreign keys broken`;
  });
}
