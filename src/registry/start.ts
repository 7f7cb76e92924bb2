/**
 * How a turn begins: a spawn reserves a path, a follow-up clears the old result; both pass the host's check and the
 * provider's set-up, and are admitted in one commit, or leave everything as it was. L6, L10, L11
 */
import { frozenConfig } from "../config.ts";
import type { Activity, Op, Path } from "../contract.ts";
import { makeResident } from "../conversation.ts";
import { isName, isPath, parentOf, rootPath } from "../paths.ts";
import { answer, commit, type Decide, type Decision, type End, type Fault, fail, refuse } from "./decision.ts";
import {
  addMail,
  agentAt,
  agentOf,
  append,
  type Draft,
  nextOp,
  opAt,
  put,
  setConversation,
  setOp,
  setStart,
  startAt,
} from "./draft.ts";
import {
  caller,
  isAdmitted,
  operations,
  type Refusal,
  readOnly,
  resolve,
  room,
  slot,
  target,
  text as textGuard,
  tools as toolsGuard,
} from "./guard.ts";
import type { Handler } from "./ports.ts";
import { askRead, forgetRead } from "./reading.ts";
import { endOp, resultOf, settle, tell } from "./settle.ts";
import { type Agent, activityOf, type StartOp } from "./state.ts";
import { wake } from "./wait.ts";

export interface SpawnRequest {
  readonly by: Path;
  readonly name: string;
  readonly role: string;
  readonly text: string;
  readonly handler: Handler | null;
}
export interface FollowUpRequest {
  readonly by: Path;
  readonly to: string;
  readonly text: string;
  readonly handler: Handler | null;
}

// ── Beginning ────────────────────────────────────────────────────────────────────────────────────────────────────

export function spawn({ by, name, role, text, handler }: SpawnRequest): Decide<never> {
  return (draft) => {
    const path = `${by}/${name}`;
    const early = readOnly(draft) ?? caller(draft, by) ?? nameGuard(name, path) ?? textGuard(draft, text);
    if (early !== null) return { reply: early };
    if (!draft.state.roles.has(role)) return { reply: refuse("role_unknown", role) };
    const config = frozenConfig(draft.state.roles.get(role));
    if (config === null) return { reply: refuse("config_invalid", role) };
    const late =
      taken(draft, path) ?? toolsGuard(draft, config.tools) ?? full(draft) ?? slot(draft) ?? operations(draft);
    if (late !== null) return { reply: late };

    const op = nextOp(draft, path);
    draft.reservations += 1;
    draft.active += 1;
    setStart(draft, path, op);
    const { tools } = config;
    prepare(draft, {
      ...{ is: "spawn", gate: "prepare", op, path, by, role, config, text, handler, tools, turn: 1, held: null },
    });
    return { reply: { begun: op } };
  };
}
function nameGuard(name: string, path: Path): Refusal {
  return typeof name === "string" && isName(name) && isPath(path) ? null : refuse("name_malformed", String(name));
}
/** Also by a reservation, and by a record that was set aside. L2, L30 */
function taken(draft: Draft, path: Path): Refusal {
  const isTaken =
    agentAt(draft, path) !== undefined || draft.state.aside.has(path) || startAt(draft, path) !== undefined;
  return isTaken ? refuse("path_taken", path) : null;
}
function full(draft: Draft): Refusal {
  return draft.kept + draft.reservations >= draft.state.setting.limits.agentsMax
    ? refuse("agents_full", "session")
    : null;
}

/** A new turn was admitted, or an active agent got a mail; then its activity as it was seen. */
export type FollowedUp = { readonly started: Path } | { readonly steered: Activity };
export function followUp(request: FollowUpRequest): Decide<FollowedUp> {
  const { by, to, text } = request;
  return (draft) => {
    const refused = readOnly(draft) ?? caller(draft, by);
    if (refused !== null) return { reply: refused };
    const agent = target(draft, resolve(by, to), to);
    if ("refused" in agent) return { reply: agent };
    const malformed = textGuard(draft, text);
    if (malformed !== null) return { reply: malformed };
    return agent.phase.is === "idle" ? restart(draft, agent, request) : steerAgent(draft, agent, request);
  };
}
/** L12: one mail, no slot, no turn. */
function steerAgent(draft: Draft, agent: Agent, { by, text }: FollowUpRequest): Decision<FollowedUp> {
  const full = room(draft, agent.path, agent.mail.length);
  if (full !== null) return { reply: full };
  const seen = activityOf(agent);
  addMail(draft, { kind: "mail", from: by, to: agent.path, text });
  wake(draft, agent.path, "steering");
  return commit({ steered: seen });
}
function restart(draft: Draft, agent: Agent, { by, text, handler }: FollowUpRequest): Decision<FollowedUp> {
  const { path, role, config, turns, residency, phase } = agent;
  const refused = toolsGuard(draft, config.tools) ?? slot(draft) ?? operations(draft);
  if (refused !== null) return { reply: refused };

  const op = nextOp(draft, path);
  draft.active += 1;
  setStart(draft, path, op);
  // L8, L9: an active record holds no result, also while its start is under way.
  put(draft, { ...agent, phase: { is: "starting", undo: phase.is === "idle" ? phase.result : null } });
  const { tools } = config;
  const start = {
    is: "follow_up",
    op,
    path,
    by,
    role,
    config,
    text,
    handler,
    tools,
    turn: turns + 1,
    held: null,
  } as const;
  if (residency === "writable") prepare(draft, { ...start, gate: "prepare" });
  else {
    // L34: an inspection is never continued.
    setOp(draft, op, { ...start, gate: "hydrate" });
    askRead(draft, agent, op, { intent: "writable", last: null });
  }
  return { reply: { begun: op } };
}

