/**
 * What a story is about: where its favourite is possible, it is done; where not, the shortest way to it is taken. Without this
 * whatever needs a state of its own (a mailbox, a waiter, an open handler) would hardly ever be seen to fail and then not.
 */
import type { Step } from "../src/contract.ts";
import * as many from "./drives-many.ts";
import * as more from "./drives-more.ts";
import { common, type Position } from "./position.ts";
import type { Favourite } from "./shape.ts";
import { finish, inTurn, through } from "./turning.ts";
import { recordDamages } from "./words.ts";

const drives: { readonly [favourite in Favourite]: (at: Position) => Step } = {
  handler: (at) => {
    const open = at.ops.find(({ gate }) => gate === "handler");
    if (open === undefined) return inTurn(at, true, (path) => finish(at, path));
    return { do: "answer", op: open.op, gate: "handler", with: at.dice.pick(2) === 0 ? "ok" : "throw", ...common(at) };
  },
  interrupt: (at) =>
    inTurn(at, false, (to) => ({
      do: "interrupt",
      by: "/root",
      to,
      ...(at.dice.pick(2) === 0 ? { answers: { abort: "ok" } } : {}),
      ...common(at),
    })),
  steer: (at) => {
    if (at.live !== null && at.live.root.waiter !== null) return { do: "steer", text: `s${at.index}`, ...common(at) };
    return (at.live?.root.mail ?? []).length > 0 ? { do: "sample", path: "/root" } : { do: "wait", by: "/root" };
  },
  compact: (at) => {
    const long = at.idle.find(({ messages }) => messages.length > 1);
    if (long !== undefined) {
      const { path, messages } = long;
      return { do: "compact", path, last: at.dice.from([0, 1, messages.length, messages.length - 1]), ...common(at) };
    }
    return inTurn(at, false, (path) => finish(at, path));
  },
  steering: (at) =>
    inTurn(at, false, (to) => ({ do: "follow_up", by: "/root", to, text: `u${at.index}`, ...common(at) })),
  finish: (at) =>
    inTurn(at, false, (path) => {
      const turns = at.agents.find((each) => each.path === path)?.turns ?? 1;
      // Now and then what an earlier turn has to say, which is late.
      if (turns > 1 && at.dice.pick(3) === 2)
        return at.dice.pick(2) === 0
          ? { ...finish(at, path), turn: turns - 1 }
          : { do: "say", path, turn: turns - 1, text: `p${at.index}` };
      return { ...finish(at, path), ...common(at) };
    }),
  follow_up: (at) => {
    const [idle] = at.idle;
    if (idle === undefined) return inTurn(at, false, (path) => finish(at, path));
    return { do: "follow_up", by: "/root", to: idle.path, text: `u${at.index}`, answers: through, ...common(at) };
  },
  sample: (at) =>
    (at.live?.root.mail ?? []).length > 0
      ? { do: "sample", path: "/root", ...common(at) }
      : { do: "send", by: "/root", to: "/root", text: `m${at.index}` },
  close: (at) => ({ do: "close", ...common(at) }),
  set_capacity: (at) => ({ do: "set_capacity", capacity: 1 + at.dice.pick(3), ...common(at) }),
  // An abandoned turn, and a restore that settles it: the crash first, then what is done with a closed session.
  recovery: (at) => inTurn(at, false, () => ({ do: "crash" })),
  // One read for several who ask, some of whom give up.
  reading: (at) => {
    const read = at.ops.find(({ gate }) => gate === "hydrate");
    const asked = at.ops.filter((op) => op.gate === "hydrate" && op.path === read?.path);
    const path = read?.path ?? at.idle.find(({ residency }) => residency === "cold")?.path;
    if (read !== undefined && asked.length > 1 + at.dice.pick(3))
      return {
        do: "answer",
        op: read.op,
        gate: "hydrate",
        with: at.dice.from(["ok", "ok", "quit", "missing", "corrupt"]),
      };
    if (path !== undefined)
      return at.dice.pick(3) === 0
        ? { do: "inspect", path }
        : { do: "read_history", path, last: at.dice.from([0, 1, 2, 3, 20]) };
    const [warm] = at.idle;
    return warm === undefined ? inTurn(at, false, (busy) => finish(at, busy)) : { do: "evict", path: warm.path };
  },
  // Addressed while it is set aside, then mended; what is damaged and mended is so while all is closed.
  aside: (at) => {
    const set = at.dice.some(at.aside);
    if (set !== null && at.dice.pick(2) === 0) return { do: "send", by: "/root", to: set, text: `m${at.index}` };
    return at.agents.length > 0 || set !== null ? { do: "crash" } : inTurn(at, false, () => ({ do: "crash" }));
  },
  // Executions that a settling agent has not read go to its parent, who waits, and its result goes to a handler.
  handover: (at) =>
    inTurn(at, true, (path) => {
      const own = at.admitted.some((agent) => agent.path === path && agent.mail.length > 0);
      if (!own) return { do: "execution", owner: path, text: `e${at.index}` };
      if (at.live !== null && at.live.root.waiter !== null) return { ...finish(at, path), ...common(at) };
      return (at.live?.root.mail ?? []).length > 0 ? { do: "sample", path: "/root" } : { do: "wait", by: "/root" };
    }),
  // Several who wait, for as long or longer than each other, until time is up for some of them.
  sleep: (at) => {
    const asleep = at.admitted.filter(({ waiter }) => waiter !== null).length + (at.live?.root.waiter == null ? 0 : 1);
    const awake = at.admitted.find(({ waiter, mail }) => waiter === null && mail.length === 0)?.path;
    const by = at.live?.root.waiter === null && at.live.root.mail.length === 0 ? "/root" : awake;
    if (asleep > 1 || by === undefined)
      return { do: "elapse", ms: at.dice.from([10_000, 9_999, 20_000, 30_000, 3_600_000]) };
    const timeoutMs = at.dice.from([10_000, 10_000, 20_000, 4_000_000]);
    const isMore = at.agents.length < at.shape.names.length && at.dice.pick(3) === 0;
    const name = at.shape.names[at.agents.length];
    if (isMore && name !== undefined)
      return { do: "spawn", by: "/root", name, role: "r", text: `d${at.index}`, answers: through };
    return { do: "wait", by, ...(at.dice.pick(3) === 0 ? {} : { timeoutMs }) };
  },
  tokens: (at) => more.tokens(at),
  nested: (at) => more.nested(at),
  reserved: (at) => more.reserved(at),
  saying: (at) => more.saying(at),
  owing: (at) => more.owing(at),
  burst: (at) => many.burst(at),
  long: (at) => many.long(at),
  above: (at) => many.above(at),
  deep: (at) => many.deep(at),
};

/** Of a closed session whose story is about what is set aside: a record damaged, and mended once it was seen to be. */
function tampered(at: Position): Step | null {
  const { agents, damaged, condition, session } = at.world.disk;
  if (Object.keys(at.world.handles).length > 0 || condition !== "ok" || session !== "ok") return null;
  const [wrong] = Object.keys(damaged);
  if (wrong !== undefined) return at.dice.pick(3) === 0 ? { do: "mend", what: "record", path: wrong } : null;
  const paths = Object.keys(agents);
  const parents = paths.filter((path) => paths.some((each) => each.startsWith(`${path}/`)));
  const path = at.dice.some(parents.length > 0 ? parents : paths);
  return path === null ? null : { do: "damage", what: "record", path, how: at.dice.from(recordDamages) };
}

/** `null` where nothing is open, or the story is about nothing. */
export function driven(at: Position): Step | null {
  const { favoured } = at.shape;
  if (favoured === "aside" && at.handle === undefined) return tampered(at);
  if (favoured === null || at.live === null || at.live.mode === "read") return null;
  return drives[favoured]({ ...at, favours: true });
}
