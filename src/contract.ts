/**
 * The shared language of Rollcall: paths, records, steps, outcomes, events, views, codes. Types only, written by hand;
 * the model, the production registry, the checker, traces and the protocol all speak it, with one word per idea.
 * What the words mean is in `model/`; the sentences for the codes are in `src/errors.ts`.
 */

// ── Paths, names ─────────────────────────────────────────────────────────────────────────────────────────────────

/** `/root`, then `/segment` any number of times; a segment is `[a-z0-9_]+`, at most 64 characters, depth at most 32. */
export type Path = string;
/** Name of a begun operation: path, opening, ordinal within path and opening, as `/root/a#1.2`. Never repeats. */
export type Op = string;
/** Name of a blocker: path, turn, ordinal within the turn, as `/root/a@2.1`. Dead after its turn. */
export type Token = string;

// ── Configuration ────────────────────────────────────────────────────────────────────────────────────────────────

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
/** A frozen reference to a tool: category, name. */
export type ToolRef = readonly [category: string, name: string];

/** What an agent is made of; frozen by deep copy at spawn. The schema is closed: an unknown or missing key is invalid. */
export interface Config {
  readonly instructions: string;
  readonly model: string;
  readonly effort: string | null;
  /** No pair twice. */
  readonly tools: readonly ToolRef[];
  /** Named numbers, finite. */
  readonly limits: { readonly [name: string]: number };
  /** Plain JSON. */
  readonly parameters: { readonly [name: string]: Json };
}

// ── Words with a closed set of values ────────────────────────────────────────────────────────────────────────────

export type BlockKind = "permission_blocked" | "interaction_blocked";
type Active = "starting" | "running" | "waiting" | BlockKind;
export type Activity = "idle" | Active;
export type Outcome = "completed" | "errored" | "interrupted";
export type MailKind = "mail" | "result" | "user" | "execution";
export type MessageKind = "task" | "partial" | "mail" | "note";
export type Gate = "hydrate" | "prepare" | "dispatch" | "abort" | "handler";
export type WakeReason = "mailbox" | "steering" | "user" | "timeout";
export type Residency = "cold" | "inspection" | "writable";
export type Mark = "read_only" | "no_save";
type Mode = "write" | "read" | "closed";
/** How far an implementation promises to agree: what happens; also laws and events; also refusal codes and limits. */
export type Level = "core" | "strict" | "house";

// ── Codes ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** In order: the first that applies wins. */
export type RefusalCode =
  | "session_closed"
  | "session_open"
  | "read_only"
  | "caller_unknown"
  | "not_active"
  | "path_malformed"
  | "agent_unknown"
  | "agent_invalid"
  | "target_root"
  | "target_self"
  | "name_malformed"
  | "text_empty"
  | "text_malformed"
  | "text_too_long"
  | "role_unknown"
  | "config_invalid"
  | "path_taken"
  | "capacity_invalid"
  | "tools_unavailable"
  | "tool_unknown"
  | "category_foreign"
  | "agents_full"
  | "at_capacity"
  | "too_many_operations"
  | "too_many_blockers"
  | "already_waiting"
  | "not_waiting"
  | "mailbox_full"
  | "in_use"
  | "not_ready"
  | "task_refused";

/** Why a commit was not written, as the world answers it. */
export type CommitFault = "not_written" | "disk_full" | "busy" | "io_failed" | "read_only_file";
/** What may ride on a step that commits. */
export type CommitAnswer = "ok" | CommitFault | "crash_before" | "crash_after";

export type FaultCode =
  | CommitFault
  | "record_invalid"
  | "owned_elsewhere"
  | "ownership_lost"
  | "archive_missing"
  | "archive_malformed"
  | "archive_version"
  | "session_invalid"
  | "conversation_missing"
  | "conversation_corrupt"
  | "conversation_failed"
  | "location_unsafe"
  | "provider_failed"
  | "task_failed";

