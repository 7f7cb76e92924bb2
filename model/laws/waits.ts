/** Waiting, blocking, interrupting: what an agent is doing, who is woken and why, and that nobody waits for ever. */
import type { AgentView, Event, Path, RootView } from "../../src/contract.ts";
import { isCommitFault, onlyOf } from "./acts.ts";
import type { Check, Ledger } from "./law.ts";
import { said, same } from "./same.ts";
import { type Act, agentIn, holderIn, none, parentOf, pathOf, type Side, sceneOf, targetOf } from "./scene.ts";

/** L22 */
export const asleep: Check = (ledger, before, now) => {
  for (const side of sceneOf(ledger, before, now).sides) {
    const { root } = side.now;
    if (side.rootChanged && root?.waiting === true && (root.mail ?? none).length > 0)
      return `/root sleeps on ${said(root.mail)}`;
    for (const paths of [side.born, side.changed])
      for (const path of paths) {
        const agent = agentIn(side.now, path);
        if (agent === undefined) continue;
        let tokens = 0;
        for (const each of agent.blockers ?? none) if (each === "waiting") tokens += 1;
        if (tokens > 1) return `${path} has ${tokens} waits`;
        if ((tokens === 1) !== (agent.waiting === true))
          return `${path} ${agent.waiting === true ? "waits without" : "does not wait and has"} a token on its stack`;
        if (agent.waiting === true && (agent.mail ?? none).length > 0) return `${path} sleeps on ${said(agent.mail)}`;
      }
  }
  return null;
};

const isWaiting = (holder: RootView | AgentView | undefined): boolean => holder?.waiting === true;

/** L23 */
export const woken: Check = (ledger, before, now) => {
  const scene = sceneOf(ledger, before, now);
  const refused = scene.calls === 0 ? null : stillInstalled(scene.acts);
  if (refused !== null) return refused;
  if (scene.only === null) return null;
  for (const side of scene.sides) {
    if (!side.lasts) continue;
    const woke = side.acts.flatMap(({ events }) => events.filter((event) => event[0] === "woke"));
    for (const [, path, why] of woke) {
      if (woke.filter((other) => other[1] === path).length > 1) return `${path} was woken twice`;
      if (!isWaiting(holderIn(side.before, path))) return `${path} was woken (${why}) and did not wait`;
      if (isWaiting(holderIn(side.now, path))) return `${path} was woken (${why}) and still waits`;
      const wrong = reason(ledger, side, scene.only, path, why);
      if (wrong !== null) return wrong;
    }
    const wrong = silent(side, scene.only, woke);
    if (wrong !== null) return wrong;
  }
  return null;
};

/** A callback that asks for a wait of its own finds none there. */
function stillInstalled(acts: readonly Act[]): string | null {
  for (const { as, step, outcome, called } of acts) {
    if (!called || step.do !== "wait" || !("refused" in outcome) || outcome.refused !== "already_waiting") continue;
    const woke = acts.some(
      (act) => act.as === as && act.events.some((event) => event[0] === "woke" && event[1] === step.by),
    );
    const again = acts.some((act) => act.step.do === "wait" && act.step.by === step.by && "ok" in act.outcome);
    if (woke && !again) return `${step.by} was called back while its wait was still there`;
  }
  return null;
}

type Why = Extract<Event, readonly ["woke", ...unknown[]]>[2];
function reason(ledger: Ledger, side: Side, { step, as }: Act, path: Path, why: Why): string | null {
  if (why === "timeout") {
    const session = ledger.sessions[side.as];
    const clock = (session?.clock ?? 0) + (step.do === "elapse" && as === side.as ? step.ms : 0);
    const deadline = session?.waits[path]?.deadline;
    if (step.do !== "elapse") return `${step.do} made the wait of ${path} run out`;
    return deadline !== undefined && deadline > clock ? `${path} waits until ${deadline}, woken at ${clock}` : null;
  }
  if (why === "user") return path === "/root" && step.do === "steer" ? null : `${path} was woken as by a user`;
  if (why === "steering")
    return step.do === "follow_up" && targetOf(step.by, step.to) === path ? null : `${path} was woken as by steering`;
  return step.do === "follow_up" && targetOf(step.by, step.to) === path ? `${path} was steered, woken by ${why}` : null;
}

