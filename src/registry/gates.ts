/**
 * The gates: where the registry asks the world and something else may happen before it answers. An answer comes back as
 * a command; one that does not come in time counts as an error.
 */

import type { Archive } from "../archive/archive.ts";
import type { Op } from "../contract.ts";
import { RollcallError } from "../errors.ts";
import { readFault } from "./calls.ts";
import type { Decide, GateAct } from "./decision.ts";
import { answerRead } from "./hydrate.ts";
import type { Deadlines, DispatchRequest, PrepareRequest, Provider } from "./ports.ts";
import { answerHandler, finishOwn } from "./settle.ts";
import { guarded, issue, keyOf, type Pending, post, type Shell, stopWork } from "./shell.ts";
import { answerDispatch, answerPrepare } from "./start.ts";
import type { HandlerOp, StartOp } from "./state.ts";
import { answerAbort, blockOwn, sayOwn } from "./turn.ts";

export interface Host {
  readonly provider: Provider;
  readonly deadlines: Deadlines;
}

/** Asks once and takes the first answer: the world's, or that its time is up. */
function ask<Value>(
  shell: Shell,
  pending: Pending,
  timeoutMs: number | undefined,
  call: () => Promise<Value> | Value,
  answered: (end: { readonly value: Value } | { readonly error: unknown }) => Decide<unknown>,
): void {
  let isOpen = true;
  const take = (end: { readonly value: Value } | { readonly error: unknown }) => {
    if (!isOpen) return;
    isOpen = false;
    pending.cancelDeadline();
    post(shell, answered(end), pending.tag);
  };
  if (timeoutMs !== undefined) {
    pending.cancelDeadline = shell.clock.after(timeoutMs, () => {
      const error = new Error(`no answer within ${timeoutMs} ms`);
      take({ error });
      stopWork(pending, error);
    });
  }
  try {
    const value = call();
    // Anything with a `then`: a host may have promises of its own.
    if (typeof value === "object" && value !== null && "then" in value)
      Promise.resolve(value).then(
        (each) => take({ value: each }),
        (error: unknown) => take({ error }),
      );
    else take({ value });
  } catch (error) {
    take({ error });
  }
}

export function openGate(shell: Shell, host: Host, act: GateAct, pending: Pending): void {
  switch (act.do) {
    case "read":
      read(shell, host, act, pending);
      break;
    case "prepare":
      prepare(shell, host, act.op, pending);
      break;
    case "dispatch":
      dispatch(shell, host, act.op, pending);
      break;
    case "abort":
      abort(shell, host, act, pending);
      break;
    case "handle":
      handle(shell, host, act.op, pending);
      break;
    case "stop":
      stop(shell, host, act, pending);
  }
}

function read(shell: Shell, { deadlines }: Host, act: GateAct & { readonly do: "read" }, pending: Pending): void {
  const { last, ...request } = act.request;
  const { path } = request;
  if (act.isGate) shell.counted.hydrated += 1;
  const archive: Archive = shell.archive;
  ask(
    shell,
    pending,
    deadlines.hydrateMs,
    () => archive.messages({ ...request, ...(last === null ? {} : { last }), ...(act.isGate ? { op: act.read } : {}) }),
    (end) => {
      shell.pending.delete(keyOf(act));
      return answerRead(act.read, path, "value" in end ? { messages: end.value, last } : readFault(end.error, path));
    },
  );
}

function requestOf({ op, path, by, role, config, text, turn }: StartOp, pending: Pending): PrepareRequest {
  return {
    op,
    path,
    by,
    role,
    config,
    text,
    turn,
    get signal() {
      return signalOf(pending);
    },
  };
}
function signalOf(pending: Pending): AbortSignal {
  if (pending.controller === null) {
    pending.controller = new AbortController();
    if (pending.gone !== null) pending.controller.abort(pending.gone.reason);
  }
  return pending.controller.signal;
}
function isRefusal(error: unknown): boolean {
  if (error instanceof RollcallError) return error.code === "task_refused";
  return error instanceof Error && error.name === "TaskRefused";
}
function prepare(shell: Shell, { provider, deadlines }: Host, start: StartOp, pending: Pending): void {
  if (provider.prepare !== undefined) shell.counted.provider += 1;
  ask(
    shell,
    pending,
    deadlines.prepareMs,
    () => provider.prepare?.(requestOf(start, pending)),
    (end) => {
      if ("value" in end) return answerPrepare(start.op, end.value === "refuse" ? { refused: undefined } : "ok");
      return answerPrepare(start.op, isRefusal(end.error) ? { refused: end.error } : { error: end.error });
    },
  );
}

function dispatch(shell: Shell, host: Host, start: StartOp, pending: Pending): void {
  const loading = shell.state.setting.tools.load(start.tools);
  const call = () => {
    shell.counted.provider += 1;
    return host.provider.dispatch(dispatchRequest(shell, start, pending));
  };
  // A start that ended while its tools were registered is not set up any more.
  const callUnlessOver = () => (shell.pending.get(start.op) === pending ? call() : undefined);
  ask(
    shell,
    pending,
    host.deadlines.dispatchMs,
    () => (loading === null ? call() : loading.then(callUnlessOver)),
    (end) => answerDispatch(start.op, "value" in end ? "ok" : { error: end.error }),
  );
}
function dispatchRequest(shell: Shell, start: StartOp, pending: Pending): DispatchRequest {
  const { op, path, by, role, config, text, turn, tools } = start;
  const { tag } = pending;
  // It only grows, or another takes its place: what is there now is copied when somebody looks.
  const messages = shell.state.conversations.get(path) ?? [];
  const { length } = messages;
  return {
    ...{ op, path, by, role, config, text, turn, tools },
    get signal() {
      return signalOf(pending);
    },
    get conversation() {
      return messages.slice(0, length);
    },
    say: (text) => issue(shell, { decide: sayOwn(op, path, text) }, { tag }),
    block: (kind) => issue(shell, { decide: blockOwn(op, path, kind) }, { tag }),
    finish: (outcome, text) =>
      issue(shell, { decide: finishOwn(op, path, outcome, text), isSettlement: true }, { tag }),
  };
}

function abort(
  shell: Shell,
  { provider, deadlines }: Host,
  act: GateAct & { readonly do: "abort" },
  pending: Pending,
): void {
  const { op, path, turn } = act.op;
  if (provider.abort !== undefined) shell.counted.provider += 1;
  ask(
    shell,
    pending,
    deadlines.abortMs,
    () => provider.abort?.({ op, path, turn }),
    (end) => answerAbort(op, "value" in end ? "ok" : { error: end.error }),
  );
}
function handle(shell: Shell, { deadlines }: Host, handler: HandlerOp, pending: Pending): void {
  const { op, path, turn, result } = handler;
  const { outcome, text } = result;
  ask(
    shell,
    pending,
    deadlines.handlerMs,
    () => handler.handler({ op, path, turn, outcome, text }),
    (end) => answerHandler(op, "value" in end),
  );
}
function stop(
  shell: Shell,
  { provider }: Host,
  { op, path }: { readonly op: Op; readonly path: string },
  pending: Pending,
): void {
  if (provider.stop === undefined) return;
  shell.counted.provider += 1;
  guarded(shell, pending.tag, path, () => provider.stop?.({ op, path }));
}
