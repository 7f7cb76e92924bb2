/**
 * The shape of a story, drawn before its steps: which verbs occur at all, how many agents, how wild, how faulty. Stories of
 * one mean shape would all be alike, and none would be full of waits, or of crashes (swarm testing).
 */
import fc from "fast-check";
import type { Config, Json, Limits, Scope } from "../src/contract.ts";

/** Groups of verbs that a shape switches on or off; what is not in one is always on. */
export type Group =
  | "mail"
  | "waits"
  | "blocks"
  | "reads"
  | "residency"
  | "handlers"
  | "interrupts"
  | "host"
  | "damage"
  | "together";
const groups: readonly Group[] = [
  "mail",
  "waits",
  "blocks",
  "reads",
  "residency",
  "handlers",
  "interrupts",
  "host",
  "damage",
  "together",
];

export interface Shape {
  /** Names that agents get, and how deep they nest. */
  readonly names: readonly string[];
  readonly depth: number;
  readonly on: { readonly [group in Group]: boolean };
  /** Of a hundred choices, so many reach for what is wrong on purpose; a step makes several. */
  readonly wild: number;
  /** Of a hundred answers to gates, so many are not `ok`. */
  readonly faulty: number;
  /** Of a hundred commits, so many are not written or crash. */
  readonly unwritten: number;
  /** What a third of the steps are about, with commits that mostly fail. */
  readonly favoured: Favourite | null;
  /** Of a hundred operations, so many have their answers in advance. */
  readonly ahead: number;
  /** How eagerly sessions end and are restored. */
  readonly restless: number;
  /** Steps are also addressed to a second handle. */
  readonly handles: boolean;
  /** Of a hundred restores, so many find other registrars than all. */
  readonly unregistered: number;
  /** Of a hundred texts, so many are longer than views show. */
  readonly wordy: number;
  /** Of a hundred texts, so many are no plain words. */
  readonly odd: number;
  /** It ends with a look at all there is, before and after a crash. */
  readonly reads: boolean;
  readonly scope: Scope;
}

/** As plain JSON: roles are not checked before a spawn. */
const config = (tools: Config["tools"], more: Partial<Config> = {}): { readonly [key: string]: Json } => ({
  instructions: "do",
  model: "m",
  effort: null,
  tools,
  limits: {},
  parameters: {},
  ...more,
});

/** `r`, `q` and `long` work with all registrars; the others are refused at spawn, each for its own reason. */
export const roles: { readonly [role: string]: Json } = {
  r: config([["core", "read"]]),
  q: config(
    [
      ["core", "read"],
      ["web", "read"],
    ],
    { effort: "high", limits: { steps: 5 }, parameters: { deep: [1, { x: null }] } },
  ),
  // Long enough to be missed where it is written for every agent that has it.
  long: config([["core", "write"]], { instructions: "Do as you did before. ".repeat(150) }),
  unlisted: config([["core", "fly"]]),
  foreign: config([["alien", "read"]]),
  malformed: { ...config([]), extra: 1 },
  // An unknown tool comes first, wherever it stands.
  both: config([
    ["alien", "read"],
    ["core", "fly"],
  ]),
  twice: config([
    ["core", "read"],
    ["core", "read"],
  ]),
  wanting: { instructions: "do", model: "m", tools: [], limits: {}, parameters: {} },
  lone: config([], { instructions: "\ud800" }),
};
/** The same name in two categories, and a second owner that comes too late for its category. */
export const registrars: Scope["registrars"] = {
  core: { category: "core", tools: ["read", "write"] },
  web: { category: "web", tools: ["read"] },
  late: { category: "core", tools: ["fly"] },
};

const tight: Partial<Limits>[] = [
  { agentsMax: 1 },
  { agentsMax: 3 },
  { operationsMax: 1 },
  { blockersMax: 1 },
  { mailMax: 1 },
  { textMax: 8 },
  { mailMax: 2, operationsMax: 2 },
];

/** What a story may be about; see drives.ts. */
export type Favourite =
  | "handler"
  | "interrupt"
  | "steer"
  | "compact"
  | "steering"
  | "finish"
  | "follow_up"
  | "sample"
  | "close"
  | "set_capacity"
  | "recovery"
  | "reading"
  | "aside"
  | "handover"
  | "sleep"
  | "tokens"
  | "nested"
  | "reserved"
  | "saying"
  | "owing"
  | "burst"
  | "long"
  | "above"
  | "deep";
const favourites: readonly Favourite[] = [
  "finish",
  "follow_up",
  "interrupt",
  // Three steps a turn, two answers, seven ways to fail.
  "handler",
  "handler",
  "handler",
  "handler",
  "steer",
  "compact",
  "steering",
  "sample",
  "close",
  "set_capacity",
  "recovery",
  "reading",
  "aside",
  "handover",
  "sleep",
  "tokens",
  "nested",
  "reserved",
  "saying",
  "owing",
  "burst",
  "burst",
  "long",
  "above",
  "above",
  "deep",
  "deep",
  "aside",
];

const among = <Choice>(...choices: readonly Choice[]): fc.Arbitrary<Choice> => fc.constantFrom(...choices);

/** Simplest first in every list, so that shapes shrink. */
export const shape: fc.Arbitrary<Shape> = fc
  .record(
    {
      names: among(["a"], ["a", "b"], ["a", "b"], ["a", "b", "c"], ["a", "ab", "a_0"], ["0", "z".repeat(64)]),
      depth: among(1, 2, 3, 3),
      off: fc.noShrink(fc.subarray([...groups])),
      wild: among(0, 6, 12, 30),
      faulty: among(0, 5, 10, 40),
      unwritten: among(0, 0, 10, 30),
      favoured: among<Favourite | null>(...favourites.map(() => null), ...favourites),
      ahead: among(0, 0, 30, 90),
      restless: among(0, 0.5, 1, 3),
      handles: among(false, false, false, true),
      unregistered: among(0, 0, 0, 50),
      wordy: among(0, 0, 0, 5),
      odd: among(0, 0, 20),
      reads: among(false, true),
      capacity: among(1, 2, 3, 3),
      limits: among<Partial<Limits> | null>(null, null, null, null, ...tight),
    },
    { noNullPrototype: true },
  )
  .map(({ off, capacity, limits, ...drawn }) => ({
    ...drawn,
    on: onOff(off),
    scope: { capacity, ...(limits === null ? {} : { limits }), roles, registrars, archive: "memory", process: "same" },
  }));

function onOff(off: readonly Group[]): Shape["on"] {
  const on = (group: Group): boolean => !off.includes(group);
  return {
    mail: on("mail"),
    waits: on("waits"),
    blocks: on("blocks"),
    reads: on("reads"),
    residency: on("residency"),
    handlers: on("handlers"),
    interrupts: on("interrupts"),
    host: on("host"),
    damage: on("damage"),
    together: on("together"),
  };
}
