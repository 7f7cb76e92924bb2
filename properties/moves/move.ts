/** A move: one kind of next step, how likely it is where a story stands, and the step it becomes there. */
import type { Gate, Step, Verb } from "../../src/contract.ts";
import type { Position } from "../position.ts";
import type { Group } from "../shape.ts";
import { answersOf } from "../words.ts";

export interface Move {
  readonly verb: Verb;
  readonly group: Group | null;
  /** How likely, against the other moves; 0 is never. */
  weight(at: Position): number;
  /** `null` where there is nothing to do it to. */
  draw(at: Position): Step | null;
}

/** The answer to a gate: `ok`, or one of the others so many times of a hundred. */
export function answer<G extends Gate>(at: Position, gate: G): (typeof answersOf)[G][number] {
  const [ok, ...others] = answersOf[gate];
  if (gate === "hydrate" && shared(at) !== null && at.dice.pick(3) === 2)
    return others.find((each) => each === "quit") ?? ok;
  return at.dice.chance(at.shape.faulty + (at.favours && gate === "handler" ? 40 : 0))
    ? (at.dice.some(others) ?? ok)
    : ok;
}

/** A path whose conversation is being read for somebody, half the time: others join the read there. */
export function shared(at: Position): string | null {
  const read = at.ops.filter((op) => op.gate === "hydrate");
  return read.length > 0 && at.dice.pick(2) === 0 ? (at.dice.some(read)?.path ?? null) : null;
}

type InAdvance = { answers?: { [gate in Gate]?: (typeof answersOf)[gate][number] } };

/** Answers that ride on the step that begins, all or the first few; always those of gates the target cannot stop at. */
export function ahead(at: Position, gates: readonly Gate[], verb?: Verb): InAdvance {
  // Within another step what was issued after it would be decided before the answer.
  if (at.inner) return {};
  const { advance, passes: some = [] } = at.capabilities;
  const passes = verb !== undefined && advance?.includes(verb) === true ? gates : some;
  const many = at.dice.chance(at.shape.ahead) ? gates.length - at.dice.pick(gates.length) : 0;
  // A handler that has answered before it was asked is never open while other things happen.
  const open = at.dice.pick(3) > 0;
  const given = gates.filter((gate, index) => (index < many && !(open && gate === "handler")) || passes.includes(gate));
  if (given.length === 0) return {};
  return { answers: Object.fromEntries(given.map((gate) => [gate, answer(at, gate)])) };
}

export const handler = (at: Position): { handler?: true } =>
  at.shape.on.handlers && at.dice.pick(3) === 1 ? { handler: true } : {};
