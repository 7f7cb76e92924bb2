/**
 * Replays a recorded story: what is recorded, what the model says and what the target does must be the same at every step. A
 * trace never passes because it no longer means anything: that has verdicts of its own, each with its reason.
 */

import type { World } from "../model/index.ts";
import { step as decide, stored, view } from "../model/index.ts";
import { applicable } from "../properties/applicable.ts";
import { equal } from "../properties/compare.ts";
import { hashOf } from "../properties/digest.ts";
import { type Failure, run } from "../properties/loop.ts";
import { specification } from "../properties/specification.ts";
import type { Target } from "../properties/target.ts";
import { type Read, since, type Trace } from "../properties/trace.ts";
import type { Hash } from "../src/contract.ts";
import { staleBecause } from "./stale.ts";

export type Verdict = { readonly why: string } & (
  | {
      /** The target differs from the specification, or breaks a law, at this step. */
      readonly is: "reproduces";
      readonly step: number;
      readonly failure: Failure;
    }
  /** Recorded = model = target to the end. */
  | { readonly is: "fixed" }
  /** The specification says something else now than was recorded, or does not know a word of it. */
  | { readonly is: "stale"; readonly step: number; readonly recorded: unknown; readonly model: unknown }
  /** The target lacks what this step needs, or the story is for a specification to come; never taken for green. */
  | { readonly is: "not applicable"; readonly step: number }
);

/** Steps are counted from 1, as people do. `rot` is where the trace itself ends, if it does (`readStory`). */
export async function replay(trace: Trace, target: Target, rot: Read["rot"] = null): Promise<Verdict> {
  if (rot?.is === "newer") return { is: "not applicable", step: rot.step, why: rot.why };
  let stopped: Verdict | null = null;
  const next = (world: World, index: number) => {
    const told = trace.steps[index];
    if (told === undefined) {
      stopped =
        rot === null ? ended(trace, world) : { is: "stale", step: rot.step, recorded: null, model: null, why: rot.why };
      return null;
    }
    const [step, recorded] = told;
    const why = applicable(step, target.capabilities, world);
    if (why !== null) {
      stopped = { is: "not applicable", step: index + 1, why: `${target.name} cannot be given this step: ${why}` };
      return null;
    }
    const { reply } = decide(world, step);
    if (equal(reply, recorded)) return step;
    stopped = {
      is: "stale",
      step: index + 1,
      recorded,
      model: reply,
      why: `${staleBecause(recorded, reply)}. ${since(trace.spec)}`,
    };
    return null;
  };
  const done = await run(target, trace.scope, next);
  if (done.failure !== null) {
    const step = done.told.length;
    return { is: "reproduces", step, failure: done.failure, why: reproducesBecause(done.failure) };
  }
  const steps = trace.steps.length;
  return (
    stopped ?? {
      is: "fixed",
      why: `all ${steps} answers are as recorded, and ${target.name} agrees with the specification`,
    }
  );
}

/** The same answers may hide another end: a rule that shows in no answer has changed then. */
function ended(trace: Trace, world: World): Verdict | null {
  const ends = endOf(world);
  if (trace.ends === undefined || trace.ends === ends) return null;
  const why = `every answer is as recorded, but what the specification shows and stores at the end is not. ${since(trace.spec)}`;
  return { is: "stale", step: trace.steps.length, recorded: trace.ends, model: ends, why };
}

/** Views and archives are plain JSON. */
const endOf = (world: World): Hash => hashOf(JSON.parse(JSON.stringify([view(world), stored(world)])));

function reproducesBecause({ broken, difference, thrown }: Failure): string {
  const laws = broken.map(({ law, what }) => `L${law.number}: ${what}`);
  if (difference !== null) laws.push(`it differs at ${difference.at}`);
  if (thrown !== null) laws.push(`it threw: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  return laws.join("; ");
}

/** The trace with what the model says now, for the specification of today. */
export async function rerecorded(trace: Trace, target: Target): Promise<Trace> {
  let ends = trace.ends;
  const { told } = await run(target, trace.scope, (world, index) => {
    const step = trace.steps[index]?.[0] ?? null;
    if (step === null) ends = endOf(world);
    return step;
  });
  const { scope, steps: _, ...head } = trace;
  return { ...head, spec: specification, ...(ends === undefined ? {} : { ends }), scope, steps: told };
}
