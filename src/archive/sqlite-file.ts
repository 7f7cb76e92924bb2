/**
 * The file of an archive: found under whichever spelling, told from everything that is none before anything is written
 * beside it, made anew, connected to.
 */
import { existsSync, lstatSync, realpathSync, statfsSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { FaultCode } from "../contract.ts";
import { fault, type RollcallError } from "../errors.ts";
import { type Database, openDatabase } from "./binding.ts";
import { ownerSum } from "./codec.ts";
import { encodedSession } from "./encoded.ts";
import { resultCode, translatedRead } from "./faults.ts";
import { markedLog } from "./log-mark.ts";
import { isOlder, versionOf } from "./migrate.ts";
import { createFile, rollBack } from "./ownership.ts";
import { applicationId, formatVersion, schema } from "./schema.ts";
import { readMeta, rootLocation } from "./sqlite-read.ts";
import { addConversation } from "./sqlite-write.ts";

/** `full`: what was acknowledged survives power loss. `normal`: a consistent prefix does. `off`: a crash of the process. */
export type Durability = "full" | "normal" | "off";

/** How long a write waits for another one to end, in ms, before it is `busy`. */
const busyMs = 1_000;
export const waiting: string = `PRAGMA busy_timeout = ${busyMs}`;
/** A file may be anybody's: cells are looked at before they are followed, and a schema calls no functions. */
const wary = "PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF;";
const genericError = 1;
const readOnly = 8;
const corrupt = 11;
const cantOpen = 14;

function at(code: FaultCode, why: string): RollcallError {
  return fault(code, "archive", new Error(why));
}

/** One archive has one name: links resolved, so that the files beside it are found by everybody. */
export function realFile(file: string): string {
  const full = resolve(file);
  if (existsSync(full)) return realpathSync(full);
  if (!existsSync(dirname(full))) throw at("archive_missing", `there is no folder ${dirname(full)}`);
  return join(realpathSync(dirname(full)), basename(full));
}

/** By what statfs says, those on which a log cannot be shared, or locks are not what they are on a local disk. */
const networks: { readonly [type: number]: string } = {
  26985: "nfs",
  20859: "smb",
  4266872130: "smb2",
  4283649346: "cifs",
  1397113167: "afs",
  12805120: "ceph",
  198183888: "lustre",
};
/** Its name, or `null` for whatever is not known to be one. */
export function networkOf(type: number): string | null {
  return networks[type] ?? null;
}
function requireLocal(folder: string): void {
  const name = networkOf(statfsSync(folder).type);
  if (name !== null)
    throw at(
      "io_failed",
      `${folder} is on a network file system (${name}), where no log can be shared: use a local disk`,
    );
}

/** What SQLite and the ownership keep beside the archive has to be its own: nothing is read or written through a link. */
function requireOwn(file: string): void {
  for (const end of ["-wal", "-shm", "-journal", "-log"]) {
    const found = lstatSync(`${file}${end}`, { throwIfNoEntry: false });
    if (found === undefined) continue;
    if (!found.isFile() || found.nlink > 1)
      throw at("archive_malformed", `${file}${end} is no file of its own but a link, or none: remove it`);
  }
}

/** Of the log, in bytes; none where it cannot be seen. */
export function walSize(file: string): number {
  try {
    return statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  } catch {
    return 0;
  }
}

type Kind = "archive" | "blank";
function kindOf(db: Database): Kind {
  const id = Number(db.get("PRAGMA application_id")?.["application_id"]);
  const version = Number(db.get("PRAGMA user_version")?.["user_version"]);
  const tables = Number(db.get("SELECT count(*) AS count FROM sqlite_master")?.["count"]);
  if (id === 0 && version === 0 && tables === 0) return "blank";
  if (id !== applicationId) throw at("archive_malformed", "this is the database of another program");
  if (version !== formatVersion && !isOlder(version))
    throw at("archive_version", `its format is ${version}, this version reads up to ${formatVersion}`);
  return "archive";
}

/** Where the log that was committed into is not there any more, the archive is an old one, and nothing else says so. */
function requireLog(marked: number, db: Database): void {
  if (readMeta(db).log < marked) throw at("archive_malformed", "its log is gone: what was committed last is missing");
}

/** In bytes, as its head has it: SQLite itself takes the missing end of a last page for zeros. */
function wholeSize(db: Database): number {
  const [pages, bytes] = ["page_count", "page_size"].map((each) => Number(db.get(`PRAGMA ${each}`)?.[each]));
  return (pages ?? 0) * (bytes ?? 0);
}

/** Looks at the file without leaving anything beside it; SQLite creates files as soon as a database is read in earnest. */
export function look(file: string): Kind {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) throw at("archive_missing", `there is no file ${file}`);
  if (found.isDirectory()) throw at("archive_malformed", `${file} is a folder`);
  if (!found.isFile()) throw at("archive_malformed", `${file} is no regular file`);
  // The files beside it are named after one of its names: under another one it would be a second archive.
  if (found.nlink > 1)
    throw at(
      "archive_malformed",
      `${file} has ${found.nlink} names (hard links): keep one, or make a copy with copyArchive`,
    );
  requireOwn(file);
  // Blank is what a making that was cut off leaves: nothing, or a journal that takes everything back.
  if (found.size === 0 || existsSync(`${file}-journal`)) return "blank";
  const db = openDatabase(file, "immutable");
  try {
    // SQLite takes a file that is too short for one for an empty database.
    if (kindOf(db) === "blank") throw at("archive_malformed", `${file} is no archive`);
    if (walSize(file) === 0 && found.size < wholeSize(db)) throw at("archive_malformed", "its end is missing");
    return "archive";
  } catch (error) {
    // A checkpoint under way looks like damage to one who does not ask for locks: the real opening decides.
    if (resultCode(error) === corrupt && walSize(file) > 0) return "archive";
    throw error;
  } finally {
    db.close();
  }
}

