// Archives of earlier formats, as the code of their time made them (formats/N.rollcall.gz is what fillFormat wrote over that
// code's sqliteStore, gzip -9): opened, they hold what is written into one of today's.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { RollcallError } from "../errors.ts";
import type { Archive, OpenRequest } from "./archive.ts";
import { openDatabase } from "./binding.ts";
import { exportLines } from "./export.ts";
import { fillFormat } from "./formats/content.ts";
import { memoryStore } from "./memory.ts";
import { versionOf } from "./migrate.ts";
import { commit, mail, published } from "./samples.ts";
import { formatVersion } from "./schema.ts";
import { sqliteStore } from "./sqlite.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
function fresh(): string {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-"));
  folders.push(folder);
  return join(folder, "run.rollcall");
}
const fixture = (version: number) => new URL(`./formats/${version}.rollcall.gz`, import.meta.url);
function stored(version: number): string {
  const file = fresh();
  writeFileSync(file, gunzipSync(readFileSync(fixture(version))));
  return file;
}
const write: OpenRequest = { mode: "write", owner: "w1", takeover: false, create: null };
const read: OpenRequest = { ...write, mode: "read" };

async function linesOf(archive: Archive): Promise<readonly unknown[]> {
  const lines: unknown[] = [];
  for await (const line of exportLines(archive)) lines.push(JSON.parse(line));
  return lines;
}
async function contentOf(store: { open: (request: OpenRequest) => Promise<Archive> }): Promise<readonly unknown[]> {
  const archive = await store.open(write);
  const lines = await linesOf(archive);
  await archive.close();
  return lines;
}
async function codeOf(promise: Promise<unknown>): Promise<unknown> {
  return await promise.then(
    () => "done",
    (error: unknown) => (error instanceof RollcallError ? [error.code, error.at] : error),
  );
}
function within(file: string, sql: string): void {
  const db = openDatabase(file, "rw");
  db.exec(sql);
  db.close();
}
function formatOf(file: string): number {
  const db = openDatabase(file, "ro");
  try {
    return versionOf(db);
  } finally {
    db.close();
  }
}
/** Everything there is in the file, as SQLite lists it: tables, indexes, and their words but for spaces. */
function schemaOf(file: string): readonly string[] {
  const db = openDatabase(file, "ro");
  const all = db.all(
    "SELECT CAST(sql AS BLOB) AS sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'",
  );
  const words = all.map((each) =>
    Buffer.from(Object(each["sql"]))
      .toString("utf8")
      .replace(/--[^\n]*\n/g, ""),
  );
  db.close();
  return words.map((each) => each.replaceAll('"', "").replace(/\s+/g, "")).sort();
}

const older = Array.from({ length: formatVersion - 1 }, (_, index) => index + 1);

describe("an archive of an earlier format", () => {
  it("is kept for every one there was", () => {
    expect(older.map((version) => existsSync(fixture(version)))).toEqual(older.map(() => true));
    expect(older.map((version) => formatOf(stored(version)))).toEqual(older);
  });

  it.each(older)("%i holds after it is opened for writing what is written into one of today's", async (version) => {
    const file = stored(version);
    const memory = memoryStore();
    await fillFormat(memory);
    const today = fresh();
    await fillFormat(sqliteStore(today));
    const expected = await contentOf(memory);
    expect(expected.length).toBeGreaterThan(15);
    expect(await contentOf(sqliteStore(today))).toEqual(expected);
    expect(await contentOf(sqliteStore(file))).toEqual(expected);
    expect(formatOf(file)).toBe(formatVersion);
    expect(schemaOf(file)).toEqual(schemaOf(today));
    // And is one like any other from then on.
    const archive = await sqliteStore(file).open(write);
    await archive.commit(published("/root/f"));
    await archive.commit(commit({ mailAdded: [mail("/root/f", (await archive.head()).seq + 1)] }));
    await archive.close();
    expect(await contentOf(sqliteStore(file))).toHaveLength(expected.length + 2);
  });

  it.each(older)("%i is left as it is by a reader, who is told what to do", async (version) => {
    const file = stored(version);
    const before = readFileSync(file);
    expect(await codeOf(sqliteStore(file).open(read))).toEqual(["archive_version", "archive"]);
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it("keeps what was damaged damaged: nothing is vouched for anew", async () => {
    const file = stored(1);
    within(
      file,
      `UPDATE agent SET turns = 7 WHERE path = '/root/d'; UPDATE mail SET text = 'x' WHERE seq = 4;
       UPDATE message SET text = 'x' WHERE conversation = 2 AND n = 1`,
    );
    const archive = await sqliteStore(file).open(write);
    const rows = await archive.scan("/root", null, 10);
    expect(rows.filter((row) => "aside" in row)).toEqual([
      { path: "/root/a", aside: "checksum" },
      { path: "/root/d", aside: "checksum" },
    ]);
    const asked = archive.messages({ path: "/root/a/b", location: "agents/a/b", intent: "history" });
    expect(await codeOf(asked)).toEqual(["conversation_corrupt", "/root/a/b"]);
    await archive.close();
    within(stored(1), "SELECT 1");
    const session = stored(1);
    within(session, "UPDATE meta SET session = '[9,\"0000000000000000\"]'");
    const damaged = await sqliteStore(session).open(write);
    expect(await codeOf(damaged.head())).toEqual(["session_invalid", "session"]);
  });

  it("is not touched while its owner lives", async () => {
    const file = stored(1);
    const lock = `${file}-owner-1`;
    writeFileSync(lock, "");
    const db = openDatabase(lock, "rw");
    db.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    expect(await codeOf(sqliteStore(file).open(write))).toEqual(["owned_elsewhere", "the old one"]);
    expect(formatOf(file)).toBe(1);
    db.close();
    await (await sqliteStore(file).open(write)).close();
    expect(formatOf(file)).toBe(formatVersion);
  });
});
