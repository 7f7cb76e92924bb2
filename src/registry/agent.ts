/**
 * An agent as a host holds it: its methods are the commands that name it. Nothing is decided here.
 */
import type { Activity, Path, WakeReason } from "../contract.ts";
import { rootPath } from "../paths.ts";
import type { Agent, FollowedUp, WaitOptions } from "./api.ts";
import { openCall } from "./calls.ts";
import type { OpValue } from "./decision.ts";
import { resolve } from "./guard.ts";
import { compact, evict, type Inspection, inspect, readHistory, readResult } from "./look.ts";
import { sample, send } from "./mail.ts";
import { issue, post, type Shell } from "./shell.ts";
import { followUp, spawn } from "./start.ts";
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
async function done(call: Promise<unknown>): Promise<void> {
  await call;
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
    followUp: async (text, { by = rootPath, handler = null, ...options } = {}) => {
      const decide = followUp({ by, to: path, text, handler });
      const ended = (value: OpValue): FollowedUp => ({ started: startedPath(value) });
      const answered = await issue<FollowedUp | Activity>(shell, { decide, needs: both(by, path), ended }, options);
      return typeof answered === "string" ? { steered: answered } : answered;
    },
    send: (text, { by = rootPath, ...options } = {}) =>
      done(issue(shell, { decide: send(by, path, text), needs: both(by, path) }, options)),
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
    cancelWait: (options = {}) => done(issue(shell, { decide: cancelWait(path), needs }, options)),
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
    evict: (options = {}) => done(issue(shell, { decide: evict(path), needs }, options)),
    compact: ({ last, ...options } = {}) => done(issue(shell, { decide: compact(path, last), needs }, options)),
  };
}

async function waitAt(shell: Shell, by: string, options: WaitOptions): Promise<WakeReason | null> {
  const { timeoutMs, onWake, signal, tag } = options;
  const call = openCall<WakeReason | null>(shell.calls);
  const woken = (why: WakeReason | null) => {
    call.resolve(why);
    if (why !== null) onWake?.(why);
  };
  const giveUp = () => {
    call.reject(signal?.reason);
    post(shell, giveUpWait(by, woken), tag);
  };
  try {
    const decide = wait({ by, timeoutMs, woken });
    const first = await issue(shell, { decide, needs: [by] }, { signal, tag });
    if (first === "mailbox") call.resolve(first);
    if (signal?.aborted === true) giveUp();
    signal?.addEventListener("abort", giveUp, { once: true });
    return await call.promise;
  } finally {
    // Nobody waits for it any more, whichever way this ended.
    call.resolve(null);
    signal?.removeEventListener("abort", giveUp);
  }
}
