/**
 * What a command answers: a reply for its caller, whether its changes have to be committed first, and what is to be done
 * once they are. All of it data; session-shell.ts performs it.
 */
import type { Message, ReadIntent } from "../archive/archive.ts";
import type { Activity, Event, FaultCode, Mark, Op, Path, RefusalCode, WakeReason } from "../contract.ts";
import type { Draft } from "./draft.ts";
import type { AbortOp, HandlerOp, StartOp, Waiter } from "./state.ts";

export interface Refused {
  readonly refused: RefusalCode;
  readonly at: string;
  readonly cause?: unknown;
}
export interface Fault {
  readonly fault: FaultCode;
  readonly at: string;
  readonly cause?: unknown;
}
interface Quit {
  readonly quit: true;
}

/** What an operation ends with when all went well. */
export type OpValue =
  | { readonly is: "started"; readonly path: Path }
  | { readonly is: "history"; readonly messages: readonly Message[] }
  | { readonly is: "inspected"; readonly messages: number; readonly marks: readonly Mark[] }
  | { readonly is: "interrupted"; readonly seen: Activity }
  | { readonly is: "handled" };
export type End = { readonly ok: OpValue } | Refused | Fault | Quit;

/** A read of the archive that the caller is answered from, before the next command is decided. */
export interface Fetch<Value> {
  readonly fetch: ReadAct;
  readonly then: (messages: readonly Message[]) => Value;
}
export type Reply<Value> =
  | { readonly ok: Value }
  | Refused
  | Fault
  /** The caller now waits for the end of this operation. */
  | { readonly begun: Op }
  /** The caller sleeps until it is woken. */
  | { readonly waiting: true }
  | Fetch<Value>;

export interface Decision<Value> {
  readonly reply: Reply<Value>;
  readonly commits?: true;
  /** What happens instead when the commit is not written, on a fresh draft; by default nothing but the fault. */
  readonly unless?: (draft: Draft, fault: Fault) => Reply<Value>;
  /** Decided next, before anything else in the queue, where nothing is committed: what is so already and only has to be written. */
  readonly next?: Decide<Value>;
}
export type Decide<Value> = (draft: Draft) => Decision<Value>;

export interface ReadAct {
  readonly path: Path;
  readonly location: string;
  readonly intent: ReadIntent;
  /** Null: all of it. */
  readonly last: number | null;
}
/** What is done after the changes are the state, in order. L20 */
export type Act =
  | { readonly do: "event"; readonly event: Event }
  | { readonly do: "end"; readonly op: Op; readonly end: End }
  | { readonly do: "wake"; readonly path: Path; readonly waiter: Waiter; readonly why: WakeReason | null }
  /** `read` names the read to be answered; `isGate` is false for a second look that no gate opens. */
  | { readonly do: "read"; readonly read: Op; readonly isGate: boolean; readonly request: ReadAct }
  | { readonly do: "prepare" | "dispatch"; readonly op: StartOp }
  | { readonly do: "abort"; readonly op: AbortOp }
  | { readonly do: "handle"; readonly op: HandlerOp }
  | { readonly do: "stop"; readonly op: Op; readonly path: Path };
/** Those that turn to the world. */
export type GateAct = Exclude<Act, { readonly do: "event" | "end" | "wake" }>;

export function answer<Value>(ok: Value): Decision<Value> {
  return { reply: { ok } };
}
export function refuse(refused: RefusalCode, at: string, cause?: unknown): Refused {
  return cause === undefined ? { refused, at } : { refused, at, cause };
}
export function fail(fault: FaultCode, at: string, cause?: unknown): Fault {
  return cause === undefined ? { fault, at } : { fault, at, cause };
}
export function commit<Value>(ok: Value, unless?: (draft: Draft, fault: Fault) => Reply<Value>): Decision<Value> {
  return { reply: { ok }, commits: true, ...(unless === undefined ? {} : { unless }) };
}
