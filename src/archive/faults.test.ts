// What SQLite says when it fails, as the codes of the contract; the next commit works.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { fault, RollcallError } from "../errors.ts";
import { type Database, openDatabase, takesUris } from "./binding.ts";
import { resultCode, translated, translatedRead } from "./faults.ts";
import { createFile } from "./ownership.ts";
import { commit, mail, published } from "./samples.ts";
import { sqliteStore } from "./sqlite.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
function file(): string {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-"));
  folders.push(folder);
  return join(folder, "run.rollcall");
}
function thrownBy(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error("nothing thrown");
}
function database(): Database {
  const name = file();
  createFile(name);
  return openDatabase(name, "rw");
}

describe("what SQLite says", () => {
  it("is disk_full when there is no room, and the next write works when there is", () => {
    const db = database();
    db.exec("CREATE TABLE t (a); PRAGMA max_page_count = 3");
    const error = thrownBy(() => db.run("INSERT INTO t VALUES (?)", "x".repeat(50_000)));
    expect(translated(error)).toMatchObject({ kind: "fault", code: "disk_full", at: "archive", cause: error });
    expect(db.run("INSERT INTO t VALUES (?)", "x")).toBe(1);
  });

  it("is read_only_file, busy, archive_malformed, io_failed or not_written", () => {
    const name = file();
    createFile(name);
    const one = openDatabase(name, "rw");
    one.exec("CREATE TABLE t (a UNIQUE)");
    const codeOf = (act: () => unknown) => translated(thrownBy(act)).code;
    expect(codeOf(() => openDatabase(name, "ro").exec("INSERT INTO t VALUES (1)"))).toBe("read_only_file");
    one.exec("BEGIN IMMEDIATE");
    expect(codeOf(() => openDatabase(name, "rw").exec("BEGIN IMMEDIATE"))).toBe("busy");
    one.exec("INSERT INTO t VALUES (1)");
    expect(codeOf(() => one.exec("INSERT INTO t VALUES (1)"))).toBe("not_written");
    expect(codeOf(() => openDatabase(join(name, "none"), "rw"))).toBe("io_failed");
    expect(codeOf(() => openDatabase(join(name, ".."), "rw").exec("SELECT * FROM sqlite_master"))).toBe("io_failed");
    expect(translatedRead(thrownBy(() => one.exec("SELECT * FROM none"))).code).toBe("io_failed");
  });

  it("is understood in the words of either binding, and of the operating system", () => {
    const error = (more: object) => Object.assign(new Error("x"), more);
    expect(translated(error({ code: "ERR_SQLITE_ERROR", errcode: 2826 })).code).toBe("io_failed");
    expect(translated(error({ code: "SQLITE_CORRUPT", rawCode: 11 })).code).toBe("archive_malformed");
    expect(translated(error({ code: "SQLITE_NOTADB", rawCode: 26 })).code).toBe("archive_malformed");
    expect(translated(error({ code: "ENOSPC" })).code).toBe("disk_full");
    expect(translated(error({ code: "EACCES" })).code).toBe("read_only_file");
    expect(translated("a string").code).toBe("not_written");
    expect(resultCode(new Error('ConnectionFailed("Unable to open connection to local database x: 14")'))).toBe(14);
    expect(resultCode(new Error("there is no agent 7"))).toBeNull();
    const known = fault("owned_elsewhere", "w1");
    expect(translated(known)).toBe(known);
  });
});

describe("a commit that meets another's write", () => {
  it("is busy, writes nothing, and works when it is tried again", async () => {
    const name = file();
    const archive = await sqliteStore(name, { durability: "off" }).open({
      ...{ mode: "write", owner: "w1", takeover: false, create: { capacity: 3 } },
    });
    await archive.commit(published("/root/a"));
    const other = openDatabase(name, "rw");
    other.exec("BEGIN IMMEDIATE");
    const given = commit({ mailAdded: [mail("/root/a", 1)] });
    const error = await archive.commit(given).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RollcallError);
    expect(error).toMatchObject({ code: "busy", at: "archive" });
    expect(await archive.rows(["/root/a"])).toMatchObject([{ record: { mail: [] } }]);
    other.exec("ROLLBACK");
    await archive.commit(given);
    expect(await archive.rows(["/root/a"])).toMatchObject([{ record: { mail: [{ seq: 1 }] } }]);
  });
});

describe("the SQLite of the runtime", () => {
  it("is taken where it opens files by URI, and not before", () => {
    for (const version of ["24.0.0", "23.10.0", "22.15.0", "22.22.1", "30.1.2"])
      expect([version, takesUris(version)]).toEqual([version, true]);
    for (const version of ["23.9.9", "22.14.0", "22.13.0", "20.20.2"])
      expect([version, takesUris(version)]).toEqual([version, false]);
  });
});
