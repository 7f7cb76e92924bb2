/**
 * Changes of one command over the state, as small as the change: they become the state when nothing has to be committed,
 * or when the commit was written, and are dropped otherwise. L19
 */
import type { Commit, Mail, Message, StoredRecord } from "../archive/archive.ts";
import type { MailKind, Op, Outcome, Path } from "../contract.ts";
import { rootPath } from "../paths.ts";
import type { Act } from "./decision.ts";
import { type Agent, type Operation, type Read, type Root, type State, storedOf } from "./state.ts";

export interface Draft {
  readonly state: State;
  readonly now: number;
  readonly agents: Map<Path, Agent>;
  /** Records changed in anything but mail and what is live only. */
  readonly rows: Set<Path>;
  /** Null: gone. Likewise below. */
  readonly ops: Map<Op, Operation | null>;
  readonly starts: Map<Path, Op | null>;
  readonly reads: Map<Path, Read | null>;
  readonly ordinals: Map<Path, number>;
  readonly conversations: Map<Path, Message[] | null>;
  readonly appended: Map<Path, Message[]>;
  readonly mailAdded: Mail[];
  readonly mailRemoved: Mail[];
  readonly acts: Act[];
  compact: Commit["compact"];
  root: Root;
  capacity: number;
  active: number;
  reservations: number;
  kept: number;
  seq: number;
}

/** Where the root's conversation is, which has no record. */
export const rootLocation = "root";

export function beginDraft(state: State, now: number): Draft {
  const { root, capacity, active, reservations, kept, seq } = state;
  return {
    ...{ state, now, root, capacity, active, reservations, kept, seq },
    agents: new Map(),
    rows: new Set(),
    ops: new Map(),
    starts: new Map(),
    reads: new Map(),
    ordinals: new Map(),
    conversations: new Map(),
    appended: new Map(),
    mailAdded: [],
    mailRemoved: [],
    acts: [],
    compact: null,
  };
}

// ── Looking ──────────────────────────────────────────────────────────────────────────────────────────────────────

export function agentAt(draft: Draft, path: Path): Agent | undefined {
  return draft.agents.get(path) ?? draft.state.agents.get(path);
}
/** For a path that the caller knows to be there: an agent's parent, an operation's agent. */
export function agentOf(draft: Draft, path: Path): Agent {
  const agent = agentAt(draft, path);
  if (agent === undefined) throw new Error(`no agent at ${path}`);
  return agent;
}
function over<Value>(changes: Map<string, Value | null>, base: Map<string, Value>, key: string): Value | undefined {
  const changed = changes.get(key);
  return changed === undefined ? base.get(key) : (changed ?? undefined);
}
export function opAt(draft: Draft, op: Op): Operation | undefined {
  return over(draft.ops, draft.state.ops, op);
}
export function startAt(draft: Draft, path: Path): Op | undefined {
  return over(draft.starts, draft.state.starts, path);
}
export function readAt(draft: Draft, path: Path): Read | undefined {
  return over(draft.reads, draft.state.reads, path);
}
export function mailboxOf(draft: Draft, owner: Path): readonly Mail[] {
  return owner === rootPath ? draft.root.mail : agentOf(draft, owner).mail;
}

// ── Changing ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** A change of what is persisted besides mail. */
export function put(draft: Draft, agent: Agent): void {
  draft.agents.set(agent.path, agent);
  draft.rows.add(agent.path);
}
/** A change of mail, or of what is live only. */
export function putLive(draft: Draft, agent: Agent): void {
  draft.agents.set(agent.path, agent);
}
export function nextOp(draft: Draft, path: Path): Op {
  const ordinal = (draft.ordinals.get(path) ?? draft.state.ordinals.get(path) ?? 0) + 1;
  draft.ordinals.set(path, ordinal);
  return `${path}#${draft.state.setting.opening}.${ordinal}`;
}
function setMailbox(draft: Draft, owner: Path, mail: readonly Mail[]): void {
  if (owner === rootPath) draft.root = { ...draft.root, mail };
  else putLive(draft, { ...agentOf(draft, owner), mail });
}

