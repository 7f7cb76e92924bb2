/**
 * Everything undamaged in a damaged archive, written to a new one, and what is missing. Rows are taken from the pages themselves,
 * whatever is left of the trees above them; each vouches for itself. The old archive is only read.
 */
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Path } from "../contract.ts";
import { fault } from "../errors.ts";
import { ancestorsOf, isPath, parentOf, rootPath } from "../paths.ts";
import type { Commit, Mail, Message, StoredRecord } from "./archive.ts";
import { openDatabase } from "./binding.ts";
import {
  decodeConfig,
  decodeConversation,
  decodeMailbox,
  decodeMessage,
  decodeRow,
  decodeSession,
  decodeTally,
} from "./codec.ts";
import { requireUnowned } from "./ownership.ts";
import { rowsInPages } from "./pages.ts";
import { sqliteStore } from "./sqlite.ts";
import { realFile } from "./sqlite-file.ts";
import { cellsOfText, rootLocation } from "./sqlite-read.ts";

export interface Salvaged {
  readonly records: number;
  readonly mails: number;
  readonly messages: number;
  /** What is known to be missing, and where, in words. */
  readonly missing: readonly string[];
}

/** Rows by what they are, as far as they are whole. */
interface Pile {
  readonly agents: Map<Path, readonly unknown[][]>;
  readonly results: Map<Path, unknown[][]>;
  readonly mail: Map<number, Mail>;
  readonly configs: Map<string, string>;
  /** By location. */
  readonly conversations: Map<string, { readonly number: number; readonly count: number }>;
  readonly messages: Map<number, unknown[][]>;
  /** How many there are to be, by kind and owner. */
  readonly tallies: Map<string, number>;
  session: { readonly capacity: number; readonly agents: number } | null;
}

/**
 * Faults: `owned_elsewhere` where somebody lives who writes to it, `archive_missing`, `not_written` where the new one exists.
 * Whatever else is wrong with the old one is what it is for.
 */
export async function salvageArchive(from: string, to: string): Promise<Salvaged> {
  const file = realFile(from);
  if (!existsSync(file) || !statSync(file).isFile()) throw fault("archive_missing", "archive");
  if (existsSync(realFile(to))) throw fault("not_written", to, new Error("there is a file already"));
  requireUnowned(file);
  return await written(sorted(bytesOf(file)), to);
}

