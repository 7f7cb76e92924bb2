/** A step that was told, before its names are bound to other steps. */
import type { Step } from "../src/contract.ts";
import { type Bound, within } from "./bind.ts";

/** With its names as they stand. */
export function unbound(step: Step): Bound {
  return { step, op: null, turn: null, token: null, inner: within(step).map(unbound) };
}
