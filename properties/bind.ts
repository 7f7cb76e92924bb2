/**
 * Names in a recorded story that depend on other steps, said relative to them: an operation by the step that began it, a turn
 * and a token by their distance from the newest. So a story still means the same after steps were taken out of it.
 */
import type { World } from "../model/index.ts";
import type { Op, Path, Step } from "../src/contract.ts";

/** Operations that each step began, by its identity and their path. */
export type Begun = Map<Bound, ReadonlyMap<Path, readonly Op[]>>;

interface OpRef {
  readonly by: Bound;
  readonly path: Path;
  readonly nth: number;
}
interface TurnRef {
  readonly path: Path;
  readonly back: number;
}
interface TokenRef extends TurnRef {
  /** From the newest blocker numbered in that turn, where it is the current one. */
  readonly blocksBack: number | null;
  readonly ordinal: number;
}
/** A step, and what its names meant where it stood. */
export interface Bound {
  readonly step: Step;
  readonly op: OpRef | null;
  readonly turn: TurnRef | null;
  readonly token: TokenRef | null;
  readonly inner: readonly Bound[];
}

/** Operations that came to be between two states, also those that ended at once. */
export function begun(before: World, after: World): ReadonlyMap<Path, readonly Op[]> {
  const found = new Map<Path, Op[]>();
  const add = (path: Path, op: Op): void => {
    found.set(path, [...(found.get(path) ?? []), op]);
  };
  for (const [as, handle] of Object.entries(after.handles)) {
    const was = before.handles[as];
    if (handle.is === "restoring") {
      if (was?.is !== "restoring" || was.op !== handle.op) add(handle.path, handle.op);
      continue;
    }
    const same = was?.is === "open" && was.opening === handle.opening;
    for (const [path, count] of Object.entries(handle.ordinals))
      for (let nth = (same ? (was.ordinals[path] ?? 0) : 0) + 1; nth <= count; nth++)
        add(path, `${path}#${handle.opening}.${nth}`);
  }
  return found;
}

export function bind(step: Step, before: World, earlier: Begun): Bound {
  return {
    step,
    op: "op" in step ? opRef(step.op, earlier) : null,
    turn: "turn" in step ? turnRef(step.path, step.turn, before) : null,
    token: "token" in step ? tokenRef(step.token, before) : null,
    inner: within(step).map((one) => bind(one, before, earlier)),
  };
}

/** Steps inside a step. */
export function within(step: Step): readonly Step[] {
  if (step.do === "together") return step.steps;
  return step.do === "wait" && typeof step.callback === "object" ? [step.callback.then] : [];
}

function opRef(op: Op, earlier: Begun): OpRef | null {
  for (const [by, paths] of earlier)
    for (const [path, ops] of paths) {
      const nth = ops.indexOf(op);
      if (nth >= 0) return { by, path, nth };
    }
  return null;
}

function turnsOf(world: World, path: Path): number | null {
  for (const handle of Object.values(world.handles)) {
    const agent = handle.is === "open" ? handle.agents[path] : undefined;
    if (agent !== undefined) return agent.turns;
  }
  return world.disk.agents[path]?.turns ?? null;
}

function turnRef(path: Path, turn: number, world: World): TurnRef | null {
  const turns = turnsOf(world, path);
  return turns === null ? null : { path, back: turns - turn };
}

const tokenForm = /^(.*)@(\d+)\.(\d+)$/;

function blocksOf(world: World, path: Path): number {
  const handle = world.handles["w1"];
  const agent = handle?.is === "open" ? handle.agents[path] : undefined;
  return agent?.is === "admitted" ? agent.blocks : 0;
}

function tokenRef(token: string, world: World): TokenRef | null {
  const [, path, turn, ordinal] = tokenForm.exec(token) ?? [];
  if (path === undefined) return null;
  const ref = turnRef(path, Number(turn), world);
  if (ref === null) return null;
  return {
    ...ref,
    ordinal: Number(ordinal),
    blocksBack: ref.back === 0 ? blocksOf(world, path) - Number(ordinal) : null,
  };
}

/** The step with its names as they are here. What cannot be told keeps its old name, and is a dead one then. */
export function rebind(bound: Bound, world: World, earlier: Begun): Step {
  const { step, op, turn, token, inner } = bound;
  if (step.do === "together") return { ...step, steps: inner.map((one) => rebind(one, world, earlier)) };
  const [called] = inner;
  if (step.do === "wait" && called !== undefined)
    return { ...step, callback: { then: rebind(called, world, earlier) } };
  if (op !== null && "op" in step) return { ...step, op: earlier.get(op.by)?.get(op.path)?.[op.nth] ?? step.op };
  if (turn !== null && "turn" in step) {
    const turns = turnsOf(world, turn.path);
    return turns === null ? step : { ...step, turn: Math.max(0, turns - turn.back) };
  }
  if (token !== null && step.do === "release") {
    const turns = turnsOf(world, token.path);
    if (turns === null) return step;
    const ordinal =
      token.blocksBack === null ? token.ordinal : Math.max(1, blocksOf(world, token.path) - token.blocksBack);
    return { ...step, token: `${token.path}@${Math.max(1, turns - token.back)}.${ordinal}` };
  }
  return step;
}
