/**
 * What the registry asks of an archive: types only, asynchronous and batch-shaped, so that SQLite, memory and (later) a
 * server can stand behind it. Bytes, SQL and validation of stored rows are the archive's; meaning is the registry's.
 */
import type { Activity, AsideCode, Config, MailKind, MessageKind, Op, Outcome, Path } from "../contract.ts";

/** Outcome and full text of a settled turn. */
export interface Result {
  readonly outcome: Outcome;
  readonly text: string;
  readonly reason: string | null;
  readonly partial: string | null;
}

/** `seq` rises over the whole session and is the order of arrival; `outcome` and `turn` for results only. `at` in ms. */
export interface Mail {
  readonly seq: number;
  readonly kind: MailKind;
  readonly from: Path | "user";
  readonly to: Path;
  /** For a result the text as mailed (bounded); its full text's hash is `digest`. */
  readonly text: string;
  readonly at: number;
  readonly outcome: Outcome | null;
  /** For a result: first 16 hex digits of SHA-256 over UTF-8 of the full text. */
  readonly digest: string | null;
}

export interface Owed {
  readonly turn: number;
  readonly result: Result;
}

/** A record as persisted. `config` is shared between equal ones in the archive, never in memory by reference with the host's. */
export interface StoredRecord {
  readonly id: string;
  readonly path: Path;
  readonly parent: Path;
  readonly role: string;
  readonly config: Config;
  readonly activity: Activity;
  readonly result: Result | null;
  readonly undo: Result | null;
  readonly owed: readonly Owed[];
  readonly turns: number;
  readonly mail: readonly Mail[];
  /** Session-relative, below `agents/`. */
  readonly location: string;
  /** Messages in the conversation. */
  readonly messages: number;
}

export interface Message {
  readonly kind: MessageKind;
  readonly turn: number;
  readonly from: Path | "user";
  readonly text: string;
  readonly at: number;
}

/** What one commit changes. The archive writes all or nothing, and only if the epoch is still its own. */
export interface Commit {
  /** New, or changed in anything but mail. Validated as when read; the first invalid one is the fault `record_invalid` at its path. */
  readonly records: readonly StoredRecord[];
  readonly mailAdded: readonly Mail[];
  /** Left a mailbox, by its owner. */
  readonly mailRemoved: readonly { readonly to: Path; readonly seq: number }[];
  readonly messages: readonly { readonly path: Path; readonly location: string; readonly append: readonly Message[] }[];
  /** All but the last `keep` of the messages stored become one note in their place. */
  readonly compact: {
    readonly path: Path;
    readonly location: string;
    readonly keep: number;
    readonly note: Message;
  } | null;
  readonly capacity: number | null;
  /** What the caller of the command handed in, for tracing and for fault injection. */
  readonly tag: unknown;
  /**
   * What the callers of all commands that it writes handed in, in order, where several were decided for it; `tag` is the first of
   * them. Not written, each of them comes again with a commit of its own.
   */
  readonly group?: readonly unknown[];
}

/** The session's own data, and what has to be looked at when it is opened. */
export interface Head {
  readonly capacity: number;
  /** Records kept, set-aside ones too. */
  readonly agents: number;
  readonly rootMail: readonly Mail[];
  readonly rootMessages: number;
  /** Highest number ever given to a mail. */
  readonly seq: number;
  /** Rows that are active or owe something, each with its ancestors, by path. */
  readonly urgent: readonly Row[];
}

/** A row as it was found: valid, or with the first reason why it is not. Tools and parents are the registry's to check. */
export type Row =
  | { readonly path: Path; readonly record: StoredRecord }
  | { readonly path: Path; readonly aside: AsideCode };

export type ReadIntent = "writable" | "inspection" | "recover" | "history";
export interface ReadRequest {
  readonly path: Path;
  readonly location: string;
  readonly intent: ReadIntent;
  /** Only the last so many; all when absent. 0 for an inspection, which needs none. */
  readonly last?: number;
  /** The operation whose hydrate gate this is; absent for a read that nobody waits for at a gate. */
  readonly op?: Op;
}

/**
 * One handle, open until `close` or `abandon`. Rejects with `RollcallError` (a `FaultCode` and where). A writer whose epoch is no
 * longer the archive's gets `ownership_lost` from everything but `close`: what it would read is another session's.
 */
export interface Archive {
  readonly mode: "write" | "read";
  /** 0 when read-only. */
  readonly epoch: number;
  head(): Promise<Head>;
  /** The rows at these paths, absent ones left out; one batch. `archive_malformed` at a parent that has lost children. */
  rows(paths: readonly Path[]): Promise<readonly Row[]>;
  /** Every row whose path is `prefix` or below, in path order, a page at a time. */
  /**
   * The fault `archive_malformed` at a parent whose children are not those that were written; `lost` is told instead, and
   * what is left is answered.
   */
  scan(prefix: Path, after: Path | null, count: number, lost?: (parent: Path) => void): Promise<readonly Row[]>;
  commit(commit: Commit): Promise<void>;
  messages(request: ReadRequest): Promise<readonly Message[]>;
  /** Bytes handed to the store so far by this handle (an upper bound on what is written). */
  bytesWritten(): number;
  /** Lets go of ownership in order. */
  close(): Promise<void>;
  /** As if the process had died: nothing is written, ownership is gone. */
  abandon(): void;
}

export interface OpenRequest {
  readonly mode: "write" | "read";
  /** Shown to whoever is refused because this owner lives. */
  readonly owner: string;
  readonly takeover: boolean;
  /** Session's own data for a new archive; absent: it must exist (`archive_missing`). */
  readonly create: { readonly capacity: number } | null;
}

/** A place where an archive can be: a file, or memory. Writing the epoch is part of opening for writing. */
export interface Store {
  open(request: OpenRequest): Promise<Archive>;
}
