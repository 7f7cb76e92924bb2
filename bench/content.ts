/**
 * What stands in the archives that are measured: the same agents, mails and messages in every run and for every peer. It
 * imports types of the registry only, so that a process that uses a peer does not load it.
 */
import type { Config } from "../src/contract.ts";
import type { Mail, Message, SessionOptions, StoredRecord } from "../src/index.ts";
import type { Filling } from "./peers/peer.ts";
import { generator, prose } from "./prose.ts";

/** What stands in an archive. */
export interface Content {
  readonly agents: number;
  /** Of each conversation, in UTF-16 units; about the bytes of it. */
  readonly conversation: number;
}

const messageLength = 2_000;
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
/** What a host opens these archives with; its provider takes every turn and finishes none by itself. */
export const host: Pick<SessionOptions, "roles" | "registrars" | "owner"> = {
  roles,
  registrars: [{ category: "core", names: () => tools.map(([, name]) => name), load: () => undefined }],
  owner: "bench",
};

const teamOf = (index: number) => Math.floor(index / teamSize);
const digits = (number: number, width: number) => String(number).padStart(width, "0");

/** Every twenty-fifth agent leads those after it. */
export function pathOf(index: number): string {
  const team = `/root/team_${digits(teamOf(index), 5)}`;
  return index % teamSize === 0 ? team : `${team}/worker_${digits(index % teamSize, 2)}`;
}
export function locationOf(index: number): string {
  return `agents/${digits(index, 6)}`;
}

export function messageCount({ conversation }: Content): number {
  return Math.ceil(conversation / messageLength);
}
export function recordAt(index: number, content: Content): StoredRecord {
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

/** Paths in an order that repeats none before all were named, so that nothing is measured twice on a warm row. */
export function strides(agents: number): () => string {
  const draw = generator(agents);
  const offset = draw(agents);
  // A prime that divides none of the sizes: every path comes once before any comes again.
  const step = 7_919;
  let taken = 0;
  return () => pathOf((offset + step * taken++) % agents);
}

export function range(from: number, to: number): readonly number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, offset) => from + offset);
}
/** Every message of one conversation, in order. */
export function conversationOf(index: number, content: Content): readonly Message[] {
  return range(0, messageCount(content)).map((n) =>
    messageAt(index, n, Math.min(messageLength, content.conversation - n * messageLength)),
  );
}
/** Unread when the archive is opened: every tenth agent has one. */
export function mailOf(index: number): readonly Mail[] {
  return index % 10 === 3 ? [mailAt(index, index + 1)] : [];
}
/** What a peer is given to keep: the same as an archive holds. */
export function fillingOf(content: Content): Filling {
  const agents = range(0, content.agents).map((index) => {
    const { path, role, activity, result, turns } = recordAt(index, content);
    return { path, role, activity, result: result?.text ?? null, turns, mail: mailOf(index) };
  });
  return { content, agents, roles, messages: (index) => conversationOf(index, content) };
}