/** With its log written back into it, on a copy. */
function bytesOf(file: string): Buffer {
  const hasLog = existsSync(`${file}-wal`) && statSync(`${file}-wal`).size > 0;
  if (!hasLog) return readFileSync(file);
  const folder = mkdtempSync(join(tmpdir(), "rollcall-salvage-"));
  try {
    const copy = join(folder, "copy");
    for (const end of ["", "-wal"]) copyFileSync(`${file}${end}`, `${copy}${end}`);
    try {
      const db = openDatabase(copy, "rw");
      try {
        db.get("PRAGMA wal_checkpoint(TRUNCATE)");
      } finally {
        db.close();
      }
    } catch {
      // Its pages are too damaged for that: what is in the file itself is taken.
    }
    return readFileSync(copy);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function sorted(bytes: Buffer): Pile {
  const pile: Pile = {
    ...{ agents: new Map(), results: new Map(), mail: new Map(), configs: new Map() },
    ...{ conversations: new Map(), messages: new Map(), tallies: new Map(), session: null },
  };
  for (const { rowid, values } of rowsInPages(bytes)) sort(pile, rowid, values);
  return pile;
}
function sort(pile: Pile, rowid: number | null, values: readonly unknown[]): void {
  const [first, second] = values;
  const push = <Key>(to: Map<Key, unknown[][]>, key: Key) => to.set(key, [...(to.get(key) ?? []), [...values]]);
  if (values.length === 10 && typeof first === "string") {
    const agent = values.with(1, second ?? rootPath);
    pile.agents.set(first, [...(pile.agents.get(first) ?? []), [...agent]]);
  } else if (values.length === 9 && rowid !== null) {
    const cells = [rowid, second ?? rootPath, ...values.slice(2)];
    const [mail] = decodeMailbox(String(cells[1]), [cells]) ?? [];
    if (mail !== undefined) pile.mail.set(rowid, mail);
  } else if (values.length === 8 && typeof first === "string") push(pile.results, first);
  else if (values.length === 8 && typeof first === "number") push(pile.messages, first);
  else if (values.length === 6 && typeof second === "string" && rowid !== null) {
    const found = decodeConversation([rowid, ...values.slice(1)]);
    if (found !== null) pile.conversations.set(found.location, found);
  } else if (values.length === 6) pile.session ??= decodeSession(cellsOfText(String(values[5])));
  else if (values.length === 5) {
    const tally = decodeTally(values);
    if (tally !== null) pile.tallies.set(`${second} ${first}`, tally.count);
  } else if (values.length === 2 && typeof first === "string" && typeof second === "string")
    if (decodeConfig(first, second) !== null) pile.configs.set(first, second);
}

// ── Putting together ─────────────────────────────────────────────────────────────────────────────────────────────

function recordAt(pile: Pile, path: Path): StoredRecord | null {
  for (const agent of pile.agents.get(path) ?? []) {
    const hash = String(agent[4]);
    const config = decodeConfig(hash, pile.configs.get(hash) ?? null);
    const results = pile.results.get(path) ?? [];
    // A row whose place a later one has taken, or a copy of one: only what it vouches for itself is its own.
    const row = decodeRow(path, { agent, results, mail: [], config, messages: 0 });
    if ("record" in row) return row.record;
  }
  return null;
}
/** Those of a conversation that are whole, in order; by whose location they vouch for, should its row be gone. */
function messagesAt(pile: Pile, location: string): readonly Message[] {
  const number = pile.conversations.get(location)?.number;
  const lists = number === undefined ? [...pile.messages.values()] : [pile.messages.get(number) ?? []];
  const found = new Map<number, Message>();
  for (const [, ...cells] of lists.flat()) {
    const message = decodeMessage(location, cells);
    if (message !== null) found.set(Number(cells[0]), message);
  }
  return [...found].sort(([one], [other]) => one - other).map(([, message]) => message);
}
/** Keeps the address of a parent that is lost, so that those below it can be kept. */
function standIn(path: Path, child: StoredRecord): StoredRecord {
  const location = `agents/stand-in/${path.slice(rootPath.length + 1)}`;
  const nothing = { result: null, undo: null, owed: [], mail: [], turns: 0, messages: 0, activity: "idle" } as const;
  return {
    ...nothing,
    id: `stand-in for ${path}`,
    path,
    parent: parentOf(path),
    role: "lost",
    config: child.config,
    location,
  };
}

async function written(pile: Pile, to: string): Promise<Salvaged> {
  const missing: string[] = [];
  const records = new Map<Path, StoredRecord>();
  for (const path of [...pile.agents.keys()].filter(isPath)) {
    const record = recordAt(pile, path);
    if (record === null) missing.push(`${path}: its record is damaged`);
    else records.set(path, record);
  }
  const salvaged = records.size;
  for (const record of [...records.values()])
    for (const path of ancestorsOf(record.path)) {
      if (records.has(path)) continue;
      records.set(path, standIn(path, record));
      missing.push(`${path}: its record is lost; one without a past stands in for it, for the sake of those below`);
    }
  if (pile.session === null) missing.push("the session's own data: the capacity is 3 again");
  else if (pile.session.agents > salvaged)
    missing.push(`${pile.session.agents - salvaged} of ${pile.session.agents} records`);
  const store = sqliteStore(to);
  const archive = await store.open({
    ...{ mode: "write", owner: "rollcall salvage", takeover: false },
    create: { capacity: pile.session?.capacity ?? 3 },
  });
  const counts = { mails: 0, messages: 0 };
  try {
    for (const path of [rootPath, ...[...records.keys()].sort()]) {
      const record = records.get(path) ?? null;
      const location = record?.location ?? rootLocation;
      const append = messagesAt(pile, location);
      const mailAdded = [...pile.mail.values()]
        .filter((each) => each.to === path)
        .sort((one, other) => one.seq - other.seq);
      const [mails, messages] = [pile.tallies.get(`mail ${path}`), pile.conversations.get(location)?.count];
      if (mails !== undefined && mails !== mailAdded.length)
        missing.push(`${path}: ${mails - mailAdded.length} of ${mails} mails`);
      if (messages === undefined && record !== null)
        missing.push(`${path}: how long its conversation was; ${append.length} messages are left`);
      else if (messages !== undefined && messages !== append.length)
        missing.push(`${path}: ${messages - append.length} of ${messages} messages`);
      const commit: Commit = {
        ...{
          records: record === null ? [] : [record],
          mailAdded,
          mailRemoved: [],
          compact: null,
          capacity: null,
          tag: null,
        },
        messages: [{ path, location, append }],
      };
      await archive.commit(commit);
      counts.mails += mailAdded.length;
      counts.messages += append.length;
    }
    for (const { to: owner } of pile.mail.values())
      if (owner !== rootPath && !records.has(owner)) missing.push(`${owner}: a mail whose owner is lost`);
  } finally {
    await archive.close();
  }
  return { records: salvaged, ...counts, missing };
}
