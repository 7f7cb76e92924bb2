/**
 * What the provider was given with each turn. A host reports what a turn says and how it ends through these functions, so every
 * other step of that kind goes through them; the rest name path and turn, as a host does that kept nothing.
 */
import type { Op, Step } from "../../src/contract.ts";
import type { DispatchRequest } from "../../src/index.ts";
import type { Sheet } from "./context.ts";
import { type Handle, viewOf } from "./handle.ts";
import type { Stage } from "./stage.ts";

export type Given = Pick<DispatchRequest, "say" | "finish" | "block">;

/** For a step that stands alone: what the provider does is told to the call that began the turn, not to one of several. */
export function givenFor(stage: Stage, handle: Handle, step: Step, on: Sheet): Given | null {
  if (stage.number % 2 === 0 || on !== stage.current) return null;
  switch (step.do) {
    case "finish":
      // An answer in advance belongs to the step, of which these functions know nothing.
      if (step.answers !== undefined) return null;
      return "op" in step ? atDispatch(handle, step.op) : (handle.turns.get(`${step.path}@${step.turn}`) ?? null);
    case "say":
      return turnOf(handle, step.path) === null ? null : (handle.turns.get(`${step.path}@${step.turn}`) ?? null);
    case "block":
      return handle.turns.get(`${step.path}@${turnOf(handle, step.path)}`) ?? null;
    default:
      return null;
  }
}

/** Of the turn under way there. */
function turnOf(handle: Handle, path: string): number | null {
  const view = viewOf(handle);
  return (view.mode === "closed" ? undefined : view.agents?.[path]?.turn) ?? null;
}
/** Held, while its own dispatch goes on; afterwards the operation is gone and the turn is not. */
function atDispatch(handle: Handle, op: Op): Given | null {
  const isOpen = viewOf(handle).open?.some(([open, gate]) => open === op && gate === "dispatch") === true;
  return isOpen ? ([...handle.turns.values()].find((each) => each.op === op) ?? null) : null;
}
