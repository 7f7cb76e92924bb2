/**
 * An agent as a host holds it: its methods are the commands that name it. Nothing is decided here.
 */
import type { Path, WakeReason } from "../contract.ts";
import { rootPath } from "../paths.ts";
import type { Agent, WaitOptions } from "./api.ts";
import { openCall } from "./calls.ts";
import type { OpValue } from "./decision.ts";
import { resolve } from "./guard.ts";
import { compact, evict, type Inspection, inspect, readHistory, readResult } from "./look.ts";
import { sample, send } from "./mail.ts";
import { issue, issueFor, post, type Shell } from "./shell.ts";
import { type FollowedUp, followUp, spawn } from "./start.ts";
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
        },
        options,
      ),
    send: (text, { by = rootPath, ...options } = {}) =>
      issue(shell, { decide: send(by, path, text), needs: both(by, path) }, options),
    interrupt: ({ by = rootPath, ...options } = {}) =>
      issue(
        shell,
        {
          decide: interrupt(by, path),
          needs: both(by, path),
          ended: (value) => (value.is === "interrupted" ? value.seen : wrong(value)),
          isDetached: true,
        },
        options,
      ),
    wait: (options = {}) => waitAt(shell, path, options),
    cancelWait: (options = {}) => issue(shell, { decide: cancelWait(path), needs }, options),
    sample: (options = {}) => issue(shell, { decide: sample(path), needs }, options),
    block: (kind, options = {}) => issue(shell, { decide: block(path, kind), needs }, options),
    say: (turn, text, options = {}) => issue(shell, { decide: say(path, turn, text), needs }, options),
    readResult: (options = {}) => issue(shell, { decide: readResult(path), needs }, options),
    readHistory: ({ last, ...options } = {}) =>
      issue(
        shell,
        {
          decide: readHistory(path, last),
          needs,
          ended: (value) => (value.is === "history" ? value.messages : wrong(value)),
        },
        options,
      ),
    inspect: (options = {}) => issue(shell, { decide: inspect(path), needs, ended: inspection }, options),
    evict: (options = {}) => issue(shell, { decide: evict(path), needs }, options),
    compact: ({ last, ...options } = {}) => issue(shell, { decide: compact(path, last), needs }, options),
  };
}

/** Installed or not, a wait is one promise: it ends with a reason, without one, or with why it could not begin. */
function waitAt(shell: Shell, by: string, { timeoutMs, onWake, signal, tag }: WaitOptions): Promise<WakeReason | null> {
  const call = openCall<WakeReason | null>(shell.calls);
  // Told once that is decided: what woke it may have come first.
  const giveUp = () => post(shell, giveUpWait(by, woken), tag);
  const woken = (why: WakeReason | null) => {
    if (why === null && signal?.aborted === true) call.reject(signal.reason);
    else call.resolve(why);
    if (why !== null) onWake?.(why);
  };
  signal?.addEventListener("abort", giveUp, { once: true });
  issueFor(shell, { decide: wait({ by, timeoutMs, woken }), needs: [by] }, { signal, tag }, call);
  const unlisten = () => signal?.removeEventListener("abort", giveUp);
  call.promise.then(unlisten, unlisten);
  return call.promise;
}
