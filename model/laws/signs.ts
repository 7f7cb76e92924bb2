/** What the ledger keeps for goals that take several steps: commits that failed and are to be written yet, and a few signs. */
import { isActive, isPathValue } from "./acts.ts";
import type { Ledger } from "./law.ts";
import { type Act, agentIn, none, type Scene, type Side, targetOf } from "./scene.ts";

/** What commits, by what it is for. */
export type CommitKind =
  | "spawn"
  | "follow_up"
  | "steering"
  | "finish"
  | "interrupt"
  | "handler ok"
  | "handler throw"
  | "send"
  | "execution"
  | "steer"
  | "sample"
  | "compact"
  | "set_capacity"
  | "save"
  | "close"
  | "restore"
  | "recovery";

/** What an act commits, or would have. */
export function kindOf(ledger: Ledger, { step, outcome }: Act, side: Side): CommitKind | null {
  switch (step.do) {
    case "answer": {
      const begun = ledger.sessions[side.as]?.ops[step.op];
      if (begun === undefined) return null;
      if (begun.is === "recover") return "recovery";
      if (step.gate === "handler") return step.with === "throw" ? "handler throw" : "handler ok";
      if (step.gate === "abort") return "interrupt";
      return begun.is === "spawn" || begun.is === "follow_up" ? begun.is : null;
    }
    case "follow_up":
      return isPathValue(outcome) || !isActive(agentIn(side.before, targetOf(step.by, step.to)))
        ? "follow_up"
        : "steering";
    case "spawn":
    case "finish":
    case "interrupt":
    case "send":
    case "execution":
    case "steer":
    case "sample":
    case "compact":
    case "set_capacity":
    case "save":
    case "close":
      return step.do;
    case "restore":
      return step.mode === "write" ? "recovery" : null;
    default:
      return null;
  }
}

/** Commits of this act that were not written. */
function failures(ledger: Ledger, act: Act, side: Side): readonly (readonly [CommitKind, string])[] {
  const { step, outcome, events } = act;
  if (step.do === "restore" && step.epoch !== undefined && step.epoch !== "ok" && isFailure(act, step.epoch))
    return [["restore", step.epoch]];
  const { commit } = step;
  if (commit === undefined || commit === "ok") return none;
  const warned = events.some((event) => event[0] === "warned" && event[1] === commit);
  if (!isFailure(act, commit) && !(warned && "ok" in outcome)) return none;
  const kind = kindOf(ledger, act, side);
  return kind === null ? none : [[kind, commit]];
}
const isFailure = ({ outcome }: Act, how: string): boolean =>
  ("fault" in outcome && outcome.fault === how) || ("crashed" in outcome && how.startsWith("crash_"));
/** Signs of what a situation needs to have gone before. */
export function signs(kept: Ledger["signs"], { acts, sides }: Scene): Ledger["signs"] {
  let next = kept;
  const set = (name: string): void => {
    if (next[name] !== true) next = { ...next, [name]: true };
  };
  for (const { as, step, outcome } of acts) {
    const side = sides.find((each) => each.as === as);
    if (step.do === "save" && "ok" in outcome) {
      set("saved");
      if (next["compacted"] === true) next = { ...next, compacted: false };
    } else if (step.do === "compact" && "ok" in outcome && next["saved"] === true) {
      if (side?.changed.includes(step.path) === true) set("compacted");
    } else if (step.do === "send" && "refused" in outcome && outcome.refused === "agent_invalid")
      set(`${targetOf(step.by, step.to)} written to`);
    else if (
      step.do === "mend" &&
      step.what === "record" &&
      "ok" in outcome &&
      next[`${step.path} written to`] === true
    )
      set(`${step.path} mended`);
  }
  return next;
}

export function failed(kept: Ledger["failed"], ledger: Ledger, { acts, sides }: Scene): Ledger["failed"] {
  let next = kept;
  for (const act of acts) {
    const side = sides.find((each) => each.as === act.as);
    if (side === undefined) continue;
    for (const [kind, how] of failures(ledger, act, side))
      if (next[kind]?.[how] !== true) next = { ...next, [kind]: { ...next[kind], [how]: true } };
  }
  return next;
}
