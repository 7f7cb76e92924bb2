/**
 * What every peer can do, ours among them: keep the same agents, and do to them what a host does. A write is on the disk
 * when its promise resolves. Nothing here is measured, and nothing is imported: a process loads the peer it uses.
 */
import type { Mail, Message } from "../../src/index.ts";
import type { Content } from "../content.ts";

export type Awaitable<Value> = Value | Promise<Value>;

/** An agent as it is handed to a peer when its archive is made. */
export interface PeerAgent {
  readonly path: string;
  readonly role: string;
  readonly activity: string;
  /** Full text of the last result. */
  readonly result: string | null;
  readonly turns: number;
  readonly mail: readonly Mail[];
}
export interface Filling {
  readonly content: Content;
  readonly agents: readonly PeerAgent[];
  /** The conversation of the agent at this place in the list. */
  messages(index: number): readonly Message[];
  /** Frozen configurations by role, each to be kept once. */
  readonly roles: { readonly [role: string]: unknown };
}

/** A session that is open. Paths exist; the bench asks for no others. */
export interface Kept {
  /** Path and activity of every agent, in any order, without the root. */
  roster(): Awaitable<readonly (readonly [path: string, activity: string])[]>;
  /** The last so many messages, or all of them. */
  history(path: string, last: number | null): Awaitable<readonly unknown[]>;
  /** Starts a turn of an idle agent: its conversation read, the task in it, the agent running. */
  begin(path: string, text: string): Awaitable<void>;
  /** Ends it: full result kept, the agent idle, a mail to its parent. */
  settle(path: string, text: string): Awaitable<void>;
  /** A mail from the root. */
  send(to: string, text: string): Awaitable<void>;
  /** The root's mail goes into the root's conversation; answers how many. */
  drain(): Awaitable<number>;
  /** Unread mails of an agent. */
  unread(path: string): Awaitable<number>;
  close(): Awaitable<void>;
}

export interface PeerKind {
  readonly name: string;
  /** In a table. */
  readonly label: string;
  /** How it is used, and where it comes from. */
  readonly about: string;
  /** Why it is not asked for so much; null where it is. Bytes are those of all conversations. */
  cannot(agents: number, bytes: number): string | null;
  /** Makes an archive in an empty folder. Not measured, so it may be as fast as it can. */
  create(folder: string, filling: Filling): Awaitable<void>;
  open(folder: string): Awaitable<Kept>;
  /** It waits for the disk less than the others do; `about` says where. */
  readonly isLessDurable?: boolean;
  /** A turn that begins takes its agent's unread mail into the conversation. */
  readonly takesMail?: boolean;
  /** Processes that work for the one that opened it: what they read, write and hold is counted with it. */
  processes?(): readonly number[];
}

/** How ours is to be used; the others know one way. */
export interface Manner {
  /** A folder that `npm run build` writes; this one unless told. */
  readonly build?: string;
  /** Without a wait for the disk at each commit, where the code is what is compared. */
  readonly durability?: "full" | "normal";
  /** Everything takes so many times as long: planted, to see whether that is noticed. */
  readonly slower?: number;
}

export function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}
