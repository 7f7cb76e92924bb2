/**
 * What clients do: lists of numbers, each bound when its turn comes to whoever is there then. Every number that shrinks makes
 * the story simpler: 0 is the first choice, no fault, no signal.
 */
import fc from "fast-check";
import type { Op, Path, Token } from "../../../src/contract.ts";
import type { Asked, Call } from "./history.ts";
import { paceMax } from "./schedule.ts";
import { setups } from "./setups.ts";

export interface Move {
  readonly verb: number;
  readonly what: number;
  /** 0 none; 1 aborted when its turn comes; 2 before the call; 3 as soon as something has begun. */
  readonly signal: number;
  /** The client waits for its answer. */
  readonly awaits: boolean;
}
export interface Program {
  readonly setup: number;
  readonly capacity: number;
  readonly clients: readonly (readonly Move[])[];
  /** What callbacks do, one after another: those of a wait, those told of events. */
  readonly callbacks: readonly Move[];
  readonly gates: readonly number[];
  readonly commits: readonly number[];
  readonly pace: readonly number[];
  readonly hangs: boolean;
}

const number = (max: number): fc.Arbitrary<number> => fc.nat({ max });
const moves = (max: number): fc.Arbitrary<Move> =>
  fc.record({ verb: number(max), what: number(1023), signal: fc.constantFrom(0, 0, 0, 1, 2, 3), awaits: fc.boolean() });

export function programs(clientsMax: number, movesMax: number): fc.Arbitrary<Program> {
  return fc.record({
    setup: number(setups.length - 1),
    capacity: fc.constantFrom(3, 2, 1),
    clients: fc.array(fc.array(moves(verbs.length - 1), { minLength: 1, maxLength: movesMax }), {
      minLength: 1,
      maxLength: clientsMax,
    }),
    callbacks: fc.array(moves(verbs.length - 1), { maxLength: 2 }),
    gates: fc.array(number(2 ** 14 - 1), { maxLength: 6 }),
    commits: fc.array(number(63), { maxLength: 6 }),
    pace: fc.array(number(paceMax), { maxLength: 5 }),
    hangs: fc.boolean(),
  });
}

/** What was seen so far, to bind to. */
export interface Sight {
  /** The number of the last turn that a provider was asked to run. */
  turn(path: Path): number;
  ops(): readonly Op[];
  tokens(): readonly Token[];
}
export type Bound =
  | { readonly is: "call"; readonly asked: Asked }
  | { readonly is: "elapse"; readonly ms: number }
  | { readonly is: "abandon" };

const paths: readonly [Path, ...Path[]] = ["/root/a", "/root/b", "/root/a/c"];
const callers: readonly [Path, ...Path[]] = ["/root", "/root", "/root/b", "/root/a"];

type Bind = (what: number, text: string, sight: Sight) => Bound;
const ask = (asked: Asked): Bound => ({ is: "call", asked });
const from = <Choice>(choices: readonly [Choice, ...Choice[]], what: number): Choice =>
  choices[what % choices.length] ?? choices[0];
const path = (what: number): Path => from(paths, what);
const by = (what: number): Path => from(callers, what >> 4);
const whom = (what: number): Path => (what % 4 === 3 ? "/root" : path(what));

const spawn: Bind = (what, text) => {
  const [parent, name] = from([["/root", "a"], ["/root", "b"], ["/root/a", "c"]] as const, what);
  return ask({ do: "spawn", by: parent, name, role: "r", text, handler: (what >> 4) % 3 === 1 });
};
const followUp: Bind = (what, text) =>
  ask({ do: "follow_up", by: by(what), to: path(what), text, handler: (what >> 6) % 3 === 1 });
const finish: Bind = (what, text, sight) => {
  const turn = sight.turn(path(what)) - ((what >> 4) % 4 === 3 ? 1 : 0);
  return ask({ do: "finish", path: path(what), turn, outcome: "completed", text });
};
const send: Bind = (what, text) => ask({ do: "send", by: by(what), to: whom(what), text });
const wait: Bind = (what) => ask({ do: "wait", by: from(["/root", "/root/a", "/root/b"], what), timeoutMs: 10_000 });
const sample: Bind = (what) => ask({ do: "sample", path: from(["/root", "/root/a", "/root/b"], what) });
const interrupt: Bind = (what) => ask({ do: "interrupt", by: by(what), to: path(what) });
const end = (asked: Bound): Bind => (what) => (what % 2 === 0 ? ask({ do: "save" }) : asked);

/** What is done often stands often. */
const verbs: readonly [Bind, ...Bind[]] = [
  (what) => ask({ do: "roster", prefix: from(["", "/root/a"], what) }),
  ...[send, send, send, wait, wait, sample, sample],
  ...[spawn, spawn, spawn, followUp, followUp, followUp, followUp],
  ...[finish, finish, finish, interrupt, interrupt],
  (_, text) => ask({ do: "steer", text }),
  (what, text) => ask({ do: "execution", owner: whom(what), text }),
  (what) => ask({ do: "block", path: path(what), kind: from(["permission_blocked", "interaction_blocked"], what >> 4) }),
  (what, _, sight) => ask({ do: "release", token: last(sight.tokens(), what) ?? "/root/a@1.1" }),
  (what, text, sight) => ask({ do: "say", path: path(what), turn: sight.turn(path(what)), text }),
  (what) => ask({ do: "read_result", path: path(what) }),
  (what) => ask({ do: "read_history", path: whom(what) }),
  (what) => ask({ do: "inspect", path: path(what) }),
  (what) => ask({ do: "evict", path: path(what) }),
  (what) => ask({ do: "compact", path: path(what), last: (what >> 4) % 2 }),
  (what, _, sight) => ask({ do: "cancel", op: last(sight.ops(), what) ?? "/root/a#1.1" }),
  (what, text, sight) =>
    ask({ do: "finish", op: last(sight.ops(), what) ?? "/root/a#1.1", outcome: "completed", text }),
  (what) => ask({ do: "cancel_wait", by: from(["/root", "/root/a"], what) }),
  () => ({ is: "elapse", ms: 10_000 }),
  (what) => ask({ do: "set_capacity", capacity: 1 + (what % 3) }),
  () => ask({ do: "verify" }),
  () => ask({ do: "fork" }),
  (what) => ask({ do: "change_role", role: "r", config: { ...config, model: `m${what % 2}` } }),
  end(ask({ do: "close" })),
  end({ is: "abandon" }),
  end(ask({ do: "close_within", ms: 5_000 })),
];
const last = <Item>(items: readonly Item[], what: number): Item | undefined => items.at(-1 - (what % 3));

export function bind(move: Move, text: string, sight: Sight): Bound {
  return from(verbs, move.verb)(move.what, text, sight);
}

/** What is known of tokens and operations from the answers that came. */
export function tokensOf(calls: readonly Call[]): readonly Token[] {
  return calls.flatMap(({ asked, answered }) =>
    asked.do === "block" && answered !== null && "ok" in answered.outcome && typeof answered.outcome.ok === "string"
      ? [answered.outcome.ok]
      : [],
  );
}

export const config = {
  instructions: "i",
  model: "m",
  effort: null,
  tools: [["core", "read"]],
  limits: {},
  parameters: {},
} as const;
