/**
 * What an explanation of a story is, as plain data: the story as it was told, both sides of every moment, where they part,
 * and what was found out by telling the story otherwise. Whoever shows it (terminal, page, diagram) decides nothing.
 */
import type { Encoded, Reply, Step, StoredView, View } from "../../src/contract.ts";

/** What one side shows at one moment; `null` for what it cannot tell. */
export interface Side {
  /** To the step that led here; `null` before the first. */
  readonly reply: Reply | null;
  readonly view: View;
  readonly encoded: Encoded | null;
  readonly stored: StoredView | null;
}
/** A moment: before the first step, or after one. `target` is `null` where the target threw instead. */
export interface Frame {
  readonly model: Side;
  readonly target: Side | null;
}

/**
 * What a changed story did: failed alike, did not fail, failed in another way; was not tried for want of executions, or
 * asks for something that the target lacks.
 */
export type Verdict = "same" | "gone" | "changed" | "untried" | "unfit";

/** What became of the failure with two neighbours in the other order. */
export interface Swap {
  readonly verdict: Verdict;
  /** The later one needs the earlier one: it answers an operation begun there, or is rebuffed before it. */
  readonly causal: boolean;
}

/** One value of a step, and what became of the failure with others in its place. */
export interface Worth {
  /** `text`, `with`, `answers.dispatch`, … */
  readonly key: string;
  /** `length`: another text does as well if it is as long. */
  readonly matters: "no" | "length" | "yes" | "untried";
  /** Others that fail alike, and others that do not. */
  readonly keeps: readonly string[];
  readonly breaks: readonly string[];
}

/** `order`: the failure is there without the step, but not with it elsewhere. */
export type Need = "required" | "order" | "free" | "untried";

/** A step of the story, or one inside a `together`. */
export interface Told {
  /** `[4]` the fifth step; `[4, 1]` the second of those issued together there. */
  readonly at: readonly [step: number, inner?: number];
  readonly step: Step;
  readonly need: Need;
  /** The story without it. */
  readonly without: Verdict;
  /** Changed places with the next one; `null` for the last. */
  readonly swap: Swap | null;
  readonly worths: readonly Worth[];
}

interface BrokenLaw {
  readonly number: number;
  readonly sentence: string;
  /** What breaks it here, with path and values. */
  readonly what: string;
}
/** One place where the two sides differ; `undefined` where a side has nothing there. */
export interface Unlike {
  readonly sight: Sight;
  /** Keys from the sight down, as `agents`, `/root/a`, `result`. */
  readonly at: readonly string[];
  readonly model: unknown;
  readonly target: unknown;
}
export type Sight = "reply" | "view" | "encoded" | "stored";

export interface Failing {
  /** As the checker names it: `L8`, `view.agents.result`. */
  readonly kinds: readonly string[];
  readonly laws: readonly BrokenLaw[];
  /** The model breaks these laws as well: no side differs, the specification is wrong. */
  readonly both: boolean;
  readonly unlike: readonly Unlike[];
  readonly thrown: string | null;
  /** After which step it was noticed; -1 before the first. */
  readonly step: number;
}

/** The first step after which the two can be told apart at all, by what they show or by what a reader would be told. */
export interface Parting {
  readonly step: number;
  /** The command that tells them apart, where what they show by themselves does not. */
  readonly by: Step | null;
  readonly unlike: Unlike | null;
}

export interface Explanation {
  /** What the story is called, and whom it was told to. */
  readonly title: string;
  readonly target: string;
  readonly capacity: number;
  readonly archive: string;
  /** In order; those inside a `together` follow it. */
  readonly told: readonly Told[];
  /** One more than steps: the first is before the story. */
  readonly frames: readonly Frame[];
  /** `null`: the story holds on this target. */
  readonly failing: Failing | null;
  readonly parting: Parting | null;
  /** View fields that the target does not show. */
  readonly hidden: readonly string[];
  /** Stories told to find this out, and whether that was enough for all questions. */
  readonly executions: number;
  readonly complete: boolean;
  /** Texts stand as lengths and hashes. */
  readonly hashed: boolean;
}
