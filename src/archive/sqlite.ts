/**
 * An archive in one SQLite file, `*.rollcall` by custom: survives the process, and power loss with full durability. Its
 * calls are done when they return; they are promises because the interface is.
 */
import { fault, type RollcallError } from "../errors.ts";
import type { Archive, Commit, OpenRequest, Store } from "./archive.ts";
import { type Database, requireSqlite } from "./binding.ts";
import { type Encoded, encoded, isEmpty } from "./encoded.ts";
import { resultCode, translated, translatedRead } from "./faults.ts";
import { markLog, unmarkLog } from "./log-mark.ts";
import { type Owner, rollBack, setOwner, takeOwnership } from "./ownership.ts";
import {
  type Durability,
  openForReading,
  openForWriting,
  realFile,
  translatedOpening,
  waiting,
  walSize,
  withoutSync,
} from "./sqlite-file.ts";
import { head, messages, nothingKnown, readMeta, refuseLost, rowsAt, scan } from "./sqlite-read.ts";
import { write } from "./sqlite-write.ts";

/** The log is written back into the file when it has grown by so much, in bytes. */
const logBytesMax = 4 * 1024 * 1024;
const pageBytes = 4_096;

/** `full` unless told. */
export interface SqliteOptions {
  readonly durability?: Durability;
}

function guarded<Value>(translate: (error: unknown) => RollcallError, act: () => Value): Value {
  try {
    return act();
  } catch (error) {
    throw translate(error);
  }
}

/** The log cut to nothing by whoever may write, unless a reader needs it; nobody is waited for. Answers whether that went well. */
function checkpoint(db: Database, isOwner: () => boolean): boolean {
  try {
    db.exec("PRAGMA busy_timeout = 0");
    if (isOwner()) db.get("PRAGMA wal_checkpoint(TRUNCATE)");
    return true;
  } catch {
    // What was committed is in the log; the next checkpoint takes it along.
    return false;
  } finally {
    db.exec(waiting);
  }
}

/** What SQLite says of a file that it cannot read: IOERR, CORRUPT, NOTADB. */
const unreadable: readonly number[] = [10, 11, 26];

/**
 * `isOwner` is asked after each read: what was read before it was lost is all one's own, and none of what comes after is. Told of
 * each error that SQLite has.
 */
function reading(
  db: Database,
  isOpen: () => boolean,
  isOwner: () => boolean,
  failed: (error: unknown) => void,
): Pick<Archive, "head" | "rows" | "scan" | "messages"> {
  const known = nothingKnown();
  const read = <Value>(act: (from: Database) => Value): Value => {
    if (!isOpen()) throw fault("io_failed", "archive", new Error("the handle is closed"));
    const mine = <Outcome>(outcome: Outcome): Outcome => {
      if (!isOwner()) throw fault("ownership_lost", "archive"); // L40
      return outcome;
    };
    return guarded(translatedRead, () => {
      try {
        return mine(act(db));
      } catch (error) {
        failed(error);
        // A fault of the read itself is no news where what was read is another session's.
        throw mine(error);
      }
    });
  };
  return {
    head: async () => read((from) => head(from, known)),
    rows: async (paths) => read((from) => rowsAt(from, known, paths)),
    scan: async (prefix, after, count, lost = refuseLost) =>
      read((from) => scan(from, known, { prefix, after, count }, lost)),
    messages: async (request) => read((from) => messages(from, request)),
  };
}

/** More than the rows of a commit take in the log, for when the log began anew and its size does not tell. */
function bytesAtMost({ agents, mail, commit }: Encoded): number {
  const rows = agents.length + mail.length + commit.mailRemoved.length + commit.messages.length + 1;
  const texts = [agents, mail, commit.messages].map((each) => JSON.stringify(each).length);
  return 4 * rows * pageBytes + 2 * texts.reduce((sum, each) => sum + each, 0);
}

