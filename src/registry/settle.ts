/**
 * How a turn ends, once: its result to the spawn parent or to a handler, its own executions handed over, its sleepers
 * and its abort released. L15, L16, L17
 */
import type { Mail, Result } from "../archive/archive.ts";
import { sha256 } from "../config.ts";
import type { Event, Op, Outcome, Path, WarningCode } from "../contract.ts";
import { isPath, rootPath } from "../paths.ts";
import { answer, commit, type Decide, type End, type Fault, type Reply } from "./decision.ts";
import { addMail, agentOf, type Draft, nextOp, opAt, put, removeMail, setOp } from "./draft.ts";
import { isAdmitted, readOnly, target } from "./guard.ts";
import { mailedText } from "./mailed.ts";
import type { AdmittedAgent, Agent, HandlerOp } from "./state.ts";
import { wake } from "./wait.ts";

export function tell(draft: Draft, event: Event): void {
  draft.acts.push({ do: "event", event });
}
export function endOp(draft: Draft, op: Op, end: End): void {
  setOp(draft, op, null);
  draft.acts.push({ do: "end", op, end });
}

/** What the world says is taken as it is, made well-formed. */
export function resultOf(outcome: Outcome, given: string, reason: string | null, partial: string | null): Result {
  const text = given.toWellFormed();
  const isFailure = outcome === "errored" && text === "";
  return Object.freeze({ outcome, text, reason: reason ?? (isFailure ? "provider_failed" : null), partial });
}

/** To the spawn parent, whoever asked for the turn. */
export function mailResult(draft: Draft, agent: Agent, result: Result): void {
  const { outcome, text } = result;
  addMail(draft, {
    kind: "result",
    from: agent.path,
    to: agent.parent,
    text: mailedText(text, agent.location),
    outcome,
    digest: sha256(text).slice(0, 16),
  });
}
function isOwnExecution(mail: Mail, owner: Path): boolean {
  return mail.kind === "execution" && mail.from === owner;
}
/** Those handed over by a child stay: they go to their owner's parent and no further. */
export function handExecutionsOver(draft: Draft, path: Path): void {
  const { mail, parent } = agentOf(draft, path);
  const own = mail.filter((each) => isOwnExecution(each, path));
  removeMail(draft, path, own);
  for (const each of own) addMail(draft, { kind: "execution", from: path, to: parent, text: each.text });
}

/** `abort` is the one that ends the turn, if one does: any other that is under way ends with it. */
export function settle(draft: Draft, agent: AdmittedAgent, result: Result, abort: Op | null = null): void {
  const { path, phase } = agent;
  const { turn, handler, waiter, aborting } = phase;
  const mailBefore = draft.mailAdded.length;
  const owed = handler === null ? agent.owed : [...agent.owed, { turn, result }];
  draft.active -= 1;
  put(draft, { ...agent, owed, phase: { is: "idle", result } });
  if (handler === null) mailResult(draft, agent, result);
  handExecutionsOver(draft, path);

  tell(draft, ["settled", path, turn]);
  if (waiter !== null) draft.acts.push({ do: "wake", path, waiter, why: null });
  if (aborting !== null && aborting !== abort) {
    const op = opAt(draft, aborting);
    if (op?.is === "abort") endOp(draft, aborting, { ok: { is: "interrupted", seen: op.seen } });
  }
  // A handled result wakes nobody yet; handed-over executions do.
  if (draft.mailAdded.length > mailBefore) wake(draft, agent.parent, "mailbox");
  if (handler !== null) openHandler(draft, path, turn, result, handler);
}
function openHandler(draft: Draft, path: Path, turn: number, result: Result, handler: HandlerOp["handler"]): void {
  const op: HandlerOp = { is: "handler", gate: "handler", op: nextOp(draft, path), path, turn, result, handler };
  setOp(draft, op.op, op);
  draft.acts.push({ do: "handle", op });
}

