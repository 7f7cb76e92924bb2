/**
 * What happens at the same time in the stories whose orders are all told: threads of four steps each, an operation with its
 * gates or a few commands that belong together, all about the same few agents so that they meet.
 */
import type { Gate, Path, Reply, Scope, Step } from "../../src/contract.ts";

/** The next step of a thread, from what was answered to its own earlier ones. */
type Line = (mine: readonly Reply[]) => Step;
export interface Thread {
  readonly says: string;
  readonly steps: readonly Line[];
}

const root: Path = "/root";
const a: Path = "/root/a";
const b: Path = "/root/b";
const ready = { hydrate: "ok", prepare: "ok", dispatch: "ok" } as const;
const config = { instructions: "i", model: "m", effort: null, limits: {}, parameters: {}, tools: [["core", "read"]] };

export const scope: Scope = {
  capacity: 2,
  roles: { r: config },
  registrars: { core: { category: "core", tools: ["read"] } },
  archive: "memory",
  process: "same",
};
/** An agent that has a result and whose conversation is not resident. */
export const before: readonly Step[] = [
  { do: "spawn", by: root, name: "a", role: "r", text: "t", answers: ready },
  { do: "finish", path: a, turn: 1, outcome: "completed", text: "R1" },
  { do: "evict", path: a },
];

const plain =
  (step: Step): Line =>
  () =>
    step;
/** Answers the gate of the operation that this thread began, or of what it would have been called. */
const answer =
  (path: Path, gate: Gate, how: Extract<Step, { readonly do: "answer" }>["with"], more: Partial<Step> = {}): Line =>
  (mine) =>
    ({ ...more, do: "answer", op: opOf(mine, path), gate, with: how }) as Step; // what is added are keys of any step
const cancel =
  (path: Path): Line =>
  (mine) => ({ do: "cancel", op: opOf(mine, path) });

function opOf(mine: readonly Reply[], path: Path): string {
  for (const reply of mine) if ("gate" in reply) return reply.op;
  return `${path}#1.99`;
}

const followUp: Step = { do: "follow_up", by: root, to: a, text: "u" };
const spawnB: Step = { do: "spawn", by: root, name: "b", role: "r", text: "v" };

export const threads: { readonly [name: string]: Thread } = {
  start: {
    says: "a follow-up of a, through its gates",
    steps: [plain(followUp), answer(a, "hydrate", "ok"), answer(a, "prepare", "ok"), answer(a, "dispatch", "ok")],
  },
  failing_start: {
    says: "a follow-up of a whose provider cannot be reached",
    steps: [plain(followUp), answer(a, "hydrate", "ok"), answer(a, "prepare", "ok"), answer(a, "dispatch", "error")],
  },
  unwritten_start: {
    says: "a follow-up of a whose admission is not written",
    steps: [
      plain({ ...followUp, answers: { hydrate: "ok" } }),
      answer(a, "prepare", "ok"),
      answer(a, "dispatch", "ok", { commit: "not_written" }),
      plain({ do: "read_result", path: a }),
    ],
  },
  quit: {
    says: "a follow-up of a that the user gives up, and another one",
    steps: [plain(followUp), answer(a, "hydrate", "quit"), cancel(a), plain({ ...followUp, answers: ready })],
  },
  spawn: {
    says: "a spawn of b, through its gates, and its end",
    steps: [
      plain(spawnB),
      answer(b, "prepare", "ok"),
      answer(b, "dispatch", "ok"),
      plain({ do: "finish", path: b, turn: 1, outcome: "completed", text: "R2" }),
    ],
  },
  handled: {
    says: "a turn of b whose result goes to a handler that throws",
    steps: [
      plain({ ...spawnB, handler: true, answers: ready }),
      plain({ do: "finish", path: b, turn: 1, outcome: "completed", text: "R2" }),
      (mine) => {
        for (const { events = [] } of mine)
          for (const event of events) if (event[0] === "ended") return { do: "cancel", op: event[1] };
        return { do: "answer", op: `${b}#1.2`, gate: "handler", with: "throw" };
      },
      plain({ do: "sample", path: root }),
    ],
  },
  interrupt: {
    says: "a turn of a that ends while it is interrupted",
    steps: [
      plain({ ...followUp, answers: ready }),
      plain({ do: "interrupt", by: root, to: a }),
      plain({ do: "finish", path: a, turn: 2, outcome: "completed", text: "R3" }),
      (mine) => ({ do: "answer", op: opOf(mine.slice(1), a), gate: "abort", with: "ok" }),
    ],
  },
  wait: {
    says: "the root waits, and waits again when it is woken",
    steps: [
      plain({
        do: "wait",
        by: root,
        timeoutMs: 10_000,
        callback: { then: { do: "wait", by: root, timeoutMs: 10_000 } },
      }),
      plain({ do: "sample", path: root }),
      plain({ do: "wait", by: root, timeoutMs: 10_000 }),
      plain({ do: "elapse", ms: 10_000 }),
    ],
  },
  mail: {
    says: "mail to everybody, and an execution",
    steps: [
      plain({ do: "execution", owner: a, text: "x" }),
      plain({ do: "send", by: root, to: root, text: "m1" }),
      plain({ do: "steer", text: "m2" }),
      plain({ do: "send", by: root, to: a, text: "m3", commit: "disk_full" }),
    ],
  },
  read: {
    says: "the conversation of a is read, inspected and let go",
    steps: [
      plain({ do: "read_history", path: a }),
      answer(a, "hydrate", "ok"),
      plain({ do: "inspect", path: a, answers: { hydrate: "ok" } }),
      plain({ do: "evict", path: a }),
    ],
  },
  torn_read: {
    says: "the conversation of a cannot be read, and then can",
    steps: [
      plain({ do: "inspect", path: a }),
      answer(a, "hydrate", "corrupt"),
      plain({ do: "read_history", path: a, answers: { hydrate: "ok" } }),
      plain({ do: "compact", path: a, last: 0 }),
    ],
  },
  block: {
    says: "a turn of a that is blocked, waits and is released",
    steps: [
      plain({ ...followUp, answers: ready }),
      plain({ do: "block", path: a, kind: "permission_blocked" }),
      plain({ do: "wait", by: a, timeoutMs: 10_000 }),
      plain({ do: "release", token: `${a}@2.1` }),
    ],
  },
  host: {
    says: "fewer slots, another role, and a save",
    steps: [
      plain({ do: "set_capacity", capacity: 1 }),
      plain({ do: "change_role", role: "r", config: { ...config, model: "m2" } }),
      plain({ do: "save" }),
      plain({ do: "roster" }),
    ],
  },
  crash: {
    says: "the process dies and is opened again",
    steps: [
      plain({ do: "crash" }),
      plain({ do: "restore", mode: "write" }),
      (mine) => ({ do: "answer", op: opOf(mine, `${a}#2.1`), gate: "hydrate", with: "ok" }),
      plain({ do: "save" }),
    ],
  },
  takeover: {
    says: "another session takes the archive, writes and dies",
    steps: [
      plain({ do: "restore", as: "w2", mode: "write", takeover: true, answers: { hydrate: "ok" } }),
      plain({ do: "send", as: "w2", by: root, to: root, text: "m4" }),
      plain({ do: "crash", as: "w2" }),
      plain({ do: "verify" }),
    ],
  },
};
