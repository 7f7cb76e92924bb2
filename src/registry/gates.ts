/**
 * The gates: where the registry asks the world and something else may happen before it answers. An answer comes back as
 * a command; one that does not come in time counts as an error.
 */

import type { Archive } from "../archive/archive.ts";
import type { Answer, Gate, Op, Path, Step } from "../contract.ts";
import { RollcallError } from "../errors.ts";
import { readFault } from "./calls.ts";
import type { Decide, Fault, GateAct } from "./decision.ts";
import { guarded, keyOf, stopWork } from "./doing.ts";
import { answerRead, type WasRead } from "./hydrate.ts";
import type { Deadlines, DispatchRequest, PrepareRequest, Provider } from "./ports.ts";
import type { Says } from "./record.ts";
import { answerHandler, finishOwn } from "./settle.ts";
import { issue, type Pending, post, type Shell } from "./shell.ts";
import { answerDispatch, answerPrepare } from "./start.ts";
import type { HandlerOp, StartOp, State } from "./state.ts";
import { answerAbort, blockOwn, sayOwn } from "./turn.ts";

export interface Host {
  readonly provider: Provider;
  readonly deadlines: Deadlines;
}

/** What is decided about an answer, and what is recorded of it. */
interface Answered {
  readonly decide: Decide<unknown>;
  readonly says: Says;
}
function answering(op: Op, gate: Gate, how: Answer, decide: Decide<unknown>): Answered {
  return { decide, says: { do: "answer", op, gate, with: how } };
}

/** Asks once and takes the first answer: the world's, or that its time is up. */
function ask<Value>(
  shell: Shell,
  pending: Pending,
  timeoutMs: number | undefined,
  call: () => Promise<Value> | Value,
  answered: (end: { readonly value: Value } | { readonly error: unknown }) => Answered,
): void {
  let isOpen = true;
  const take = (end: { readonly value: Value } | { readonly error: unknown }) => {
    if (!isOpen) return;
    isOpen = false;
    pending.cancelDeadline();
    const { decide, says } = answered(end);
    post(shell, decide, pending.tag, says);
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
      const found = "value" in end ? { messages: end.value, last } : readFault(end.error, path);
      return { decide: answerRead(act.read, path, found), says: readAnswer(path, found) };
    },
  );
}

/** In the name of whoever has asked longest; nobody asks any more where all have given up. */
function readAnswer(path: Path, found: WasRead | Fault): Says {
  const how = !("fault" in found) ? "ok" : (readHow[found.fault] ?? "error");
  return ({ ops }) => {
    for (const { op, path: asked, gate } of ops.values())
      if (asked === path && gate === "hydrate") return { do: "answer", op, gate, with: how };
    return null;
  };
}
const readHow: { readonly [code: string]: "missing" | "corrupt" } = {
  conversation_missing: "missing",
  conversation_corrupt: "corrupt",
};

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
      const { op } = start;
      if ("value" in end && end.value !== "refuse") return answering(op, "prepare", "ok", answerPrepare(op, "ok"));
      const error = "value" in end ? undefined : end.error;
      if ("value" in end || isRefusal(error))
        return answering(op, "prepare", "refuse", answerPrepare(op, { refused: error }));
      return answering(op, "prepare", "error", answerPrepare(op, { error }));
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
    (end) => {
      const { op } = start;
      if ("value" in end) return answering(op, "dispatch", "ok", answerDispatch(op, "ok"));
      return answering(op, "dispatch", "error", answerDispatch(op, { error: end.error }));
    },
  );
}
function dispatchRequest(shell: Shell, start: StartOp, pending: Pending): DispatchRequest {
  const { op, path, by, role, config, text, turn, tools } = start;
  const { tag } = pending;
  // It only grows, or another takes its place: what is there now is copied when somebody looks.
  const messages = shell.state.conversations.get(path) ?? [];
  const { length } = messages;
  // Of a turn that is over it means nothing.
  const own =
    (says: (turn: number) => Step) =>
    ({ agents }: State): Step | null => {
      const phase = agents.get(path)?.phase;
      return phase?.is === "admitted" && phase.op === op ? says(phase.turn) : null;
    };
  return {
    ...{ op, path, by, role, config, text, turn, tools },
    get signal() {
      return signalOf(pending);
    },
    get conversation() {
      return messages.slice(0, length);
    },
    say: (text) => {
      const says = own((turn) => ({ do: "say", path, turn, text }));
      return issue(shell, { decide: sayOwn(op, path, text), says }, { tag });
    },
    block: (kind) => {
      const says = own(() => ({ do: "block", path, kind }));
      return issue(shell, { decide: blockOwn(op, path, kind), says }, { tag });
    },
    finish: (outcome, text) => {
      const admitted = own((turn) => ({ do: "finish", path, turn, outcome, text }));
      const says: Says = (state) => (state.ops.has(op) ? { do: "finish", op, outcome, text } : admitted(state));
      return issue(shell, { decide: finishOwn(op, path, outcome, text), isSettlement: true, says }, { tag });
    },
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
    (end) => {
      if ("value" in end) return answering(op, "abort", "ok", answerAbort(op, "ok"));
      return answering(op, "abort", "error", answerAbort(op, { error: end.error }));
    },
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
    (end) => answering(op, "handler", "value" in end ? "ok" : "throw", answerHandler(op, "value" in end)),
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
