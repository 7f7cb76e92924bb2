/** One fault hunted with one seed: the first story that fails, how it is judged there, and what it shrinks to. */
import type { Scope, Step } from "../../src/contract.ts";
import { within } from "../bind.ts";
import { breathing } from "../breath.ts";
import { type Oracle, type Run, run } from "../loop.ts";
import { shrink } from "../shrink.ts";
import { storyAt, telling } from "../stories.ts";
import type { Target } from "../target.ts";

export interface Kill {
  readonly seed: number;
  /** Stories told until it failed, that one too. */
  readonly stories: number;
  /** Laws broken at the first step that failed, by number. */
  readonly laws: readonly number[];
  /** The kind of the first difference there, or `threw`; `null` where only laws were broken. */
  readonly difference: string | null;
  readonly shrunk: ShrunkTo | null;
}
interface ShrunkTo {
  /** Steps, those inside a `together` counted. */
  readonly length: number;
  readonly executions: number;
  /** To see that nothing more can be left out. */
  readonly checks: number;
  readonly steps: readonly Step[];
}

export interface Hunt {
  readonly seed: number;
  /** Stories told at most. */
  readonly runs: number;
  readonly oracle: Oracle;
  /** Whether what fails is shrunk. */
  readonly shrinks: boolean;
  readonly signal: AbortSignal;
}

/** Executions that one story may be shrunk in: many times what the slowest took. */
const shrinksMax = 2_000;

/** `null` where it lived through all of them, or nobody waits any more. */
export async function hunt(target: Target, { seed, runs, oracle, shrinks, signal }: Hunt): Promise<Kill | null> {
  const breath = breathing();
  for (let index = 0; index < runs && !signal.aborted; index++) {
    await breath();
    const story = storyAt(seed, index);
    const { scope } = story.shape;
    const told = await run(target, scope, telling(story, target.capabilities), {}, oracle);
    if (told.failure === null) continue;
    const { broken, difference, kinds } = told.failure;
    const laws = [...new Set(broken.map(({ law }) => law.number))].sort((one, other) => one - other);
    const other = kinds.find((kind) => !/^L\d+$/.test(kind)) ?? null;
    const shrunk = shrinks ? await shrunkTo(target, scope, told, oracle, signal) : null;
    return {
      seed,
      stories: index + 1,
      laws,
      difference: difference === null && other !== "threw" ? null : other,
      shrunk,
    };
  }
  return null;
}

async function shrunkTo(
  target: Target,
  scope: Scope,
  told: Run,
  oracle: Oracle,
  signal: AbortSignal,
): Promise<ShrunkTo> {
  const { run: found, executions, checks } = await shrink(target, scope, told, shrinksMax, oracle, signal);
  const steps = found.told.map(([step]) => step);
  return { length: steps.reduce((sum, step) => sum + weightOf(step), 0), executions, checks, steps };
}

/** What is issued together is not one step. */
function weightOf(step: Step): number {
  return step.do === "together" ? Math.max(1, within(step).length) : 1;
}
