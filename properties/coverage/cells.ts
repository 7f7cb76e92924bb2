/**
 * The behaviours that a story shows: who a command was about and what that one was doing, the command, and what came of it; and
 * what happened while an operation stood at a gate. A behaviour is a word, so that stories can be compared without being kept.
 */
import { view, type World } from "../../model/index.ts";
import type { Gate, Path, Reply, Step, Verb, View } from "../../src/contract.ts";
import { subjectOf } from "../about.ts";
import { verbs } from "../words.ts";

const gates: readonly Gate[] = ["hydrate", "prepare", "dispatch", "abort", "handler"];

/** What whoever a command is about may be doing. */
const ofAgents: readonly string[] = [
  ...["idle", "starting", "running", "waiting", "permission_blocked", "interaction_blocked"],
  ...["root running", "root waiting", "nobody"],
];
/** What a session may be doing, where a command is about the whole of it. */
const ofSessions: readonly string[] = ["writing", "reading", "restoring", "closed"];

/** Commands about the session, not about one in it. */
const sessions: readonly Verb[] = [
  ...(["together", "restore", "damage", "mend", "crash", "close", "save", "verify", "fork", "roster"] as const),
  ...(["change_role", "set_capacity", "elapse"] as const),
];
/** Commands that never are about anybody but the root. */
const roots: readonly Verb[] = ["steer"];

/** What can be asked for: each command with each activity of whom it may be about. */
export const pairs: readonly string[] = verbs.flatMap((verb) => {
  if (sessions.includes(verb)) return ofSessions.map((activity) => `${activity} ${verb}`);
  if (roots.includes(verb)) return ["root running", "root waiting"].map((activity) => `${activity} ${verb}`);
  return ofAgents.map((activity) => `${activity} ${verb}`);
});
export const during: readonly string[] = gates.flatMap((gate) => verbs.map((verb) => `${gate}: ${verb}`));

/** Whom a step is about; `null` is the session. A spawn is about who spawns: nobody else is there yet. */
function concerned(step: Step): Path | null {
  if (step.do === "spawn") return step.by;
  return sessions.includes(step.do) ? null : subjectOf(step);
}

function activityOf(seen: View, subject: Path | null): string {
  if (seen.mode === "closed") return subject !== null ? "nobody" : seen.open === undefined ? "closed" : "restoring";
  if (subject === null) return seen.mode === "read" ? "reading" : "writing";
  if (subject === "/root") return seen.root?.waiting === true ? "root waiting" : "root running";
  return seen.agents?.[subject]?.activity ?? "nobody";
}

/** Which kind of end: what it says, without whom it is about. */
function endOf(reply: Reply): string {
  if ("refused" in reply) return `refused ${reply.refused}`;
  if ("fault" in reply) return `fault ${reply.fault}`;
  if ("quit" in reply) return "quit";
  if ("crashed" in reply) return "crashed";
  if ("gate" in reply) return `at ${reply.gate}`;
  const { ok } = reply;
  return typeof ok === "string" && !ok.startsWith("/") ? ok : "ok";
}

/** Adds what this step shows: `activity command: end`, and `gate: command` for each gate that is open. */
export function addCells(cells: Set<string>, before: World, step: Step, reply: Reply): void {
  const all = view(before);
  const seen = step.as === undefined || step.as === "w1" ? all : (all.others?.[step.as] ?? { mode: "closed" });
  cells.add(`${activityOf(seen, concerned(step))} ${step.do}: ${endOf(reply)}`);
  for (const [, gate] of seen.open ?? []) cells.add(`${gate}: ${step.do}`);
}
