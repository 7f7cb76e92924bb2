/**
 * Replays a recorded story: what is recorded, what the model says and what the target does must be the same at every step. A
 * trace never passes because it no longer means anything: that has verdicts of its own, each with its reason.
 */

import type { World } from "../model/index.ts";
import { stored, view } from "../model/index.ts";
import { applicable } from "../properties/applicable.ts";
import { equal } from "../properties/compare.ts";
import { hashOf } from "../properties/digest.ts";
import { type Failure, run } from "../properties/loop.ts";
import { specification } from "../properties/specification.ts";
import type { Target } from "../properties/target.ts";
import { type Read, since, type Trace } from "../properties/trace.ts";
import type { Hash, Reply } from "../src/contract.ts";
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
  /**
   * The target lacks what this step needs, or the story is for a specification to come; never taken for green. `known` where
   * the target is known to differ, and says so itself.
   */
  | { readonly is: "not applicable"; readonly step: number; readonly known?: true }
);

/** Steps are counted from 1, as people do. `rot` is where the trace itself ends, if it does (`readStory`). */
export async function replay(trace: Trace, target: Target, rot: Read["rot"] = null): Promise<Verdict> {
  if (rot?.is === "newer") return { is: "not applicable", step: rot.step, why: rot.why };
  const { steps } = trace;
  let stopped: Verdict | null = null;
  const next = (world: World, index: number, last: Reply | null = null) => {
    stopped = last === null ? null : outdated(trace, index, last);
    if (stopped !== null) return null;
    const told = steps[index];
    if (told === undefined) {
      stopped = rot === null ? ended(trace, world) : { ...unread, step: rot.step, why: rot.why };
      return null;
    }
    const why = applicable(told[0], target.capabilities, world);
    if (why === null) return told[0];
    stopped = { is: "not applicable", step: index + 1, why: `${target.name} cannot be given this step: ${why}` };
    return null;
  };
  const done = await run(target, trace.scope, next);
  const step = done.told.length;
  const { failure, diverged } = done;
  if (failure !== null || diverged !== null) {
    // What the specification no longer says was not promised by the target either.
    const [, reply] = done.told.at(-1) ?? [];
    const old = reply === undefined ? null : outdated(trace, step, reply);
    if (old !== null) return old;
    if (failure !== null) return { is: "reproduces", step, failure, why: reproducesBecause(failure) };
    return { is: "not applicable", step, known: true, why: `${target.name} is known to differ here (${diverged})` };
  }
  return stopped ?? { is: "fixed", why: `all ${steps.length} answers are as recorded, and ${target.name} agrees` };
}

const unread = { is: "stale", recorded: null, model: null } as const;

/** Whether the specification answers something else to this step, counted from 1, than was recorded. */
function outdated(trace: Trace, step: number, reply: Reply): Verdict | null {
  const recorded = trace.steps[step - 1]?.[1];
  if (recorded === undefined || equal(reply, recorded)) return null;
  return { is: "stale", step, recorded, model: reply, why: `${staleBecause(recorded, reply)}. ${since(trace.spec)}` };
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
