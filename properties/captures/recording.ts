/**
 * A recording of our own: what was decided, line by line, read back as steps. The specification goes along and is compared with
 * what was recorded, so that a recording is either without gaps or shows where the registry, or what is recorded of it, is wrong.
 */
import { z } from "zod";
import type { Event, Json, Limits, Path, RegistrarScope, Step } from "../../src/contract.ts";
import { event as eventSchema, step as stepSchema } from "../schema.ts";
import { parse, parseJson } from "../trace.ts";
import { Unusable } from "../unusable.ts";
import { standIn } from "./texts.ts";

const count = z.number().int().min(0);
const veil = z.strictObject({ length: count, sha256: z.string(), malformed: z.literal(true).exactOptional() });

/** How a session was opened, and what its archive showed then. */
export interface Opened {
  readonly recording: 1;
  readonly at: number;
  readonly opening: number;
  readonly mode: "write" | "read";
  readonly capacity: number;
  readonly agents: number;
  readonly seq: number;
  readonly mail: number;
  readonly messages: number;
  /** Path, activity, turns, unread mail, messages, results owed; or path and why it is set aside. */
  readonly urgent: readonly (readonly Json[])[];
  readonly limits: Limits;
  readonly registrars: readonly RegistrarScope[];
  readonly roles: { readonly [role: string]: Json };
}
/** How the opening ended. */
export interface Restored {
  /** Abandoned turns whose conversations were read, with the fault where that failed. */
  readonly hydrated: { readonly [path: Path]: string | null };
  readonly failed?: string;
  readonly events?: readonly Event[];
}
export interface Entry {
  readonly at: number;
  readonly step: Step;
  readonly reply?: RecordedReply | null;
  readonly commit?: string;
  readonly events?: readonly Event[];
  /** Only of what was left unfinished. */
  readonly seq?: number;
}
export type RecordedReply =
  | { readonly ok: string | number | null }
  | { readonly refused: string }
  | { readonly fault: string; readonly at: string }
  | { readonly begun: string };

const opened: z.ZodType<Opened> = z.strictObject({
  recording: z.literal(1),
  at: z.number(),
  opening: count,
  mode: z.enum(["write", "read"]),
  capacity: count,
  agents: count,
  seq: count,
  mail: count,
  messages: count,
  urgent: z.array(z.array(z.json())),
  limits: z.strictObject({
    ...{ agentsMax: count, operationsMax: count, blockersMax: count, mailMax: count, textMax: count },
  }),
  registrars: z.array(z.strictObject({ category: z.string(), tools: z.array(z.string()) })),
  roles: z.record(z.string(), z.json()),
});
const restored: z.ZodType<Restored> = z.strictObject({
  hydrated: z.record(z.string(), z.string().nullable()),
  failed: z.string().exactOptional(),
  events: z.array(eventSchema).exactOptional(),
});
const replied: z.ZodType<RecordedReply | null> = z.union([
  z.null(),
  z.strictObject({ ok: z.union([z.string(), z.number(), z.null()]) }),
  z.strictObject({ refused: z.string() }),
  z.strictObject({ fault: z.string(), at: z.string() }),
  z.strictObject({ begun: z.string() }),
]);
const entry: z.ZodType<Entry> = z.strictObject({
  at: z.number(),
  step: stepSchema,
  reply: replied.exactOptional(),
  commit: z.string().exactOptional(),
  events: z.array(eventSchema).exactOptional(),
  seq: count.exactOptional(),
});
const left = z.strictObject({ left: z.literal(true) });

export type Recorded = { readonly line: number } & (
  | { readonly is: "opened"; readonly opened: Opened }
  | { readonly is: "restored"; readonly restored: Restored }
  | { readonly is: "entry"; readonly entry: Entry }
  | { readonly is: "left" }
  | { readonly is: "torn" }
);

export function isRecording(text: string): boolean {
  const end = text.indexOf("\n");
  return /^\s*\{"recording":/.test(end < 0 ? text : text.slice(0, end));
}

/** A line that was cut off is torn where the process died; any other that cannot be read is no line of ours. */
export function readRecording(text: string, name: string): readonly Recorded[] {
  const lines = text.split("\n");
  const found: Recorded[] = [];
  for (const [index, line] of lines.entries()) {
    if (line.trim() === "") continue;
    const number = index + 1;
    if (!line.endsWith("}")) {
      found.push({ line: number, is: "torn" });
      continue;
    }
    found.push({ line: number, ...read(line, `${name}, line ${number}`) });
  }
  return found;
}

type Read =
  | { readonly is: "opened"; readonly opened: Opened }
  | { readonly is: "restored"; readonly restored: Restored }
  | { readonly is: "entry"; readonly entry: Entry };
function read(line: string, what: string): Read | { readonly is: "left" } | { readonly is: "torn" } {
  let value: Json;
  try {
    value = parseJson(line, what);
  } catch (error) {
    // Cut off behind a brace of its own.
    if (error instanceof Unusable) return { is: "torn" };
    throw error;
  }
  if (value === null || typeof value !== "object" || Array.isArray(value))
    throw new Unusable(2, `${what} is no line of a recording`);
  if ("recording" in value) return { is: "opened", opened: parse(opened, standing(value), what) };
  if ("hydrated" in value) return { is: "restored", restored: parse(restored, value, what) };
  if ("left" in value) {
    parse(left, value, what);
    return { is: "left" };
  }
  return { is: "entry", entry: parse(entry, standing(value), what) };
}

/** Texts that were left out become what stands for them, wherever they are. */
function standing(value: Json): Json {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(standing);
  const veiled = veil.safeParse(value);
  if (veiled.success) return standIn(veiled.data);
  const members = Object.entries(value).map(([key, member]) => [key, standing(member)] as const);
  const plain: { readonly [key: string]: Json } = Object.fromEntries(members);
  // A configuration's parameters are an object, and what stands for them a text.
  return typeof plain["parameters"] === "string" ? { ...plain, parameters: { as: plain["parameters"] } } : plain;
}
