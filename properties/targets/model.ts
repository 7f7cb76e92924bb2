/** The model as a target, or a twin of it with rules replaced: synchronous, so that a story costs what the model costs. */
import { begin, encode, type Rules, rules, step, stored, view, type World } from "../../model/index.ts";
import type { Scope } from "../../src/contract.ts";
import { digest } from "../digest.ts";
import { everything, type Target } from "../target.ts";
import { Unusable } from "../unusable.ts";

export function modelTarget(name = "model", m: Rules = rules): Target {
  let world: World | null = null;
  const open = (): World => {
    if (world === null) throw new Unusable(4, `${name} was not reset`);
    return world;
  };
  return {
    name,
    capabilities: everything,
    reset: (scope: Scope) => {
      world = begin(digest, scope);
    },
    apply: (one) => {
      const { world: after, reply } = step(open(), one, m);
      world = after;
      return reply;
    },
    view: () => view(open(), m),
    encode: () => encode(open(), m),
    stored: () => stored(open()),
    counters: () => null,
    close: () => {
      world = null;
    },
  };
}
