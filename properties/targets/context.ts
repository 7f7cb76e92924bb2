/**
 * What the production target remembers of a call it made: how its next commit is to be answered, where its events go, at
 * which gates it need not stop, and what came of it. Handed to the registry as the call's tag, and found again by it.
 */
import type { Answers, CommitAnswer, Event, Gate, Op, Step, StepOutcome } from "../../src/contract.ts";

/** One step, or one of those issued together. */
export interface Sheet {
  /** Of the whole step: a context whose sheet is of an earlier one belongs to whatever acts now. */
  readonly number: number;
  /** For the first commit it makes. */
  commit: CommitAnswer;
  /** For the commit that takes ownership. */
  epoch: CommitAnswer;
  readonly events: Event[];
  crashed: boolean;
}

export interface Context {
  sheet: Sheet;
  answers: Answers;
  /** Aborting it is the user giving up. */
  readonly controller: AbortController | null;
  /** The operation that the call began. */
  op: Op | null;
  /** The gate at which it stood last. */
  gate: Gate | null;
  /** What the call's promise came to; `null` while it is pending. */
  outcome: StepOutcome | null;
  /** What it rejected with, where no caller could expect it. */
  bug: unknown;
  /** The step that is called. */
  step: Step | null;
  /** A wait that was there before it ended. */
  woken: boolean;
}

export function sheet(number: number, commit: CommitAnswer = "ok", epoch: CommitAnswer = "ok"): Sheet {
  return { number, commit, epoch, events: [], crashed: false };
}

export function context(on: Sheet, answers: Answers, quits: boolean): Context {
  const controller = quits ? new AbortController() : null;
  return { sheet: on, answers, controller, op: null, gate: null, outcome: null, bug: null, step: null, woken: false };
}

export function isContext(tag: unknown): tag is Context {
  return typeof tag === "object" && tag !== null && "sheet" in tag;
}

/** The reason of an abort that was a quit of the story. */
export const quitReason: Error = new Error("the user has given up");
