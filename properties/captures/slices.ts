/**
 * Short stories out of a long capture: what happened while an operation was under way, by whom it concerns, and before it only
 * what brings these agents to where they stood. In the capture's order.
 */
import type { Path } from "../../src/contract.ts";
import { subjectOf } from "../about.ts";
import type { Capture, Moment, Span } from "./capture.ts";

/** Indices of moments, rising; from `window` on they are told as they were recorded. */
export interface Slice {
  readonly moments: readonly number[];
  /** Place in the list of the first that is no mere preparation. */
  readonly window: number;
  readonly span: Span | null;
}

/** Moments of a window; of a longer one the first, the last, and those around them. */
const windowMax = 14;
/** Moments before and after an operation that belong to its window. */
const around = 2;

/** An operation and what was concurrent with it; those with most company first, earlier ones before later ones. */
export function spansByCompany({ spans, moments }: Capture): readonly Span[] {
  const company = ({ from, to }: Span): number => (to ?? moments.length) - from;
  const least = (span: Span): number => Math.min(company(span), windowMax);
  return spans.toSorted((one, other) => least(other) - least(one) || one.from - other.from);
}

/** Windows that lie elsewhere: so that what no operation was open in is told as well. */
export const windowAt = (capture: Capture, at: number): Slice =>
  sliced(capture, Math.max(0, at - windowMax / 2), Math.min(capture.moments.length, at + windowMax / 2), null);

export function sliceOf(capture: Capture, span: Span): Slice {
  const { length } = capture.moments;
  const to = span.to ?? Math.min(length - 1, span.from + windowMax);
  return sliced(capture, Math.max(0, span.from - around), Math.min(length, to + 1 + around), span);
}

function sliced({ moments }: Capture, from: number, to: number, span: Span | null): Slice {
  const all = Array.from({ length: to - from }, (_, index) => from + index);
  const half = windowMax / 2;
  const window = all.length <= windowMax ? all : [...all.slice(0, half), ...all.slice(-half)];
  const paths = new Set<Path>();
  for (const index of window) for (const path of concerned(moments[index])) paths.add(path);
  const before = [...paths].flatMap((path) => life(moments, path, from));
  const prefix = [...new Set(before)].toSorted((one, other) => one - other);
  return { moments: [...prefix, ...window], window: prefix.length, span };
}

function concerned(moment: Moment | undefined): readonly Path[] {
  if (moment === undefined) return [];
  const { step } = moment;
  const paths = [subjectOf(step), "by" in step ? step.by : null].filter((path) => path !== null && path !== "/root");
  return paths.flatMap((path) => lineage(path ?? "/root"));
}
/** It and those above it, below the root. */
function lineage(path: Path): readonly Path[] {
  const parts = path.split("/").slice(2);
  return parts.map((_, index) => `/root/${parts.slice(0, index + 1).join("/")}`);
}

/** How it came to be, its last turn that ended, and how far the one after that had come: earlier turns are left out. */
function life(moments: readonly Moment[], path: Path, until: number): readonly number[] {
  let born: number | null = null;
  let finished: number | null = null;
  /** Of the turn under way. */
  let turn: number[] = [];
  let first: readonly number[] = [];
  for (let index = 0; index < until; index++) {
    const step = moments[index]?.step;
    if (step === undefined || subjectOf(step) !== path) continue;
    if (step.do === "spawn") [born, finished, turn, first] = [index, null, [index], []];
    else if (step.do === "follow_up" && turn.length === 0) turn = [index];
    else if (step.do === "answer" && step.with !== "ok") turn = [];
    else if (step.do === "answer") turn.push(index);
    else if (step.do === "finish") [finished, first, turn] = [index, first.length === 0 ? turn : first, []];
  }
  if (born === null) return [];
  return [...first, ...(finished === null ? [] : [finished]), ...turn];
}