/** A wait that ends without a word: by settlement or on demand, nothing else. */
function silent(side: Side, { step, outcome }: Act, woke: readonly Event[]): string | null {
  const look = (path: Path): string | null => {
    if (!isWaiting(holderIn(side.before, path)) || isWaiting(holderIn(side.now, path))) return null;
    if (woke.some((event) => event[1] === path)) return null;
    if (step.do === "cancel_wait" && step.by === path && "ok" in outcome) return null;
    const turn = agentIn(side.before, path)?.turn;
    if (turn !== undefined && agentIn(side.now, path)?.turn !== turn) return null;
    return `the wait of ${path} ended by ${step.do}, and nobody was woken`;
  };
  const root = side.rootChanged ? look("/root") : null;
  if (root !== null) return root;
  for (const path of side.changed) {
    const wrong = look(path);
    if (wrong !== null) return wrong;
  }
  return null;
}

/** L24. The roster says no more and no less than the view. */
export const activities: Check = (ledger, before, now) => {
  const scene = sceneOf(ledger, before, now);
  for (const side of scene.sides) {
    for (const paths of [side.born, side.changed])
      for (const path of paths) {
        const agent = agentIn(side.now, path);
        const wrong = agent === undefined ? null : stands(path, agent);
        if (wrong !== null) return wrong;
      }
    for (const { step, outcome } of side.acts)
      if (step.do === "roster" && "ok" in outcome && Array.isArray(outcome.ok) && scene.only !== null)
        for (const row of outcome.ok) {
          const seen =
            row[0] === "/root"
              ? isWaiting(side.now.root)
                ? "waiting"
                : "running"
              : agentIn(side.now, String(row[0]))?.activity;
          if (row[2] !== seen) return `the roster says ${said(row)}, the view ${seen}`;
        }
  }
  return null;
};

function stands(path: Path, { activity, turn, blockers, waiting }: AgentView): string | null {
  if (activity === "idle" || activity === "starting") {
    if (turn !== undefined) return `${path} is ${activity} in turn ${turn}`;
    if ((blockers ?? none).length > 0 || waiting === true)
      return `${path} is ${activity} and blocked by ${said(blockers)}`;
    return null;
  }
  if (turn === undefined) return `${path} is ${activity} without a turn`;
  const newest = (blockers ?? none).at(-1) ?? "running";
  return newest === activity ? null : `${path} is ${activity}, its newest blocker says ${newest}`;
}

/** L25 */
export const blocked: Check = (ledger, before, now) => {
  const scene = sceneOf(ledger, before, now);
  for (const side of scene.sides) {
    if (!side.lasts) continue;
    const act = onlyOf(scene, side);
    if (act === null) continue;
    const { step, outcome } = act;
    const owner = step.do === "block" ? step.path : step.do === "release" ? pathOf(step.token) : null;
    if (step.do === "release" && "ok" in outcome) {
      const held = (ledger.sessions[side.as]?.stacks[pathOf(step.token)] ?? none).some(
        (each) => each.token === step.token,
      );
      if (held !== (outcome.ok === "done"))
        return `${step.token} ${held ? "was held" : "was dead"}, release answered ${said(outcome)}`;
    }
    const look = (path: Path): string | null => {
      const was = agentIn(side.before, path);
      const is = agentIn(side.now, path);
      if (was?.turn === undefined || is?.turn !== was.turn) return null;
      const stack = kindsAfter(ledger, side, act, path);
      return stack === null ||
        same(
          stack,
          (is.blockers ?? none).filter((each) => each !== "waiting"),
        )
        ? null
        : `the blockers of ${path} are ${said(is.blockers)} after ${step.do}, they should be ${said(stack)}`;
    };
    if (owner !== null) {
      const wrong = look(owner);
      if (wrong !== null) return wrong;
    }
    for (const path of side.changed) {
      const wrong = look(path);
      if (wrong !== null) return wrong;
    }
  }
  return null;
};

