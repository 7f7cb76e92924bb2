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
  /** Of those of the story. */
  readonly verb: number;
  readonly what: number;
  /** 0 none; 1 aborted when its turn comes; 2 before the call; 3 as soon as something has begun. */
  readonly signal: number;
  /** The client waits for its answer. */
  readonly awaits: boolean;
}
export interface Program {
  readonly setup: number;
  /** The few things that are done in this story, and to how many: what is not spread out meets. */
  readonly verbs: readonly number[];
  readonly crowd: number;
  readonly capacity: number;
  /** Issued in one turn of the event loop, before anybody else acts. */
  readonly together: readonly Asked[];
  readonly clients: readonly (readonly Move[])[];
  /** What callbacks do, one after another: those of a wait, those told of events. */
  readonly callbacks: readonly Move[];
  readonly gates: readonly number[];
  readonly commits: readonly number[];
  readonly pace: readonly number[];
  /** The host ends the session, by one of these ways, at some time: 0 not at all. */
  readonly ends: number;
  readonly endsAfter: number;
  /** The how-manieth callback abandons it: 0 none. */
  readonly endsInCallback: number;
  readonly hangs: boolean;
  /** The host gives the world so long to answer. */
  readonly hurries: boolean;
  readonly keeps: boolean;
}

/** Digits are read from numbers: small ones are no more likely than others. */
const number = (max: number): fc.Arbitrary<number> => fc.noBias(fc.nat({ max }));
/** What was seen so far, to bind to. */
export interface Sight {
  /** Agents in a turn, and agents at all, as far as records were looked at. */
  active(): readonly Path[];
  known(): readonly Path[];
  /** The number of the last turn that a provider was asked to run. */
  turn(path: Path): number;
  ops(): readonly Op[];
  tokens(): readonly Token[];
}
export type Bound =
  | { readonly is: "call"; readonly asked: Asked }
  | { readonly is: "elapse"; readonly ms: number }
  | { readonly is: "look" }
  | { readonly is: "abandon" };

const paths: readonly [Path, ...Path[]] = ["/root/a", "/root/b", "/root/a/c", "/root/d"];
const callers: readonly [Path, ...Path[]] = ["/root", "/root", "/root", "/root/a"];

type Bind = (what: number, text: string, sight: Sight, path: Path) => Bound;
const ask = (asked: Asked): Bound => ({ is: "call", asked });
const from = <Choice>(choices: readonly [Choice, ...Choice[]], what: number): Choice =>
  choices[what % choices.length] ?? choices[0];
const by = (what: number): Path => from(callers, what >> 4);
const either = (what: number, path: Path): Path => (what % 4 === 3 ? "/root" : path);

const spawn: Bind = (what, text) => {
  const [by, name] = from(
    [
      ["/root", "d"],
      ["/root", "d"],
      ["/root", "b"],
      ["/root/a", "c"],
    ] as const,
    what >> 2,
  );
  return ask({ do: "spawn", by, name, role: "r", text, handler: what % 3 === 1 });
};
const followUp: Bind = (what, text, _, to) => ask({ do: "follow_up", by: by(what), to, text, handler: what % 3 === 1 });
/** Mostly somebody who can do that now. */
const among = (some: readonly Path[], what: number, path: Path): Path =>
  (what % 4 === 3 ? undefined : some[(what >> 2) % Math.max(1, some.length)]) ?? path;
const finish: Bind = (what, text, sight, given) => {
  const path = among(sight.active(), what, given);
  const turn = sight.turn(path) - (what % 8 === 7 ? 1 : 0);
  return ask({ do: "finish", path, turn, outcome: "completed", text });
};
const send: Bind = (what, text, _, path) => ask({ do: "send", by: by(what), to: either(what, path), text });
const sleeper = (what: number, sight: Sight, path: Path): Path =>
  what % 2 === 0 ? "/root" : among(sight.active(), what >> 1, path);
const wait: Bind = (what, _, sight, path) => ask({ do: "wait", by: sleeper(what, sight, path), timeoutMs: 10_000 });
const sample: Bind = (what, _, sight, path) => ask({ do: "sample", path: sleeper(what, sight, path) });
const block: Bind = (what, _, sight, path) => {
  const kind = what % 2 === 0 ? "permission_blocked" : "interaction_blocked";
  return ask({ do: "block", path: among(sight.active(), what >> 1, path), kind });
};
const release: Bind = (what, _, sight, path) => {
  const token = last(sight.tokens(), what) ?? `${path}@${sight.turn(path)}.1`;
  return ask({ do: "release", token });
};
const readHistory: Bind = (what, _, __, path) => ask({ do: "read_history", path: either(what, path) });
const inspect: Bind = (_, __, ___, path) => ask({ do: "inspect", path });
const cancel: Bind = (what, _, sight) => ask({ do: "cancel", op: last(sight.ops(), what) ?? "/root/a#1.1" });
const elapse: Bind = () => ({ is: "elapse", ms: 10_000 });
const look: Bind = () => ({ is: "look" });
const cancelWait: Bind = (what, _, sight, path) => ask({ do: "cancel_wait", by: sleeper(what, sight, path) });
const interrupt: Bind = (what, _, sight, path) =>
  ask({ do: "interrupt", by: by(what), to: among(sight.active(), what, path) });
