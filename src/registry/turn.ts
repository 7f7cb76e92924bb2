/**
 * What happens during a turn, besides mail: it says something, it blocks and is released, it is interrupted.
 */
import type { Message, Result } from "../archive/archive.ts";
import type { Activity, BlockKind, Op, Path, Token } from "../contract.ts";
import { rootPath } from "../paths.ts";
import { answer, commit, type Decide, fail, refuse } from "./decision.ts";
import { agentAt, append, type Draft, nextOp, opAt, put, putLive, setOp } from "./draft.ts";
import { caller, isAdmitted, operations, readOnly, resolve, target } from "./guard.ts";
import { endOp, resultOf, settle } from "./settle.ts";
import { quitStart } from "./start.ts";
import { type AdmittedAgent, activityOf } from "./state.ts";

// ── Saying ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** Kept until the next commit of whatever kind. The root has no turns: its number is 0. */
export function say(path: Path, turn: number, text: string): Decide<"done" | "late"> {
  return (draft) => {
    const refused = readOnly(draft) ?? caller(draft, path);
    if (refused !== null) return { reply: refused };
    const agent = agentAt(draft, path);
    if (agent !== undefined && !isAdmitted(agent)) return { reply: refuse("not_active", path) };
    if (turn !== (agent?.phase.turn ?? 0)) return answer("late");
    append(draft, path, [{ kind: "partial", turn, from: path, text: text.toWellFormed() }]);
    return answer("done");
  };
}
/** As said through what a provider was given: the turn of this start, and no other. */
export function sayOwn(op: Op, path: Path, text: string): Decide<"done" | "late"> {
  return (draft) => {
    const agent = draft.state.agents.get(path);
    if (agent === undefined || !isAdmitted(agent) || agent.phase.op !== op) return answer("late");
    return say(path, agent.phase.turn, text)(draft);
  };
}
/** What the turn said so far; null if nothing. A turn's messages are the last of its conversation. */
export function saidIn(messages: readonly Message[], turn: number): string | null {
  const first = messages.findLastIndex((each) => each.turn !== turn) + 1;
  const said = messages.slice(first).filter((each) => each.kind === "partial");
  return said.map((each) => each.text).join("") || null;
}

// ── Blocking ─────────────────────────────────────────────────────────────────────────────────────────────────────

export function block(path: Path, kind: BlockKind): Decide<Token> {
  return (draft) => {
    const refused = readOnly(draft) ?? caller(draft, path);
    if (refused !== null) return { reply: refused };
    const agent = agentAt(draft, path);
    if (agent === undefined) return { reply: refuse("target_root", rootPath) };
    if (!isAdmitted(agent)) return { reply: refuse("not_active", path) };
    const { phase } = agent;
    // The wait's own is none of these: it is never released, and one at most.
    const held = phase.blockers.filter((each) => each.token !== null).length;
    if (held >= draft.state.setting.limits.blockersMax) return { reply: refuse("too_many_blockers", path) };
    const blocks = phase.blocks + 1;
    const token = `${path}@${phase.turn}.${blocks}`;
    put(draft, { ...agent, phase: { ...phase, blocks, blockers: [...phase.blockers, { kind, token }] } });
    return answer(token);
  };
}
export function blockOwn(op: Op, path: Path, kind: BlockKind): Decide<Token> {
  return (draft) => {
    const agent = draft.state.agents.get(path);
    const isOwn = agent !== undefined && isAdmitted(agent) && agent.phase.op === op;
    return isOwn ? block(path, kind)(draft) : { reply: refuse("not_active", path) };
  };
}
/** Where a token belongs; what it says besides is compared as a whole. */
export function pathOfToken(token: Token): Path {
  return token.slice(0, Math.max(0, token.lastIndexOf("@")));
}
/** Once, in any order, and never after its turn. L25 */
export function release(token: Token): Decide<"done" | "late"> {
  return (draft) => {
    const refused = readOnly(draft);
    if (refused !== null) return { reply: refused };
    const agent = agentAt(draft, pathOfToken(token));
    if (agent === undefined || !isAdmitted(agent)) return answer("late");
    const blockers = agent.phase.blockers.filter((each) => each.token !== token);
    if (blockers.length === agent.phase.blockers.length) return answer("late");
    put(draft, { ...agent, phase: { ...agent.phase, blockers } });
    return answer("done");
  };
}

// ── Interrupting ─────────────────────────────────────────────────────────────────────────────────────────────────

/** Answers the activity seen; an abort that is begun answers it at its end. L26 */
export function interrupt(by: Path, to: string): Decide<Activity> {
  return (draft) => {
    const refused = readOnly(draft) ?? caller(draft, by);
    if (refused !== null) return { reply: refused };
    const agent = target(draft, resolve(by, to), to);
    if ("refused" in agent) return { reply: agent };
    const { path } = agent;
    if (path === by) return { reply: refuse("target_self", path) };
    if (isAdmitted(agent)) return openAbort(draft, agent);
    const start = opAt(draft, draft.state.starts.get(path) ?? "");
    if (start !== undefined && "held" in start) quitStart(draft, start);
    return answer(activityOf(agent));
  };
}
function openAbort(draft: Draft, agent: AdmittedAgent): ReturnType<Decide<Activity>> {
  const { path, phase } = agent;
  const seen = activityOf(agent);
  if (phase.aborting !== null) return answer(seen);
  const refused = operations(draft);
  if (refused !== null) return { reply: refused };
  const op = nextOp(draft, path);
  const abort = { is: "abort", gate: "abort", op, path, turn: phase.turn, seen } as const;
  setOp(draft, op, abort);
  putLive(draft, { ...agent, phase: { ...phase, aborting: op } });
  draft.acts.push({ do: "abort", op: abort });
  return { reply: { begun: op } };
}

function interrupted(draft: Draft, agent: AdmittedAgent): Result {
  const { path, phase } = agent;
  return resultOf("interrupted", "", "interrupted", saidIn(draft.state.conversations.get(path) ?? [], phase.turn));
}
export type AbortEnd = "ok" | { readonly error: unknown };
export function answerAbort(op: Op, end: AbortEnd): Decide<"done" | "late"> {
  return (draft) => {
    const abort = opAt(draft, op);
    if (abort?.is !== "abort") return answer("late");
    const agent = agentAt(draft, abort.path);
    if (agent === undefined || !isAdmitted(agent)) return answer("late");
    const { path, seen } = abort;
    if (end !== "ok") {
      endAbort(draft, agent);
      endOp(draft, op, fail("provider_failed", path, end.error));
      return answer("done");
    }
    endOp(draft, op, { ok: { is: "interrupted", seen } });
    settle(draft, agent, interrupted(draft, agent), op);
    return commit<"done" | "late">("done", (fresh, fault) => {
      // The turn goes on, and may be interrupted again.
      endAbort(fresh, agent);
      endOp(fresh, op, fault);
      return { ok: "done" };
    });
  };
}
function endAbort(draft: Draft, agent: AdmittedAgent): void {
  putLive(draft, { ...agent, phase: { ...agent.phase, aborting: null } });
}
