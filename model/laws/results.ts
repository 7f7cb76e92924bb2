/** Results: hidden while active, whole when idle, one for each turn that settled, told once. */
import type { Event, OwedView, Path, ResultView, StoredView } from "../../src/contract.ts";
import { booksOf, endOf, owes } from "./account.ts";
import { handlerOf, shows } from "./acts.ts";
import type { Check, Ledger } from "./law.ts";
import { said, same } from "./same.ts";
import { agentIn, agentsOf, holderIn, none, parentOf, type Scene, type Side, sceneOf } from "./scene.ts";

/** L8: in the view, in what would be written, in the archive. */
export const hidden: Check = (ledger, before, now) => {
  for (const { now: view, born, changed } of sceneOf(ledger, before, now).sides) {
    const agents = agentsOf(view);
    for (const paths of [born, changed])
      for (const path of paths) {
        const agent = agents[path];
        if (agent?.result === undefined) continue;
        if (agent.activity !== "idle") return `${path} is ${agent.activity} and shows the result ${said(agent.result)}`;
        if (!isWhole(agent.result)) return `${path} has half a result: ${said(agent.result)}`;
      }
  }
  const was = before !== null && "ok" in before.encoded ? before.encoded.ok : null;
  return (
    ("ok" in now.encoded ? kept(now.encoded.ok, was, "would be written") : null) ??
    (now.stored === null ? null : kept(now.stored, before?.stored ?? null, "is written"))
  );
};

const isWhole = (result: ResultView): boolean =>
  result.length === 4 &&
  (result[0] === "completed" || result[0] === "errored" || result[0] === "interrupted") &&
  result[1] !== undefined;

function kept(now: StoredView, before: StoredView | null, how: string): string | null {
  if (now.agents === before?.agents) return null;
  for (const path in now.agents) {
    const agent = now.agents[path];
    if (agent === undefined || agent === before?.agents[path]) continue;
    if (agent.activity !== "idle" && agent.result !== undefined)
      return `${path} ${how} as ${agent.activity} with the result ${said(agent.result)}`;
    if (agent.activity !== "starting" && agent.undo !== undefined)
      return `${path} ${how} as ${agent.activity} with a result to give back`;
    if (agent.result !== undefined && !isWhole(agent.result)) return `${path} ${how} with half a result`;
  }
  return null;
}

type Settled = Extract<Event, readonly ["settled", ...unknown[]]>;
function settlements(side: Side): readonly Settled[] {
  const found: Settled[] = [];
  for (const { events } of side.acts) for (const event of events) if (event[0] === "settled") found.push(event);
  return found;
}

/** L17 */
export const once: Check = (ledger, before, now) => {
  const scene = sceneOf(ledger, before, now);
  for (const side of scene.sides) {
    const told = side.acts.length === 0 ? none : settlements(side);
    for (const [, path, turn] of told) {
      if (turn <= (ledger.settled[path] ?? 0)) return `turn ${turn} of ${path} settled again`;
      if (
        told.some(
          (other) =>
            other[1] === path &&
            other[2] === turn &&
            other !== told.find((each) => each[1] === path && each[2] === turn),
        )
      )
        return `turn ${turn} of ${path} settled twice`;
      if (agentIn(side.now, path)?.turn === turn) return `turn ${turn} of ${path} settled and goes on`;
      const was = agentIn(side.before, path)?.turn;
      if (scene.only !== null && was !== undefined && was !== turn)
        return `${path} was in turn ${was}, settled turn ${turn}`;
    }
    const wrong =
      (scene.calls === 0 ? answered(ledger, side, told) : null) ?? (side.lasts ? owed(ledger, scene, side) : null);
    if (wrong !== null) return wrong;
  }
  return null;
};

/** Who is told `settled` has settled that turn, and nobody else has. */
function answered(ledger: Ledger, side: Side, told: readonly Settled[]): string | null {
  for (const { step, outcome } of side.acts) {
    if (step.do !== "finish" || !("path" in step) || !("ok" in outcome)) continue;
    const settled = told.some(([, path, turn]) => path === step.path && turn === step.turn);
    if (outcome.ok === "settled" && !settled)
      return `turn ${step.turn} of ${step.path} is said to be settled and is not`;
    if (outcome.ok === "settled" && step.turn <= (ledger.settled[step.path] ?? 0))
      return `turn ${step.turn} of ${step.path} was settled before`;
  }
  return null;
}

