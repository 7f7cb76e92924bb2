/**
 * Every story of a small world at once: breadth first over the specification, one of each kind of state, every law in every
 * state and across every step, until nothing new is found. A law that breaks is told by the shortest story.
 */
import type { RefusalCode, Scope, Step, Verb } from "../src/contract.ts";
import { keyOf, type Naming } from "./explore/key.ts";
import { type Menu, movesOf } from "./explore/moves.ts";
import { met } from "./goals/met.ts";
import { goals } from "./goals.ts";
import { plainDigest, seen, smallScope } from "./history.ts";
import type { Law, Ledger, Seen } from "./laws/law.ts";
import { emptyLedger, remember } from "./laws/ledger.ts";
import { laws as allLaws } from "./laws.ts";
import type { Rules } from "./rules.ts";
import type { Handle, World } from "./state.ts";
import { begin, step as decide, rules } from "./step.ts";

export interface Small {
  /** So many siblings below the root; or these paths. */
  readonly agents: number | readonly string[];
  /** What may be done [all that these worlds know]. */
  readonly verbs?: readonly Verb[];
  readonly capacity?: number;
  readonly handlers?: boolean;
  readonly faults?: boolean;
  /** Unread mails of one mailbox, beyond which a state is left alone [1]. */
  readonly mailMax?: number;
  /** Operations open at once, likewise [2]. */
  readonly opsMax?: number;
  readonly depth?: number;
  readonly statesMax?: number;
  readonly rules?: Rules;
  readonly laws?: readonly Law[];
  /** Milliseconds, for `seconds`. */
  readonly clock?: () => number;
}
export interface Explored {
  readonly states: number;
  readonly transitions: number;
  readonly depth: number;
  readonly seconds: number;
  /** Nothing was left out: every state within the bounds was seen. */
  readonly fixpoint: boolean;
  readonly goals: readonly string[];
  readonly refusals: readonly RefusalCode[];
  readonly broken: { readonly law: Law; readonly what: string; readonly story: readonly Step[] } | null;
  /** A state from which some turn or wait cannot come to rest, by the shortest story. */
  readonly restless: readonly Step[] | null;
}

/** Every command that these worlds know. */
export const explorable: readonly Verb[] = [
  "spawn",
  "cancel",
  "follow_up",
  "say",
  "finish",
  "interrupt",
  "block",
  "release",
  "send",
  "execution",
  "steer",
  "wait",
  "cancel_wait",
  "elapse",
  "sample",
  "roster",
  "read_result",
  "read_history",
  "inspect",
  "evict",
  "compact",
  "set_capacity",
  "save",
  "verify",
  "fork",
  "close",
  "crash",
  "restore",
  "answer",
];

const statesMaxUsual = 2_000_000;
const siblings = ["/root/a", "/root/b", "/root/c"];

/** Siblings without anybody below them may be exchanged: every order of theirs is a naming. */
function namings(paths: readonly string[]): readonly Naming[] {
  const kept = { "/root": "r", user: "u" };
  const areSiblings = paths.every((path) => path.lastIndexOf("/") === "/root".length);
  const orders = areSiblings ? ordersOf(paths) : [paths];
  return orders.map((order) => ({ ...kept, ...Object.fromEntries(order.map((path, i) => [path, String(i)])) }));
}
function ordersOf<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  if (items.length < 2) return [items];
  return items.flatMap((first) => ordersOf(items.filter((each) => each !== first)).map((rest) => [first, ...rest]));
}

