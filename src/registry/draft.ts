/**
 * Changes of one command over the state, as small as the change: they become the state when nothing has to be committed,
 * or when the commit was written, and are dropped otherwise. L19
 */
import type { Commit, Mail, Message, StoredRecord } from "../archive/archive.ts";
import type { Activity, MailKind, Op, Outcome, Path } from "../contract.ts";
import { rootPath } from "../paths.ts";
import type { Act } from "./decision.ts";
import { keepWithin } from "./residents.ts";
import { type Agent, type Operation, type Read, type Root, type State, storedOf, type Waiter } from "./state.ts";

export interface Draft {
  readonly state: State;
  /** When the command was issued; of several in one commit, the one that is being decided. */
  now: number;
  // Null until something changes: most commands change little, and all of them begin a draft.
  agents: Map<Path, Agent> | null;
  /** Records changed in anything but mail, messages and what is live only. */
  rows: Set<Path> | null;
  /** To null: gone. Likewise below. */
  ops: Map<Op, Operation | null> | null;
  /** Whose wait ends when this is the state, and what each was doing: a commit is written before anybody is woken. L20 */
  woken: Map<Path, Activity> | null;
  starts: Map<Path, Op | null> | null;
  reads: Map<Path, Read | null> | null;
  ordinals: Map<Path, number> | null;
  conversations: Map<Path, Message[] | null> | null;
  appended: Map<Path, Message[]> | null;
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
  return {
    state,
    now,
    root: state.root,
    capacity: state.capacity,
    active: state.active,
    reservations: state.reservations,
    kept: state.kept,
    seq: state.seq,
    agents: null,
    rows: null,
    woken: null,
    ops: null,
    starts: null,
    reads: null,
    ordinals: null,
    conversations: null,
    appended: null,
    mailAdded: [],
    mailRemoved: [],
    acts: [],
    compact: null,
  };
}

// ── Looking ──────────────────────────────────────────────────────────────────────────────────────────────────────

export function agentAt(draft: Draft, path: Path): Agent | undefined {
  return draft.agents?.get(path) ?? draft.state.agents.get(path);
}
/** For a path that the caller knows to be there: an agent's parent, an operation's agent. */
export function agentOf(draft: Draft, path: Path): Agent {
  const agent = agentAt(draft, path);
  if (agent === undefined) throw new Error(`no agent at ${path}`);
  return agent;
}
type Changes<Value> = Map<string, Value | null> | null;
function over<Value>(changes: Changes<Value>, base: Map<string, Value>, key: string): Value | undefined {
  const changed = changes?.get(key);
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

/** A change of what stands in the record's row. */
export function put(draft: Draft, agent: Agent): void {
  putLive(draft, agent);
  draft.rows ??= new Set();
  draft.rows.add(agent.path);
}
/** A change of mail, of messages, or of what is live only. */
export function putLive(draft: Draft, agent: Agent): void {
  draft.agents ??= new Map();
  draft.agents.set(agent.path, agent);
}
export function setOp(draft: Draft, name: Op, op: Operation | null): void {
  draft.ops ??= new Map();
  draft.ops.set(name, op);
}
export function setStart(draft: Draft, path: Path, op: Op | null): void {
  draft.starts ??= new Map();
  draft.starts.set(path, op);
}
export function setRead(draft: Draft, path: Path, read: Read | null): void {
  draft.reads ??= new Map();
  draft.reads.set(path, read);
}
/** In the place of the whole. */
export function setConversation(draft: Draft, path: Path, messages: Message[] | null): void {
  draft.conversations ??= new Map();
  draft.conversations.set(path, messages);
}
export function nextOp(draft: Draft, path: Path): Op {
  const ordinal = (draft.ordinals?.get(path) ?? draft.state.ordinals.get(path) ?? 0) + 1;
  draft.ordinals ??= new Map();
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
  draft.appended ??= new Map();
  draft.appended.set(path, [...(draft.appended.get(path) ?? []), ...messages]);
  if (path === rootPath) {
    draft.root = { ...draft.root, messages: draft.root.messages + messages.length };
    return;
  }
  // The archive counts for itself: no row is behind.
  const agent = agentOf(draft, path);
  putLive(draft, { ...agent, messages: agent.messages + messages.length });
}

// ── Committing ───────────────────────────────────────────────────────────────────────────────────────────────────

type Keyed = ReadonlyMap<string, unknown> | ReadonlySet<string>;
/** Either or both, each key once. */
function keysOf(one: Keyed, other: Keyed | null): Iterable<string> {
  if (other === null) return one.keys();
  return one.size === 0 ? other.keys() : new Set([...one.keys(), ...other.keys()]);
}
/** Everything that is not in the archive yet: this command's changes, and what waited for the next commit. L37 */
export function commitOf(draft: Draft, tag: unknown): Commit {
  const { state, appended, rows } = draft;
  const records: StoredRecord[] = [];
  for (const path of keysOf(state.dirty, rows)) {
    const record = storedOf(agentOf(draft, path));
    const asleep = record.activity === "idle" ? undefined : draft.woken?.get(path);
    records.push(asleep === undefined ? record : { ...record, activity: asleep });
  }
  const messages: Commit["messages"][number][] = [];
  for (const path of keysOf(state.unsaved, appended)) {
    const location = path === rootPath ? rootLocation : agentOf(draft, path).location;
    messages.push({ path, location, append: [...(state.unsaved.get(path) ?? []), ...(appended?.get(path) ?? [])] });
  }
  return {
    ...{ records, messages, tag },
    mailAdded: draft.mailAdded,
    mailRemoved: draft.mailRemoved.map(({ to, seq }) => ({ to, seq })),
    compact: draft.compact,
    capacity: draft.capacity === state.capacity ? null : draft.capacity,
  };
}

function merge<Value>(base: Map<string, Value>, changes: Changes<Value>): void {
  if (changes === null) return;
  for (const [key, value] of changes) {
    if (value === null) base.delete(key);
    else base.set(key, value);
  }
}
function setDeadline(state: State, path: Path, waiter: Waiter | null): void {
  if (waiter !== null) state.deadlines.set(path, waiter.deadline);
  else if (state.deadlines.size > 0) state.deadlines.delete(path);
}
function appendAll(state: State, draft: Draft, isCommitted: boolean): void {
  if (isCommitted) state.unsaved.clear();
  for (const [path, messages] of draft.appended ?? []) {
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
  state.root = root;
  state.capacity = capacity;
  state.active = active;
  state.reservations = reservations;
  state.kept = kept;
  state.seq = seq;
  setDeadline(state, rootPath, root.waiter);
  for (const [path, agent] of draft.agents ?? []) {
    state.agents.set(path, agent);
    setDeadline(state, path, agent.phase.is === "admitted" ? agent.phase.waiter : null);
  }
  if (isCommitted) state.dirty.clear();
  else for (const path of draft.rows ?? []) state.dirty.add(path);
  for (const path of draft.woken?.keys() ?? []) state.dirty.add(path);
  merge(state.ops, draft.ops);
  merge(state.starts, draft.starts);
  merge(state.reads, draft.reads);
  merge(state.conversations, draft.conversations);
  merge(state.ordinals, draft.ordinals);
  appendAll(state, draft, isCommitted);
  keepWithin(state, draft.agents?.keys() ?? []);
}
