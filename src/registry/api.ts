/**
 * What a host holds: a session and its agents. Each method is one command; what it answers and refuses is said where the
 * command is decided. Every promise may reject with a `RollcallError`, or with the reason of an aborted signal.
 */
import type { Mail, Message, Result, Store } from "../archive/archive.ts";
import type {
  Activity,
  AsideRow,
  BlockKind,
  Counters,
  Encoded,
  Event,
  Op,
  Outcome,
  Path,
  RosterRow,
  Token,
  View,
  WakeReason,
} from "../contract.ts";
import type { CallOptions } from "./calls.ts";
import type { Inspection } from "./look.ts";
import type { Handler } from "./ports.ts";
import type { FollowedUp } from "./start.ts";

/** Whose doing it is; the root's unless told. */
export interface ByOptions extends CallOptions {
  readonly by?: Path | undefined;
}
export interface TaskOptions {
  /** Takes the result in the place of the spawn parent's mailbox. */
  readonly handler?: Handler | undefined;
}
export interface WaitOptions extends CallOptions {
  /** 10,000 to 3,600,000, default 30,000; what lies outside is moved to the nearer end. */
  readonly timeoutMs?: number | undefined;
  /** Called when the wait ends with a reason, before anything issued afterwards is decided. */
  readonly onWake?: ((why: WakeReason) => void) | undefined;
}
export interface LastOptions extends CallOptions {
  /** How many of the last messages; 20 unless told. */
  readonly last?: number | undefined;
}

/** An agent, or the root, by its path; nothing is checked before it is asked something. */
export interface Agent {
  readonly path: string;
  /** Resolves once the child is published and its first turn admitted. */
  spawn(
    task: { readonly name: string; readonly role: string; readonly text: string } & TaskOptions & CallOptions,
  ): Promise<Agent>;
  /** A new turn for an idle agent; for an active one a mail, answered with the activity seen. */
  followUp(text: string, options?: ByOptions & TaskOptions): Promise<FollowedUp>;
  send(text: string, options?: ByOptions): Promise<void>;
  /** Resolves with the activity seen before, once the turn has ended; an aborted signal only stops listening. */
  interrupt(options?: ByOptions): Promise<Activity>;
  /** Null when the wait ended without a reason: its turn settled, or it was cancelled. */
  wait(options?: WaitOptions): Promise<WakeReason | null>;
  cancelWait(options?: CallOptions): Promise<void>;
  /** The unread mail, which is now part of the conversation. */
  sample(options?: CallOptions): Promise<readonly Mail[]>;
  block(kind: BlockKind, options?: CallOptions): Promise<Token>;
  say(turn: number, text: string, options?: CallOptions): Promise<"done" | "late">;
  readResult(options?: CallOptions): Promise<Result>;
  readHistory(options?: LastOptions): Promise<readonly Message[]>;
  inspect(options?: CallOptions): Promise<Inspection>;
  evict(options?: CallOptions): Promise<void>;
  compact(options?: LastOptions): Promise<void>;
}

export interface Session extends AsyncDisposable {
  readonly root: Agent;
  agent(path: string): Agent;
  roster(prefix?: string, options?: CallOptions): Promise<readonly RosterRow[]>;
  release(token: Token, options?: CallOptions): Promise<"done" | "late">;
  /** As the caller's aborted signal would. */
  cancel(op: Op, options?: CallOptions): Promise<"done" | "late">;
  finish(path: Path, turn: number, outcome: Outcome, text: string, options?: CallOptions): Promise<"settled" | "late">;
  /** A turn that ends inside its own dispatch, named by its start. */
  finishStart(op: Op, outcome: Outcome, text: string, options?: CallOptions): Promise<"held" | "late">;
  /** A background process of this agent has finished. */
  execution(owner: Path, text: string, options?: CallOptions): Promise<void>;
  /** From the user to the root, while it waits. */
  steer(text: string, options?: CallOptions): Promise<void>;
  changeRole(role: string, config: unknown, options?: CallOptions): Promise<void>;
  setCapacity(capacity: number, options?: CallOptions): Promise<void>;
  save(options?: CallOptions): Promise<void>;
  /** Reads every record, and answers those that are set aside. */
  verify(options?: CallOptions): Promise<readonly AsideRow[]>;
  /** A new session with an empty tree at a place where there is none yet; it is closed again unless it is taken. */
  fork(place: Place, options?: ForkOptions): Promise<View>;
  /** As far as records were looked at. */
  view(): View;
  /** What a commit would write, through the codec. */
  encode(): Encoded;
  counters(): Counters;
  /** Every event from now on, with the tag of the call behind it; answers how to stop. */
  on(listener: (event: Event, tag: unknown) => void): () => void;
  /** Writes what is pending, then ends. A flush that takes longer than `timeoutMs` is abandoned. */
  close(options?: CallOptions & { readonly timeoutMs?: number | undefined }): Promise<void>;
  /** As if the process had died: nothing more is written. */
  abandon(): void;
}
export type Place = string | Store;
export interface ForkOptions extends CallOptions {
  /** Takes the child, which then stays open. */
  readonly onOpen?: ((child: Session) => void) | undefined;
}
