/**
 * A partial trace: what a capture of a real session says for certain, as steps; what has to be assumed between them; where
 * something may have happened that was not recorded; what was open at the same time; and what was left out, with the reason.
 */
import { z } from "zod";
import type { Scope, Step, Verb } from "../../src/contract.ts";
import { scope, step } from "../schema.ts";
import { specification } from "../specification.ts";
import { parse, parseJson } from "../trace.ts";
import { Unusable } from "../unusable.ts";
import { verbs } from "../words.ts";

type SourceKind = "telemetry" | "sidecar" | "recording";

export interface Source {
  readonly kind: SourceKind;
  /** Name of the file, without its folder. */
  readonly file: string;
  /** Lines, forms or records that were read. */
  readonly read: number;
}
/** A step that happened, or has to have happened. Operations, turns and tokens are named as the specification names them. */
export interface Moment {
  readonly step: Step;
  /** Line of its source, from 1; `null` where it is assumed. */
  readonly line: number | null;
  /** Milliseconds since the first moment, as the source's clock has it. */
  readonly at: number;
  /** Why it is assumed. */
  readonly why?: string;
}
/** Something of these kinds may have happened unseen before that moment, or, with `null`, anywhere. */
export interface Gap {
  readonly before: number | null;
  readonly may: readonly Verb[];
  readonly why: string;
}
/** An operation was under way from one moment to another (`null`: it never ended); what lies between is concurrent with it. */
export interface Span {
  readonly from: number;
  readonly to: number | null;
}
/** What was read and is no step. */
export interface Skipped {
  readonly what: string;
  readonly why: string;
  readonly times: number;
  /** The first of them. */
  readonly line: number;
}

export interface Capture {
  /** Version of the format. */
  readonly capture: 1;
  /** Version of the specification whose words it uses. */
  readonly spec: number;
  readonly from: readonly Source[];
  readonly scope: Scope;
  readonly gaps: readonly Gap[];
  readonly spans: readonly Span[];
  readonly skipped: readonly Skipped[];
  readonly moments: readonly Moment[];
}

/** Moments of a capture; more is refused. */
export const momentsMax = 200_000;
const unitsMax = 64 * 1024 * 1024;

const index = z.number().int().min(0);
const format: z.ZodType<Capture> = z
  .strictObject({
    capture: z.literal(1),
    spec: z.literal(specification),
    from: z.array(
      z.strictObject({ kind: z.enum(["telemetry", "sidecar", "recording"]), file: z.string(), read: index }),
    ),
    scope,
    gaps: z.array(z.strictObject({ before: index.nullable(), may: z.array(z.enum(verbs)), why: z.string() })),
    spans: z.array(z.strictObject({ from: index, to: index.nullable() })),
    skipped: z.array(z.strictObject({ what: z.string(), why: z.string(), times: index, line: index })),
    moments: z
      .array(z.strictObject({ step, line: index.nullable(), at: z.number(), why: z.string().exactOptional() }))
      .max(momentsMax),
  })
  .refine(
    ({ moments, gaps, spans }) =>
      [...gaps.map(({ before }) => before), ...spans.flatMap(({ from, to }) => [from, to])].every(
        (at) => at === null || at <= moments.length,
      ),
    { message: "a gap or a span names a moment that is not there" },
  );

export function parseCapture(text: string, name: string): Capture {
  if (text.length > unitsMax) throw new Unusable(2, `${name} is larger than a capture may be (${unitsMax} units)`);
  return parse(format, parseJson(text, name), name);
}

/** One moment, gap, span a line. */
export function printCapture({ from, scope: held, gaps, spans, skipped, moments, ...head }: Capture): string {
  const members = Object.entries({ ...head, from, scope: held }).map(
    ([key, value]) => `  ${JSON.stringify(key)}: ${JSON.stringify(value)}`,
  );
  const lists = Object.entries({ gaps, spans, skipped, moments }).map(([key, list]) =>
    list.length === 0
      ? `  ${JSON.stringify(key)}: []`
      : `  ${JSON.stringify(key)}: [\n${list.map((each) => `    ${JSON.stringify(each)}`).join(",\n")}\n  ]`,
  );
  return `{\n${[...members, ...lists].join(",\n")}\n}\n`;
}
