/**
 * Late binding: from an abstract step and the place where the story stands to a step with resolved names. Where a move finds
 * nothing to act on, or the target cannot do it, the next move is asked; a draft always becomes a step.
 */
import type { World } from "../model/index.ts";
import type { Step, Verb } from "../src/contract.ts";
import { applicable } from "./applicable.ts";
import { type Draft, dice, draftMax } from "./dice.ts";
import { driven } from "./drives.ts";
import { letters } from "./drives-many.ts";
import { life } from "./moves/life.ts";
import { mail, wait, waits } from "./moves/mail.ts";
import type { Move } from "./moves/move.ts";
import { reads } from "./moves/reads.ts";
import { starts } from "./moves/starts.ts";
import { turns } from "./moves/turns.ts";
import { type Position, position } from "./position.ts";
import { retried } from "./retry.ts";
import type { Favourite, Shape } from "./shape.ts";
import type { Capabilities } from "./target.ts";

/** What a woken waiter does: mostly nothing. */
function callback(at: Position): { callback?: "throws" | { then: Step } } {
  const kind = at.dice.pick(4);
  if (kind < 2 || at.inner) return {};
  if (kind === 2) return { callback: "throws" };
  const then = nested(at);
  return then === null ? {} : { callback: { then } };
}

const together: Move = {
  verb: "together",
  group: "together",
  weight: ({ inner, live, as }) => (inner || as !== null ? 0 : live === null ? 0.3 : 4),
  draw: (at) => {
    // Half of them letters, which share a commit where they stand side by side.
    if (at.shape.on.mail && at.dice.pick(2) === 1) return letters(at);
    const steps = Array.from({ length: 2 + at.dice.pick(2) }, () => nested(at)).filter((step) => step !== null);
    // Of several that let time pass, nobody could tell whose doing it is that a wait runs out; nor does time end with a session.
    const first = steps.some(({ do: verb }) => verb === "close")
      ? -1
      : steps.findIndex(({ do: verb }) => verb === "elapse");
    const kept = steps.filter(({ do: verb }, index) => verb !== "elapse" || index === first);
    return kept.length === 0 ? null : { do: "together", steps: kept };
  },
};

const moves: readonly Move[] = [...starts, ...turns, ...mail, wait(callback), ...waits, ...reads, ...life, together];

/**
 * Steps that do not stand within another: those that nest or change what is open, and a crash and an answer, which reach a
 * target past its queue and not behind what was issued before them.
 */
const outer: readonly Verb[] = ["together", "restore", "damage", "mend", "crash", "answer"];

function nested(at: Position): Step | null {
  const { world, shape, capabilities, dice: thrown, index } = at;
  const inner = position(world, shape, capabilities, thrown, index, null, true);
  return drawFrom(inner, thrown.pick(1_000) / 1_000);
}

/** What makes sense while nothing is open; all else is refused then. */
const waking: readonly Verb[] = ["restore", "damage", "mend", "answer", "crash"];

/** The place in a list of weights, from a number between 0 and 1. */
function landing(weights: readonly number[], where: number): number {
  let left = where * weights.reduce((sum, weight) => sum + weight, 0);
  for (const [index, weight] of weights.entries()) {
    left -= weight;
    if (left < 0) return index;
  }
  return 0;
}

function drawFrom(at: Position, where: number): Step | null {
  const { on } = at.shape;
  const fits = (move: Move): boolean =>
    (move.group === null || on[move.group]) && !(at.inner && outer.includes(move.verb));
  const asleep = at.live === null;
  const weights = moves.map((move) =>
    fits(move) ? move.weight(at) * (asleep && !waking.includes(move.verb) ? 0.1 : 1) : 0,
  );
  const first = landing(weights, where);
  for (let tried = 0; tried < moves.length; tried++) {
    const index = (first + tried) % moves.length;
    const move = moves[index];
    if (move === undefined || weights[index] === 0) continue;
    const step = move.draw(at);
    if (step !== null && applicable(step, at.capabilities, at.world) === null) return step;
  }
  return null;
}

/** Of a hundred steps, so many mean to be refused, whatever the shape of the story; with those that it has anyway, about half. */
const erring = 57;
const wildest = 90;
/** Not in stories about these: they take several steps to come to, and each way in which they fail is to be seen to work when tried again. */
const calm: readonly Favourite[] = ["handler", "interrupt", "steer", "compact"];

/** Where a story stands. */
export interface Standing {
  readonly index: number;
  readonly world: World;
  readonly shape: Shape;
  readonly capabilities: Capabilities;
  /** The last step whose commit was not written and that was not tried again. */
  readonly unwritten: Step | null;
}

/** The step that a draft means here. */
export function draw(draft: Draft, { index, world, shape, capabilities, unwritten }: Standing): Step {
  const thrown = dice(draft);
  const second = shape.handles && capabilities.handles && draft[3] % (world.handles["w2"] === undefined ? 15 : 4) === 1;
  const at = position(world, shape, capabilities, thrown, index, second ? "w2" : null);
  const again = unwritten === null || second || draft[3] % 3 === 2 ? null : retried(at, unwritten);
  if (again !== null) return again;
  const isCalm = shape.favoured !== null && calm.includes(shape.favoured);
  const errs = !isCalm && draft[0] % 100 >= 100 - erring;
  const goal = errs || second || draft[3] % 2 === 0 ? null : driven(at);
  if (goal !== null && applicable(goal, capabilities, world) === null) return goal;
  const from = errs ? { ...at, shape: { ...shape, wild: wildest } } : at;
  return drawFrom(from, draft[0] / draftMax) ?? { do: "roster" };
}
