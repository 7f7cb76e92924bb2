/** Which goals a step meets, by name. One look at the step serves all goals. */
import type { Path, StoredView, View } from "../../src/contract.ts";
import { handlerOf, isActive, isPathValue, wrote } from "../laws/acts.ts";
import type { Ledger, Seen } from "../laws/law.ts";
import { type Act, agentIn, none, openAt, parentOf, pathOf, type Side, sceneOf, targetOf } from "../laws/scene.ts";
import { type CommitKind, kindOf } from "../laws/signs.ts";

let last: { readonly ledger: Ledger; readonly now: Seen; readonly names: readonly string[] } | null = null;

/** Asked once for each goal still looked for, so the last answer is kept. */
export function met(ledger: Ledger, before: Seen | null, now: Seen): readonly string[] {
  if (last !== null && last.now === now && last.ledger === ledger) return last.names;
  const names = before === null ? none : look(ledger, before, now);
  last = { ledger, now, names };
  return names;
}

function look(ledger: Ledger, before: Seen, now: Seen): readonly string[] {
  const scene = sceneOf(ledger, before, now);
  const names: string[] = [];
  for (const act of scene.acts) {
    codes(act, names);
    const side = scene.sides.find((each) => each.as === act.as);
    if (side === undefined) continue;
    traffic(act, side, names);
    answers(ledger, act, side, names);
    commands(ledger, act, side, names);
    commits(ledger, act, side, before.stored ?? ledger.acknowledged, names);
  }
  for (const side of scene.sides) reopened(ledger, side, names);
  return names;
}

function codes({ outcome, events }: Act, names: string[]): void {
  if ("refused" in outcome) names.push(`refused ${outcome.refused}`);
  else if ("fault" in outcome) names.push(`fault ${outcome.fault}`);
  for (const event of events) {
    if (event[0] === "warned") names.push(`warned ${event[1]}`);
    else if (event[0] === "set_aside") names.push(`set aside ${event[2]}`);
    else if (event[0] === "ended") {
      if ("refused" in event[2]) names.push(`refused ${event[2].refused}`);
      else if ("fault" in event[2]) names.push(`fault ${event[2].fault}`);
    }
  }
}

function traffic({ step, outcome }: Act, { before }: Side, names: string[]): void {
  if (before.open === undefined || !("ok" in outcome)) return;
  const what = step.do === "send" ? "mail" : step.do;
  if (what !== "mail" && what !== "execution" && what !== "save" && what !== "crash") return;
  for (const [, gate] of before.open) names.push(`${what} during ${gate}`);
}

function answers(ledger: Ledger, { step, outcome }: Act, side: Side, names: string[]): void {
  if (step.do !== "answer") return;
  const path = pathOf(step.op);
  const begun = ledger.sessions[side.as]?.ops[step.op];
  if ("ok" in outcome && outcome.ok === "late") {
    const gates = openAt(side.before, path);
    if (begun === undefined && (gates.includes("prepare") || gates.includes("dispatch")))
      names.push("late answer to a replaced start");
    return;
  }
  names.push(`${step.gate} answered ${step.with}`);
  if (begun?.is === "recover" && step.with === "missing") names.push("recovery with its conversation missing");
  if (
    step.gate === "hydrate" &&
    step.with === "quit" &&
    openAt(side.before, path).filter((gate) => gate === "hydrate").length > 1
  )
    names.push("two askers of one hydration, one quits");
  if (step.gate === "handler" && step.with === "throw" && "fault" in outcome)
    names.push("handler throws, put-back fails");
  if (begun !== undefined && begun.held !== null && isPathValue(outcome))
    names.push("turn that ends inside its dispatch");
}

