/** Starting turns, and what the world says on the way: spawn, follow-up, answers, cancel. */
import type { Operation } from "../../model/index.ts";
import type { Gate, Op, Step } from "../../src/contract.ts";
import { agentPath, anyone, common, named, type Position, wild, words, wrongPath } from "../position.ts";
import { ahead, answer, handler, type Move } from "./move.ts";

const depthOf = (path: string): number => path.split("/").length - 2;

/** Below the root, or below an agent as deep as the shape allows. */
function parentFor(at: Position): string {
  if (wild(at)) return wrongPath(at);
  const deep = at.agents.filter((agent) => depthOf(agent.path) < at.shape.depth);
  return at.dice.pick(2) === 1 ? (at.dice.some(deep)?.path ?? "/root") : "/root";
}

function nameFor(at: Position, by: string): string {
  if (wild(at)) return at.dice.from(["root", "A", "", "a/b", "x".repeat(65), at.shape.names[0] ?? "a"]);
  const free = at.shape.names.filter((name) => !at.agents.some((agent) => agent.path === `${by}/${name}`));
  return at.dice.some(free.length > 0 && at.dice.pick(8) !== 1 ? free : at.shape.names) ?? "a";
}

const spawn: Move = {
  verb: "spawn",
  group: null,
  weight: ({ agents, ops, shape }) =>
    agents.length === 0 && ops.length === 0 ? 12 : agents.length < shape.names.length * shape.depth ? 4 : 1,
  draw: (at) => {
    const by = parentFor(at);
    const role = wild(at)
      ? at.dice.from(["nobody", "malformed", "unlisted", "foreign", "both", "twice", "wanting", "lone"])
      : at.dice.from(["r", "r", "r", "q", "q", "long"]);
    const start = { do: "spawn", by, name: nameFor(at, by), role, text: words(at, "t") } as const;
    return { ...start, ...handler(at), ...ahead(at, ["prepare", "dispatch", "handler"], "spawn"), ...common(at) };
  },
};

const followUp: Move = {
  verb: "follow_up",
  group: null,
  weight: ({ idle, admitted }) => (idle.length > 0 ? 10 : admitted.length > 0 ? 3 : 1),
  draw: (at) => {
    const by = at.dice.pick(3) === 0 ? anyone(at) : "/root";
    const to = agentPath(at, at.dice.pick(4) === 1 ? at.agents : at.idle);
    if (to === null) return null;
    const start = { do: "follow_up", by, to: named(at, by, to), text: words(at, "u") } as const;
    return {
      ...start,
      ...handler(at),
      ...ahead(at, ["hydrate", "prepare", "dispatch", "handler"], "follow_up"),
      ...common(at),
    };
  },
};

/** An operation that is gone: an ordinal that was given before, or an earlier opening's. */
export function deadOp(at: Position): Op {
  const { live } = at;
  const given = Object.entries(live?.ordinals ?? {}).flatMap(([path, count]) =>
    Array.from({ length: count }, (_, index) => `${path}#${live?.opening ?? 1}.${index + 1}`),
  );
  const dead = given.filter((name) => !at.ops.some(({ op }) => op === name));
  const earlier = at.agents.map(({ path }) => `${path}#${Math.max(1, at.world.openings - 1)}.1`);
  return at.dice.some([...dead, ...earlier, "/root/zz#1.1", "nothing"]) ?? "nothing";
}

const oneOpen = (at: Position): Operation | null =>
  at.capabilities.nesting === "lifo" ? (at.ops.at(-1) ?? null) : at.dice.some(at.ops);

const answered: Move = {
  verb: "answer",
  group: null,
  weight: ({ ops, restoring }) => (restoring !== null ? 60 : ops.length > 0 ? 14 + 8 * Math.min(3, ops.length) : 0.4),
  draw: (at) => {
    if (at.restoring !== null)
      return { do: "answer", op: at.restoring.op, gate: "hydrate", with: answer(at, "hydrate"), ...common(at) };
    const open = oneOpen(at);
    if (open === null || wild(at)) {
      const gate = open?.gate ?? "dispatch";
      const op = at.dice.pick(3) === 1 && open !== null ? open.op : deadOp(at);
      const other = gate === "dispatch" ? "prepare" : "dispatch";
      return { do: "answer", op, gate: op === open?.op ? other : gate, with: "ok", ...common(at) };
    }
    const { op, gate } = open;
    return answerTo(at, op, gate);
  },
};

function answerTo(at: Position, op: Op, gate: Gate): Step {
  return { do: "answer", op, gate, with: answer(at, gate), ...common(at) };
}

const cancel: Move = {
  verb: "cancel",
  group: "interrupts",
  weight: ({ ops, restoring }) => (restoring !== null ? 2 : ops.length > 0 ? 2 : 0.3),
  draw: (at) => {
    const open = at.restoring === null ? oneOpen(at)?.op : at.restoring.op;
    return { do: "cancel", op: open === undefined || wild(at) ? deadOp(at) : open, ...common(at) };
  },
};

const interrupt: Move = {
  verb: "interrupt",
  group: "interrupts",
  weight: ({ admitted, starting, agents }) => (admitted.length + starting.length > 0 ? 8 : agents.length > 0 ? 1 : 0.2),
  draw: (at) => {
    const by = at.dice.pick(4) === 0 ? anyone(at) : "/root";
    const to = agentPath(at, at.dice.pick(4) === 1 ? at.starting : at.admitted);
    return to === null ? null : { do: "interrupt", by, to: named(at, by, to), ...ahead(at, ["abort"]), ...common(at) };
  },
};

export const starts: readonly Move[] = [spawn, followUp, answered, cancel, interrupt];