/** A fault while opening: tables that are not as they should be are damage, whatever SQLite calls it. */
export function translatedOpening(error: unknown): RollcallError {
  return resultCode(error) === genericError ? fault("archive_malformed", "archive", error) : translatedRead(error);
}

function connect(file: string, durability: Durability): Database {
  const db = openDatabase(file, "rw");
  try {
    // Again at every opening: an archive in WAL may come back with less.
    db.exec(`${waiting}; PRAGMA foreign_keys = ON; PRAGMA synchronous = ${durability}; ${wary}`);
    // What is deleted is wiped where its page is written anyway: no row of old comes back from a page that is damaged.
    db.exec("PRAGMA secure_delete = FAST");
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * Writes without waiting for the disk: for the epoch alone, which the first commit after it takes to the disk, since the log
 * is one file. Power lost before that ends every process that could have seen it, so that its number is free again.
 */
export function withoutSync<Value>(db: Database, durability: Durability, act: () => Value): Value {
  db.exec("PRAGMA synchronous = off");
  try {
    return act();
  } finally {
    db.exec(`PRAGMA synchronous = ${durability}`);
  }
}

/** In one transaction and before WAL, so that an archive in the making is blank or whole, and its own file says what it is. */
function create(db: Database, capacity: number): void {
  const session = JSON.stringify(encodedSession({ capacity, agents: 0, seq: 0 }));
  try {
    db.exec("BEGIN IMMEDIATE");
    if (kindOf(db) === "blank") {
      db.exec(schema);
      const owned = ownerSum(0, "", 0);
      db.run("INSERT INTO meta (one, epoch, owner, log, owned, session) VALUES (1, 0, '', 0, ?, ?)", owned, session);
      addConversation(db, rootLocation);
    }
    db.exec("COMMIT");
  } catch (error) {
    rollBack(db);
    throw error;
  }
}

function isWal(db: Database): boolean {
  return db.get("PRAGMA journal_mode = WAL")?.["journal_mode"] === "wal";
}

/** A connection for writing, to an archive that is there or, told how, is made. */
export function openForWriting(
  file: string,
  durability: Durability,
  fresh: { readonly capacity: number } | null,
): Database {
  requireLocal(dirname(file));
  const isThere = existsSync(file);
  if (!isThere) requireOwn(file);
  const kind = isThere ? look(file) : "blank";
  if (kind === "blank" && fresh === null)
    throw isThere ? at("archive_malformed", `${file} is empty`) : at("archive_missing", `there is no file ${file}`);
  if (!isThere) createFile(file);
  const marked = markedLog(file);
  const db = connect(file, durability);
  try {
    if (kind === "blank" && fresh !== null) create(db, fresh.capacity);
    if (!isWal(db)) throw at("io_failed", "the file system cannot share memory between processes (is it a network's?)");
    // Done by the handle, which counts what it writes.
    db.exec("PRAGMA wal_autocheckpoint = 0");
    if (!isOlder(versionOf(db))) requireLog(marked, db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** A snapshot: what a writer does meanwhile is not seen. It keeps the writer's log from being cut until it is closed. */
export function openForReading(file: string): Database {
  if (look(file) === "blank") throw at("archive_malformed", `${file} is empty`);
  try {
    return snapshot(file, "ro");
  } catch (error) {
    // In a folder that may not be written to, SQLite cannot share memory with a writer; nor can there be one, but for
    // whoever may write there: the file is then read as it is, if all of it is in the file.
    const isShut = [cantOpen, readOnly].includes(resultCode(error) ?? -1);
    if (!isShut || walSize(file) > 0) throw error;
    return snapshot(file, "immutable");
  }
}
function snapshot(file: string, access: "ro" | "immutable"): Database {
  // Before the archive is looked at: a writer may begin a log meanwhile.
  const marked = markedLog(file);
  const db = openDatabase(file, access);
  try {
    db.exec(`${waiting}; ${wary} BEGIN`);
    if (isOlder(versionOf(db)))
      throw at(
        "archive_version",
        `its format is ${versionOf(db)}: opened for writing once, it becomes ${formatVersion}`,
      );
    requireLog(marked, db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** What SQLite itself finds wrong with a file: pages, indexes, constraints. Reads all of it. */
export function flawsOfFile(file: string): readonly string[] {
  const flawsMax = 20;
  const db = openForReading(realFile(file));
  try {
    const found = db.all(`PRAGMA integrity_check(${flawsMax})`).map((each) => String(each["integrity_check"]));
    return found.filter((each) => each !== "ok");
  } catch (error) {
    throw translatedOpening(error);
  } finally {
    db.close();
  }
}