/** What is owed is what was settled for a handler that has not yet answered. */
function owed(ledger: Ledger, scene: Scene, side: Side): string | null {
  const { debts } = booksOf(ledger, scene, side);
  const look = (path: Path): string | null => {
    const agent = agentIn(side.now, path);
    if (agent === undefined) return null;
    const is: readonly OwedView[] = agent.owed ?? none;
    const was = agentIn(side.before, path)?.owed ?? none;
    const due = debts.get(path);
    const right =
      due === undefined ? same(was, is) : due.length === is.length && due.every((each, i) => owes(each, is[i]));
    return right ? null : `${path} owes ${said(is)}, it should be ${said(due ?? was)}`;
  };
  for (const path of side.born) {
    const wrong = look(path);
    if (wrong !== null) return wrong;
  }
  for (const path of side.changed) {
    const wrong = look(path);
    if (wrong !== null) return wrong;
  }
  return null;
}

/** L18: of a turn that settled in this step, and whose agent has not gone on. */
export const whole: Check = (ledger, before, now) => {
  const scene = sceneOf(ledger, before, now);
  if (scene.calls > 0) return null;
  for (const side of scene.sides) {
    if (!side.lasts) continue;
    for (const act of side.acts)
      for (const event of act.events) {
        if (event[0] !== "settled") continue;
        const path = event[1];
        const agent = agentIn(side.now, path);
        if (agent === undefined || (scene.only === null && agent.activity !== "idle")) continue;
        const { outcome, text } = endOf(ledger, scene, side, act);
        const { result } = agent;
        if (result === undefined) return `${path} settled and has no result`;
        if (outcome !== null && scene.only !== null && result[0] !== outcome)
          return `${path} ended ${outcome}, its result says ${result[0]}`;
        if (text !== null && scene.only !== null && !shows(result[1], text))
          return `${path} ended with ${said(text)}, its result is ${said(result[1])}`;
        const wrong =
          scene.only === null
            ? null
            : (mailed(ledger, side, path, event[2], result) ?? interrupted(ledger, side, path, result));
        if (wrong !== null) return wrong;
      }
  }
  return null;
};

/** The mail, or what is owed, speaks of the same result. */
function mailed(ledger: Ledger, side: Side, path: Path, turn: number, result: ResultView): string | null {
  const mail = (holderIn(side.now, parentOf(path))?.mail ?? none).findLast(
    (each) => each[0] === "result" && each[1] === path,
  );
  const owed = agentIn(side.now, path)?.owed?.find((each) => each[0] === turn);
  if (owed !== undefined)
    return owed[1] === result[0] && same(owed[2], result[1])
      ? null
      : `${path} owes ${said(owed)}, its result is ${said(result)}`;
  if (mail === undefined || mail[0] !== "result" || handlerOf(ledger, side, path, turn)) return null;
  if (mail[2] !== result[0]) return `${path} ended ${result[0]}, the mail says ${mail[2]}`;
  if (typeof result[1] === "object" && mail[3] !== result[1].sha256)
    return `the result of ${path} is ${said(result[1])}, mailed as ${mail[3]}`;
  return null;
}

function interrupted(ledger: Ledger, side: Side, path: Path, result: ResultView): string | null {
  if (result[0] !== "interrupted" || result[2] !== "interrupted") return null;
  const turn = ledger.sessions[side.as]?.turns[path];
  if (turn === undefined) return null;
  const right = turn.said === "" ? result[3] === null : result[3] !== null && shows(result[3], turn.said);
  return right ? null : `${path} had said ${said(turn.said)}, its partial answer is ${said(result[3])}`;
}

/** L21: whoever is called has a result waiting for him, and an answer ends that. */
export const handled: Check = (ledger, before, now) => {
  for (const side of sceneOf(ledger, before, now).sides)
    for (const { events } of side.acts)
      for (const event of events) {
        if (event[0] !== "handled") continue;
        const [, path, turn] = event;
        const waited =
          (agentIn(side.before, path)?.owed ?? none).some((each) => each[0] === turn) ||
          settlements(side).some((each) => each[1] === path && each[2] === turn);
        if (!waited) return `a handler has answered for turn ${turn} of ${path}, which was not owed`;
        if ((agentIn(side.now, path)?.owed ?? none).some((each) => each[0] === turn))
          return `turn ${turn} of ${path} has been handled and is owed`;
      }
  return null;
};
