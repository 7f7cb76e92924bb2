/** Doing what a decision asked for, once that is the state: hosts are called, operations end, gates open. Nothing is decided here. */
import type { Event, Op } from "../contract.ts";
import { quitReason } from "./calls.ts";
import type { Act, End, GateAct } from "./decision.ts";
import type { Pending, Shell } from "./shell.ts";
import { outcomeOf } from "./view.ts";

/** Calls a host's function, which may throw: that undoes nothing. */
export function guarded(shell: Shell, tag: unknown, at: string, call: () => void): void {
  try {
    call();
  } catch {
    emit(shell, ["warned", "callback_failed", at], tag);
  }
}
export function emit(shell: Shell, event: Event, tag: unknown): void {
  shell.recorder?.event(event);
  for (const listener of shell.listeners) {
    try {
      listener(event, tag);
    } catch (error) {
      // There is nobody left to warn but the process.
      void Promise.reject(error);
    }
  }
}
export function enact(shell: Shell, act: Act, tag: unknown): void {
  switch (act.do) {
    case "event":
      emit(shell, act.event, tag);
      return;
    case "end":
      endPending(shell, act.op, act.end, tag);
      return;
    case "wake":
      if (act.why !== null) emit(shell, ["woke", act.path, act.why], tag);
      guarded(shell, tag, act.path, () => act.waiter.woken(act.why));
      return;
    case "handle":
      // Nobody called for it, so it is remembered here and not when its caller began to wait.
      remember(shell, act.op.op, tag, () => {});
      break;
    case "read":
      // It belongs to the path: whoever began it may quit while others still wait for it.
      remember(shell, keyOf(act), tag, () => {});
      break;
    case "prepare":
    case "dispatch":
    case "abort":
    case "stop":
      break;
  }
  const pending = shell.pending.get(keyOf(act));
  if (pending !== undefined) shell.openGate(act, pending);
}
export function remember(shell: Shell, op: Op, tag: unknown, ended: (end: End) => void): void {
  shell.pending.set(op, { tag, ended, controller: null, gone: null, cancelDeadline: () => {} });
}
/** Under which name it is pending: its operation's, or one of its own. */
export function keyOf(act: GateAct): string {
  if (act.do === "read") return `read of ${act.read}`;
  return act.do === "stop" ? act.op : act.op.op;
}
/** Whoever works for it, or looks later whether to, is told by its signal. */
export function stopWork(pending: Pending, reason: unknown): void {
  pending.gone ??= { reason };
  pending.controller?.abort(reason);
}
function endPending(shell: Shell, op: Op, end: End, tag: unknown): void {
  const pending = shell.pending.get(op);
  shell.pending.delete(op);
  pending?.cancelDeadline();
  if (pending !== undefined && !("ok" in end)) stopWork(pending, quitReason(undefined));
  emit(shell, ["ended", op, outcomeOf(end)], tag);
  pending?.ended(end);
}
