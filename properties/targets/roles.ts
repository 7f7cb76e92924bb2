/**
 * The roles of the host as a story changes them: a process that goes on with the story is told those of then. A change may
 * also be what a waiter does when it is woken.
 */
import type { Json, Path, Reply, Step } from "../../src/contract.ts";

export interface Roles {
  now(): { readonly [role: string]: Json };
  /** What came of a step. */
  told(step: Step, reply: Reply): void;
}

export function rolesOf(given: { readonly [role: string]: Json }): Roles {
  let roles = given;
  const waiters = new Map<Path, Step>();

  const note = (step: Step, reply: Reply): void => {
    if (!("ok" in reply)) return;
    if (step.do === "change_role") roles = { ...roles, [step.role]: step.config };
    if (step.do !== "wait" || reply.ok !== "waiting") return;
    if (typeof step.callback === "object") waiters.set(step.by, step.callback.then);
    else waiters.delete(step.by);
  };
  const told = (step: Step, reply: Reply): void => {
    if (step.do === "together" && "ok" in reply && Array.isArray(reply.ok)) {
      const replies: readonly Reply[] = reply.ok as readonly Reply[]; // the value of a together
      for (const [index, one] of step.steps.entries()) if (replies[index] !== undefined) told(one, replies[index]);
    } else note(step, reply);
    const woken: Step[] = [];
    for (const event of reply.events ?? []) {
      if (event[0] === "woke") {
        const then = waiters.get(event[1]);
        waiters.delete(event[1]);
        if (then !== undefined) woken.push(then);
      }
      // Callbacks run in the order in which their waiters were woken.
      const called = event[0] === "then" ? woken.shift() : undefined;
      if (called !== undefined && event[0] === "then") note(called, event[1]);
    }
  };
  return { now: () => roles, told };
}
