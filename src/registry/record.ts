/**
 * The session's own recording: what was decided, in order, one JSON object a line, so that a race seen once can be told again. Texts
 * stand there as length and hash unless they are asked for. It never fails a session: what cannot be written ends the recording.
 */
import { closeSync, fstatSync, openSync, readSync, writeSync } from "node:fs";
import type { Head, Row } from "../archive/archive.ts";
import { isConfig, sha256 } from "../config.ts";
import type { CommitFault, Event, Json, Limits, RegistrarScope, Step } from "../contract.ts";
import type { Act, Fault, Reply } from "./decision.ts";
import type { Clock } from "./ports.ts";
import type { State } from "./state.ts";

export interface RecordOptions {
  /** Appended to, also by later openings of the same archive; made where there is none. */
  readonly file: string;
  /** Keep texts and configurations as they are; no unless told. */
  readonly texts?: boolean | undefined;
}

/** What a command is, as the contract has it; or how to tell when it is decided. `null`: it means nothing any more. */
export type Says = Step | ((state: State) => Step | null);

/** How a session was opened. */
export interface Opened {
  readonly opening: number;
  readonly mode: "write" | "read";
  readonly head: Head;
  readonly limits: Limits;
  readonly roles: ReadonlyMap<string, unknown>;
  readonly registrars: readonly RegistrarScope[];
}

export interface Recorder {
  opened(opened: Opened, at: number): void;
  /** The conversation of an abandoned turn was read, or could not be. */
  hydrated(path: string, how: string | null): void;
  /** The opening is over: with a session, or with why there is none. */
  restored(failed: string | null): void;
  begin(says: Says, state: State, at: number): void;
  event(event: Event): void;
  replied(reply: Reply<unknown>, acts: readonly Act[]): void;
  unwritten(fault: Fault["fault"]): void;
  end(): void;
  /** Nothing is left to decide: what it holds is written soon. */
  rest(): void;
  /** Nothing is recorded any more. `unfinished`: in the middle of a commit, of which nobody knows whether it was written. */
  leave(unfinished: boolean): void;
}

interface Entry {
  readonly at: number;
  readonly step: Step | null;
  /** Highest number given to a mail before it. */
  readonly seq: number;
  reply: unknown;
  commit: string | null;
  isAgain: boolean;
  readonly events: Event[];
}

/** UTF-16 units held before they are written, and milliseconds: each write makes the archive's next commit wait for its bytes, too. */
const heldMax = 64 * 1024;
const heldMs = 100;
const digits = 16;

/** `ended` hears once that it cannot be written any more. */
export function recorderTo(
  { file, texts = false }: RecordOptions,
  clock: Clock,
  ended: (fault: CommitFault) => void,
): Recorder {
  let descriptor: number | null = openSync(file, "a+", 0o600);
  let held = isTorn(descriptor) ? "\n" : "";
  let entry: Entry | null = null;
  let loose: Event[] = [];
  let isDue = false;
  const hydrated: { [path: string]: string | null } = {};

  const flush = (): void => {
    if (descriptor === null || held === "") return;
    const written = held;
    held = "";
    try {
      writeSync(descriptor, written);
    } catch (error) {
      const last = descriptor;
      descriptor = null;
      closeSync(last);
      ended(faultOf(error));
    }
  };
  const say = (line: object): void => {
    if (descriptor === null) return;
    held += `${JSON.stringify(line)}\n`;
    if (held.length > heldMax) flush();
  };
  const taken = (): { readonly events?: readonly Event[] } => {
    const events = loose;
    loose = [];
    return events.length === 0 ? {} : { events };
  };
  const end = (): void => {
    if (entry === null) return;
    const { at, step, reply, commit, isAgain, events } = entry;
    entry = null;
    if (step === null || isAgain) {
      loose.push(...events);
      return;
    }
    const more = { ...(commit === null ? {} : { commit }), ...(events.length === 0 ? {} : { events }) };
    say({ at, step: texts ? step : veiled(step), reply, ...more });
  };
  return {
    // Written before anything is recovered: whoever dies in the middle of that has been there.
    opened: ({ opening, mode, head, limits, roles, registrars }, at) => {
      const { capacity, agents, seq, rootMail, rootMessages, urgent } = head;
      const own = { mail: rootMail.length, messages: rootMessages, urgent: urgent.map(rowOf) };
      const configs = Object.fromEntries([...roles].map(([role, config]) => [role, configOf(config, texts)]));
      say({ recording: 1, at, opening, mode, capacity, agents, seq, ...own, limits, registrars, roles: configs });
      flush();
    },
    hydrated: (path, how) => {
      hydrated[path] = how;
    },
    restored: (failed) => {
      say({ hydrated, ...(failed === null ? {} : { failed }), ...taken() });
    },
    begin: (says, state, at) => {
      const step = typeof says === "function" ? says(state) : says;
      entry = { at, step, seq: state.seq, reply: null, commit: null, isAgain: false, events: loose };
      loose = [];
    },
    event: (event) => {
      (entry?.events ?? loose).push(bare(event));
    },
    replied: (reply, acts) => {
      if (entry === null) return;
      entry.reply ??= replyOf(reply);
      // A read that has to look again answers nobody yet.
      entry.isAgain ||= acts.some((act) => act.do === "read" && !act.isGate);
    },
    unwritten: (fault) => {
      if (entry !== null) entry.commit = fault;
    },
    end,
    rest: () => {
      if (isDue || held === "") return;
      isDue = true;
      clock.after(heldMs, () => {
        isDue = false;
        flush();
      });
    },
    leave: (unfinished) => {
      if (unfinished && entry?.step != null) {
        const { at, step, seq } = entry;
        say({ at, step: texts ? step : veiled(step), seq });
      }
      if (unfinished) {
        say({ left: true });
        entry = null;
      } else end();
      flush();
      if (descriptor !== null) closeSync(descriptor);
      descriptor = null;
    },
  };
}

