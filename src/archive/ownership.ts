/**
 * Who may write. The epoch in the archive is the truth; beside it lies a lock file for that epoch, a SQLite file held in an
 * exclusive transaction, that only says whether its owner lives: it dies with the process, also by SIGKILL, and not by
 * SIGSTOP. A lock for each epoch, so that after a takeover the new owner holds one that is its own, and whoever comes third
 * asks the lock of the epoch that the archive names.
 *
 * Nobody here opens archive or lock but through SQLite: closing any other descriptor would drop the locks (POSIX).
 */
import { closeSync, existsSync, lstatSync, openSync, readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fault } from "../errors.ts";
import { type Database, openDatabase, textOf } from "./binding.ts";
import { ownerSum } from "./codec.ts";
import { resultCode } from "./faults.ts";
import { isOlder, migrate, versionOf } from "./migrate.ts";
import { type Meta, readMeta } from "./sqlite-read.ts";

const busy = 5;
const cantOpen = 14;

export interface Owner {
  readonly epoch: number;
  /** Ends in order: the lock's file goes, too. */
  release(): void;
  /** As if the process had died. */
  drop(): void;
}

function lockOf(file: string, epoch: number): string {
  return `${file}-owner-${epoch}`;
}

/** Made for its owner alone, unless it is there. */
export function createFile(file: string): void {
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}

/** A lock that is a link would be somebody else's file. */
function requireOwn(lock: string): void {
  if (lstatSync(lock, { throwIfNoEntry: false })?.isFile() === false)
    throw fault("archive_malformed", "archive", new Error(`${lock} is no file of its own: remove it`));
}

/** Whether the owner of this epoch is a process that is there. Asks for a shared lock, which hinders nobody's taking. */
function lives(file: string, epoch: number): boolean {
  const lock = lockOf(file, epoch);
  if (!existsSync(lock)) return false;
  requireOwn(lock);
  let db: Database | null = null;
  try {
    db = openDatabase(lock, "rw");
    db.exec("SELECT count(*) FROM sqlite_master");
    return false;
  } catch (error) {
    const code = resultCode(error);
    // It went while we looked: its owner has closed.
    if (code === cantOpen) return false;
    if (code === busy) return true;
    throw error;
  } finally {
    db?.close();
  }
}

/** The lock of an epoch, or null where another has it. */
function acquire(file: string, epoch: number): Owner | null {
  const lock = lockOf(file, epoch);
  createFile(lock);
  requireOwn(lock);
  let db: Database | null = null;
  try {
    const held = openDatabase(lock, "rw");
    db = held;
    // Nothing is ever written into it, so it needs no journal beside it.
    held.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    const drop = () => {
      held.exec("ROLLBACK");
      held.close();
    };
    return {
      epoch,
      drop,
      release: () => {
        rmSync(lock, { force: true });
        drop();
      },
    };
  } catch (error) {
    db?.close();
    const code = resultCode(error);
    if (code === busy || code === cantOpen) return null;
    throw error;
  }
}

/** Whatever its own row says: a living owner holds one of the locks beside it. The fault `owned_elsewhere` where one does. */
export function requireUnowned(file: string): void {
  const prefix = `${basename(file)}-owner-`;
  for (const name of readdirSync(dirname(file))) {
    const epoch = name.startsWith(prefix) ? Number(name.slice(prefix.length)) : Number.NaN;
    if (Number.isSafeInteger(epoch) && lives(file, epoch)) throw fault("owned_elsewhere", "a session that is running");
  }
}

/** Locks of epochs gone by: left by owners that died. Of a living one that was taken over the file goes, not the lock. */
function sweep(file: string, epoch: number): void {
  const prefix = `${basename(file)}-owner-`;
  for (const name of readdirSync(dirname(file))) {
    const rest = name.startsWith(prefix) ? name.slice(prefix.length) : "";
    const [digits] = /^\d+/.exec(rest) ?? [];
    if (digits !== undefined && Number(digits) < epoch) rmSync(join(dirname(file), name), { force: true });
  }
}

/** Of an archive of whichever format. */
function readOwner(db: Database): { readonly epoch: number; readonly owner: string } {
  if (!isOlder(versionOf(db))) return readMeta(db);
  const found = db.get("SELECT epoch, CAST(owner AS BLOB) AS owner FROM meta");
  return { epoch: Number(found?.["epoch"] ?? 0), owner: textOf(found?.["owner"]) };
}
export function setOwner(db: Database, { epoch, owner, log }: Omit<Meta, "session">): void {
  db.run("UPDATE meta SET epoch = ?, owner = ?, log = ?, owned = ?", epoch, owner, log, ownerSum(epoch, owner, log));
}

/** Tries before another opening, which is always about to be done, is called busy. */
const tries = 3;

/**
 * Takes the archive over from an owner that is gone, or with `takeover` from one that lives: `owned_elsewhere` at its
 * label. The new epoch is written by itself and first; `busy` where the owner was stopped inside a write.
 */
export function takeOwnership(file: string, db: Database, label: string, takeover: boolean): Owner {
  for (let attempt = 0; attempt < tries; attempt++) {
    const { epoch, owner } = readOwner(db);
    if (!takeover && lives(file, epoch)) throw fault("owned_elsewhere", owner);
    // Held before the epoch is written: an epoch in the archive has a lock, or an owner that is gone.
    const taken = acquire(file, epoch + 1);
    if (taken === null) continue;
    try {
      db.exec("PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE");
      const isUnchanged = readOwner(db).epoch === epoch;
      if (isUnchanged) {
        migrate(db);
        setOwner(db, { epoch: epoch + 1, owner: label, log: readMeta(db).log });
      }
      db.exec("COMMIT; PRAGMA foreign_keys = ON");
      if (isUnchanged) {
        sweep(file, epoch + 1);
        return taken;
      }
    } catch (error) {
      rollBack(db);
      taken.release();
      throw error;
    }
    taken.release();
  }
  throw fault("busy", "archive", new Error("others are opening the archive"));
}

/** Ends a transaction that failed; SQLite may have ended it by itself. */
export function rollBack(db: Database): void {
  try {
    db.exec("ROLLBACK");
  } catch {
    // Nothing was open: that is what was wanted.
  }
}
