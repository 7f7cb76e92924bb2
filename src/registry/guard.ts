/**
 * Who may do what to whom, in the order that is the contract: each check answers the refusal or nothing. A command
 * chains them, the first that applies wins.
 */
import type { Path, ToolRef } from "../contract.ts";
import { isPath, rootPath } from "../paths.ts";
import { type Refused, refuse } from "./decision.ts";
import { agentAt, type Draft } from "./draft.ts";
import type { AdmittedAgent, Agent } from "./state.ts";

export type Refusal = Refused | null;

export function readOnly(draft: Draft): Refusal {
  return draft.state.setting.mode === "read" ? refuse("read_only", "session") : null;
}
/** The root, or a published agent. */
export function caller(draft: Draft, by: Path): Refusal {
  return by === rootPath || agentAt(draft, by) !== undefined ? null : refuse("caller_unknown", by);
}

/** A target is absolute, or below the caller; null where that is no path. */
export function resolve(by: Path, to: string): Path | null {
  const path = to.startsWith("/") ? to : `${by}/${to}`;
  return isPath(path) ? path : null;
}
function isAbsolute(path: string): boolean {
  return path.startsWith("/") && isPath(path);
}

export function isAdmitted(agent: Agent): agent is AdmittedAgent {
  return agent.phase.is === "admitted";
}

/** A published agent that is not the root, or why there is none at this path. */
export function target(draft: Draft, path: Path | null, to: string): Agent | Refused {
  if (path === null) return refuse("path_malformed", to);
  if (path === rootPath) return refuse("target_root", path);
  const agent = agentAt(draft, path);
  if (agent !== undefined) return agent;
  return refuse(draft.state.aside.has(path) ? "agent_invalid" : "agent_unknown", path);
}
/** As `target`, for commands that name a path and have no caller. */
export function targetAt(draft: Draft, path: string): Agent | Refused {
  return target(draft, isAbsolute(path) ? path : null, path);
}
/** Somebody with a mailbox: the root counts. */
export function mailbox(draft: Draft, path: Path | null, to: string): Path | Refused {
  if (path === rootPath) return path;
  const found = target(draft, path, to);
  return "refused" in found ? found : found.path;
}
export function mailboxAt(draft: Draft, path: string): Path | Refused {
  return mailbox(draft, isAbsolute(path) ? path : null, path);
}

/** What people send. */
export function text(draft: Draft, given: string): Refusal {
  if (given === "") return refuse("text_empty", "text");
  if (typeof given !== "string" || !given.isWellFormed()) return refuse("text_malformed", "text");
  return given.length > draft.state.setting.limits.textMax ? refuse("text_too_long", "text") : null;
}

/** What references lead to, before a turn is started with them. */
export function tools(draft: Draft, refs: readonly ToolRef[]): Refusal {
  const { tools } = draft.state.setting;
  if (!tools.isAvailable) return refuse("tools_unavailable", "tools");
  const flaw = tools.flaw(refs);
  return flaw === null ? null : refuse(flaw.code, flaw.ref.join("/"));
}
export function slot(draft: Draft): Refusal {
  return draft.active >= draft.capacity ? refuse("at_capacity", "session") : null;
}
export function operations(draft: Draft): Refusal {
  const { ops, setting } = draft.state;
  return ops.size >= setting.limits.operationsMax ? refuse("too_many_operations", "session") : null;
}
/** L12, and never for what may not be lost. */
export function room(draft: Draft, owner: Path, unread: number): Refusal {
  return unread >= draft.state.setting.limits.mailMax ? refuse("mailbox_full", owner) : null;
}
