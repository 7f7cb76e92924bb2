/** Whether a target can be given a step where the model stands; if not, why, in a few words. */
import type { World } from "../model/index.ts";
import type { Gate, Step } from "../src/contract.ts";
import { matches } from "./pattern.ts";
import type { Capabilities } from "./target.ts";

export function applicable(step: Step, capabilities: Capabilities, world: World): string | null {
  const { verbs, answers, passes, advance, lacks, commits, handles, nesting } = capabilities;
  if (verbs !== undefined && !verbs.includes(step.do)) return `${step.do} is not offered`;
  if (!commits && step.commit !== undefined) return "commits cannot be answered";
  if (!handles && step.as !== undefined) return "a second handle is not offered";
  const riding = "answers" in step && step.answers !== undefined ? step.answers : {};
  const passed = advance?.includes(step.do) === true ? opens(step) : (passes ?? []);
  const unstoppable = passed.find((gate) => opens(step).includes(gate) && riding[gate] === undefined);
  if (unstoppable !== undefined) return `it cannot stop at ${unstoppable}`;
  const lack = lacks?.find(
    ({ step: like, only }) => matches(like, step, world) && !(only !== undefined && matches(only, step, world)),
  );
  if (lack !== undefined) return lack.why;
  for (const [gate, allowed] of Object.entries(answers ?? {})) {
    const given = step.do === "answer" ? (step.gate === gate ? step.with : undefined) : riding[gate as Gate]; // keys of a record over gates
    if (given !== undefined && !allowed.includes(given)) return `${gate} cannot be answered ${given}`;
  }
  if (nesting === "lifo") return disordered(step, world);
  if (step.do === "together")
    return step.steps.map((one) => applicable(one, capabilities, world)).find((why) => why !== null) ?? null;
  return null;
}

/** Gates at which a step may come to stand. */
export function opens(step: Step): readonly Gate[] {
  if (step.do === "spawn") return ["prepare", "dispatch"];
  if (step.do === "follow_up") return ["hydrate", "prepare", "dispatch"];
  if (step.do === "interrupt") return ["abort"];
  if (step.do === "finish") return ["handler"];
  if (step.do === "read_history" || step.do === "inspect" || step.do === "restore") return ["hydrate"];
  return [];
}

/** One thread: only the newest gate is answered, and it starts anew only when none is open. */
function disordered(step: Step, world: World): string | null {
  const handle = world.handles[step.as ?? "w1"];
  const ops = handle?.is === "open" ? handle.ops : [];
  if (ops.length === 0) return null;
  if (step.do === "answer" && ops.some(({ op }) => op === step.op) && ops.at(-1)?.op !== step.op)
    return "a newer gate is open";
  if (step.do === "crash" || step.do === "close" || step.do === "together") return "a gate is open";
  return null;
}
