/**
 * An agent as a host holds it: its methods are the commands that name it. Nothing is decided here.
 */
import type { Path, Step, WakeReason } from "../contract.ts";
import { rootPath } from "../paths.ts";
import type { Agent, WaitOptions } from "./api.ts";
import { openCall } from "./calls.ts";
import type { OpValue } from "./decision.ts";
import { sizeOf } from "./group.ts";
import { resolve } from "./guard.ts";
import { compact, evict, type Inspection, inspect, readHistory, readResult } from "./look.ts";
import { sample, send } from "./mail.ts";
import { issue, issueFor, post, type Shell } from "./shell.ts";
import { type FollowedUp, followUp, spawn } from "./start.ts";
import type { State, Waiter } from "./state.ts";
import { block, interrupt, say } from "./turn.ts";
import { cancelWait, giveUpWait, wait } from "./wait.ts";

/** What an operation ends with is what was begun: anything else is a fault of ours. */
function wrong(value: OpValue): never {
  throw new Error(`an operation ended with ${value.is}`);
}
function startedPath(value: OpValue): Path {
  return value.is === "started" ? value.path : wrong(value);
}
function inspection(value: OpValue): Inspection {
  return value.is === "inspected" ? { messages: value.messages, marks: value.marks } : wrong(value);
}
function both(by: Path, to: string): readonly Path[] {
  const path = resolve(by, to);
  return path === null ? [by] : [by, path];
}

export function agentAt(shell: Shell, path: string): Agent {
  const needs = [path];
  return {
    path,
    spawn: ({ name, role, text, handler = null, ...options }) =>
      issue<Agent>(
        shell,
        {
          decide: spawn({ by: path, name, role, text, handler }),
          needs: [path, `${path}/${name}`],
          ended: (value) => agentAt(shell, startedPath(value)),
          says: { do: "spawn", by: path, name, role, text, ...(handler === null ? {} : { handler: true }) },
        },
        options,
      ),
    followUp: (text, { by = rootPath, handler = null, ...options } = {}) =>
      issue<FollowedUp>(
        shell,
        {
          decide: followUp({ by, to: path, text, handler }),
          needs: both(by, path),
          ended: (value) => ({ started: startedPath(value) }),
          says: { do: "follow_up", by, to: path, text, ...(handler === null ? {} : { handler: true }) },
        },
        options,
      ),
    send: (text, { by = rootPath, ...options } = {}) =>
      issue(
        shell,
        {
          decide: send(by, path, text),
          needs: both(by, path),
          joins: sizeOf(text),
          says: { do: "send", by, to: path, text },
        },
        options,
      ),
    interrupt: ({ by = rootPath, ...options } = {}) =>
      issue(
        shell,
        {
          decide: interrupt(by, path),
          needs: both(by, path),
          ended: (value) => (value.is === "interrupted" ? value.seen : wrong(value)),
          isDetached: true,
          says: { do: "interrupt", by, to: path },
        },
        options,
      ),
    wait: (options = {}) => waitAt(shell, path, options),
    cancelWait: (options = {}) =>
      issue(shell, { decide: cancelWait(path), needs, says: { do: "cancel_wait", by: path } }, options),
    sample: (options = {}) =>
      issue(shell, { decide: sample(path), needs, joins: 0, says: { do: "sample", path } }, options),
    block: (kind, options = {}) =>
      issue(shell, { decide: block(path, kind), needs, says: { do: "block", path, kind } }, options),
    say: (turn, text, options = {}) =>
      issue(shell, { decide: say(path, turn, text), needs, says: { do: "say", path, turn, text } }, options),
    readResult: (options = {}) =>
      issue(shell, { decide: readResult(path), needs, says: { do: "read_result", path } }, options),
    readHistory: ({ last, ...options } = {}) =>
      issue(
        shell,
        {
          decide: readHistory(path, last),
          needs,
          ended: (value) => (value.is === "history" ? value.messages : wrong(value)),
          says: { do: "read_history", path, ...(last === undefined ? {} : { last }) },
        },
        options,
      ),
    inspect: (options = {}) =>
      issue(shell, { decide: inspect(path), needs, ended: inspection, says: { do: "inspect", path } }, options),
    evict: (options = {}) => issue(shell, { decide: evict(path), needs, says: { do: "evict", path } }, options),
    compact: ({ last, ...options } = {}) =>
      issue(
        shell,
        { decide: compact(path, last), needs, says: { do: "compact", path, ...(last === undefined ? {} : { last }) } },
        options,
      ),
  };
}

function waiterAt({ root, agents }: State, by: string): Waiter | null {
  if (by === rootPath) return root.waiter;
  const phase = agents.get(by)?.phase;
  return phase?.is === "admitted" ? phase.waiter : null;
}

/** Installed or not, a wait is one promise: it ends with a reason, without one, or with why it could not begin. */
function waitAt(shell: Shell, by: string, { timeoutMs, onWake, signal, tag }: WaitOptions): Promise<WakeReason | null> {
  const call = openCall<WakeReason | null>(shell.calls);
  // Told once that is decided: what woke it may have come first.
  const giveUp = () =>
    post(shell, giveUpWait(by, woken), tag, (state) =>
      waiterAt(state, by)?.woken === woken ? { do: "cancel_wait", by } : null,
    );
  const woken = (why: WakeReason | null) => {
    if (why === null && signal?.aborted === true) call.reject(signal.reason);
    else call.resolve(why);
    if (why !== null) onWake?.(why);
  };
  signal?.addEventListener("abort", giveUp, { once: true });
  const says: Step = { do: "wait", by, ...(timeoutMs === undefined ? {} : { timeoutMs }) };
  issueFor(shell, { decide: wait({ by, timeoutMs, woken }), needs: [by], says }, { signal, tag }, call);
  const unlisten = () => signal?.removeEventListener("abort", giveUp);
  call.promise.then(unlisten, unlisten);
  return call.promise;
}
