/**
 * Patterns of steps, by which a target says what it cannot be given and where it is known to differ. A pattern is a part of a
 * step: each member it names is there and matches; `*` at the end of a text stands for any more. `of` and the answer to a
 * gate mean the same whether it is given when asked for or in advance; `from` is what the agent that calls
 * is: `idle`, `starting` or `admitted`, or how resident its conversation is.
 */

import type { World } from "./../model/index.ts";
import type { Json, Step } from "../src/contract.ts";

export type Pattern = { readonly [member: string]: Json };

const isRecord = (given: unknown): given is { readonly [member: string]: unknown } =>
  typeof given === "object" && given !== null && !Array.isArray(given);

function fits(pattern: Json | undefined, given: unknown): boolean {
  if (typeof pattern === "string" && typeof given === "string")
    return pattern.endsWith("*") ? given.startsWith(pattern.slice(0, -1)) : pattern === given;
  if (isRecord(pattern))
    return isRecord(given) && Object.entries(pattern).every(([member, value]) => fits(value as Json, given[member])); // a member of JSON
  return JSON.stringify(pattern) === JSON.stringify(given);
}

/** What an answer is about: the operation's own verb, as far as it is one that people begin. */
function began(step: Step, world: World): string | null {
  if (step.do !== "answer") return step.do;
  const handle = world.handles[step.as ?? "w1"];
  if (handle?.is !== "open") return null;
  return handle.ops.find(({ op }) => op === step.op)?.is ?? null;
}

/** Of the agent that calls, what it is and how resident; nothing where none does. */
function callerIs(step: Step, world: World): readonly string[] {
  const handle = world.handles[step.as ?? "w1"];
  if (handle?.is !== "open" || !("by" in step)) return [];
  const agent = handle.agents[step.by];
  return agent === undefined ? [] : [agent.is, agent.residency];
}

/** Whether a failure is of a kind, in which `*` stands for any one part: `view.*.mail`. */
export function isKind(kind: string, found: string): boolean {
  const [parts, own] = [kind.split("."), found.split(".")];
  return parts.length === own.length && parts.every((part, at) => part === "*" || part === own[at]);
}

/** `world` is where the step is to be taken. */
export function matches({ of, from, gate, with: answer, ...rest }: Pattern, step: Step, world: World): boolean {
  if (!fits(rest, step)) return false;
  if (from !== undefined && !callerIs(step, world).some((each) => each === from)) return false;
  if (of !== undefined && of !== began(step, world)) return false;
  if (gate === undefined && answer === undefined) return true;
  if (step.do === "answer")
    return fits({ ...(gate === undefined ? {} : { gate }), ...(answer === undefined ? {} : { with: answer }) }, step);
  const riding = "answers" in step && isRecord(step.answers) ? step.answers : {};
  return Object.entries(riding).some(([at, given]) => (gate ?? at) === at && (answer ?? given) === given);
}
