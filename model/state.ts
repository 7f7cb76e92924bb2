/**
 * What the specification talks about: the world (archive, handles on it, clock), a live session, its records. Plain
 * readonly data. An idle agent has a result or none; an active one has no such field.
 */
import type {
  Activity,
  Answers,
  ArchiveDamage,
  AsideCode,
  BlockKind,
  Config,
  Gate,
  Hash,
  Json,
  Limits,
  Mark,
  MessageKind,
  Op,
  Outcome,
  Path,
  RecordDamage,
  RegistrarScope,
  Residency,
  Step,
  Text,
  Token,
} from "../src/contract.ts";

/** Injected: the model computes no hashes. */
export interface Digest {
  /** A text as views show it. */
  readonly text: (text: string) => Text;
  /** 16 hex digits of SHA-256 over UTF-8. */
  readonly hash: (text: string) => Hash;
  /** 16 hex digits of SHA-256 over RFC 8785 JSON. */
  readonly config: (config: Config) => Hash;
}

export interface Result {
  readonly outcome: Outcome;
  readonly text: string;
  readonly reason: string | null;
  readonly partial: string | null;
}
export interface Owed {
  readonly turn: number;
  readonly result: Result;
}
/** A list of these is in order of arrival. For a result, `text` is the full one: its formatting is outside the model. */
export interface Mail {
  readonly kind: "mail" | "user" | "execution" | "result";
  readonly from: Path | "user";
  readonly text: string;
  /** Results only. */
  readonly outcome?: Outcome;
}
export interface Message {
  readonly kind: MessageKind;
  readonly turn: number;
  readonly from: Path | "user";
  readonly text: string;
}

export interface Waiter {
  readonly deadline: number;
  readonly callback: { readonly then: Step } | "throws" | null;
}
interface Blocker {
  readonly kind: "waiting" | BlockKind;
  /** `null` for the waiting token. */
  readonly token: Token | null;
}

/** What an agent keeps whatever it is doing. */
interface Kept {
  readonly path: Path;
  readonly role: string;
  readonly config: Config;
  readonly turns: number;
  readonly mail: readonly Mail[];
  readonly owed: readonly Owed[];
  readonly messages: readonly Message[];
  readonly residency: Residency;
  readonly marks: readonly Mark[];
}
export interface Idle extends Kept {
  readonly is: "idle";
  readonly result: Result | null;
}
export interface Starting extends Kept {
  readonly is: "starting";
  /** The result that roll-back gives back. */
  readonly undo: Result | null;
}
export interface Admitted extends Kept {
  readonly is: "admitted";
  readonly turn: number;
  readonly handler: boolean;
  /** Oldest first. */
  readonly blockers: readonly Blocker[];
  /** Blockers numbered so far in this turn. */
  readonly blocks: number;
  readonly waiter: Waiter | null;
}
export type Agent = Idle | Starting | Admitted;

export interface Root {
  readonly mail: readonly Mail[];
  readonly messages: readonly Message[];
  readonly waiter: Waiter | null;
}

/** A begun operation; which gate it waits at is `gate`. */
interface Begun {
  readonly op: Op;
  readonly path: Path;
  readonly gate: Gate;
  readonly answers: Answers;
}
/** A turn that ended inside its own dispatch. */
interface Held {
  readonly outcome: Outcome;
  readonly text: string;
}
export interface SpawnOp extends Begun {
  readonly is: "spawn";
  readonly role: string;
  readonly config: Config;
  readonly by: Path;
  readonly text: string;
  readonly handler: boolean;
  readonly held: Held | null;
}
export interface FollowUpOp extends Begun {
  readonly is: "follow_up";
  readonly by: Path;
  readonly text: string;
  readonly handler: boolean;
  readonly held: Held | null;
}
export interface HistoryOp extends Begun {
  readonly is: "history";
  readonly last: number;
}
export interface InspectOp extends Begun {
  readonly is: "inspect";
}
export interface AbortOp extends Begun {
  readonly is: "abort";
  readonly turn: number;
  /** Activity seen when the interrupt was made. */
  readonly seen: Activity;
}
export interface HandlerOp extends Begun {
  readonly is: "handler";
  readonly turn: number;
}
export type Operation = SpawnOp | FollowUpOp | HistoryOp | InspectOp | AbortOp | HandlerOp;

/** An open session. Reservations are the spawn operations. */
export interface Live {
  readonly is: "open";
  readonly mode: "write" | "read";
  readonly as: string;
  readonly opening: number;
  /** 0 when read-only. */
  readonly epoch: number;
  readonly registrars: readonly RegistrarScope[];
  readonly capacity: number;
  readonly root: Root;
  readonly agents: { readonly [path: Path]: Agent };
  readonly aside: { readonly [path: Path]: AsideCode };
  /** In the order in which they began. */
  readonly ops: readonly Operation[];
  /** Operations begun so far in this opening, by path. */
  readonly ordinals: { readonly [path: Path]: number };
  readonly now: number;
}
/** A restore under way: the one recovery gate that is open, and those still to come. */
export interface Restoring {
  readonly is: "restoring";
  readonly as: string;
  readonly opening: number;
  readonly epoch: number;
  readonly registrars: readonly RegistrarScope[];
  /** The archive as it was opened: who overtakes this restore changes the archive, not what was found. */
  readonly found: Disk;
  readonly op: Op;
  readonly path: Path;
  readonly answers: Answers;
  /** Paths hydrated so far, with the fault's code where it failed. */
  readonly hydrated: { readonly [path: Path]: string | null };
  readonly left: readonly Path[];
  readonly now: number;
}
export type Handle = Live | Restoring;

/** A record as the archive keeps it. */
export type Stored = Pick<Kept, "path" | "role" | "config" | "turns" | "mail" | "owed" | "messages"> & {
  readonly activity: Activity;
  readonly result: Result | null;
  readonly undo: Result | null;
};
export interface Disk {
  readonly condition: "ok" | ArchiveDamage;
  readonly session: "ok" | "malformed";
  readonly epoch: number;
  readonly capacity: number;
  readonly root: Pick<Root, "mail" | "messages">;
  readonly agents: { readonly [path: Path]: Stored };
  readonly damaged: { readonly [path: Path]: RecordDamage };
}

export interface World {
  readonly digest: Digest;
  readonly limits: Limits;
  readonly registrars: { readonly [name: string]: RegistrarScope };
  readonly roles: { readonly [role: string]: Json };
  readonly disk: Disk;
  /** The live owner of the archive: the handle whose epoch is the archive's, while it lives. */
  readonly handles: { readonly [as: string]: Handle };
  /** Restores tried so far since reset, and one for the opening itself. */
  readonly openings: number;
}
