/**
 * What a host hands in, types only: provider, registrars, viewer, clock, result handlers. Every call that opens a gate
 * carries the name of its operation.
 */
import type { Message } from "../archive/archive.ts";
import type { BlockKind, Config, Mark, Op, Outcome, Path, Token, ToolRef } from "../contract.ts";

/** A task about to be started, for the host's own check. Resolve with `"refuse"` to turn it away. */
export interface PrepareRequest {
  readonly op: Op;
  readonly path: Path;
  readonly by: Path;
  readonly role: string;
  /** Frozen, and shared with nobody who could change it. */
  readonly config: Config;
  readonly text: string;
  /** The number the turn will have. */
  readonly turn: number;
  /** Aborted when the start is over without a turn. */
  readonly signal: AbortSignal;
}

/** A turn about to begin. Resolving admits it; what is said and finished through these functions concerns this turn only. */
export interface DispatchRequest extends PrepareRequest {
  /** Resolved, in the order of the configuration. */
  readonly tools: readonly ToolRef[];
  /** What the agent continues, without the new task. */
  readonly conversation: readonly Message[];
  say(text: string): Promise<"done" | "late">;
  /** `held` before the turn is admitted: it then settles with the admission. */
  finish(outcome: Outcome, text: string): Promise<"held" | "settled" | "late">;
  block(kind: BlockKind): Promise<Token>;
}

/** Runs the turns. A rejection is a fault of the start or the interrupt that asked, never of the registry. */
export interface Provider {
  /** Absent: every task is taken. */
  prepare?(request: PrepareRequest): Promise<"refuse" | undefined> | Promise<void> | "refuse" | undefined | void;
  /** Resolves once the turn runs, not when it ends. */
  dispatch(request: DispatchRequest): Promise<void> | void;
  /** Resolves once the turn has stopped. Absent: a turn stops at once. */
  abort?(request: { readonly op: Op; readonly path: Path; readonly turn: number }): Promise<void> | void;
  /** The start came to nothing after its dispatch was begun; nobody waits for this. */
  stop?(request: { readonly op: Op; readonly path: Path }): void;
}

/** Owner of a category of tools. */
export interface Registrar {
  readonly category: string;
  /** Loads nothing. */
  names(): readonly string[];
  /** Registers the schema of one tool and runs nothing. */
  load(name: string): Promise<void> | void;
}

/** Shows conversations to people. */
export interface Viewer {
  /** Sets up the mode of a conversation that becomes resident; marks it erases are put back afterwards. */
  show?(path: Path, marks: Set<Mark>): void;
}

export interface Clock {
  /** Milliseconds, a whole number. */
  now(): number;
  /** Calls once, unless the function that is returned is called first. */
  after(ms: number, call: () => void): () => void;
}

export interface SettledTurn {
  readonly op: Op;
  readonly path: Path;
  readonly turn: number;
  readonly outcome: Outcome;
  readonly text: string;
}
/** Takes a result in the place of the parent's mailbox; a rejection puts it there after all. */
export type Handler = (settled: SettledTurn) => Promise<void> | void;

/** A gate not answered in so many milliseconds counts as an error. Absent: it may take for ever. */
export interface Deadlines {
  readonly hydrateMs?: number;
  readonly prepareMs?: number;
  readonly dispatchMs?: number;
  readonly abortMs?: number;
  readonly handlerMs?: number;
}