function writer(file: string, db: Database, owner: Owner, marks: boolean): Archive {
  const written = new Set<string>();
  let isOpen = true;
  let bytes = 0;
  let logBytes = walSize(file);
  let checkpointAt = logBytesMax;
  /** Whether what is in the log would be missed. */
  let isMarked = false;
  /**
   * Whether reads and writes go well. Once one did not, the log stays as it is for the next opening: libsql, failing twice to read what
   * it writes back, writes whatever lies in its memory.
   */
  let isWell = true;
  const failed = (error: unknown) => {
    if (unreadable.includes(resultCode(error) ?? 0)) isWell = false;
  };

  const isOwner = () => Number(db.get("SELECT epoch FROM meta")?.["epoch"]) === owner.epoch;
  const transact = (given: Encoded) => {
    let isEnding = false;
    try {
      db.exec("BEGIN IMMEDIATE");
      if (!isOwner()) throw fault("ownership_lost", "archive"); // L40
      const added = write(db, written, given);
      // Of what changes nothing there is nothing that could be missed, and nothing to sync.
      const log = marks && !isMarked && !isEmpty(given) ? numberLog(db) : 0;
      isEnding = true;
      db.exec("COMMIT");
      for (const hash of added) written.add(hash);
      if (log === 0) return;
      markLog(file, log);
      isMarked = true;
    } catch (error) {
      failed(error);
      rollBack(db);
      if (isEnding) undo(db);
      throw error;
    }
  };
  const cut = () => {
    if (isWell) isWell = checkpoint(db, isOwner);
    if (walSize(file) > 0) return;
    if (isMarked) unmarkLog(file);
    isMarked = false;
  };
  /** After the commit, which is written whatever happens here. */
  const count = (given: Encoded) => {
    const grown = walSize(file) - logBytes;
    bytes += grown > 0 ? grown : bytesAtMost(given);
    logBytes += grown;
    if (logBytes < checkpointAt) return;
    cut();
    bytes += logBytes;
    logBytes = walSize(file);
    checkpointAt = logBytes + logBytesMax;
  };
  const end = (letGo: () => void) => {
    if (!isOpen) return;
    isOpen = false;
    try {
      db.close();
    } finally {
      letGo();
    }
  };
  return {
    mode: "write",
    epoch: owner.epoch,
    ...reading(db, () => isOpen, isOwner, failed),
    commit: async (commit: Commit) => {
      if (!isOpen) throw fault("ownership_lost", "archive", new Error("the handle is closed"));
      const given = encoded(commit);
      guarded(translated, () => transact(given));
      if (!isEmpty(given)) count(given);
    },
    bytesWritten: () => bytes,
    close: async () => {
      if (isOpen) cut();
      end(owner.release);
    },
    abandon: () => end(owner.drop),
  };
}

const nobody = "0".repeat(64);
/**
 * A commit whose sync failed lies whole in the log, past what counts: the next one is written over it, but a crash before that
 * would bring it back, though it was said not to be written. So something is written over it at once, and changes nothing. Where
 * the disk fails that as well, it is the next commit's.
 */
function undo(db: Database): void {
  try {
    db.exec(
      `BEGIN IMMEDIATE; INSERT INTO config (hash, text) VALUES ('${nobody}', ''); DELETE FROM config WHERE hash = '${nobody}'; COMMIT`,
    );
  } catch {
    rollBack(db);
  }
}

/** The next log has the next number. */
function numberLog(db: Database): number {
  const { epoch, owner, log } = readMeta(db);
  setOwner(db, { epoch, owner, log: log + 1 });
  return log + 1;
}

function reader(db: Database): Archive {
  let isOpen = true;
  const end = () => {
    if (!isOpen) return;
    isOpen = false;
    rollBack(db);
    db.close();
  };
  return {
    mode: "read",
    epoch: 0,
    ...reading(
      db,
      () => isOpen,
      () => true,
      () => {},
    ),
    commit: async () => {
      throw fault("read_only_file", "archive", new Error("the archive was opened for reading"));
    },
    bytesWritten: () => 0,
    close: async () => end(),
    abandon: end,
  };
}

function open(name: string, durability: Durability, request: OpenRequest): Archive {
  const file = realFile(name);
  if (request.mode === "read") return reader(openForReading(file));
  const db = openForWriting(file, durability, request.create);
  try {
    const label = request.owner.toWellFormed();
    return writer(
      file,
      db,
      withoutSync(db, durability, () => takeOwnership(file, db, label, request.takeover)),
      // With less than full the log may be lost with the power, which is no damage.
      durability === "full",
    );
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * The archive in a file; opening it may make it. Whatever a call has acknowledged is there, whole and once, after any crash of the
 * process and any loss of power, as long as the disk keeps what it was told to sync; what was not acknowledged, whole or not at all.
 * With `normal` a power loss leaves a consistent prefix, with `off` anything.
 */
export function sqliteStore(file: string, { durability = "full" }: SqliteOptions = {}): Store {
  return {
    open: async (request) => {
      requireSqlite();
      return guarded(translatedOpening, () => open(file, durability, request));
    },
  };
}
