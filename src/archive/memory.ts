/**
 * An archive in memory: rows as text on a disk that outlives its handles, so that a crash loses what a crash loses and
 * every restore decodes bytes. For tests, for exploration, and for sessions nobody wants to keep.
 */
import type { ArchiveDamage, Path } from "../contract.ts";
import { fault, type RollcallError } from "../errors.ts";
import { ancestorsOf, rootPath } from "../paths.ts";
import type { Archive, Commit, Head, Message, OpenRequest, ReadRequest, Row, Store } from "./archive.ts";
import {
  type Cells,
  type Configs,
  changedIdentity,
  configAt,
  decodeMailbox,
  decodeMessage,
  decodeRow,
  decodeSession,
  encodeMessage,
  isSameAgent,
} from "./codec.ts";
import { type Encoded, encoded, encodedSession } from "./encoded.ts";
import { isLocation } from "./flaws.ts";

/** Where the root's conversation is kept; the one location that is not below `agents/`. */
const rootLocation = "root";

/** Rows of one conversation, the first of them numbered `first`. */
interface Conversation {
  readonly first: number;
  readonly rows: string[];
}

/** What survives a crash: rows as JSON text of their cells. Changed by the commits of whoever owns it, and by damage. */
export interface MemoryDisk {
  /** Absent: nothing was ever written. The rest is damage. */
  condition: "absent" | "ok" | ArchiveDamage;
  epoch: number;
  /** The owner that lives; null once it closed or died. */
  owner: { readonly label: string; readonly epoch: number } | null;
  session: string;
  seq: number;
  readonly configs: Map<string, string>;
  readonly agents: Map<Path, string>;
  readonly results: Map<Path, readonly string[]>;
  readonly mail: Map<Path, Map<number, string>>;
  readonly conversations: Map<string, Conversation>;
  /** Ids and locations of all records. */
  readonly taken: Set<string>;
  /** Paths in order, as long as none was added. */
  order: readonly Path[] | null;
}

export function memoryDisk(): MemoryDisk {
  return {
    ...{ condition: "absent", epoch: 0, owner: null, session: "null", seq: 0, order: null },
    ...{
      taken: new Set(),
      configs: new Map(),
      agents: new Map(),
      results: new Map(),
      mail: new Map(),
      conversations: new Map(),
    },
  };
}

/** The same rows on a disk of their own, owned by nobody: as if every handle had died. Copies names, not texts. */
export function copyDisk(disk: MemoryDisk): MemoryDisk {
  return {
    ...disk,
    owner: null,
    taken: new Set(disk.taken),
    configs: new Map(disk.configs),
    agents: new Map(disk.agents),
    results: new Map(disk.results),
    mail: new Map([...disk.mail].map(([path, rows]) => [path, new Map(rows)])),
    conversations: new Map([...disk.conversations].map(([at, { first, rows }]) => [at, { first, rows: rows.slice() }])),
  };
}

/** Cells of a row, whatever stands there; no cells where that is no list. */
function cellsOf(row: string): readonly unknown[] {
  try {
    const cells: unknown = JSON.parse(row);
    return Array.isArray(cells) ? cells : [];
  } catch {
    return [];
  }
}

function locationOf({ path, location }: { readonly path: Path; readonly location: string }): string {
  return path === rootPath ? rootLocation : location;
}
function countAt(disk: MemoryDisk, location: unknown): number {
  return typeof location === "string" ? (disk.conversations.get(location)?.rows.length ?? 0) : 0;
}
function mailCells(disk: MemoryDisk, owner: Path): readonly (readonly unknown[])[] {
  return [...(disk.mail.get(owner)?.values() ?? [])].map(cellsOf);
}

function rowAt(disk: MemoryDisk, configs: Configs, path: Path): Row | null {
  const row = disk.agents.get(path);
  if (row === undefined) return null;
  const agent = cellsOf(row);
  const results = (disk.results.get(path) ?? []).map(cellsOf);
  const [, , , , config, , , location] = agent;
  return decodeRow(path, {
    ...{ agent, results, mail: mailCells(disk, path) },
    config: configAt(configs, config, (hash) => disk.configs.get(hash) ?? null),
    messages: countAt(disk, location),
    // Nothing is lost from a map: sets are counted where pages can go missing.
  });
}
function rowsAt(disk: MemoryDisk, configs: Configs, paths: readonly Path[]): readonly Row[] {
  return paths.map((path) => rowAt(disk, configs, path)).filter((row) => row !== null);
}
function orderOf(disk: MemoryDisk): readonly Path[] {
  disk.order ??= [...disk.agents.keys()].sort();
  return disk.order;
}