export interface FinishRequest {
  readonly path: Path;
  readonly turn: number;
  readonly outcome: Outcome;
  readonly text: string;
}
/** Only the turn under way is settled; anything else comes too late. */
export function finish({ path, turn, outcome, text }: FinishRequest): Decide<"settled" | "late"> {
  return (draft) => {
    const refused = readOnly(draft);
    if (refused !== null) return { reply: refused };
    if (path === rootPath) return answer("late");
    const agent = target(draft, isPath(path) ? path : null, path);
    if ("refused" in agent) return { reply: agent };
    if (!isAdmitted(agent) || agent.phase.turn !== turn) return answer("late");
    settle(draft, agent, resultOf(outcome, text, null, null));
    return commit("settled");
  };
}

/** A turn that ends inside its own dispatch is held, and settles with its admission. */
export function finishStart(op: Op, outcome: Outcome, text: string): Decide<"held" | "late"> {
  return (draft) => {
    const refused = readOnly(draft);
    if (refused !== null) return { reply: refused };
    return answer(hold(draft, op, outcome, text) ? "held" : "late");
  };
}
function hold(draft: Draft, op: Op, outcome: Outcome, text: string): boolean {
  const start = opAt(draft, op);
  if (start === undefined || !("held" in start) || start.gate !== "dispatch" || start.held !== null) return false;
  setOp(draft, op, { ...start, held: { outcome, text } });
  return true;
}
/** What a provider was given to say: it concerns the turn of this start, before and after its admission. */
export function finishOwn(op: Op, path: Path, outcome: Outcome, text: string): Decide<"held" | "settled" | "late"> {
  return (draft) => {
    if (hold(draft, op, outcome, text)) return answer("held");
    const agent = draft.state.agents.get(path);
    if (agent === undefined || !isAdmitted(agent) || agent.phase.op !== op) return answer("late");
    settle(draft, agent, resultOf(outcome, text, null, null));
    return commit("settled");
  };
}

// ── Result handlers ──────────────────────────────────────────────────────────────────────────────────────────────

function clearOwed(draft: Draft, op: HandlerOp): Agent {
  const agent = agentOf(draft, op.path);
  const cleared = { ...agent, owed: agent.owed.filter((each) => each.turn !== op.turn) };
  put(draft, cleared);
  return cleared;
}
function warningOf(fault: Fault["fault"]): WarningCode {
  const isOwn = fault === "disk_full" || fault === "busy" || fault === "io_failed" || fault === "read_only_file";
  return isOwn || fault === "ownership_lost" ? fault : "not_written";
}

/** The archive catches up with the next commit if it has to. */
function writeCleared({ op, path }: HandlerOp): Decide<"done"> {
  return (draft) => {
    endOp(draft, op, { ok: { is: "handled" } });
    return commit("done", (fresh, fault) => {
      tell(fresh, ["warned", warningOf(fault.fault), path]);
      endOp(fresh, op, { ok: { is: "handled" } });
      return { ok: "done" };
    });
  };
}
/** L21: it answered, or the result is in the archive as owed or in the parent's mailbox. */
export function answerHandler(op: Op, isOk: boolean): Decide<"done" | "late"> {
  return (draft) => {
    const handler = opAt(draft, op);
    if (handler?.is !== "handler") return answer("late");
    if (isOk) {
      // Answered is answered, written or not: L21.
      clearOwed(draft, handler);
      tell(draft, ["handled", handler.path, handler.turn]);
      setOp(draft, op, null);
      return { reply: { ok: "done" }, next: writeCleared(handler) };
    }
    const agent = clearOwed(draft, handler);
    mailResult(draft, agent, handler.result);
    tell(draft, ["warned", "handler_failed", handler.path]);
    wake(draft, agent.parent, "mailbox");
    endOp(draft, op, { ok: { is: "handled" } });
    return commit("done", (fresh, fault): Reply<"done"> => {
      endOp(fresh, op, fault);
      return fault;
    });
  };
}
