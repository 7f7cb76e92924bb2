/**
 * Telemetry of a mevedel session, one property list a line: which of its events say something about the registry, and what.
 * The format is mevedel's (github.com/FrauH0lle/mevedel); facts of it are used here, and it says nothing of mail, of failed
 * saves or of texts, so that what is read is partial.
 */
import type { Outcome, Verb, WakeReason } from "../../src/contract.ts";
import { type Lisp, readForm, Unreadable } from "./lisp.ts";
import type { Saw } from "./placing.ts";

export interface Line {
  readonly line: number;
  /** Milliseconds of its process. */
  readonly elapsed: number | null;
  readonly run: string | null;
  readonly sequence: number | null;
  readonly event: string;
  readonly saw: Saw | { readonly skipped: string };
  /** Keys that stood in it twice: the first counts. */
  readonly repeated: number;
  /** Keys that the writer left out. */
  readonly dropped: number;
}
export interface Telemetry {
  readonly lines: readonly Line[];
  /** Lines that cannot be read, with the reason. */
  readonly unreadable: readonly { readonly line: number; readonly why: string; readonly torn: boolean }[];
}

/** What this kind of capture never says. */
export const untold: readonly { readonly may: readonly Verb[]; readonly why: string }[] = [
  { may: ["send", "sample", "steer"], why: "telemetry has no event for mail that is queued or read" },
  {
    may: ["answer", "cancel"],
    why: "telemetry has no event for reservations, task checks and conversations that are read",
  },
  { may: ["crash", "restore", "close"], why: "telemetry has no event for recovery" },
  { may: ["save"], why: "telemetry does not say that a save failed, and not what it wrote" },
  { may: ["read_result", "roster", "read_history", "inspect"], why: "telemetry has no event for reads" },
];

// ── Property lists ───────────────────────────────────────────────────────────────────────────────────────────────

export interface Plist {
  readonly get: (key: string) => Lisp | undefined;
  readonly repeated: number;
}
/** The first of a key counts. `null` where it is no property list. */
export function plistOf(value: Lisp): Plist | null {
  if (!Array.isArray(value) || value.length % 2 !== 0) return null;
  const members = new Map<string, Lisp>();
  let repeated = 0;
  for (let index = 0; index < value.length; index += 2) {
    const key = symbolOf(value[index]);
    if (key === null) return null;
    if (members.has(key)) repeated++;
    else members.set(key, value[index + 1] ?? null);
  }
  return { get: (key) => members.get(key), repeated };
}
export function symbolOf(value: Lisp | undefined): string | null {
  return typeof value === "object" && value !== null && "symbol" in value ? value.symbol : null;
}
export const stringOf = (value: Lisp | undefined): string | null => (typeof value === "string" ? value : null);
export const numberOf = (value: Lisp | undefined): number | null =>
  typeof value === "number" && Number.isFinite(value) ? value : null;
const wordOf = (value: Lisp | undefined): string | null => stringOf(value) ?? symbolOf(value);

// ── Lines ────────────────────────────────────────────────────────────────────────────────────────────────────────

export function readTelemetry(text: string): Telemetry {
  const lines: Line[] = [];
  const unreadable: { line: number; why: string; torn: boolean }[] = [];
  let number = 1;
  for (let at = 0; at < text.length; ) {
    const end = lineEnd(text, at);
    const next = read(text, at, number);
    if (next === null) {
      number += newlines(text, at, end);
      at = end;
      continue;
    }
    if ("why" in next) {
      unreadable.push({ line: number, why: next.why, torn: end >= text.length });
      number += newlines(text, at, end);
      at = end;
      continue;
    }
    lines.push(next.line);
    // A text in it may hold line ends of its own.
    const after = lineEnd(text, Math.max(at, next.end - 1));
    number += newlines(text, at, after);
    at = after;
  }
  return { lines, unreadable };
}
const lineEnd = (text: string, at: number): number => {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end + 1;
};
const newlines = (text: string, from: number, to: number): number => text.slice(from, to).split("\n").length - 1;