function prepare(draft: Draft, start: StartOp): void {
  setOp(draft, start.op, start);
  draft.acts.push({ do: "prepare", op: start });
}
/** A follow-up whose conversation is there goes on. */
export function hydrated(draft: Draft, start: StartOp): void {
  prepare(draft, { ...start, gate: "prepare" });
}

// ── Answers ──────────────────────────────────────────────────────────────────────────────────────────────────────

function startAtGate(draft: Draft, op: Op, gate: StartOp["gate"]): StartOp | null {
  const start = opAt(draft, op);
  return start !== undefined && "held" in start && start.gate === gate ? start : null;
}

export type PrepareEnd = "ok" | { readonly refused: unknown } | { readonly error: unknown };
export function answerPrepare(op: Op, end: PrepareEnd): Decide<"done" | "late"> {
  return (draft) => {
    const start = startAtGate(draft, op, "prepare");
    if (start === null) return answer("late");
    if (end !== "ok") {
      const { path } = start;
      giveUp(
        draft,
        start,
        "refused" in end ? refuse("task_refused", path, end.refused) : fail("task_failed", path, end.error),
      );
      return answer("done");
    }
    const next: StartOp = { ...start, gate: "dispatch" };
    setOp(draft, op, next);
    tell(draft, ["provider", start.path, { started: start.tools }]);
    draft.acts.push({ do: "dispatch", op: next });
    return answer("done");
  };
}

export type DispatchEnd = "ok" | { readonly error: unknown };
export function answerDispatch(op: Op, end: DispatchEnd): Decide<"done" | "late"> {
  return (draft) => {
    const start = startAtGate(draft, op, "dispatch");
    if (start === null) return answer("late");
    if (end !== "ok") {
      giveUp(draft, start, fail("provider_failed", start.path, end.error));
      return answer("done");
    }
    const unsettled = admit(draft, start);
    if (unsettled !== null) {
      stop(draft, start);
      giveUp(draft, start, unsettled);
      return answer("done");
    }
    return commit<"done" | "late">("done", (fresh, fault) => {
      stop(fresh, start);
      giveUp(fresh, start, fault);
      return { ok: "done" };
    });
  };
}

/** Nothing is changed when it answers a fault. */
function admit(draft: Draft, start: StartOp): Fault | null {
  const { op, path, turn, handler } = start;
  const phase = { is: "admitted", turn, op, handler, blockers: [], blocks: 0, waiter: null, aborting: null } as const;
  if (start.is === "spawn") {
    const fault = publish(draft, start, phase);
    if (fault !== null) return fault;
  } else put(draft, { ...agentOf(draft, path), turns: turn, phase });
  append(draft, path, [{ kind: "task", turn, from: start.by, text: start.text }]);
  setStart(draft, path, null);
  endOp(draft, op, { ok: { is: "started", path } });
  const agent = agentOf(draft, path);
  if (start.held !== null && isAdmitted(agent))
    settle(draft, agent, resultOf(start.held.outcome, start.held.text, null, null));
  return null;
}
function publish(draft: Draft, start: StartOp, phase: Agent["phase"]): Fault | null {
  const { path, role, config, turn } = start;
  try {
    const { residency, marks, messages } = makeResident(path, "writable", [], draft.state.setting.viewer);
    setConversation(draft, path, messages);
    put(draft, {
      ...{
        id: draft.state.setting.ids(),
        path,
        parent: parentOf(path),
        role,
        config,
        turns: turn,
        phase,
        residency,
        marks,
      },
      location: `agents${path.slice(rootPath.length)}`,
      mail: [],
      owed: [],
      messages: 0,
    });
  } catch (cause) {
    return fail("conversation_failed", path, cause);
  }
  draft.reservations -= 1;
  draft.kept += 1;
  return null;
}

// ── Coming to nothing ────────────────────────────────────────────────────────────────────────────────────────────

/** As if it had not begun, but for the mail that came meanwhile and what became resident. */
export function giveUp(draft: Draft, start: StartOp, end: End): void {
  const { op, path } = start;
  draft.active -= 1;
  setStart(draft, path, null);
  if (start.gate === "hydrate") forgetRead(draft, path, op);
  if (start.is === "spawn") draft.reservations -= 1;
  else {
    const agent = agentOf(draft, path);
    put(draft, { ...agent, phase: { is: "idle", result: agent.phase.is === "starting" ? agent.phase.undo : null } });
  }
  endOp(draft, op, end);
}
/** Not after an error of its own: the provider knows. */
function stop(draft: Draft, { op, path, gate }: StartOp): void {
  if (gate !== "dispatch") return;
  tell(draft, ["provider", path, "stopped"]);
  draft.acts.push({ do: "stop", op, path });
}
/** The user gives up; an interrupt of a start does so for them. */
export function quitStart(draft: Draft, start: StartOp): void {
  stop(draft, start);
  giveUp(draft, start, { quit: true });
}
/** Takes back what a reader or a start asked for; anything else, or anything over, is late. */
export function quit(op: Op): Decide<"done" | "late"> {
  return (draft) => {
    const found = opAt(draft, op);
    if (found === undefined || found.is === "abort" || found.is === "handler") return answer("late");
    if ("held" in found) quitStart(draft, found);
    else {
      forgetRead(draft, found.path, op);
      endOp(draft, op, { quit: true });
    }
    return answer("done");
  };
}