/** Active or owing, or not to be read: whatever is not known to be idle is looked at. */
function isUrgent(row: string): boolean {
  const [, , , , , activity, , , owes] = cellsOf(row);
  return activity !== "idle" || owes !== 0;
}
function head(disk: MemoryDisk, configs: Configs): Head {
  const session = decodeSession(cellsOf(disk.session));
  const rootMail = decodeMailbox(rootPath, mailCells(disk, rootPath));
  if (session === null || rootMail === null) throw fault("session_invalid", "session");
  const urgent = [...disk.agents].filter(([, row]) => isUrgent(row)).map(([path]) => path);
  const paths = [...new Set(urgent.flatMap((path) => [...ancestorsOf(path), path]))].sort();
  return {
    ...{ capacity: session.capacity, rootMail, agents: disk.agents.size, seq: disk.seq },
    rootMessages: countAt(disk, rootLocation),
    urgent: rowsAt(disk, configs, paths),
  };
}

function scan(disk: MemoryDisk, configs: Configs, prefix: Path, after: Path | null, count: number): readonly Row[] {
  const isWithin = (path: Path) => prefix === rootPath || path === prefix || path.startsWith(`${prefix}/`);
  const paths = orderOf(disk).filter((path) => (after === null || path > after) && isWithin(path));
  return rowsAt(disk, configs, paths.slice(0, count));
}

function messages(disk: MemoryDisk, request: ReadRequest): readonly Message[] {
  const { path, last } = request;
  if (path !== rootPath && !isLocation(request.location)) throw fault("location_unsafe", path);
  const conversation = disk.conversations.get(locationOf(request));
  if (conversation === undefined && path === rootPath) return [];
  if (conversation === undefined) throw fault("conversation_missing", path);
  const { rows } = conversation;
  return (last === undefined ? rows : rows.slice(Math.max(0, rows.length - last))).map((row) => {
    const message = decodeMessage(locationOf(request), cellsOf(row));
    if (message === null) throw fault("conversation_corrupt", path);
    return message;
  });
}

function putMail(disk: MemoryDisk, owner: Path, seq: number, row: string): void {
  const box = disk.mail.get(owner) ?? new Map<number, string>();
  disk.mail.set(owner, box.set(seq, row));
  disk.seq = Math.max(disk.seq, seq);
}

function unfit(why: string): RollcallError {
  return fault("not_written", "archive", new Error(why));
}
/** Names that no two records may share. */
function namesOf(agent: Cells): readonly string[] {
  return [`id ${agent[2]}`, `location ${agent[7]}`];
}
/** What the tables of a file refuse by themselves: other identities, names that are taken, parents and owners that are none. */
function refuse(disk: MemoryDisk, { agents, commit }: Encoded): void {
  const taken = new Set<string>();
  const earlier = new Map<Path, Cells>();
  for (const { agent } of agents) {
    const path = String(agent[0]);
    const row = disk.agents.get(path);
    const before = earlier.get(path) ?? (row === undefined ? undefined : cellsOf(row));
    if (before !== undefined && !isSameAgent(before, agent)) throw changedIdentity(path);
    earlier.set(path, agent);
    const names = before === undefined ? namesOf(agent) : [];
    if (names.some((each) => disk.taken.has(each) || taken.has(each))) throw unfit("an id or a location is taken");
    for (const each of names) taken.add(each);
  }
  const added = new Set(commit.records.map((record) => record.path));
  const needed = [...commit.records.map((record) => record.parent), ...commit.mailAdded.map((mail) => mail.to)];
  const missing = needed.find((path) => path !== rootPath && !disk.agents.has(path) && !added.has(path));
  if (missing !== undefined) throw unfit(`there is no record at ${missing}`);
}

