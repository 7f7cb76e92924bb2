/** What is told to processes that are killed or recorded: the steps of generated stories, and a look at everything at each opening. */
import { step as decide, type World } from "../../model/index.ts";
import type { Path, Reply, Step } from "../../src/contract.ts";
import type { Next } from "../loop.ts";
import { type Capabilities, everything } from "../target.ts";
import { verbs } from "../words.ts";

// Damage is another campaign's: a process that was killed cannot mend what it has damaged.
export const capabilities: Capabilities = {
  ...everything,
  checksLate: true,
  verbs: verbs.filter((verb) => verb !== "damage" && verb !== "mend"),
};
/** Conversations read after each kill, beside the root's. */
const readMax = 3;

/** The next steps of the story, as the specification answers them. */
export function stepsFrom(
  world: World,
  next: Next,
  from: number,
  count: number,
): { readonly steps: readonly Step[]; readonly told: boolean } {
  const steps: Step[] = [];
  let now = world;
  let last: Reply | null = null;
  while (steps.length < count) {
    const step = next(now, from + steps.length, last);
    if (step === null) return { steps, told: true };
    const after = decide(now, step);
    [now, last] = [after.world, after.reply];
    steps.push(step);
    // Idle records are looked at late; `verify` looks at all.
    if (step.do === "restore") steps.push(step.as === undefined ? { do: "verify" } : { do: "verify", as: step.as });
  }
  return { steps, told: false };
}

/** A look at everything behind a restore. */
export function looksAt(world: World): readonly Step[] {
  const paths: Path[] = Object.keys(world.disk.agents).sort().slice(0, readMax);
  const history = (path: Path): Step => ({ do: "read_history", path, last: 1_000, answers: { hydrate: "ok" } });
  return [
    { do: "restore", mode: "write", answers: { hydrate: "ok" } },
    { do: "verify" },
    ...["/root", ...paths].map(history),
  ];
}
