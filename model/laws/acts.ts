/** What an act did, as its outcome and events tell: what it wrote, which turn it ended, how an operation ended. */
import type { AgentView, CommitFault, Op, Path, StepOutcome, Text } from "../../src/contract.ts";
import type { Begun, Ledger } from "./law.ts";
import type { Act, Scene, Side } from "./scene.ts";
import { pathOf, targetOf } from "./scene.ts";

/** Whether the outcome acknowledges that everything pending was written. */
export function wrote({ step, outcome, events }: Act): boolean {
  if (!("ok" in outcome)) return false;
  switch (step.do) {
    case "spawn":
    case "follow_up":
    case "send":
    case "execution":
    case "steer":
    case "set_capacity":
    case "save":
    case "close":
      return true;
    case "restore":
      return step.mode === "write";
    case "finish":
      return outcome.ok === "settled";
    case "sample":
      return Array.isArray(outcome.ok) && outcome.ok.length > 0;
    case "interrupt":
      return events.some(([what]) => what === "settled");
    case "answer":
      if (outcome.ok === "late") return false;
      if (step.gate === "handler") return !events.some((event) => event[0] === "warned" && isCommitCode(event[1]));
      return step.gate === "abort" || isPathValue(outcome);
    default:
      return false;
  }
}

export const isPathValue = (outcome: StepOutcome): outcome is { readonly ok: Path } =>
  "ok" in outcome && typeof outcome.ok === "string" && outcome.ok.startsWith("/root");

const commitFaults: { readonly [code in CommitFault | "ownership_lost"]: true } = {
  not_written: true,
  disk_full: true,
  busy: true,
  io_failed: true,
  read_only_file: true,
  ownership_lost: true,
};
const isCommitCode = (code: string): boolean => Object.hasOwn(commitFaults, code);
export const isCommitFault = (outcome: StepOutcome): boolean =>
  "fault" in outcome && (isCommitCode(outcome.fault) || outcome.fault === "record_invalid");

export const isQuiet = (outcome: StepOutcome): boolean =>
  "refused" in outcome || ("ok" in outcome && outcome.ok === "late");

/** The agent whose turn a start began: by its own step, or by an answer to it. */
export function startPath(ledger: Ledger, side: Side, act: Act): Path | null {
  const { step } = act;
  if (step.do === "spawn") return `${step.by}/${step.name}`;
  if (step.do === "follow_up") return targetOf(step.by, step.to);
  if (step.do === "answer") return startOf(ledger.sessions[side.as]?.ops[step.op])?.path ?? null;
  return null;
}
export const startOf = (op: Begun | undefined): Begun | null =>
  op !== undefined && (op.is === "spawn" || op.is === "follow_up") ? op : null;

/** Every end of an operation that this step tells of: the one answered or begun, and those that `ended` names. */
export function ends(side: Side, ledger: Ledger): readonly (readonly [op: Op, outcome: StepOutcome])[] {
  const found: (readonly [Op, StepOutcome])[] = [];
  for (const { step, outcome, events } of side.acts) {
    if (step.do === "answer" && !("gate" in outcome) && ledger.sessions[side.as]?.ops[step.op] !== undefined)
      found.push([step.op, outcome]);
    for (const event of events) if (event[0] === "ended") found.push([event[1], event[2]]);
  }
  return found;
}

/** Whether the turn's result goes to a handler: as its start said, now or earlier. */
export function handlerOf(ledger: Ledger, side: Side, path: Path, turn: number): boolean {
  const session = ledger.sessions[side.as];
  const known = session?.turns[path];
  if (known !== undefined && known.turn === turn) return known.handler;
  for (let i = side.acts.length - 1; i >= 0; i -= 1) {
    const act = side.acts[i];
    if (act === undefined || !isPathValue(act.outcome) || act.outcome.ok !== path) continue;
    if (act.step.do === "spawn" || act.step.do === "follow_up") return act.step.handler ?? false;
  }
  if (session !== undefined)
    for (const name in session.ops) {
      const op = session.ops[name];
      if (op !== undefined && op.path === path && startOf(op) !== null) return op.handler;
    }
  return false;
}

/** Whether a view shows this text: itself, or, when it is long, its length. */
export function shows(text: Text, full: string): boolean {
  return typeof text === "string" ? text === full : full.length > 64 && text.length === full.length;
}

export const isActive = (agent: AgentView | undefined): boolean => agent !== undefined && agent.activity !== "idle";

/** The one act of a step on this handle, when nothing else happened. */
export const onlyOf = (scene: Scene, side: Side): Act | null =>
  scene.only !== null && scene.only.as === side.as ? scene.only : null;

/** Whether a read that this act answers was also asked for by a follow-up, which then goes on. */
export function serves(ledger: Ledger, side: Side, { step }: Act): boolean {
  const reads = step.do === "inspect" || step.do === "read_history";
  const path = reads ? step.path : step.do === "answer" && step.gate === "hydrate" ? pathOf(step.op) : null;
  if (path === null) return false;
  const ops = ledger.sessions[side.as]?.ops;
  for (const op in ops) if (ops[op]?.is === "follow_up" && ops[op].path === path) return true;
  return false;
}