export interface NewMail {
  readonly kind: MailKind;
  readonly from: Path | "user";
  readonly to: Path;
  readonly text: string;
  readonly outcome?: Outcome;
  readonly digest?: string;
}
/** At the end of the owner's mailbox, with a number of its own. L14 */
export function addMail(draft: Draft, given: NewMail): void {
  draft.seq += 1;
  const { kind, from, to, text, outcome = null, digest = null } = given;
  const mail = Object.freeze({ seq: draft.seq, kind, from, to, text, at: draft.now, outcome, digest });
  draft.mailAdded.push(mail);
  setMailbox(draft, to, [...mailboxOf(draft, to), mail]);
}
/** Whatever else happens to them is in the same commit. L15 */
export function removeMail(draft: Draft, owner: Path, gone: readonly Mail[]): void {
  if (gone.length === 0) return;
  const numbers = new Set(gone.map((each) => each.seq));
  const left = mailboxOf(draft, owner).filter((each) => !numbers.has(each.seq));
  draft.mailRemoved.push(...gone);
  setMailbox(draft, owner, left);
}
export function append(draft: Draft, path: Path, given: readonly Omit<Message, "at">[]): void {
  const messages = given.map(({ kind, turn, from, text }) => Object.freeze({ kind, turn, from, text, at: draft.now }));
  draft.appended.set(path, [...(draft.appended.get(path) ?? []), ...messages]);
  if (path === rootPath) {
    draft.root = { ...draft.root, messages: draft.root.messages + messages.length };
    return;
  }
  const agent = agentOf(draft, path);
  put(draft, { ...agent, messages: agent.messages + messages.length });
}

// ── Committing ───────────────────────────────────────────────────────────────────────────────────────────────────

/** Everything that is not in the archive yet: this command's changes, and what waited for the next commit. L37 */
export function commitOf(draft: Draft, tag: unknown): Commit {
  const { state } = draft;
  const records: StoredRecord[] = [];
  for (const path of new Set([...state.dirty, ...draft.rows])) records.push(storedOf(agentOf(draft, path)));
  const messages = [...new Set([...state.unsaved.keys(), ...draft.appended.keys()])].map((path) => ({
    path,
    location: path === rootPath ? rootLocation : agentOf(draft, path).location,
    append: [...(state.unsaved.get(path) ?? []), ...(draft.appended.get(path) ?? [])],
  }));
  return {
    ...{ records, messages, tag },
    mailAdded: draft.mailAdded,
    mailRemoved: draft.mailRemoved.map(({ to, seq }) => ({ to, seq })),
    compact: draft.compact,
    capacity: draft.capacity === state.capacity ? null : draft.capacity,
  };
}

function merge<Value>(base: Map<string, Value>, changes: Map<string, Value | null>): void {
  for (const [key, value] of changes) {
    if (value === null) base.delete(key);
    else base.set(key, value);
  }
}
function setDeadline(state: State, path: Path, deadline: number | undefined): void {
  if (deadline === undefined) state.deadlines.delete(path);
  else state.deadlines.set(path, deadline);
}
function appendAll(state: State, draft: Draft, isCommitted: boolean): void {
  if (isCommitted) state.unsaved.clear();
  for (const [path, messages] of draft.appended) {
    const conversation = state.conversations.get(path);
    for (const each of messages) conversation?.push(each);
    if (isCommitted) continue;
    const unsaved = state.unsaved.get(path) ?? [];
    for (const each of messages) unsaved.push(each);
    state.unsaved.set(path, unsaved);
  }
}

/** The draft becomes the state. */
export function apply(draft: Draft, isCommitted: boolean): void {
  const { state } = draft;
  const { root, capacity, active, reservations, kept, seq } = draft;
  Object.assign(state, { root, capacity, active, reservations, kept, seq });
  setDeadline(state, rootPath, root.waiter?.deadline);
  for (const [path, agent] of draft.agents) {
    state.agents.set(path, agent);
    setDeadline(state, path, agent.phase.is === "admitted" ? agent.phase.waiter?.deadline : undefined);
  }
  if (isCommitted) state.dirty.clear();
  else for (const path of draft.rows) state.dirty.add(path);
  merge(state.ops, draft.ops);
  merge(state.starts, draft.starts);
  merge(state.reads, draft.reads);
  merge(state.conversations, draft.conversations);
  for (const [path, ordinal] of draft.ordinals) state.ordinals.set(path, ordinal);
  appendAll(state, draft, isCommitted);
}
