/** For tests: the smallest scope in which everything can be said, and what the specification answers last to some steps. */
import { begin, step as decide } from "../../model/index.ts";
import type { Reply, Scope, Step } from "../../src/contract.ts";
import { digest } from "../digest.ts";

export const smallScope: Scope = {
  capacity: 3,
  roles: {
    r: {
      ...{ instructions: "i", model: "m", effort: null, limits: {}, parameters: {} },
      tools: [["core", "read"]],
    },
  },
  registrars: { core: { category: "core", tools: ["read"] } },
  archive: "memory",
  process: "same",
};

export function lastReply(scope: Scope, steps: readonly Step[]): Reply {
  let world = begin(digest, scope);
  let last: Reply = { ok: "done" };
  for (const step of steps) {
    const next = decide(world, step);
    [world, last] = [next.world, next.reply];
  }
  return last;
}
