/**
 * What a law is, what it may look at, and what laws remember of a story. Laws are about what can be seen (steps, replies,
 * views, encodings, archives, counters), never about the inside of an implementation, so they judge any target.
 */
import type {
  Activity,
  BlockKind,
  Counters,
  Encoded,
  Hash,
  Op,
  Outcome,
  Path,
  RecordDamage,
  Reply,
  ResultView,
  Step,
  StoredView,
  Token,
  ToolRef,
  View,
} from "../../src/contract.ts";

/** One moment of a story. `step` and `reply` led to it; `stored` and `counters` are `null` where the target cannot tell. */
export interface Seen {
  readonly step: Step | null;
  readonly reply: Reply | null;
  readonly view: View;
  readonly encoded: Encoded;
  readonly stored: StoredView | null;
  readonly counters: Counters | null;
}

/** What a law has to see; a target that lacks any of it is not judged by that law. */
export type Sight = "mail" | "blockers" | "residency" | "messages" | "events" | "owed" | "open" | "encode" | "undo";

/** `null`: holds; else what is wrong, with path and values. */
export type Check = (ledger: Ledger, before: Seen | null, now: Seen) => string | null;

export interface Law {
  readonly number: number;
  /** S: in every state; T: across every step. */
  readonly kind: "S" | "T";
  readonly sentence: string;
  /** Whether a story shows all of it; if not, `elsewhere` says where the rest is checked. */
  readonly checkedHere: boolean;
  readonly elsewhere?: string;
  readonly needs: readonly Sight[];
  readonly check: Check;
  /** What is left to check of it where `undo` is not shown [all of it]. */
  readonly withoutUndo?: Check;
}

/** What stays as it was when an agent was published. */
export interface Published {
  readonly role: string;
  readonly config: Hash;
  /** As its provider was given them when a turn first started; `null`: not yet seen. */
  readonly tools: readonly ToolRef[] | null;
}

/** An operation that waits at a gate. */
export interface Begun {
  readonly op: Op;
  readonly path: Path;
  readonly is: "spawn" | "follow_up" | "interrupt" | "reader" | "handler" | "recover";
  readonly handler: boolean;
  /** Handler: the turn whose result it was given; else 0. */
  readonly turn: number;
  /** Abort: the activity seen when the interrupt was made. */
  readonly seen: Activity | null;
  /** Follow-up: the record as it was before; `null`: not known. */
  readonly was: { readonly result: ResultView | null; readonly messages: number } | null;
  readonly held: { readonly outcome: Outcome; readonly text: string } | null;
  readonly tools: readonly ToolRef[] | null;
}

/** A turn under way: whether a handler gets its result, what it has said, and how much of that an archive has for sure. */
export interface Turn {
  readonly turn: number;
  readonly handler: boolean;
  readonly said: string;
  readonly durable: number;
}
export interface Wait {
  readonly deadline: number;
  readonly callback: { readonly then: Step } | "throws" | null;
}
export interface Blocked {
  readonly kind: "waiting" | BlockKind;
  /** `null` for a wait. */
  readonly token: Token | null;
}

/** What is remembered of one handle while its session is open. */
export interface Session {
  readonly mode: "write" | "read";
  /** All that `elapse` was given. */
  readonly clock: number;
  readonly ops: { readonly [op: Op]: Begun };
  readonly waits: { readonly [path: Path]: Wait };
  /** Blockers of the turns under way, oldest first. */
  readonly stacks: { readonly [path: Path]: readonly Blocked[] };
  readonly turns: { readonly [path: Path]: Turn };
  /** The registrars it was opened with; `*` all there are, empty none. */
  readonly registrars: string;
}

/** What the laws remember of a story. Plain data, replaced and never changed. */
export interface Ledger {
  readonly published: { readonly [path: Path]: Published };
  /** The highest turn admitted, and the highest settled. */
  readonly admitted: { readonly [path: Path]: number };
  readonly settled: { readonly [path: Path]: number };
  readonly sessions: { readonly [as: string]: Session };
  /** The handle that the archive belongs to, as replies told. */
  readonly owner: string | null;
  readonly damaged: { readonly [path: Path]: RecordDamage };
  /** Records whose tools have been tampered with at some time: their config is what was made of it. */
  readonly tampered: { readonly [path: Path]: true };
  /** The registrars under which a record's tools were last found to resolve. */
  readonly resolved: { readonly [path: Path]: string };
  /** What the last turn that a crash or a takeover cut off had said in the archive; `null`: not known. */
  readonly cutOff: { readonly [path: Path]: { readonly turn: number; readonly said: string | null } };
  /** For goals: commits that failed, by what they were for and how; and signs of what has gone before. */
  readonly failed: { readonly [kind: string]: { readonly [how: string]: true } };
  readonly signs: { readonly [name: string]: boolean };
  /** The archive after the last acknowledged commit, for a target that cannot tell; `null`: not known. */
  readonly acknowledged: StoredView | null;
}
