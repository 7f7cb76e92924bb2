/** Mail and waiting: send, execution, steer, sample, wait and its ends. */
import type { Path, Step } from "../../src/contract.ts";
import { agentPath, anyone, common, named, type Position, wild, words, worldWords } from "../position.ts";
import type { Move } from "./move.ts";

type Wait = Extract<Step, { readonly do: "wait" }>;

const send: Move = {
  verb: "send",
  group: "mail",
  weight: () => 5,
  draw: (at) => {
    const by = anyone(at);
    return { do: "send", by, to: named(at, by, anyone(at)), text: words(at, "m"), ...common(at) };
  },
};

const execution: Move = {
  verb: "execution",
  group: "mail",
  weight: () => 4,
  draw: (at) => ({
    do: "execution",
    owner: at.dice.pick(3) === 0 ? anyone(at) : (agentPath(at, at.admitted) ?? "/root"),
    text: worldWords(at, "x"),
    ...common(at),
  }),
};

const steer: Move = {
  verb: "steer",
  group: "waits",
  weight: ({ live }) => (live === null || live.root.waiter === null ? 0.5 : 5),
  draw: (at) => ({ do: "steer", text: words(at, "s"), ...common(at) }),
};

/** Who may: the root, an admitted agent; now and then one who may not. */
function awake(at: Position): Path {
  if (at.dice.pick(3) === 0) return wild(at) ? (agentPath(at) ?? "/root") : "/root";
  return agentPath(at, at.dice.pick(8) === 1 ? at.idle : at.admitted) ?? "/root";
}

const sample: Move = {
  verb: "sample",
  group: "mail",
  weight: ({ live, admitted }) =>
    live !== null && (live.root.mail.length > 0 || admitted.some(({ mail }) => mail.length > 0)) ? 5 : 0.5,
  draw: (at) => ({ do: "sample", path: awake(at), ...common(at) }),
};

export const mail: readonly Move[] = [send, execution, steer, sample];

const cancelWait: Move = {
  verb: "cancel_wait",
  group: "waits",
  weight: ({ live, admitted }) =>
    live !== null && (live.root.waiter !== null || admitted.some(({ waiter }) => waiter !== null)) ? 2 : 0.4,
  draw: (at) => ({ do: "cancel_wait", by: awake(at), ...common(at, false) }),
};

const elapse: Move = {
  verb: "elapse",
  group: "waits",
  weight: ({ live, admitted }) =>
    live !== null && (live.root.waiter !== null || admitted.some(({ waiter }) => waiter !== null)) ? 4 : 0.3,
  draw: (at) => ({ do: "elapse", ms: at.dice.from([10_000, 30_000, 1, 9_999, 3_600_000]), ...common(at, false) }),
};

/** `callback` is drawn by whoever can draw a nested step. */
export function wait(callback: (at: Position) => Pick<Wait, "callback">): Move {
  return {
    verb: "wait",
    group: "waits",
    weight: ({ live }) => (live === null ? 0.3 : 5),
    draw: (at) => {
      const timeoutMs = at.dice.pick(3) === 1 ? { timeoutMs: at.dice.from([10_000, 50, 20_000, 4_000_000, -1]) } : {};
      return { do: "wait", by: awake(at), ...timeoutMs, ...callback(at), ...common(at, false) };
    },
  };
}

export const waits: readonly Move[] = [cancelWait, elapse];
