/**
 * What was seen of a session that several clients called at once: calls and their answers, what the world answered at gates,
 * signals, commits, events, each with its moment. Moments are whole numbers that only rise; nothing here judges.
 */
import type {
  BlockKind,
  CommitFault,
  Encoded,
  Event,
  Gate,
  Op,
  Outcome,
  Path,
  Step,
  StepOutcome,
  View,
} from "../../../src/contract.ts";

/** Through what a provider was given: it speaks for the turn of its own start. */
export type Own = (
  | { readonly do: "own_finish"; readonly outcome: Outcome; readonly text: string }
  | { readonly do: "own_say"; readonly text: string }
  | { readonly do: "own_block"; readonly kind: BlockKind }
) & { readonly op: Op; readonly path: Path; readonly turn: number };
/** A close that is an abandonment once its time is up. */
interface CloseWithin {
  readonly do: "close_within";
  readonly ms: number;
}
/** What a client asks of a session. */
export type Asked =
  | Exclude<Step, { readonly do: "together" | "restore" | "damage" | "mend" | "answer" | "elapse" | "crash" }>
  | Own
  | CloseWithin;

/** As a step answers; or a wait that ended without a reason; or an error that no contract knows. */
export type Answered = StepOutcome | { readonly silent: true } | { readonly bug: string };

export interface Call {
  /** From 0, in the order in which they were made; also the tag. */
  readonly id: number;
  readonly client: string;
  readonly asked: Asked;
  readonly at: number;
  /** The operation it began, as the registry named it. */
  begun: { readonly op: Op; readonly at: number } | null;
  /** Its signal was aborted. */
  aborted: number | null;
  answered: { readonly outcome: Answered; readonly at: number } | null;
}

/** The world's answer at a gate: known to have been given, not when it was taken in. */
export interface GateAnswer {
  readonly gate: Gate;
  readonly op: Op;
  readonly with: "ok" | "error" | "refuse" | "throw" | "missing" | "corrupt";
  /** Its time was up. */
  readonly isLate: boolean;
  readonly at: number;
}
export interface Elapsed {
  readonly ms: number;
  readonly at: number;
}
export interface CommitSeen {
  /** The call behind it, if one is. */
  readonly tag: number | null;
  /** Written together with those of the same number. */
  readonly group: number;
  readonly at: number;
  /** `null` as long as nobody was told, and for ever when the session died before. */
  settled: { readonly answer: "ok" | CommitFault; readonly at: number } | null;
}
export interface EventSeen {
  readonly event: Event;
  readonly tag: number | null;
  readonly at: number;
}

/** What a client saw of the session in one moment, as far as records were looked at. */
export interface Look {
  readonly view: View;
  /** `null` once it is closed. */
  readonly encoded: Encoded | null;
  readonly at: number;
}

export interface History {
  /** Settlements that were not written are offered again. */
  readonly keeps: boolean;
  readonly calls: readonly Call[];
  readonly gates: readonly GateAnswer[];
  readonly elapsed: readonly Elapsed[];
  readonly commits: readonly CommitSeen[];
  readonly events: readonly EventSeen[];
  readonly looks: readonly Look[];
  /** When the session was abandoned, if it was. */
  readonly abandoned: number | null;
  /** Moments at which nothing was left to run but what waits for the world. */
  readonly rests: readonly number[];
  /** Everything has come to rest. */
  readonly end: number;
  /** What is there at the end, and after a restore of the archive that was left. */
  readonly view: View;
  readonly encoded: Encoded | null;
  readonly restored: View;
  /** Errors that nobody was told. */
  readonly unhandled: readonly string[];
}
