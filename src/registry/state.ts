/**
 * What a live session holds in memory. Records are never changed in place: a command writes into a draft (draft.ts),
 * which becomes the state only when its commit succeeded.
 */
import type { Mail, Message, Owed, Result, StoredRecord } from "../archive/archive.ts";
import type {
  Activity,
  AsideCode,
  BlockKind,
  Config,
  Gate,
  Limits,
  Mark,
  Op,
  Outcome,
  Path,
  Residency,
  Token,
  ToolRef,
  WakeReason,
} from "../contract.ts";
import type { Tools } from "../tools.ts";
import type { Handler, Viewer } from "./ports.ts";

/** One sleeper; `woken` tells it why, or null when its wait ended without a reason. */
export interface Waiter {
  readonly deadline: number;
  readonly woken: (why: WakeReason | null) => void;
}
interface Blocker {
  readonly kind: "waiting" | BlockKind;
  /** Null for the wait's own. */
  readonly token: Token | null;
}

interface Idle {
  readonly is: "idle";
  readonly result: Result | null;
}
interface Starting {
  readonly is: "starting";
  /** What roll-back gives back. */
  readonly undo: Result | null;
}
interface Admitted {
  readonly is: "admitted";
  readonly turn: number;
  /** The start that admitted it: its provider speaks for this turn and no other. */
  readonly op: Op;
  readonly handler: Handler | null;
  /** Oldest first. */
  readonly blockers: readonly Blocker[];
  /** Blockers numbered so far. */
  readonly blocks: number;
  readonly waiter: Waiter | null;
  /** The abort under way. */
  readonly aborting: Op | null;
}
export type Phase = Idle | Starting | Admitted;

export interface Agent {
  readonly id: string;
  readonly path: Path;
  readonly parent: Path;
  readonly role: string;
  readonly config: Config;
  readonly turns: number;
  readonly mail: readonly Mail[];
  readonly owed: readonly Owed[];
  readonly location: string;
  /** In the conversation, those not yet written too. */
  readonly messages: number;
  readonly phase: Phase;
  readonly residency: Residency;
  readonly marks: readonly Mark[];
}
/** An agent in its turn. */
export type AdmittedAgent = Agent & { readonly phase: Admitted };

export interface Root {
  readonly mail: readonly Mail[];
  readonly messages: number;
  readonly waiter: Waiter | null;
}

interface Begun {
  readonly op: Op;
  readonly path: Path;
  readonly gate: Gate;
}
export interface StartOp extends Begun {
  readonly is: "spawn" | "follow_up";
  readonly by: Path;
  readonly role: string;
  readonly config: Config;
  readonly text: string;
  readonly handler: Handler | null;
  readonly turn: number;
  readonly tools: readonly ToolRef[];
  /** A turn that ended inside its own dispatch. */
  readonly held: { readonly outcome: Outcome; readonly text: string } | null;
}
export interface ReadOp extends Begun {
  readonly is: "history" | "inspect";
  /** How many messages it asked for. */
  readonly last: number;
}
export interface AbortOp extends Begun {
  readonly is: "abort";
  readonly turn: number;
  /** Seen when the interrupt was made. */
  readonly seen: Activity;
}
export interface HandlerOp extends Begun {
  readonly is: "handler";
  readonly turn: number;
  readonly result: Result;
  readonly handler: Handler;
}
export type Operation = StartOp | ReadOp | AbortOp | HandlerOp;

/** One conversation being read, once for all who ask. */
export interface Read {
  /** The asker that began it names it. */
  readonly op: Op;
  readonly path: Path;
  readonly askers: readonly Op[];
}

/** What the session was opened with. */
export interface Setting {
  readonly mode: "write" | "read";
  readonly limits: Limits;
  readonly opening: number;
  readonly tools: Tools;
  readonly viewer: Viewer | null;
  readonly ids: () => string;
  /** Conversations in memory. */
  readonly residentsMax: number;
}

/** Changed by `apply` in draft.ts, when rows are looked at (rows.ts), and nowhere else. */
export interface State {
  readonly setting: Setting;
  readonly roles: Map<string, unknown>;
  readonly agents: Map<Path, Agent>;
  readonly aside: Map<Path, AsideCode>;
  readonly ops: Map<Op, Operation>;
  /** The start under way at a path; a spawn's is its reservation. */
  readonly starts: Map<Path, Op>;
  readonly reads: Map<Path, Read>;
  readonly ordinals: Map<Path, number>;
  /** Whole conversations, of writable residents. */
  readonly conversations: Map<Path, Message[]>;
  /** Said, and not yet written. */
  readonly unsaved: Map<Path, Message[]>;
  /** Records whose row is behind. */
  readonly dirty: Set<Path>;
  readonly deadlines: Map<Path, number>;
  root: Root;
  capacity: number;
  active: number;
  reservations: number;
  /** Records kept in the archive, set-aside ones too. */
  kept: number;
  /** All of them were looked at in one list, which was whole. */
  isListed: boolean;
  seq: number;
}

export function activityOf(agent: Agent): Activity {
  const { phase } = agent;
  switch (phase.is) {
    case "idle":
    case "starting":
      return phase.is;
    case "admitted":
      return phase.blockers.at(-1)?.kind ?? "running";
  }
}

/** A record as the archive keeps it. L9: there is such a form at every gate. */
export function storedOf(agent: Agent): StoredRecord {
  const { phase } = agent;
  return {
    id: agent.id,
    path: agent.path,
    parent: agent.parent,
    role: agent.role,
    config: agent.config,
    activity: activityOf(agent),
    result: phase.is === "idle" ? phase.result : null,
    undo: phase.is === "starting" ? phase.undo : null,
    owed: agent.owed,
    turns: agent.turns,
    mail: agent.mail,
    location: agent.location,
    messages: agent.messages,
  };
}
