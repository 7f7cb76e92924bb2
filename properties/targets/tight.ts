/**
 * Production with room for one conversation in memory: nobody can tell but by what is read again. Issued at once, or by a
 * callback, a step may meet an agent that was dropped in the middle of the step before; those are not asked here. L32
 */
import type { Target } from "../target.ts";
import { verbs } from "../words.ts";
import { memoryPlaces } from "./places.ts";
import { productionTarget, usual } from "./production.ts";

const residentsMax = 1;

export function tightTarget(name = "tight", places: Parameters<typeof productionTarget>[1] = memoryPlaces()): Target {
  const target = productionTarget(name, places, { ...usual, residentsMax });
  return {
    ...target,
    capabilities: {
      ...target.capabilities,
      evicts: true,
      verbs: verbs.filter((each) => each !== "together"),
      lacks: [
        { step: { do: "wait", callback: {} }, why: "what a callback asks may meet somebody who was just dropped" },
      ],
    },
  };
}