/** Why a stored record was set aside at restore. */
export type AsideCode =
  | "record_malformed"
  | "parent_invalid"
  | "tool_unknown"
  | "category_foreign"
  | "config_malformed"
  | "checksum";

/** What a host is told of, though nothing failed for a caller. */
export type WarningCode = "callback_failed" | "handler_failed" | CommitFault | "ownership_lost";

export type Code = RefusalCode | FaultCode | AsideCode | WarningCode;

// ── Steps ────────────────────────────────────────────────────────────────────────────────────────────────────────

export type HydrateAnswer = "ok" | "missing" | "corrupt" | "error" | "quit";
export type PrepareAnswer = "ok" | "refuse" | "error" | "quit";
export type DispatchAnswer = "ok" | "error" | "quit";
export type AbortAnswer = "ok" | "error";
export type HandlerAnswer = "ok" | "throw";
export type Answer = HydrateAnswer | PrepareAnswer | DispatchAnswer | AbortAnswer | HandlerAnswer;
/** Answers given in advance, on the step that begins an operation: it does not stop at these gates. */
export interface Answers {
  readonly hydrate?: HydrateAnswer;
  readonly prepare?: PrepareAnswer;
  readonly dispatch?: DispatchAnswer;
  readonly abort?: AbortAnswer;
  readonly handler?: HandlerAnswer;
}

export type RecordDamage =
  | "malformed"
  | "checksum"
  | "config"
  | "tool"
  | "category"
  | "mail_sender"
  | "active_with_result"
  | "location";
export type ArchiveDamage = "missing" | "malformed" | "version";

interface Common {
  /** Which handle on the archive acts; `w1` unless told. */
  readonly as?: string;
  /** How the commit of this step is answered; `ok` unless told; ignored where nothing commits. */
  readonly commit?: CommitAnswer;
}
interface Opening extends Common {
  readonly answers?: Answers;
}

export type Step =
  | (Opening & {
      readonly do: "spawn";
      readonly by: Path;
      readonly name: string;
      readonly role: string;
      readonly text: string;
      readonly handler?: boolean;
    })
  | (Common & { readonly do: "cancel"; readonly op: Op })
  | (Opening & {
      readonly do: "follow_up";
      readonly by: Path;
      readonly to: string;
      readonly text: string;
      readonly handler?: boolean;
    })
  | (Common & { readonly do: "say"; readonly path: Path; readonly turn: number; readonly text: string })
  | (Opening & {
      readonly do: "finish";
      readonly path: Path;
      readonly turn: number;
      readonly outcome: Outcome;
      readonly text: string;
    })
  | (Opening & { readonly do: "finish"; readonly op: Op; readonly outcome: Outcome; readonly text: string })
  | (Opening & { readonly do: "interrupt"; readonly by: Path; readonly to: string })
  | (Common & { readonly do: "block"; readonly path: Path; readonly kind: BlockKind })
  | (Common & { readonly do: "release"; readonly token: Token })
  | (Common & { readonly do: "send"; readonly by: Path; readonly to: string; readonly text: string })
  | (Common & { readonly do: "execution"; readonly owner: Path; readonly text: string })
  | (Common & { readonly do: "steer"; readonly text: string })
  | (Common & {
      readonly do: "wait";
      readonly by: Path;
      readonly timeoutMs?: number;
      readonly callback?: { readonly then: Step } | "throws";
    })
  | (Common & { readonly do: "cancel_wait"; readonly by: Path })
  | (Common & { readonly do: "elapse"; readonly ms: number })
  | (Common & { readonly do: "sample"; readonly path: Path })
  | (Common & { readonly do: "roster"; readonly prefix?: string })
  | (Common & { readonly do: "read_result"; readonly path: Path })
  | (Opening & { readonly do: "read_history"; readonly path: Path; readonly last?: number })
  | (Opening & { readonly do: "inspect"; readonly path: Path })
  | (Common & { readonly do: "evict"; readonly path: Path })
  | (Common & { readonly do: "compact"; readonly path: Path; readonly last?: number })
  | (Common & { readonly do: "change_role"; readonly role: string; readonly config: Json })
  | (Common & { readonly do: "set_capacity"; readonly capacity: number })
  | (Common & { readonly do: "save" })
  | (Common & { readonly do: "verify" })
  | (Common & { readonly do: "fork" })
  | (Common & { readonly do: "close" })
  | (Common & { readonly do: "crash" })
  /** `epoch` answers the commit that takes ownership; `commit` the recovery's, should it happen in this step. */
  | (Opening & {
      readonly do: "restore";
      readonly mode: "write" | "read";
      readonly registrars?: readonly string[];
      readonly takeover?: boolean;
      readonly epoch?: CommitAnswer;
    })
  | (Common & { readonly do: "damage"; readonly what: "record"; readonly path: Path; readonly how: RecordDamage })
  | (Common & { readonly do: "damage"; readonly what: "session"; readonly how: "malformed" })
  | (Common & { readonly do: "damage"; readonly what: "archive"; readonly how: ArchiveDamage })
  | (Common & { readonly do: "mend"; readonly what: "record"; readonly path: Path })
  | (Common & { readonly do: "mend"; readonly what: "session" })
  | (Common & { readonly do: "mend"; readonly what: "archive" })
  | (Opening & { readonly do: "answer"; readonly op: Op; readonly gate: Gate; readonly with: Answer })
  | (Common & { readonly do: "together"; readonly steps: readonly Step[] });

