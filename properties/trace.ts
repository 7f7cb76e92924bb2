/**
 * The trace on disk: a story anyone can read aloud, one step a line with what was answered beside it. Reading one ends in a
 * trace or in one clear sentence, whatever was given.
 */
import { z } from "zod";
import type { Hash, Json, Reply, Scope, Step } from "../src/contract.ts";
import { reply, scope, step } from "./schema.ts";
import { changesSince, specification } from "./specification.ts";
import { Unusable } from "./unusable.ts";
import { verbs } from "./words.ts";

/** One step and what was answered. */
export type Told = readonly [step: Step, reply: Reply];

export interface Trace {
  /** Version of the format. */
  readonly trace: 2;
  /** Version of the specification it was written for; 0 where it names none. */
  readonly spec: number;
  /** Sentences: what this story shows. */
  readonly why: string;
  /** Numbers of the laws it is about. */
  readonly laws: readonly number[];
  /** By what, from which seed, commit or source. */
  readonly found: string;
  /** What it was seen red on: `twin:NAME`, `plant:NAME`, `child:NAME`, `commit:REF`. */
  readonly fault?: string;
  /** Hash of what the specification shows and has stored when it is over, so that a rule which no answer shows counts too. */
  readonly ends?: Hash;
  readonly scope: Scope;
  readonly steps: readonly Told[];
}

/** Why a story cannot be told to its end any more: a word of it is gone, or it is for a specification still to come. */
interface Rot {
  readonly is: "gone" | "newer";
  /** Counted from 1; the steps before it are there. */
  readonly step: number;
  readonly why: string;
}
export interface Read {
  readonly trace: Trace;
  readonly rot: Rot | null;
}

/** UTF-16 units of a trace, beyond which it is refused unread. */
export const traceUnitsMax: number = 8 * 1024 * 1024;
/** Steps of a trace. */
const traceStepsMax = 10_000;

const told: z.ZodType<Told> = z.tuple([step, reply]);
const head = {
  why: z.string().min(1),
  laws: z.array(z.number().int().min(1)),
  found: z.string().min(1),
  fault: z
    .string()
    .regex(/^(twin|plant|child|commit):[\w.-]+$/, "not one of twin:NAME, plant:NAME, child:NAME, commit:REF")
    .exactOptional(),
  ends: z
    .string()
    .regex(/^[0-9a-f]{16}$/, "not 16 hex digits")
    .exactOptional(),
};
const trace: z.ZodType<Trace> = z.strictObject({
  trace: z.literal(2),
  spec: z.literal(specification),
  ...head,
  laws: z.array(z.number().int().min(1).max(41)),
  scope,
  steps: z.array(told).min(1).max(traceStepsMax),
});
/** Of another version of the specification: each step is read by itself, since some may mean nothing any more. */
const foreign = z.strictObject({
  trace: z.union([z.literal(1), z.literal(2)]),
  spec: z.number().int().min(0).exactOptional(),
  ...head,
  scope: z.json(),
  steps: z.array(z.json()).min(1).max(traceStepsMax),
});

function place(at: readonly PropertyKey[]): string {
  return at.length === 0 ? "" : ` at ${at.map(String).join(".")}`;
}

/** A thousand levels of `together` exhaust the stack before any schema sees them. */
function safely<Read>(schema: z.ZodType<Read>, value: unknown, what: string, exit: 2 | 4): z.ZodSafeParseResult<Read> {
  try {
    return schema.safeParse(value);
  } catch (cause) {
    if (cause instanceof RangeError) throw new Unusable(exit, `${what} is nested too deeply`, { cause });
    throw cause;
  }
}

/** Reads untrusted JSON by a schema, or says in one sentence what is wrong with it and where. */
export function parse<Read>(schema: z.ZodType<Read>, value: unknown, what: string, exit: 2 | 4 = 2): Read {
  const read = safely(schema, value, what, exit);
  if (read.success) return read.data;
  const [first] = read.error.issues;
  throw new Unusable(exit, `${what}${place(first?.path ?? [])}: ${first?.message ?? "not readable"}`);
}

/** A line or a file as JSON, or one sentence. */
export function parseJson(text: string, what: string, exit: 2 | 4 = 2): Json {
  if (text.trim() === "") throw new Unusable(exit, `${what} is empty`);
  try {
    const read: Json = JSON.parse(text);
    return read;
  } catch (cause) {
    throw new Unusable(exit, `${what} is not JSON: ${cause instanceof Error ? cause.message.split("\n")[0] : cause}`, {
      cause,
    });
  }
}

/** `name` is for the sentence. A story that cannot be told to its end is refused: `readStory` says how far it goes. */
export function parseTrace(text: string, name: string): Trace {
  const { trace: read, rot } = readStory(text, name);
  if (rot !== null)
    throw new Unusable(3, `${name} is ${rot.is === "gone" ? "stale" : "too new"} at step ${rot.step}: ${rot.why}`);
  return read;
}

