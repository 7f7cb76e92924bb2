/** Small valid records, mails, messages and commits for the tests beside this file; not a part of the archive. */
import type { Config } from "../contract.ts";
import { parentOf } from "../paths.ts";
import type { Commit, Mail, Message, Result, StoredRecord } from "./archive.ts";

export const config: Config = {
  instructions: "Review what you are given.",
  model: "m",
  effort: null,
  tools: [["core", "read"]],
  limits: { tokens: 1000 },
  parameters: { style: { terse: true } },
};
export const result: Result = { outcome: "completed", text: "R1", reason: null, partial: null };

export function record(path: string, change: Partial<StoredRecord> = {}): StoredRecord {
  return {
    id: `id of ${path}`,
    path,
    parent: parentOf(path),
    role: "reviewer",
    config,
    activity: "idle",
    result: null,
    undo: null,
    owed: [],
    turns: 1,
    mail: [],
    location: `agents/${path.slice("/root/".length)}`,
    messages: 0,
    ...change,
  };
}
export function mail(to: string, seq: number, change: Partial<Mail> = {}): Mail {
  return { seq, kind: "mail", from: "/root", to, text: `mail ${seq}`, at: 0, outcome: null, digest: null, ...change };
}
export function message(text: string, change: Partial<Message> = {}): Message {
  return { kind: "task", turn: 1, from: "/root", text, at: 0, ...change };
}
export function commit(change: Partial<Commit> = {}): Commit {
  const nothing = { records: [], mailAdded: [], mailRemoved: [], messages: [], compact: null, capacity: null };
  return { ...nothing, tag: null, ...change };
}
/** What publishing an agent commits: its record, and its task in the conversation. */
export function published(path: string, change: Partial<StoredRecord> = {}): Commit {
  const one = record(path, change);
  const messages = [{ path, location: one.location, append: [message(`task of ${path}`)] }];
  return commit({ records: [one], messages });
}
