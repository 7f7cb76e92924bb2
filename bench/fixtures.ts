/**
 * Archives to measure: written before any timing through the store a host would use, in batches so that 100,000 records take
 * seconds. Nothing here is measured.
 */

import { closeSync, fsyncSync, openSync } from "node:fs";
import { join } from "node:path";
import { type Archive, type Commit, type Store, sqliteStore } from "../src/index.ts";
import { type Content, conversationOf, locationOf, mailOf, pathOf, range, recordAt } from "./content.ts";
import type { Setting } from "./setting.ts";

/** Batches of so many records, and of so many messages, a commit. */
const recordsAtOnce = 500;
const messagesAtOnce = 1_000;

function commitOf(change: Partial<Commit>): Commit {
  const nothing = { records: [], mailAdded: [], mailRemoved: [], messages: [], compact: null, capacity: null };
  return { ...nothing, tag: null, ...change };
}
async function writeConversation(archive: Archive, index: number, content: Content): Promise<void> {
  const messages = conversationOf(index, content);
  const path = pathOf(index);
  for (let first = 0; first < messages.length; first += messagesAtOnce) {
    const append = messages.slice(first, first + messagesAtOnce);
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
    const mailAdded = indices.flatMap(mailOf);
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
