/** Where a story is told otherwise: the same target again and again, counted, and never more often than was allowed. */
import type { Scope, Step } from "../../src/contract.ts";
import { applicable } from "../applicable.ts";
import type { Bound } from "../bind.ts";
import { follow } from "../follow.ts";
import { type Next, type Run, run } from "../loop.ts";
import type { Target } from "../target.ts";
import type { Verdict } from "./explanation.ts";

export interface Laboratory {
  /** `null` when nothing may be told any more. */
  tell(list: readonly Bound[]): Promise<Telling | null>;
  /** Told so far, and whether something was left untold. */
  executions(): number;
  complete(): boolean;
}
export interface Telling {
  readonly run: Run;
  /** The steps as they came to be, with what their names mean. */
  readonly bound: readonly Bound[];
  /** The target lacks what the story came to ask of it, so it was told no further. */
  readonly unfit: boolean;
}

export function laboratory(target: Target, scope: Scope, executionsMax: number): Laboratory {
  let executions = 0;
  let complete = true;
  return {
    tell: async (list) => {
      if (executions >= executionsMax) {
        complete = false;
        return null;
      }
      executions++;
      const { next, watch, bound } = follow(list);
      let unfit = false;
      const fitting: Next = (...here) => {
        const step = next(...here);
        unfit = step !== null && applicable(step, target.capabilities, here[0]) !== null;
        return unfit ? null : step;
      };
      const told = await run(target, scope, fitting, watch);
      return { run: told, bound, unfit };
    },
    executions: () => executions,
    complete: () => complete,
  };
}

/** A step as it stands, its names meaning nothing more than themselves. */
export function plain(step: Step): Bound {
  const inner = step.do === "together" ? step.steps : [];
  const called = step.do === "wait" && typeof step.callback === "object" ? [step.callback.then] : [];
  return { step, op: null, turn: null, token: null, inner: [...inner, ...called].map(plain) };
}

/** What became of a failure of these kinds; a known divergence that ends the story is another failure. */
export function verdictOf(telling: Telling | null, kinds: readonly string[]): Verdict {
  if (telling === null) return "untried";
  if (telling.unfit) return "unfit";
  const { failure, diverged } = telling.run;
  if (failure === null) return diverged === null ? "gone" : "changed";
  return failure.kinds.some((kind) => kinds.includes(kind)) ? "same" : "changed";
}