/** A story for whichever version of the specification, as far as its words still are words. */
export function readStory(text: string, name: string): Read {
  if (text.length > traceUnitsMax)
    throw new Unusable(2, `${name} is larger than a trace may be (${traceUnitsMax} units)`);
  const read = parseJson(text, name);
  const version = member(read, "trace");
  if (version === undefined)
    throw new Unusable(2, `${name} is not a trace: it has no "trace" key with the format's version`);
  if (version !== 1 && version !== 2)
    throw new Unusable(2, `${name} is a trace of version ${JSON.stringify(version)}; this reads versions 1 and 2`);
  if (version === 2 && member(read, "spec") === specification) return { trace: parse(trace, read, name), rot: null };
  if (version === 2 && member(read, "spec") === undefined)
    throw new Unusable(
      2,
      `${name} has no "spec" key with the version of the specification, which is ${specification} today`,
    );
  return ofAnother(parse(foreign, read, name));
}

const member = (read: Json, key: string): unknown =>
  read !== null && typeof read === "object" && !Array.isArray(read)
    ? Object.entries(read).find(([name]) => name === key)?.[1]
    : undefined;

const nowhere: Scope = { capacity: 1, roles: {}, registrars: {}, archive: "memory", process: "same" };

function ofAnother({ steps, scope: given, trace: _, spec = 0, ...rest }: z.infer<typeof foreign>): Read {
  const bare = { ...rest, trace: 2, spec, scope: nowhere, steps: [] } as const;
  if (spec > specification) {
    const why = `it was written for version ${spec} of the specification, and this is version ${specification}`;
    return { trace: bare, rot: { is: "newer", step: 1, why } };
  }
  const found = safely(scope, given, "its scope", 2);
  if (!found.success) return { trace: bare, rot: gone(1, spec, `its scope${firstIssue(found.error)}`) };
  const whole: Told[] = [];
  for (const [index, one] of steps.entries()) {
    const step = safely(told, one, `step ${index + 1}`, 2);
    if (!step.success)
      return {
        trace: { ...bare, scope: found.data, steps: whole },
        rot: gone(index + 1, spec, unread(one, step.error)),
      };
    whole.push(step.data);
  }
  return { trace: { ...bare, scope: found.data, steps: whole }, rot: null };
}

function gone(step: number, spec: number, what: string): Rot {
  return { is: "gone", step, why: `${what}. ${since(spec)}` };
}

/** Which version a story is for, and what changed since. */
export function since(spec: number): string {
  if (spec === specification) return `It was written for this version of the specification (${spec}).`;
  return `It was written for version ${spec} of the specification; since then ${changesSince(spec)}.`;
}

const firstIssue = ({ issues: [issue] }: z.ZodError): string =>
  issue === undefined ? "" : `${place(issue.path)}: ${issue.message}`;

/** The word that is none any more. */
function unread(one: Json, error: z.ZodError): string {
  const [step, answered] = Array.isArray(one) ? one : [one];
  const verb = step === undefined ? undefined : member(step, "do");
  if (typeof verb === "string" && !verbs.some((each) => each === verb))
    return `There is no command ${JSON.stringify(verb)}`;
  const [issue] = error.issues;
  const within = issue === undefined ? [] : issue.path.slice(1);
  if (issue?.path[0] === 1)
    return `What was recorded, ${JSON.stringify(answered)?.slice(0, 80)}, is no answer any more`;
  return `${typeof verb === "string" ? `The command ${verb}` : "The step"}${place(within)}: ${issue?.message ?? "not readable"}`;
}

/** As a file: each key of the head and of the scope on a line of its own, then one step a line. */
export function printTrace({ steps, scope: held, ...head }: Trace): string {
  const members = (of: object, indent: string): string =>
    Object.entries(of)
      .map(([key, value]) => `${indent}${JSON.stringify(key)}: ${JSON.stringify(value)}`)
      .join(",\n");
  const lines = steps.map((one) => `    ${JSON.stringify(one)}`);
  return `{\n${members(head, "  ")},\n  "scope": {\n${members(held, "    ")}\n  },\n  "steps": [\n${lines.join(",\n")}\n  ]\n}\n`;
}

/** The line, from 1, on which a file that was printed so has this step; the first where it was written otherwise. */
export function lineOfStep(text: string, step: number): number {
  const lines = text.split("\n");
  const before = lines.findIndex((line) => /^\s*"steps": \[$/.test(line.trimEnd()));
  return before >= 0 && /^\s*\[/.test(lines[before + step] ?? "") ? before + step + 1 : 1;
}
