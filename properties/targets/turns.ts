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
      return unanswered(handle, "op" in step ? atDispatch(handle, step.op) : admitted(handle, step.path, step.turn));
    case "say":
      return turnOf(handle, step.path) === null ? null : (handle.turns.get(`${step.path}@${step.turn}`) ?? null);
    case "block":
      return handle.turns.get(`${step.path}@${turnOf(handle, step.path)}`) ?? null;
    default:
      return null;
  }
}

/** Nor may the step that began the turn answer for the handler: it is over. */
function unanswered(handle: Handle, given: DispatchRequest | null): Given | null {
  return given === null || handle.contexts.get(given.op)?.answers.handler !== undefined ? null : given;
}
/** Of the turn under way there. */
function turnOf(handle: Handle, path: string): number | null {
  const view = viewOf(handle);
  return (view.mode === "closed" ? undefined : view.agents?.[path]?.turn) ?? null;
}
/** Of a turn that was admitted here, over or not: while its dispatch goes on, its end is held and no turn is named. */
function admitted(handle: Handle, path: string, turn: number): DispatchRequest | null {
  const view = viewOf(handle);
  const given = handle.turns.get(`${path}@${turn}`);
  if (given === undefined || view.mode === "closed" || view.agents?.[path] === undefined) return null;
  return view.open?.some(([op]) => op === given.op) === true ? null : given;
}
/** Held, while its own dispatch goes on; afterwards the operation is gone and the turn is not. */
function atDispatch(handle: Handle, op: Op): DispatchRequest | null {
  const isOpen = viewOf(handle).open?.some(([open, gate]) => open === op && gate === "dispatch") === true;
  return isOpen ? ([...handle.turns.values()].find((each) => each.op === op) ?? null) : null;
}
