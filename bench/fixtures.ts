/**
 * Archives to measure: the same in every run, written before any timing through the store a host would use, in batches so
 * that 100,000 records take seconds. Nothing here is measured.
 */

import { closeSync, fsyncSync, openSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../src/contract.ts";
import {
  type Archive,
  type Commit,
  type Mail,
  type Message,
  type Registrar,
  type SessionOptions,
  type Store,
  type StoredRecord,
  sqliteStore,
} from "../src/index.ts";
import type { PeerAgent } from "./peers.ts";
import { generator, prose } from "./prose.ts";
import type { Setting } from "./setting.ts";

/** What stands in an archive. */
export interface Content {
  readonly agents: number;
  /** Of each conversation, in UTF-16 units; about the bytes of it. */
  readonly conversation: number;
}

const messageLength = 2_000;
/** Batches of so many records, and of so many messages, a commit. */
const recordsAtOnce = 500;
const messagesAtOnce = 1_000;
/** A lead and those it spawned. */
const teamSize = 25;

const tools: Config["tools"] = [
  ["core", "read"],
  ["core", "write"],
  ["core", "search"],
];
const roles: { readonly [role: string]: Config } = {
  lead: {
    instructions: prose(1, 1_500),
    model: "large",
    effort: "high",
    tools,
    limits: { tokens: 200_000 },
    parameters: {},
  },
  worker: {
    instructions: prose(2, 1_500),
    model: "small",
    effort: null,
    tools: tools.slice(0, 2),
    limits: { tokens: 100_000 },
    parameters: { temperature: 0.2 },
  },
};
const registrars: readonly Registrar[] = [
  { category: "core", names: () => tools.map(([, name]) => name), load: () => undefined },
];
/** What a host opens these archives with; its provider takes every turn and finishes none by itself. */
export const host: Pick<SessionOptions, "roles" | "registrars" | "owner"> = { roles, registrars, owner: "bench" };

const teamOf = (index: number) => Math.floor(index / teamSize);
const digits = (number: number, width: number) => String(number).padStart(width, "0");

/** Every twenty-fifth agent leads those after it. */
export function pathOf(index: number): string {
  const team = `/root/team_${digits(teamOf(index), 5)}`;
  return index % teamSize === 0 ? team : `${team}/worker_${digits(index % teamSize, 2)}`;
}
function locationOf(index: number): string {
  return `agents/${digits(index, 6)}`;
}

export function messageCount({ conversation }: Content): number {
  return Math.ceil(conversation / messageLength);
}
function recordAt(index: number, content: Content): StoredRecord {
  const path = pathOf(index);
  const role = index % teamSize === 0 ? "lead" : "worker";
  const messages = messageCount(content);
  const config = roles[role];
  if (config === undefined) throw new Error(`there is no role ${role}`);
  return {
    ...{ id: `agent-${digits(index, 6)}`, path, parent: path.slice(0, path.lastIndexOf("/")), role, config },
    ...{ activity: "idle", undo: null, owed: [], mail: [], location: locationOf(index), messages },
    result: { outcome: "completed", text: prose(index, 400), reason: null, partial: null },
    turns: Math.max(1, Math.ceil(messages / 10)),
  };
}
/** A turn is a task, what was said, and a mail now and then. */
function messageAt(index: number, n: number, length: number): Message {
  const kind = n % 10 === 0 ? "task" : n % 10 === 7 ? "mail" : "partial";
  const path = pathOf(index);
  const from = kind === "partial" ? path : path.slice(0, path.lastIndexOf("/"));
  return {
    kind,
    turn: Math.floor(n / 10) + 1,
    from,
    text: prose(index * 100_003 + n, length),
    at: 1_700_000_000_000 + n,
  };
}
function mailAt(index: number, seq: number): Mail {
  const to = pathOf(index);
  const from = to.slice(0, to.lastIndexOf("/"));
  const text = prose(seq, 200);
  return { seq, kind: "mail", from, to, text, at: 1_700_000_000_000 + seq, outcome: null, digest: null };
}

function commitOf(change: Partial<Commit>): Commit {
  const nothing = { records: [], mailAdded: [], mailRemoved: [], messages: [], compact: null, capacity: null };
  return { ...nothing, tag: null, ...change };
}
function range(from: number, to: number): readonly number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, offset) => from + offset);
}
async function writeConversation(archive: Archive, index: number, content: Content): Promise<void> {
  const count = messageCount(content);
  const path = pathOf(index);
  for (let first = 0; first < count; first += messagesAtOnce) {
    const append = range(first, Math.min(count, first + messagesAtOnce)).map((n) =>
      messageAt(index, n, Math.min(messageLength, content.conversation - n * messageLength)),
    );
    await archive.commit(commitOf({ messages: [{ path, location: locationOf(index), append }] }));
  }
}

/** All idle, each with a result, every tenth with an unread mail; nothing is left open. */
export async function fill(store: Store, content: Content): Promise<void> {
  const { agents } = content;
  const archive = await store.open({ mode: "write", owner: "bench", takeover: false, create: { capacity: agents } });
  for (let first = 0; first < agents; first += recordsAtOnce) {
    const indices = range(first, Math.min(agents, first + recordsAtOnce));
    const records = indices.map((index) => recordAt(index, { agents, conversation: 0 }));
    const mailAdded = indices.filter((index) => index % 10 === 3).map((index) => mailAt(index, index + 1));
    await archive.commit(commitOf({ records, mailAdded }));
  }
  for (const index of range(0, agents)) await writeConversation(archive, index, content);
  await archive.close();
}

/** Its bytes on the disk, so that nothing that is measured later waits for them. Nobody may have it open. */
export function flushed(file: string): string {
  const descriptor = openSync(file, "r+");
  fsyncSync(descriptor);
  closeSync(descriptor);
  return file;
}
/** An archive of this content in a file; written when it is first asked for. */
export function archiveOf({ folder, archives }: Setting, content: Content): Promise<string> {
  const name = `${content.agents}-${content.conversation}.rollcall`;
  const known = archives.get(name);
  if (known !== undefined) return known;
  const file = join(folder, name);
  const made = fill(sqliteStore(file, { durability: "off" }), content).then(() => flushed(file));
  archives.set(name, made);
  return made;
}

/** Paths in an order that repeats none before all were named, so that nothing is measured twice on a warm row. */
export function strides(agents: number): () => string {
  const draw = generator(agents);
  const offset = draw(agents);
  // A prime that divides none of the sizes: every path comes once before any comes again.
  const step = 7_919;
  let taken = 0;
  return () => pathOf((offset + step * taken++) % agents);
}

/** The same for a peer; without texts of conversations where there are none. */
export function peerAgents(content: Content): readonly PeerAgent[] {
  const count = messageCount(content);
  return range(0, content.agents).map((index) => {
    const { path, role, activity, result, config } = recordAt(index, content);
    const mail = index % 10 === 3 ? [mailAt(index, index + 1)] : [];
    const messages = range(0, count).map((n) => messageAt(index, n, messageLength));
    return { path, role, activity, result: result?.text ?? "", config: config.model, mail, messages };
  });
}
