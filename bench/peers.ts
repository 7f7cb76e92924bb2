/**
 * What people use in the place of a registry, written as they would write it, over the same records: one JSON file, a log
 * of JSON lines, one row an agent in SQLite. As durable as the archive: each save is on disk before it answers. None of them
 * checks what it reads, keeps a second writer out, or knows a conversation from a record.
 */
import { closeSync, fdatasyncSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import type { Mail, Message } from "../src/index.ts";

/** What a peer keeps of an agent. */
export interface PeerAgent {
  readonly path: string;
  readonly role: string;
  readonly activity: string;
  readonly result: string;
  readonly mail: Mail[];
  /** Only where conversations are kept with the agent. */
  readonly messages?: readonly Message[];
}
export interface Peer {
  readonly agents: Map<string, PeerAgent>;
  /** Durable when it returns; answers the bytes it wrote. */
  saveMail(mail: Mail): number;
  close(): void;
}

export function rosterOf(peer: Peer): readonly (readonly [string, string, string])[] {
  return [...peer.agents.values()].map(({ path, role, activity }) => [path, role, activity]);
}
function byPath(agents: readonly PeerAgent[]): Map<string, PeerAgent> {
  return new Map(agents.map((agent) => [agent.path, agent]));
}
function addMail(agents: Map<string, PeerAgent>, mail: Mail): void {
  agents.get(mail.to)?.mail.push(mail);
}
/** Appends or replaces, and answers when it is on disk. */
function writeDurably(file: string, flags: "a" | "w", text: string): number {
  const descriptor = openSync(file, flags);
  try {
    const written = writeSync(descriptor, text);
    fdatasyncSync(descriptor);
    return written;
  } finally {
    closeSync(descriptor);
  }
}

// ── One JSON file, written anew and moved into its place ─────────────────────────────────────────────────────────

export function createJsonFile(file: string, agents: readonly PeerAgent[]): void {
  writeFileSync(file, JSON.stringify(agents));
}
export function openJsonFile(file: string): Peer {
  const found: PeerAgent[] = JSON.parse(readFileSync(file, "utf8"));
  const agents = byPath(found);
  return {
    agents,
    saveMail: (mail) => {
      addMail(agents, mail);
      const written = writeDurably(`${file}.new`, "w", JSON.stringify([...agents.values()]));
      renameSync(`${file}.new`, file);
      return written;
    },
    close: () => {},
  };
}

// ── A log of JSON lines, replayed when opened ────────────────────────────────────────────────────────────────────

type Entry = { readonly agent: PeerAgent } | { readonly mail: Mail };
export function createLog(file: string, agents: readonly PeerAgent[]): void {
  writeFileSync(file, agents.map((agent) => `${JSON.stringify({ agent } satisfies Entry)}\n`).join(""));
}
export function openLog(file: string): Peer {
  const agents = new Map<string, PeerAgent>();
  for (const line of readFileSync(file, "utf8").split("\n")) {
    if (line === "") continue;
    const entry: Entry = JSON.parse(line);
    if ("agent" in entry) agents.set(entry.agent.path, entry.agent);
    else addMail(agents, entry.mail);
  }
  return {
    agents,
    saveMail: (mail) => {
      addMail(agents, mail);
      return writeDurably(file, "a", `${JSON.stringify({ mail } satisfies Entry)}\n`);
    },
    close: () => {},
  };
}

// ── A row an agent in SQLite, JSON inside ────────────────────────────────────────────────────────────────────────

interface Statement {
  run(...values: unknown[]): unknown;
  all(...values: unknown[]): unknown;
}
interface Connection {
  prepare(sql: string): Statement;
  exec(sql: string): void;
  close(): void;
}
/** The same SQLite that the archive uses, so that it is not what differs. */
function connect(file: string): Connection {
  const runtime = process as { getBuiltinModule?: (id: string) => unknown }; // the types of Node 20 lack it
  const builtin = runtime.getBuiltinModule?.("node:sqlite");
  if (builtin !== undefined) {
    const { DatabaseSync } = builtin as { DatabaseSync: new (file: string) => Connection }; // documented shape
    return new DatabaseSync(file);
  }
  const Libsql = createRequire(import.meta.url)("libsql") as new (file: string) => Connection; // documented shape
  return new Libsql(file);
}
function opened(file: string): Connection {
  const connection = connect(file);
  connection.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
  return connection;
}

export function createRows(file: string, agents: readonly PeerAgent[]): void {
  const connection = opened(file);
  connection.exec("CREATE TABLE agent (path TEXT PRIMARY KEY, json TEXT NOT NULL) WITHOUT ROWID; BEGIN");
  const insert = connection.prepare("INSERT INTO agent (path, json) VALUES (?, ?)");
  for (const agent of agents) insert.run(agent.path, JSON.stringify(agent));
  // A log as long as the table would be what the first saves are measured at.
  connection.exec("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)");
  connection.close();
}
export function openRows(file: string): Peer {
  const connection = opened(file);
  const found = connection.prepare("SELECT json FROM agent").all() as { readonly json: string }[]; // as selected
  const agents = byPath(found.map(({ json }): PeerAgent => JSON.parse(json)));
  const update = connection.prepare("UPDATE agent SET json = ? WHERE path = ?");
  return {
    agents,
    saveMail: (mail) => {
      addMail(agents, mail);
      const json = JSON.stringify(agents.get(mail.to));
      update.run(json, mail.to);
      return json.length;
    },
    close: () => connection.close(),
  };
}