/** Nothing here can fail: whatever may be refused has been. Answers how long the rows are. */
function write(disk: MemoryDisk, { agents, mail, capacity, commit }: Encoded): number {
  let bytes = 0;
  const text = (cells: Cells): string => {
    const row = JSON.stringify(cells);
    bytes += row.length;
    return row;
  };
  for (const { agent, results, config } of agents) {
    const [path, hash] = [String(agent[0]), String(agent[4])];
    if (!disk.agents.has(path)) disk.order = null;
    for (const each of namesOf(agent)) disk.taken.add(each);
    disk.agents.set(path, text(agent));
    disk.results.set(path, results.map(text));
    if (!disk.configs.has(hash)) bytes += config.length;
    disk.configs.set(hash, config);
  }
  for (const [index, { to, seq }] of commit.mailAdded.entries()) putMail(disk, to, seq, text(mail[index] ?? []));
  for (const { to, seq } of commit.mailRemoved) disk.mail.get(to)?.delete(seq);
  for (const each of commit.messages) {
    const at = { path: each.path, location: locationOf(each) };
    const { first, rows } = conversationAt(disk, at.location);
    for (const message of each.append) rows.push(text(encodeMessage(at, first + rows.length, message)));
  }
  if (commit.compact !== null) compact(disk, commit.compact, text);
  if (capacity !== null) disk.session = text(sessionOf(capacity));
  return bytes;
}
function conversationAt(disk: MemoryDisk, location: string): Conversation {
  const found = disk.conversations.get(location) ?? { first: 1, rows: [] };
  disk.conversations.set(location, found);
  return found;
}
function compact(disk: MemoryDisk, given: NonNullable<Commit["compact"]>, text: (cells: Cells) => string): void {
  const location = locationOf(given);
  const { first, rows } = conversationAt(disk, location);
  const from = first + rows.length - given.keep;
  if (from <= first) return;
  const note = text(encodeMessage({ path: given.path, location }, from - 1, given.note));
  disk.conversations.set(location, { first: from - 1, rows: [note, ...rows.slice(from - first)] });
}

function handle(disk: MemoryDisk, mode: "write" | "read", epoch: number): Archive {
  const configs: Configs = new Map();
  let isOpen = true;
  let bytes = 0;
  const letGo = () => {
    isOpen = false;
    if (mode === "write" && disk.owner?.epoch === epoch) disk.owner = null;
  };
  const reading = () => {
    if (!isOpen) throw fault("io_failed", "archive", new Error("the handle is closed"));
    if (mode === "write" && disk.epoch !== epoch) throw fault("ownership_lost", "archive");
    return disk;
  };
  return {
    mode,
    epoch,
    head: async () => head(reading(), configs),
    rows: async (paths) => rowsAt(reading(), configs, paths),
    scan: async (prefix, after, count) => scan(reading(), configs, prefix, after, count),
    messages: async (request) => messages(reading(), request),
    commit: async (commit) => {
      if (mode === "read") throw fault("read_only_file", "archive");
      if (!isOpen || disk.epoch !== epoch) throw fault("ownership_lost", "archive");
      const given = encoded(commit);
      refuse(disk, given);
      bytes += write(disk, given);
    },
    bytesWritten: () => bytes,
    close: async () => letGo(),
    abandon: letGo,
  };
}

/** Counts are those of the maps. */
function sessionOf(capacity: number): Cells {
  return encodedSession({ capacity, agents: 0, seq: 0 });
}
function create(disk: MemoryDisk, capacity: number): void {
  disk.session = JSON.stringify(sessionOf(capacity));
  disk.condition = "ok";
}

function open(disk: MemoryDisk, request: OpenRequest): Archive {
  const { mode, owner, takeover } = request;
  if (disk.condition === "absent") {
    if (request.create === null || mode === "read") throw fault("archive_missing", "archive");
    create(disk, request.create.capacity);
  } else if (disk.condition !== "ok") throw fault(`archive_${disk.condition}`, "archive");
  // A snapshot: what a writer does meanwhile is not seen.
  if (mode === "read") return handle(copyDisk(disk), "read", 0);
  if (disk.owner !== null && !takeover) throw fault("owned_elsewhere", disk.owner.label);
  disk.epoch += 1;
  disk.owner = { label: owner, epoch: disk.epoch };
  return handle(disk, "write", disk.epoch);
}

/** Archives on one disk; a fresh disk unless told. */
export function memoryStore(disk: MemoryDisk = memoryDisk()): Store {
  return { open: async (request) => open(disk, request) };
}