/** Where a small world begins, what may be done in it, when two of its states are one, and where it ends. */
export interface Frame {
  readonly scope: Scope;
  readonly menu: Menu;
  readonly keyOf: (world: World) => string;
  /** Mailboxes and open operations are bounded: beyond, a state is reached and not left. */
  readonly isBeyond: (world: World) => boolean;
}
export function frame(small: Small): Frame {
  const paths = typeof small.agents === "number" ? siblings.slice(0, small.agents) : small.agents;
  const names = namings(paths);
  const bounds = { mail: small.mailMax ?? 1, ops: small.opsMax ?? 2 };
  return {
    scope: smallScope(small.capacity ?? paths.length),
    menu: {
      paths,
      verbs: new Set(small.verbs ?? explorable),
      handlers: small.handlers ?? false,
      faults: small.faults ?? true,
    },
    keyOf: (world) => keyOf(world, names),
    isBeyond: (world) => isBeyond(world, bounds),
  };
}

/** What is needed of a state until it was left by every move. */
interface State {
  readonly world: World;
  readonly ledger: Ledger;
  readonly seen: Seen;
}
/** What is kept of each for good: the step that found it, from where, how deep, and whether all rests there. */
interface Found {
  readonly from: number;
  readonly step: Step | null;
  readonly depth: number;
  readonly rests: boolean;
}

export function explore(small: Small): Explored {
  const going = exploring(small);
  for (let next = going.next(); ; next = going.next()) if (next.done === true) return next.value;
}

/** So many states between two looks at how far it is. */
const every = 256;

/** The same, telling how far it is now and then; whoever answers `true` ends it there. */
export function* exploring(
  small: Small,
): Generator<Pick<Explored, "states" | "transitions" | "depth">, Explored, boolean | undefined> {
  const started = small.clock?.() ?? 0;
  const m = small.rules ?? rules;
  const laws = small.laws ?? allLaws;
  // What a state shows is judged when it is first found, what a step did for every step.
  const inStates = laws.filter(({ kind }) => kind === "S");
  const acrossSteps = laws.filter(({ kind }) => kind === "T");
  const { scope, menu, keyOf: key, isBeyond: isOutside } = frame(small);
  const statesMax = small.statesMax ?? statesMaxUsual;
  const depthMax = small.depth ?? Number.POSITIVE_INFINITY;

  const world = begin(plainDigest, scope);
  const first = seen(null, null, world, m);
  const states: Found[] = [{ from: -1, step: null, depth: 0, rests: true }];
  // States not yet left, those of one depth before those of the next; what was left is forgotten but for its `Found`.
  let [layer, coming]: [State[], State[]] = [[{ world, ledger: remember(emptyLedger, null, first), seen: first }], []];
  const known = new Map<string, number>([[key(world), 0]]);
  const edges = growing();
  const reached = new Set<string>();
  const refusals = new Set<RefusalCode>();
  let transitions = 0;
  let fixpoint = true;

  const story = (at: number, last: Step | null): readonly Step[] => {
    const steps: Step[] = last === null ? [] : [last];
    for (let i = at; i > 0; ) {
      const found = states[i];
      if (found === undefined) break;
      if (found.step !== null) steps.unshift(found.step);
      i = found.from;
    }
    return steps;
  };
  const end = (broken: Explored["broken"], restless: Explored["restless"]): Explored => ({
    states: states.length,
    transitions,
    depth: states.at(-1)?.depth ?? 0,
    seconds: ((small.clock?.() ?? 0) - started) / 1000,
    fixpoint: fixpoint && broken === null,
    goals: goals.map(({ name }) => name).filter((name) => reached.has(name)),
    refusals: [...refusals].sort(),
    broken,
    restless,
  });

  for (let at = 0, depth = 0; at < states.length; at += 1) {
    if (layer.length === 0) {
      [layer, coming] = [coming.reverse(), layer];
      depth += 1;
    }
    const state = layer.pop();
    if (state === undefined) break;
    const isEnough = at % every === every - 1 && (yield { states: states.length, transitions, depth }) === true;
    if (depth >= depthMax || isEnough) {
      fixpoint = false;
      break;
    }
    for (const step of movesOf(state.world, menu)) {
      const { world: next, reply } = decide(state.world, step, m);
      const now = next === state.world ? { ...state.seen, step, reply } : seen(step, reply, next, m);
      transitions += 1;
      const wrong = breach(acrossSteps, state, now);
      if (wrong !== null) return end({ ...wrong, story: story(at, step) }, null);
      if ("refused" in reply) refusals.add(reply.refused);
      for (const name of met(state.ledger, state.seen, now)) reached.add(name);
      if (next === state.world) continue;
      const its = isOutside(next) ? null : key(next);
      let to = its === null ? undefined : known.get(its);
      if (to === undefined) {
        const unlawful = breach(inStates, state, now);
        if (unlawful !== null) return end({ ...unlawful, story: story(at, step) }, null);
        if (its === null) continue;
        if (states.length >= statesMax) {
          fixpoint = false;
          continue;
        }
        to = states.length;
        known.set(its, to);
        coming.push({ world: next, ledger: remember(state.ledger, state.seen, now), seen: now });
        states.push({ from: at, step, depth: depth + 1, rests: rests(next.handles["w1"]) });
      }
      if (step.do !== "crash" && step.do !== "close") edges.push(at, to);
    }
  }
  const stuck = unresting(states, edges.all());
  return end(null, stuck < 0 || !fixpoint ? null : story(stuck, null));
}