export type Verb = Step["do"];

// ── Outcomes and events ──────────────────────────────────────────────────────────────────────────────────────────

/** `done` where a command has nothing to say. */
export type Value =
  | "done"
  | "waiting"
  | "settled"
  | "held"
  | "late"
  | WakeReason
  | Activity
  | Path
  | ResultView
  | View
  | { readonly messages: number; readonly marks: readonly Mark[] }
  | readonly MailView[]
  | readonly RosterRow[]
  | readonly MessageView[]
  | readonly AsideRow[]
  | readonly Reply[];

export type StepOutcome =
  | { readonly ok: Value }
  | { readonly refused: RefusalCode }
  | { readonly fault: FaultCode; readonly at: string }
  | { readonly quit: true }
  | { readonly crashed: true }
  | { readonly gate: Gate; readonly op: Op };

export type Event =
  | readonly ["woke", Path, WakeReason]
  | readonly ["settled", Path, number]
  | readonly ["provider", Path, { readonly started: readonly ToolRef[] } | "stopped"]
  | readonly ["handled", Path, number]
  | readonly ["ended", Op, StepOutcome]
  | readonly ["then", StepOutcome]
  | readonly ["warned", WarningCode, string]
  | readonly ["set_aside", Path, AsideCode];

/** What a step answers: its outcome, and what happened on the way, in order, if anything did; `then` events come last. */
export type Reply = StepOutcome & { readonly events?: readonly Event[] };

// ── Views: what can be seen of a session ─────────────────────────────────────────────────────────────────────────

/** A text itself up to 64 UTF-16 units, else its length and the first 16 hex digits of its SHA-256 over UTF-8. */
export type Text = string | { readonly length: number; readonly sha256: string };
/** First 16 hex digits of SHA-256 over RFC 8785 JSON. */
export type Hash = string;

/** For a result: the outcome and the hash (16 hex digits over UTF-8) of the full text stand in the place of the text. */
export type MailView =
  | readonly [kind: "mail" | "user" | "execution", from: Path | "user", text: Text]
  | readonly [kind: "result", from: Path, outcome: Outcome, hash: Hash];
export type ResultView = readonly [outcome: Outcome, text: Text, reason: string | null, partial: Text | null];
export type OwedView = readonly [turn: number, outcome: Outcome, text: Text];
export type RosterRow = readonly [path: Path, role: string | null, activity: Activity];
export type MessageView = readonly [kind: MessageKind, turn: number, from: Path | "user", text: Text];
export type AsideRow = readonly [path: Path, code: AsideCode];

