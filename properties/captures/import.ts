/** From files of somebody's session to one partial trace: which kind each is, and what they say together. */
import type { Json, Scope, ToolRef } from "../../src/contract.ts";
import { specification } from "../specification.ts";
import { Unusable } from "../unusable.ts";
import { type Capture, momentsMax, parseCapture, type Source } from "./capture.ts";
import { readForm, Unreadable } from "./lisp.ts";
import { closeAll, type Ground, ground, place, skip } from "./placing.ts";
import { isRecording } from "./recording.ts";
import { retold } from "./retold.ts";
import { isSidecar, readSidecar, type Sidecar } from "./sidecar.ts";
import { type Line, plistOf, readTelemetry, type Telemetry, untold } from "./telemetry.ts";

export interface Given {
  /** Without its folder. */
  readonly name: string;
  readonly text: string;
}
type Kind = "telemetry" | "sidecar" | "capture" | "recording";

const capacityUsual = 3;

function kindOf({ name, text }: Given): Kind {
  const [first = ""] = /\S/.exec(text) ?? [];
  if (first === "") throw new Unusable(2, `${name} is empty`);
  if (first === "{") return isRecording(text) ? "recording" : "capture";
  if (first !== "(") throw new Unusable(2, `${name} is no capture: it begins with ${JSON.stringify(first)}`);
  try {
    const plist = plistOf(readForm(text)?.value ?? null);
    if (plist?.get(":event") !== undefined) return "telemetry";
    if (plist !== null && isSidecar(plist)) return "sidecar";
    throw new Unusable(
      2,
      `${name} is neither telemetry (it has no :event) nor a sidecar (no :version and :session-id)`,
    );
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    // Telemetry may be torn anywhere; its first line need not be whole.
    if (/^\(:schema-version 1 [^\n]*:event /m.test(text)) return "telemetry";
    throw new Unusable(2, `${name} cannot be read as data (${error.code}): ${error.message}`, { cause: error });
  }
}

/** `texts` keeps them as they are; else hashes and lengths stand for them. */
export function importCapture(files: readonly Given[], texts: boolean): Capture {
  const kinds = files.map((file) => ({ ...file, kind: kindOf(file) }));
  const [only, ...others] = kinds;
  if (only === undefined) throw new Unusable(2, "name the files of one capture");
  const whole = kinds.find(({ kind }) => kind === "capture" || kind === "recording");
  if (whole !== undefined) {
    if (others.length > 0) throw new Unusable(2, `${whole.name} is a capture by itself: name it alone`);
    return whole.kind === "recording" ? retold(whole.text, whole.name) : parseCapture(whole.text, whole.name);
  }
  return partial(kinds, texts);
}

function partial(files: readonly (Given & { readonly kind: Kind })[], texts: boolean): Capture {
  const from: Source[] = [];
  const told: Telemetry[] = [];
  let sidecar: Sidecar | null = null;
  for (const { name, text, kind } of files) {
    if (kind === "telemetry") {
      const read = readTelemetry(text);
      told.push(read);
      from.push({ kind, file: name, read: read.lines.length });
      continue;
    }
    if (sidecar !== null) throw new Unusable(2, `${name} is a second sidecar: one session has one`);
    sidecar = sidecarOf(name, text, texts);
    from.push({ kind: "sidecar", file: name, read: sidecar.agents });
  }
  const scope = scopeOf(told, sidecar);
  const on = ground(scope);
  const [role = "agent"] = Object.keys(scope.roles);
  // Telemetry is what happened; a sidecar beside it says what agents are made of.
  if (told.length === 0) for (const saw of sidecar?.saws ?? []) place(on, { line: 1, at: 0, saw }, role);
  for (const { what, why } of sidecar?.skipped ?? []) skip(on, 1, what, why);
  for (const each of told) tell(on, each, role);
  closeAll(on);
  const anywhere = told.length === 0 ? [] : untold.map(({ may, why }) => ({ before: null, may, why }));
  return {
    ...{ capture: 1, spec: specification, from },
    scope: { ...scope, capacity: Math.max(sidecar?.capacity ?? capacityUsual, on.active) },
    gaps: [...anywhere, ...on.gaps],
    ...{ spans: on.spans, skipped: [...on.skipped.values()], moments: on.moments },
  };
}

function sidecarOf(name: string, text: string, texts: boolean): Sidecar {
  try {
    const read = readSidecar(text, texts);
    if (read === null) throw new Unusable(2, `${name} is no sidecar`);
    return read;
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    throw new Unusable(2, `${name} cannot be read as data (${error.code}): ${error.message}`, { cause: error });
  }
}

/** Lines of one file, in order; a process that ends and another that goes on show by their clock. */
function tell(on: Ground, { lines, unreadable }: Telemetry, role: string): void {
  let [offset, last] = [0, 0];
  let sequence: number | null = null;
  const began = lines.find(({ elapsed }) => elapsed !== null)?.elapsed ?? 0;
  for (const each of lines) {
    const elapsed: number = each.elapsed ?? last;
    if (elapsed < last) {
      offset += last;
      sequence = null;
      place(on, { line: each.line, at: offset + elapsed - began, saw: { is: "restarted" } }, role);
    }
    last = elapsed;
    note(on, each, sequence);
    sequence = each.sequence ?? sequence;
    if ("skipped" in each.saw) skip(on, each.line, each.event, each.saw.skipped);
    else place(on, { line: each.line, at: offset + elapsed - began, saw: each.saw }, role);
    if (on.moments.length > momentsMax)
      throw new Unusable(2, `line ${each.line}: more than ${momentsMax} moments; cut the capture`);
  }
  for (const { line, why, torn } of unreadable)
    skip(on, line, torn ? "the torn last line" : "a line that cannot be read", why.replace(/^line \d+, /, ""));
}

function note(on: Ground, { line, repeated, dropped, sequence }: Line, before: number | null): void {
  if (repeated > 0) skip(on, line, "a key that stands there twice", "the first counts");
  if (dropped > 0) skip(on, line, "keys that the writer dropped", "they are not in the capture");
  if (before !== null && sequence !== null && sequence > before + 1)
    skip(on, line, "numbers missing in the sequence", "it counts what other sessions and levels of detail write, too");
}

// ── Scope ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Of a capture that says nothing of tools. */
export const unknownRegistrars: Scope["registrars"] = { core: { category: "core", tools: ["read"] } };

const bare: { readonly [key: string]: Json } = {
  ...{ instructions: "", model: "m", effort: null, tools: [], limits: {}, parameters: {} },
};

function scopeOf(told: readonly Telemetry[], sidecar: Sidecar | null): Scope {
  const roles: { [role: string]: Json } = { ...sidecar?.roles };
  for (const { lines } of told)
    for (const { saw } of lines) if ("is" in saw && saw.is === "started") roles[saw.role] ??= bare;
  if (Object.keys(roles).length === 0) roles["agent"] = bare;
  return {
    ...{ capacity: capacityUsual, roles, registrars: registrarsOf(sidecar?.tools ?? []) },
    ...{ archive: "memory", process: "same" },
  };
}

function registrarsOf(tools: readonly ToolRef[]): Scope["registrars"] {
  const names = new Map<string, Set<string>>();
  for (const [category, name] of tools) names.set(category, (names.get(category) ?? new Set()).add(name));
  // Without any registrar no turn could start.
  if (names.size === 0) return unknownRegistrars;
  return Object.fromEntries([...names].map(([category, held]) => [category, { category, tools: [...held] }]));
}
