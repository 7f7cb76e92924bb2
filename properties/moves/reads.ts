/** Reading, and what is resident: roster, results, history, inspection, eviction, compaction. */
import { agentPath, common, type Position, wild } from "../position.ts";
import { ahead, type Move, shared } from "./move.ts";

const some = (at: Position): number => (at.agents.length > 0 ? 1 : 0.2);

const roster: Move = {
  verb: "roster",
  group: "reads",
  weight: () => 1,
  draw: (at) => {
    const all = { do: "roster", ...common(at, false) } as const;
    if (wild(at)) return { ...all, prefix: at.dice.from(["a", "/root/", "/Root"]) };
    return at.dice.pick(2) === 0
      ? all
      : { ...all, prefix: at.dice.some(["", "/root", ...at.agents.map(({ path }) => path)]) ?? "" };
  },
};

const readResult: Move = {
  verb: "read_result",
  group: "reads",
  weight: (at) => 1.5 * some(at),
  draw: (at) => {
    const path = agentPath(at);
    return path === null ? null : { do: "read_result", path, ...common(at, false) };
  },
};

const last = (at: Position): { last?: number } => (at.dice.pick(3) === 0 ? {} : { last: at.dice.from([0, 1, 2, -1]) });

const readHistory: Move = {
  verb: "read_history",
  group: "residency",
  weight: (at) => 2.5 * some(at),
  draw: (at) => {
    const path = shared(at) ?? (at.dice.pick(8) === 1 ? "/root" : agentPath(at));
    return path === null
      ? null
      : { do: "read_history", path, ...last(at), ...ahead(at, ["hydrate"]), ...common(at, false) };
  },
};

const inspect: Move = {
  verb: "inspect",
  group: "residency",
  weight: (at) => 3 * some(at),
  draw: (at) => {
    const path = shared(at) ?? agentPath(at, at.idle);
    return path === null ? null : { do: "inspect", path, ...ahead(at, ["hydrate"]), ...common(at, false) };
  },
};

const evict: Move = {
  verb: "evict",
  group: "residency",
  weight: (at) => 2 * some(at),
  draw: (at) => {
    const path = agentPath(at, at.idle);
    return path === null ? null : { do: "evict", path, ...common(at, false) };
  },
};

const compact: Move = {
  verb: "compact",
  group: "residency",
  weight: (at) => (at.idle.some(({ messages }) => messages.length > 1) ? 4 : 0.5) * some(at),
  draw: (at) => {
    const long = at.idle.filter(({ messages }) => messages.length > 1);
    const path = agentPath(at, long.length > 0 ? long : at.idle);
    const messages = at.agents.find((each) => each.path === path)?.messages.length ?? 0;
    // Just as many as there are, and one less: where there is nothing to replace, and the least there is.
    const edge = at.dice.pick(4) === 3 ? { last: Math.max(0, messages - at.dice.pick(2)) } : last(at);
    return path === null ? null : { do: "compact", path, ...edge, ...common(at) };
  },
};

export const reads: readonly Move[] = [roster, readResult, readHistory, inspect, evict, compact];