/** Fields at their default (in brackets) are left out. */
export interface AgentView {
  readonly role: string;
  readonly config: Hash;
  readonly activity: Activity;
  /** The admitted turn under way [none]. */
  readonly turn?: number;
  /** [none] */
  readonly result?: ResultView;
  /** Oldest first [none]. */
  readonly blockers?: readonly ("waiting" | BlockKind)[];
  /** [false] */
  readonly waiting?: true;
  /** [none] */
  readonly mail?: readonly MailView[];
  /** [none] */
  readonly owed?: readonly OwedView[];
  /** [cold] */
  readonly residency?: "inspection" | "writable";
  /** [none] */
  readonly marks?: readonly Mark[];
  /** Messages in the conversation, buffered ones too [0]. */
  readonly messages?: number;
}

export interface RootView {
  readonly waiting?: true;
  readonly mail?: readonly MailView[];
  readonly messages?: number;
}

/** Closed: `mode` alone, beside `open` while a restore is under way. */
export interface View {
  readonly mode: Mode;
  readonly capacity?: number;
  /** Active agents and reservations [0]. */
  readonly active?: number;
  readonly root?: RootView;
  readonly agents?: { readonly [path: Path]: AgentView };
  /** In the order in which they began [none]. */
  readonly open?: readonly (readonly [op: Op, gate: Gate])[];
  readonly aside?: { readonly [path: Path]: AsideCode };
  /** Views of the other handles that are not closed, by name [none]. */
  readonly others?: { readonly [as: string]: View };
}

// ── What an archive means, as `encode` answers it ────────────────────────────────────────────────────────────────

/** As `AgentView`, fields at their default left out. */
export interface StoredAgentView {
  readonly role: string;
  readonly config: Hash;
  readonly activity: Activity;
  /** Turns admitted so far [0]. */
  readonly turns?: number;
  readonly result?: ResultView;
  /** Only while `starting`. */
  readonly undo?: ResultView;
  readonly owed?: readonly OwedView[];
  readonly mail?: readonly MailView[];
  readonly messages?: number;
}
export interface StoredView {
  readonly capacity: number;
  readonly root: { readonly mail?: readonly MailView[]; readonly messages?: number };
  readonly agents: { readonly [path: Path]: StoredAgentView };
}
export type Encoded = { readonly ok: StoredView } | { readonly fault: "record_invalid"; readonly at: Path };

// ── Scope of a story ─────────────────────────────────────────────────────────────────────────────────────────────

export interface Limits {
  /** Agents kept, set-aside ones and reservations counted [100,000]. */
  readonly agentsMax: number;
  /** Operations open at once [10,000]. */
  readonly operationsMax: number;
  /** Blockers of one turn not yet released [1,000]. */
  readonly blockersMax: number;
  /** Unread mails of one mailbox, for `mail` and `user` only [10,000]. */
  readonly mailMax: number;
  /** UTF-16 units of a text that a person sends [16 MiB]. */
  readonly textMax: number;
}

export interface RegistrarScope {
  readonly category: string;
  readonly tools: readonly string[];
}

export interface Scope {
  readonly capacity: number;
  readonly limits?: Partial<Limits>;
  /** Not checked before a spawn: a malformed one is `config_invalid` there. */
  readonly roles: { readonly [role: string]: Json };
  readonly registrars: { readonly [name: string]: RegistrarScope };
  readonly archive: "memory" | "sqlite";
  /** Whether a restore runs in the process that crashed, or in a fresh one. */
  readonly process: "same" | "fresh";
}

// ── Work counted, so that tests need no clock ────────────────────────────────────────────────────────────────────

export interface Counters {
  readonly conversationsHydrated: number;
  readonly providerCalls: number;
  readonly commits: number;
  readonly bytesWritten: number;
  readonly toolRuns: number;
}