function breach(
  laws: readonly Law[],
  { ledger, seen: before }: State,
  now: Seen,
): { readonly law: Law; readonly what: string } | null {
  for (const law of laws) {
    const what = law.check(ledger, before, now);
    if (what !== null) return { law, what };
  }
  return null;
}

function isBeyond({ handles, disk }: World, bounds: { readonly mail: number; readonly ops: number }): boolean {
  if (disk.root.mail.length > bounds.mail) return true;
  for (const as in handles) {
    const handle = handles[as];
    if (handle === undefined || handle.is === "restoring") continue;
    if (handle.ops.length > bounds.ops || handle.root.mail.length > bounds.mail) return true;
    for (const path in handle.agents) {
      const agent = handle.agents[path];
      if (agent !== undefined && (agent.mail.length > bounds.mail || agent.owed.length > bounds.mail)) return true;
    }
  }
  return false;
}

/** Nothing under way, nobody waits; closed counts, a restore under way does not. */
const rests = (handle: Handle | undefined): boolean =>
  handle === undefined ||
  (handle.is === "open" &&
    handle.ops.length === 0 &&
    handle.root.waiter === null &&
    Object.values(handle.agents).every((agent) => agent.is === "idle"));

/** Numbers by the million. */
function growing(): { push(one: number, other: number): void; all(): Int32Array } {
  let [room, count] = [new Int32Array(1 << 16), 0];
  return {
    push: (one, other) => {
      if (count + 2 > room.length) {
        const more = new Int32Array(room.length * 2);
        more.set(room);
        room = more;
      }
      room[count] = one;
      room[count + 1] = other;
      count += 2;
    },
    all: () => room.subarray(0, count),
  };
}

/** L41: the first state from which no way without a crash or a close leads to rest; -1 if there is none. */
function unresting(states: readonly Found[], edges: Int32Array): number {
  // Into each state, one edge after another: where the last begins, and for each edge the one before it.
  const last = new Int32Array(states.length).fill(-1);
  const earlier = new Int32Array(edges.length / 2);
  for (let edge = 0; edge < earlier.length; edge += 1) {
    const to = edges[2 * edge + 1] ?? 0;
    earlier[edge] = last[to] ?? -1;
    last[to] = edge;
  }
  const good = states.map((each) => each.rests);
  const todo = good.flatMap((each, i) => (each ? [i] : []));
  for (let at = todo.pop(); at !== undefined; at = todo.pop())
    for (let edge = last[at] ?? -1; edge >= 0; edge = earlier[edge] ?? -1) {
      const from = edges[2 * edge] ?? 0;
      if (good[from] === true) continue;
      good[from] = true;
      todo.push(from);
    }
  return good.indexOf(false);
}