/** A process that died while it wrote left half a line. */
function isTorn(descriptor: number): boolean {
  const { size } = fstatSync(descriptor);
  if (size === 0) return false;
  const last = Buffer.alloc(1);
  readSync(descriptor, last, 0, 1, size - 1);
  return last.toString() !== "\n";
}

function faultOf(error: unknown): CommitFault {
  const code = error instanceof Error && "code" in error ? error.code : null;
  if (code === "ENOSPC" || code === "EDQUOT") return "disk_full";
  return code === "EROFS" ? "read_only_file" : "io_failed";
}

// ── What is kept of a text ───────────────────────────────────────────────────────────────────────────────────────

interface Veiled {
  readonly length: number;
  readonly sha256: string;
  readonly malformed?: true;
}
function veil(text: string): Veiled {
  const known = { length: text.length, sha256: sha256(text).slice(0, digits) };
  return text.isWellFormed() ? known : { ...known, malformed: true };
}

function veiled(step: Step): object {
  if (step.do === "change_role") return { ...step, config: configOf(step.config, false) };
  return "text" in step ? { ...step, text: veil(step.text) } : step;
}

/** Null where it is none: then it is not said what else it is. */
function configOf(config: unknown, texts: boolean): unknown {
  if (texts || !isConfig(config)) return texts && isPlain(config) ? config : isConfig(config) ? config : null;
  const { instructions, parameters } = config;
  return { ...config, instructions: veil(instructions), parameters: veil(JSON.stringify(parameters)) };
}
function isPlain(value: unknown): value is Json {
  try {
    return JSON.stringify(value) !== undefined;
  } catch {
    return false;
  }
}

function replyOf(reply: Reply<unknown>): object {
  if ("ok" in reply) return { ok: worthOf(reply.ok) };
  if ("refused" in reply) return { refused: reply.refused };
  if ("fault" in reply) return { fault: reply.fault, at: reply.at };
  if ("begun" in reply) return { begun: reply.begun };
  return "waiting" in reply ? { ok: "waiting" } : { ok: null };
}
/** What an operation ended with may be a conversation. */
function bare(event: Event): Event {
  if (event[0] !== "ended" || !("ok" in event[2]) || typeof event[2].ok === "string") return event;
  return ["ended", event[1], { ok: "done" }];
}
/** What tells whether a commit that nobody heard of was written. */
function rowOf(row: Row): Json {
  if ("aside" in row) return [row.path, row.aside];
  const { path, activity, turns, mail, messages, owed } = row.record;
  return [path, activity, turns, mail.length, messages, owed.length];
}
/** Words and numbers; of lists how long they are. */
function worthOf(value: unknown): Json {
  if (Array.isArray(value)) return value.length;
  return typeof value === "string" || typeof value === "number" ? value : null;
}