/** Mostly only a save: stories that go on are worth more. */
const seldom =
  (end: Bound): Bind =>
  (what) =>
    what % 4 === 3 ? end : ask({ do: "save" });

/** What is done often stands often. */
const verbs: readonly [Bind, ...Bind[]] = [
  ...([send, send, send, wait, wait, wait, sample, sample] as const),
  ...([spawn, spawn, spawn, followUp, followUp, followUp, followUp, followUp] as const),
  ...([finish, finish, finish, finish, interrupt, interrupt] as const),
  (what) => ask({ do: "roster", prefix: what % 2 === 0 ? "" : "/root/a" }),
  (_, text) => ask({ do: "steer", text }),
  (what, text, _, path) => ask({ do: "execution", owner: either(what, path), text }),
  ...([block, release] as const),
  (what, text, sight, given) => {
    const path = among(sight.active(), what, given);
    return ask({ do: "say", path, turn: sight.turn(path), text });
  },
  (_, __, ___, path) => ask({ do: "read_result", path }),
  ...([readHistory, inspect, cancel] as const),
  (_, __, ___, path) => ask({ do: "evict", path }),
  (what, _, __, path) => ask({ do: "compact", path, last: what % 2 }),
  (what, text, sight) =>
    ask({ do: "finish", op: last(sight.ops(), what) ?? "/root/a#1.1", outcome: "completed", text }),
  cancelWait,
  elapse,
  look,
  (what) => ask({ do: "set_capacity", capacity: 1 + (what % 3) }),
  () => ask({ do: "verify" }),
  () => ask({ do: "fork" }),
  (what) => ask({ do: "change_role", role: "r", config: { ...config, model: `m${what % 2}` } }),
  ...[ask({ do: "close" }), { is: "abandon" } as const].map(seldom),
];
/** What belongs together meets more often than chance would have it. */
const themes: readonly (readonly number[])[] = [
  [followUp, finish],
  [followUp, finish, interrupt, look],
  [spawn, followUp, finish, send],
  [wait, send, cancelWait, look],
  [wait, finish, followUp, elapse],
  [wait, finish, wait, interrupt],
  [block, release, finish, interrupt],
  [inspect, readHistory, followUp, cancel],
  [readHistory, send, sample, followUp],
].map((theme) => theme.map((each) => verbs.indexOf(each)));
const last = <Item>(items: readonly Item[], what: number): Item | undefined => items.at(-1 - (what % 3));

const moves = (max: number): fc.Arbitrary<Move> =>
  fc.record({
    verb: number(max),
    what: number(1023),
    signal: fc.constantFrom(...[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 3, 2]),
    awaits: fc.boolean(),
  });

export function programs(clientsMax: number, movesMax: number): fc.Arbitrary<Program> {
  return fc.record({
    setup: number(setups.length - 1),
    verbs: fc.oneof(fc.constantFrom(...themes), fc.array(number(verbs.length - 1), { minLength: 2, maxLength: 4 })),
    crowd: fc.constantFrom(1, 2, 3, 4),
    capacity: fc.constantFrom(3, 2, 1),
    together: fc.constant([]),
    clients: fc.array(fc.array(moves(3), { minLength: 1, maxLength: movesMax, size: "max" }), {
      minLength: 1,
      maxLength: clientsMax,
    }),
    callbacks: fc.array(moves(3), { maxLength: 2 }),
    gates: fc.array(number(2 ** 18 - 1), { maxLength: 8, size: "max" }),
    commits: fc.array(number(63), { maxLength: 6, size: "max" }),
    pace: fc.array(number(paceMax), { maxLength: 5 }),
    ends: fc.constantFrom(0, 0, 0, 0, 1, 2, 3),
    endsAfter: number(20),
    endsInCallback: fc.constantFrom(...[0, 0, 0, 0, 0, 0, 0, 1, 2, 3]),
    hangs: fc.boolean(),
    hurries: fc.boolean(),
    keeps: fc.boolean(),
  });
}

/** What the host does. */
export const endings: readonly (Bound | null)[] = [
  null,
  ask({ do: "close" }),
  { is: "abandon" },
  ask({ do: "close_within", ms: 5_000 }),
];

export function bind({ verbs: few, crowd }: Program, { verb, what }: Move, text: string, sight: Sight): Bound {
  const chosen = few[verb % few.length] ?? 0;
  const [who, known] = [Math.floor(what / 64), sight.known().slice(0, crowd)];
  const path = (who % 8 === 7 ? undefined : known[who % Math.max(1, known.length)]) ?? from(paths, who);
  return from(verbs, chosen)(what % 64, text, sight, path);
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
