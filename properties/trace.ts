/**
 * The trace on disk: a story anyone can read aloud, one step a line with what was answered beside it. Reading one ends in a
 * trace or in one clear sentence, whatever was given.
 */
import { z } from "zod";
import type { Json, Reply, Scope, Step } from "../src/contract.ts";
import { reply, scope, step } from "./schema.ts";
import { Unusable } from "./unusable.ts";

/** One step and what was answered. */
export type Told = readonly [step: Step, reply: Reply];

export interface Trace {
  /** Version of the format. */
  readonly trace: 1;
  /** Sentences: what this story shows. */
  readonly why: string;
  /** Numbers of the laws it is about. */
  readonly laws: readonly number[];
  /** By what, from which seed, commit or source. */
  readonly found: string;
  readonly scope: Scope;
  readonly steps: readonly Told[];
}

/** UTF-16 units of a trace, beyond which it is refused unread. */
export const traceUnitsMax: number = 8 * 1024 * 1024;
/** Steps of a trace. */
const traceStepsMax = 10_000;

const trace: z.ZodType<Trace> = z.strictObject({
  trace: z.literal(1),
  why: z.string().min(1),
  laws: z.array(z.number().int().min(1).max(41)),
  found: z.string().min(1),
  scope,
  steps: z
    .array(z.tuple([step, reply]))
    .min(1)
    .max(traceStepsMax),
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

/** `name` is for the sentence. */
export function parseTrace(text: string, name: string): Trace {
  if (text.length > traceUnitsMax)
    throw new Unusable(2, `${name} is larger than a trace may be (${traceUnitsMax} units)`);
  const read = parseJson(text, name);
  const version = read !== null && typeof read === "object" && "trace" in read ? read["trace"] : undefined;
  if (version === undefined)
    throw new Unusable(2, `${name} is not a trace: it has no "trace" key with the format's version`);
  if (version !== 1)
    throw new Unusable(2, `${name} is a trace of version ${JSON.stringify(version)}; this reads version 1`);
  return parse(trace, read, name);
}

/** As a file: the head as indented JSON, then one step a line. */
export function printTrace(told: Trace): string {
  const { steps, ...head } = told;
  const lines = steps.map((one) => `    ${JSON.stringify(one)}`);
  const opened = JSON.stringify(head, null, 2).replace(/\n\}$/, "");
  return `${opened},\n  "steps": [\n${lines.join(",\n")}\n  ]\n}\n`;
}