function commands(ledger: Ledger, { step, outcome, events }: Act, side: Side, names: string[]): void {
  const { before } = side;
  for (const event of events)
    if (event[0] === "settled" && side.lasts) handedOver(ledger, event[1], event[2], events, side, names);
  switch (step.do) {
    case "interrupt": {
      if (!("ok" in outcome)) return;
      const path = targetOf(step.by, step.to);
      if (outcome.ok === "starting") names.push("interrupt while starting");
      if (openAt(before, path).includes("abort")) names.push("interrupt while aborting");
      return;
    }
    case "elapse": {
      const out = events.filter((event) => event[0] === "woke" && event[2] === "timeout").length;
      if (out > 1) names.push("waits that run out together");
      if (out > 0 && sleeps(side.now)) names.push("a wait that outlasts another");
      return;
    }
    case "set_capacity":
      if ("ok" in outcome && step.capacity < (before.capacity ?? 0))
        if ((before.open ?? none).some(([, gate]) => gate === "prepare" || gate === "dispatch"))
          names.push("capacity lowered during a start");
      return;
    case "follow_up":
      followUp(targetOf(step.by, step.to), outcome, before, names);
      return;
    case "release":
      if ("ok" in outcome && outcome.ok === "late" && isEnded(ledger, pathOf(step.token), turnOf(step.token)))
        names.push("release after settle");
      return;
    case "finish":
      if (!("path" in step) || !("ok" in outcome) || outcome.ok !== "late") return;
      if (!isEnded(ledger, step.path, step.turn)) return;
      names.push(agentIn(before, step.path)?.turn === undefined ? "double finish" : "late finish during the next turn");
      return;
    default:
      return;
  }
}

function handedOver(
  ledger: Ledger,
  path: Path,
  turn: number,
  events: Act["events"],
  side: Side,
  names: string[],
): void {
  const own = (agentIn(side.before, path)?.mail ?? none).some((each) => each[0] === "execution" && each[1] === path);
  if (!own) return;
  if (path.split("/").length > 3) names.push("nested child with executions");
  if (handlerOf(ledger, side, path, turn) && events.some((event) => event[0] === "woke" && event[1] === parentOf(path)))
    names.push("executions handed to a waiting parent, the result to a handler");
}

const sleeps = ({ root, agents }: View): boolean =>
  root?.waiting === true || Object.values(agents ?? {}).some(({ waiting }) => waiting === true);
const turnOf = (token: string): number => Number.parseInt(token.slice(token.lastIndexOf("@") + 1), 10);
const isEnded = (ledger: Ledger, path: Path, turn: number): boolean => turn >= 1 && turn <= (ledger.settled[path] ?? 0);

function followUp(path: Path, outcome: Act["outcome"], before: View, names: string[]): void {
  const was = agentIn(before, path);
  const full = (before.active ?? 0) >= (before.capacity ?? 0);
  if ("refused" in outcome && outcome.refused === "at_capacity") names.push("follow-up to an idle agent at capacity");
  if ("ok" in outcome && isActive(was)) {
    if (full) names.push("follow-up to an active agent at capacity");
    if (outcome.ok === "waiting") names.push("steering a waiting agent");
  }
  if (!("gate" in outcome)) return;
  if (openAt(before, path).includes("handler")) names.push("follow-up while a handler is open");
  if (was?.residency === "inspection") names.push("inspection, then follow-up");
}

function commits(ledger: Ledger, act: Act, side: Side, disk: StoredView | null, names: string[]): void {
  const { step, outcome } = act;
  const kind = kindOf(ledger, act, side);
  if (step.do === "restore" && step.mode === "write" && ("ok" in outcome || "gate" in outcome))
    written(ledger, "restore", names);
  if (kind === null || !isWritten(act, kind, side, disk)) return;
  written(ledger, kind, names);
}

function written(ledger: Ledger, kind: CommitKind, names: string[]): void {
  const known = ledger.failed[kind];
  if (known !== undefined) for (const how in known) names.push(`${kind}: ${how}, then written`);
}

function isWritten(act: Act, kind: CommitKind, side: Side, disk: StoredView | null): boolean {
  if (kind === "recovery")
    return (
      side.opens &&
      disk !== null &&
      Object.values(disk.agents).some((each) => each.activity !== "idle" || each.owed !== undefined)
    );
  if (kind === "compact" && act.step.do === "compact")
    return (
      "ok" in act.outcome &&
      agentIn(side.before, act.step.path)?.messages !== agentIn(side.now, act.step.path)?.messages
    );
  return wrote(act);
}

function reopened(ledger: Ledger, side: Side, names: string[]): void {
  if (side.before.open !== undefined && side.before.mode === "closed" && side.now.open === undefined && !side.opens)
    if (side.acts.some(({ step, outcome }) => step.do === "crash" || "crashed" in outcome))
      names.push("killed in recovery");
  if (!side.opens) return;
  if (ledger.signs["compacted"] === true) names.push("compaction between save and restore");
  for (const path of side.born)
    if (ledger.signs[`${path} mended`] === true) names.push("traffic to a set-aside agent, then mended");
}
