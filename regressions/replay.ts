/**
 * Replays a recorded story: what is recorded, what the model says and what the target does must be the same at every step. A
 * trace never passes because it no longer means anything: that has verdicts of its own.
 */

import type { World } from "../model/index.ts";
import { step as decide } from "../model/index.ts";
import { applicable } from "../properties/applicable.ts";
import { equal } from "../properties/compare.ts";
import { type Failure, run } from "../properties/loop.ts";
import type { Target } from "../properties/target.ts";
import type { Trace } from "../properties/trace.ts";

export type Verdict =
  /** The target differs from the specification, or breaks a law, at this step. */
  | { readonly is: "reproduces"; readonly step: number; readonly failure: Failure }
  /** Recorded = model = target to the end. */
  | { readonly is: "fixed" }
  /** The specification says something else now than was recorded. */
  | { readonly is: "stale"; readonly step: number; readonly recorded: unknown; readonly model: unknown }
  /** The target lacks what this step needs; counted, and never taken for green. */
  | { readonly is: "not applicable"; readonly step: number; readonly why: string };

/** Steps are counted from 1, as people do. */
export async function replay(trace: Trace, target: Target): Promise<Verdict> {
  let stopped: Verdict | null = null;
  const next = (world: World, index: number) => {
    const told = trace.steps[index];
    if (told === undefined) return null;
    const [step, recorded] = told;
    const why = applicable(step, target.capabilities, world);
    if (why !== null) {
      stopped = { is: "not applicable", step: index + 1, why };
      return null;
    }
    const { reply } = decide(world, step);
    if (equal(reply, recorded)) return step;
    stopped = { is: "stale", step: index + 1, recorded, model: reply };
    return null;
  };
  const done = await run(target, trace.scope, next);
  if (done.failure !== null) return { is: "reproduces", step: done.told.length, failure: done.failure };
  return stopped ?? { is: "fixed" };
}

/** The trace with what the model says now. */
export async function rerecorded(trace: Trace, target: Target): Promise<Trace> {
  const { told } = await run(target, trace.scope, (_, index) => trace.steps[index]?.[0] ?? null);
  return { ...trace, steps: told };
}
