/**
 * A story on the specification alone: its steps with their names as they are where each comes to stand, and what is answered.
 * It costs a hundredth of telling it to a target, so that the shrinker need not tell what cannot fail alike.
 */
import { begin, step as decide } from "../model/index.ts";
import type { Reply, Scope, Step } from "../src/contract.ts";
import { type Begun, type Bound, begun, bind, rebind } from "./bind.ts";
import { digest } from "./digest.ts";

export interface Plan {
  readonly scope: Scope;
  /** As given, and bound anew where each stands now. */
  readonly list: readonly Bound[];
  readonly steps: readonly Step[];
  readonly replies: readonly Reply[];
}

/** What became of a step, without its values: `ok`, `late`, a refusal, a fault, a gate, an end. */
export function kindOfReply(reply: Reply): string {
  if ("ok" in reply) return reply.ok === "late" ? "late" : "ok";
  if ("refused" in reply) return reply.refused;
  if ("fault" in reply) return reply.fault;
  if ("gate" in reply) return reply.gate;
  return "quit" in reply ? "quit" : "crashed";
}
/** It was turned away, and changed nothing. */
export const isRebuffed = (reply: Reply): boolean => "refused" in reply || ("ok" in reply && reply.ok === "late");

/** `drops` decides by what is answered whether a step is left out after all. */
export function plan(scope: Scope, given: readonly Bound[], drops?: (held: Bound, reply: Reply) => boolean): Plan {
  const earlier: Begun = new Map();
  const fresh: Begun = new Map();
  const list: Bound[] = [];
  const steps: Step[] = [];
  const replies: Reply[] = [];
  let world = begin(digest, scope);
  for (const held of given) {
    const step = rebind(held, world, earlier);
    const after = decide(world, step);
    if (drops?.(held, after.reply) === true) continue;
    const bound = bind(step, world, fresh);
    const ops = begun(world, after.world);
    earlier.set(held, ops);
    fresh.set(bound, ops);
    list.push(bound);
    steps.push(step);
    replies.push(after.reply);
    world = after.world;
  }
  return { scope, list, steps, replies };
}