function read(
  text: string,
  at: number,
  number: number,
): { readonly line: Line; readonly end: number } | { readonly why: string } | null {
  const until = lineEnd(text, at);
  if (text.slice(at, until).trim() === "") return null;
  try {
    const form = readForm(text, at);
    if (form === null) return null;
    const plist = plistOf(form.value);
    if (plist === null) return { why: "it is no property list" };
    const event = symbolOf(plist.get(":event"));
    if (event === null) return { why: "it has no :event" };
    if (plist.get(":schema-version") !== 1)
      return { why: `its :schema-version is ${String(plist.get(":schema-version"))}; this reads version 1` };
    return { line: lineOf(plist, event, number), end: form.end };
  } catch (error) {
    if (error instanceof Unreadable) return { why: error.message };
    throw error;
  }
}

function lineOf(plist: Plist, event: string, line: number): Line {
  const dropped = plist.get(":dropped-keys");
  return {
    ...{ line, event, repeated: plist.repeated, dropped: Array.isArray(dropped) ? dropped.length : 0 },
    elapsed: numberOf(plist.get(":elapsed-ms")),
    sequence: numberOf(plist.get(":sequence")),
    run: stringOf(plist.get(":profiler-run-id")),
    saw: sawOf(plist, event),
  };
}

// ── Events ───────────────────────────────────────────────────────────────────────────────────────────────────────

const outcomes: { readonly [outcome: string]: Outcome } = {
  ...{ completed: "completed", error: "errored", errored: "errored" },
  ...{ aborted: "interrupted", interrupted: "interrupted" },
};
const wakes: readonly WakeReason[] = ["mailbox", "steering", "user", "timeout"];
const unwritten: readonly string[] = ["error", "failed", "aborted", "quit"];
const isPath = /^\/root(?:\/[a-z0-9_]{1,64}){0,32}$/;

function sawOf(plist: Plist, event: string): Line["saw"] {
  const pathAt = (key: string): string | null => {
    const path = stringOf(plist.get(key));
    return path !== null && isPath.test(path) ? path : null;
  };
  const path = pathAt(":agent-path");
  const origin = pathAt(":origin") ?? path;
  const noPath = { skipped: "it names no path that a registry would have" };
  switch (event) {
    case "agent-dispatch": {
      if (path === null || path === "/root") return noPath;
      const role = wordOf(plist.get(":agent-type")) ?? "agent";
      return { is: "started", path, role, retained: plist.get(":retained") === true };
    }
    case "agent-request-sent":
      return path === null || path === "/root" ? noPath : { is: "admitted", path };
    case "agent-settled": {
      const outcome = outcomes[wordOf(plist.get(":outcome")) ?? ""];
      if (path === null || path === "/root") return noPath;
      return outcome === undefined ? { skipped: "it has no outcome that is known" } : { is: "settled", path, outcome };
    }
    case "agent-wait-started":
    case "agent-wait-immediate": {
      const timeoutMs = numberOf(plist.get(":timeout-ms"));
      return { is: "waits", path: path ?? "/root", timeoutMs, atOnce: event === "agent-wait-immediate" };
    }
    case "agent-wait-ended": {
      const said = wordOf(plist.get(":outcome"));
      return { is: "woke", path: path ?? "/root", why: wakes.find((each) => each === said) ?? null };
    }
    case "execution-finished":
      return { is: "execution", owner: pathAt(":owner") ?? "/root" };
    case "permission-enqueued":
    case "interaction-opened": {
      const of = event === "permission-enqueued" ? "permission" : "interaction";
      const id = wordOf(plist.get(`:${of}-id`)) ?? "";
      return { is: "blocked", path: origin ?? "/root", kind: `${of}_blocked`, id: `${of} ${id}` };
    }
    case "permission-resolved":
      return { is: "released", id: `permission ${wordOf(plist.get(":permission-id")) ?? ""}` };
    case "interaction-closed":
      return { is: "released", id: `interaction ${wordOf(plist.get(":interaction-id")) ?? ""}` };
    case "session-save": {
      // A span: what counts is its end.
      if (symbolOf(plist.get(":stage")) === "start") return { skipped: "the save's end counts" };
      return { is: "saved", written: !unwritten.includes(wordOf(plist.get(":outcome")) ?? "") };
    }
    default:
      return { skipped: "it says nothing of the registry" };
  }
}
