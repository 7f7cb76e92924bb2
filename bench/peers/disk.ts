/** Files as a careful host writes them: each function returns when what it wrote survives a loss of power. */
import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Message } from "../../src/index.ts";
import type { Filling } from "./peer.ts";

function written(file: string, flags: "a" | "w", text: string): void {
  const descriptor = openSync(file, flags);
  try {
    for (let bytes = Buffer.from(text); bytes.length > 0; ) bytes = bytes.subarray(writeSync(descriptor, bytes));
    fdatasyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
function syncFolder(folder: string): void {
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
/** The whole of a file, old or new: written beside it, made durable, moved into its place, and the move made durable. */
export function replace(file: string, text: string): void {
  written(`${file}.new`, "w", text);
  renameSync(`${file}.new`, file);
  syncFolder(dirname(file));
}
/** To the end of a file; a new one is made durable in its folder, too. */
export function append(file: string, text: string): void {
  const isNew = !existsSync(file);
  written(file, "a", text);
  if (isNew) syncFolder(dirname(file));
}
export function lines(entries: readonly unknown[]): string {
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
}
/** As many as are asked for, from the end; each is parsed, and no other. */
export function linesIn(file: string, last: number | null = null): readonly unknown[] {
  if (!existsSync(file)) return [];
  const all = readFileSync(file, "utf8").split("\n");
  if (all.at(-1) === "") all.pop();
  return (last === null ? all : all.slice(Math.max(0, all.length - last))).map((line): unknown => JSON.parse(line));
}

// ── One file of JSON lines a conversation ────────────────────────────────────────────────────────────────────────

/** Named after the path, so that nobody has to look it up. */
export function conversationFile(folder: string, path: string): string {
  return join(folder, "conversations", `${path.slice(1).replaceAll("/", ".")}.jsonl`);
}
export function createConversations(folder: string, { agents, messages }: Filling): void {
  mkdirSync(join(folder, "conversations"));
  for (const [index, { path }] of agents.entries()) {
    const all = messages(index);
    if (all.length > 0) writeFileSync(conversationFile(folder, path), lines(all));
  }
}
export function messageNow(kind: Message["kind"], from: string, turn: number, text: string): Message {
  return { kind, turn, from, text, at: Date.now() };
}