/** What is left on the stack but for a wait. */
function kindsAfter(ledger: Ledger, side: Side, { step, outcome }: Act, path: Path): readonly string[] | null {
  const stack = (ledger.sessions[side.as]?.stacks[path] ?? none).filter((each) => each.token !== null);
  const left = step.do === "release" && "ok" in outcome ? stack.filter((each) => each.token !== step.token) : stack;
  const kinds: string[] = left.map((each) => each.kind);
  return step.do === "block" && step.path === path && "ok" in outcome ? [...kinds, step.kind] : kinds;
}

/** L26 */
export const interrupts: Check = (ledger, before, now) => {
  const scene = sceneOf(ledger, before, now);
  for (const side of scene.sides) {
    const act = onlyOf(scene, side);
    if (act === null || !side.lasts) continue;
    const { step, outcome } = act;
    const abort = step.do === "answer" && step.gate === "abort";
    if (step.do !== "interrupt" && !abort) continue;
    const path = step.do === "interrupt" ? targetOf(step.by, step.to) : pathOf(step.op);
    const nothing =
      ("ok" in outcome && outcome.ok === "idle") || "gate" in outcome || "fault" in outcome || "refused" in outcome;
    const above = parentOf(path);
    if (side.rootChanged && (nothing || above !== "/root")) return `an interrupt of ${path} changed the root`;
    for (const changed of side.changed) {
      if (nothing) return `an interrupt of ${path} answered ${said(outcome)} and changed ${changed}`;
      if (changed === path) continue;
      if (changed !== above) return `an interrupt of ${path} changed ${changed}`;
      const was = agentIn(side.before, changed);
      const is = agentIn(side.now, changed);
      if (was?.turn !== is?.turn || !same(was?.result, is?.result) || was?.messages !== is?.messages)
        return `an interrupt of ${path} changed more of ${changed} than its mailbox and its wait`;
    }
    if (step.do === "interrupt" && "ok" in outcome && outcome.ok !== (agentIn(side.before, path)?.activity ?? ""))
      return `an interrupt of ${path} answered ${said(outcome)}, it was ${agentIn(side.before, path)?.activity}`;
  }
  return null;
};

/** L41, as far as one step shows it: what is over does not go on waiting, what can end ends. */
export const rests: Check = (ledger, before, now) => {
  const scene = sceneOf(ledger, before, now);
  for (const side of scene.sides) {
    if (!side.lasts) continue;
    const overdue = late(ledger, side);
    if (overdue !== null) return overdue;
    const act = onlyOf(scene, side);
    if (act === null) continue;
    const { step, outcome, events } = act;
    if (step.do === "finish" && side.before.mode === "write") {
      if ("op" in step) {
        const op = ledger.sessions[side.as]?.ops[step.op];
        const gate = (side.before.open ?? none).find(([name]) => name === step.op)?.[1];
        if (op !== undefined && op.held === null && gate === "dispatch" && !("ok" in outcome && outcome.ok === "held"))
          return `a turn ended inside its dispatch ${step.op}, finish answered ${said(outcome)}`;
      } else if (agentIn(side.before, step.path)?.turn === step.turn && !settledOr(outcome))
        return `turn ${step.turn} of ${step.path} ended, finish answered ${said(outcome)}`;
    }
    if (step.do === "answer" && step.gate === "dispatch" && "ok" in outcome && outcome.ok !== "late") {
      const op = ledger.sessions[side.as]?.ops[step.op];
      if (op?.held != null && !events.some((event) => event[0] === "settled" && event[1] === op.path))
        return `${op.path} ended inside its dispatch and goes on`;
    }
  }
  return null;
};
const settledOr = (outcome: Act["outcome"]): boolean =>
  ("ok" in outcome && outcome.ok === "settled") || isCommitFault(outcome) || "crashed" in outcome;

function late(ledger: Ledger, side: Side): string | null {
  const session = ledger.sessions[side.as];
  if (session === undefined) return null;
  let { clock } = session;
  for (const { step, outcome } of side.acts) {
    if (step.do === "elapse" && "ok" in outcome) clock += step.ms;
    else if (step.do === "wait") return null;
  }
  if (clock === session.clock) return null;
  for (const path in session.waits) {
    const deadline = session.waits[path]?.deadline ?? clock;
    if (deadline <= clock && isWaiting(holderIn(side.now, path)))
      return `${path} waits until ${deadline}, it is ${clock}`;
  }
  return null;
}
