/**
 * Every step worth taking from a world in a small scope: each verb at each agent, each answer of each open gate, commits
 * that are written and one that is not. A crash at a commit equals a crash before or after the step, and is left out.
 */
import type { Answer, Gate, Op, Path, Step, Verb } from "../../src/contract.ts";
import type { Agent, Live, Operation, Restoring, World } from "../state.ts";

const answers: { readonly [gate in Gate]: readonly Answer[] } = {
  hydrate: ["ok", "missing", "quit"],
  prepare: ["ok", "refuse", "error", "quit"],
  dispatch: ["ok", "error", "quit"],
  abort: ["ok", "error"],
  handler: ["ok", "throw"],
};
/** Answers after which something is committed. */
const commits: { readonly [gate in Gate]: readonly Answer[] } = {
  hydrate: [],
  prepare: [],
  dispatch: ["ok"],
  abort: ["ok"],
  handler: ["ok", "throw"],
};

export interface Menu {
  /** Paths that may be spawned. */
  readonly paths: readonly Path[];
  /** Left out: all but a few that only other worlds need. */
  readonly verbs: ReadonlySet<Verb>;
  /** Whether results may go to a handler. */
  readonly handlers: boolean;
  /** Whether commits may fail. */
  readonly faults: boolean;
}

export function movesOf(world: World, menu: Menu): readonly Step[] {
  const moves: Step[] = [];
  const add = (...steps: readonly Step[]): void => {
    for (const step of steps) if (menu.verbs.has(step.do)) moves.push(step);
  };
  /** Also with a commit that is not written. */
  const addCommitting = (...steps: readonly Step[]): void => {
    for (const step of steps) {
      if (!menu.verbs.has(step.do)) continue;
      moves.push(step);
      if (menu.faults) moves.push({ ...step, commit: "not_written" });
    }
  };

  const handle = world.handles["w1"];
  if (handle === undefined) {
    add({ do: "restore", mode: "write" }, { do: "restore", mode: "read" });
    if (menu.faults && menu.verbs.has("restore")) moves.push({ do: "restore", mode: "write", commit: "not_written" });
    return moves;
  }
  add({ do: "crash" });
  if (handle.is === "restoring") {
    recoveries(handle, menu, moves);
    return moves;
  }
  if (handle.mode === "read") {
    add({ do: "send", by: "/root", to: "/root", text: "m" }, { do: "close" }, { do: "roster" });
    for (const path in handle.agents) add({ do: "inspect", path }, { do: "evict", path });
    for (const op of handle.ops)
      for (const how of answers.hydrate) add({ do: "answer", op: op.op, gate: "hydrate", with: how });
    return moves;
  }
  root(handle, menu, add, addCommitting);
  for (const path of menu.paths) {
    const agent = handle.agents[path];
    if (agent !== undefined) about(agent, handle, menu, add, addCommitting);
    else unborn(path, handle, menu, add);
  }
  for (const op of handle.ops) under(op, add, addCommitting);
  return moves;
}

type Add = (...steps: readonly Step[]) => void;

function recoveries({ op, left }: Restoring, menu: Menu, moves: Step[]): void {
  for (const how of answers.hydrate) {
    moves.push({ do: "answer", op, gate: "hydrate", with: how });
    if (menu.faults && left.length === 0 && how === "ok")
      moves.push({ do: "answer", op, gate: "hydrate", with: how, commit: "not_written" });
  }
}

function root({ root, capacity }: Live, menu: Menu, add: Add, addCommitting: Add): void {
  addCommitting({ do: "save" }, { do: "close" }, { do: "sample", path: "/root" }, { do: "steer", text: "u" });
  add(
    { do: "wait", by: "/root", timeoutMs: 10_000 },
    { do: "wait", by: "/root", timeoutMs: 10_000, callback: "throws" },
  );
  add({
    do: "wait",
    by: "/root",
    timeoutMs: 10_000,
    callback: { then: { do: "wait", by: "/root", timeoutMs: 10_000 } },
  });
  if (root.waiter !== null) add({ do: "cancel_wait", by: "/root" }, { do: "elapse", ms: 10_000 });
  if (menu.paths.length > 1) addCommitting({ do: "set_capacity", capacity: capacity === 1 ? 2 : 1 });
  add({ do: "roster" }, { do: "verify" }, { do: "fork" });
}

function unborn(path: Path, { agents }: Live, menu: Menu, add: Add): void {
  const at = path.lastIndexOf("/");
  const by = path.slice(0, at);
  if (by !== "/root" && agents[by] === undefined) return;
  const spawn = { do: "spawn", by, name: path.slice(at + 1), role: "r", text: "t" } as const;
  add(spawn);
  if (menu.handlers) add({ ...spawn, handler: true });
  add({ do: "send", by: "/root", to: path, text: "m" });
}

function about(agent: Agent, live: Live, menu: Menu, add: Add, addCommitting: Add): void {
  const { path, turns } = agent;
  addCommitting({ do: "follow_up", by: "/root", to: path, text: "u" });
  if (menu.handlers && agent.is === "idle") add({ do: "follow_up", by: "/root", to: path, text: "u", handler: true });
  addCommitting({ do: "send", by: "/root", to: path, text: "m" }, { do: "execution", owner: path, text: "x" });
  add({ do: "interrupt", by: "/root", to: path }, { do: "read_result", path });
  if (agent.is === "admitted") {
    addCommitting({ do: "finish", path, turn: turns, outcome: "completed", text: "R" });
    addCommitting({ do: "sample", path }, { do: "send", by: path, to: "/root", text: "m" });
    add({ do: "wait", by: path, timeoutMs: 10_000 }, { do: "say", path, turn: turns, text: "s" });
    if (agent.waiter !== null) add({ do: "cancel_wait", by: path }, { do: "elapse", ms: 10_000 });
    const held = agent.blockers.filter((each) => each.token !== null);
    if (held.length < 1) add({ do: "block", path, kind: "permission_blocked" });
    for (const { token } of held) if (token !== null) add({ do: "release", token });
  }
  if (turns > 1 || agent.is === "idle")
    add({ do: "finish", path, turn: agent.is === "admitted" ? turns - 1 : turns, outcome: "completed", text: "L" });
  add({ do: "inspect", path }, { do: "read_history", path }, { do: "evict", path });
  addCommitting({ do: "compact", path, last: 0 });
  const began = live.ordinals[path] ?? 0;
  const dead = Array.from({ length: began }, (_, i) => `${path}#${live.opening}.${i + 1}`).find(
    (op) => !live.ops.some((each) => each.op === op),
  );
  if (dead !== undefined) late(dead, add);
}

/** What is over is answered once more. */
function late(op: Op, add: Add): void {
  add({ do: "answer", op, gate: "dispatch", with: "ok" }, { do: "cancel", op });
}

function under({ op, gate, is }: Operation, add: Add, addCommitting: Add): void {
  for (const how of answers[gate]) {
    const answer = { do: "answer", op, gate, with: how } as const;
    if (commits[gate].includes(how)) addCommitting(answer);
    else add(answer);
  }
  add({ do: "cancel", op });
  if (gate === "dispatch" && (is === "spawn" || is === "follow_up"))
    add({ do: "finish", op, outcome: "completed", text: "H" });
}
