/**
 * Every story of a small world at once: breadth first over the specification, one of each kind of state, every law in every
 * state and across every step, until nothing new is found. A law that breaks is told by the shortest story.
 */
import type { RefusalCode, Step, Verb } from "../src/contract.ts";
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

const verbsOfAll: readonly Verb[] = [
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

const siblings = ["/root/a", "/root/b", "/root/c"];

/** Siblings without anybody below them may be exchanged. */
function namings(paths: readonly string[]): readonly Naming[] {
  const first = Object.fromEntries([["/root", "r"], ["user", "u"], ...paths.map((path, i) => [path, String(i)])]);
  const [a, b] = paths;
  if (paths.length !== 2 || a === undefined || b === undefined || b.startsWith(`${a}/`)) return [first];
  return [first, { ...first, [a]: "1", [b]: "0" }];
}

interface State {
  readonly world: World;
  readonly ledger: Ledger;
  readonly seen: Seen;
  readonly from: number;
  readonly depth: number;
}

export function explore(small: Small): Explored {
  const started = small.clock?.() ?? 0;
  const m = small.rules ?? rules;
  const laws = small.laws ?? allLaws;
  const paths = typeof small.agents === "number" ? siblings.slice(0, small.agents) : small.agents;
  const menu: Menu = {
    paths,
    verbs: new Set(small.verbs ?? verbsOfAll),
    handlers: small.handlers ?? false,
    faults: small.faults ?? true,
  };
  const names = namings(paths);
  const bounds = { mail: small.mailMax ?? 1, ops: small.opsMax ?? 2 };
  const statesMax = small.statesMax ?? 200_000;
  const depthMax = small.depth ?? Number.POSITIVE_INFINITY;

  const world = begin(plainDigest, smallScope(small.capacity ?? paths.length));
  const first = seen(null, null, world, m);
  const states: State[] = [{ world, ledger: remember(emptyLedger, null, first), seen: first, from: -1, depth: 0 }];
  const known = new Map<string, number>([[keyOf(world, names), 0]]);
  const edges: number[] = [];
  const reached = new Set<string>();
  const refusals = new Set<RefusalCode>();
  let transitions = 0;
  let fixpoint = true;

  const story = (at: number, last: Step | null): readonly Step[] => {
    const steps: Step[] = last === null ? [] : [last];
    for (let i = at; i > 0; ) {
      const state = states[i];
      if (state === undefined) break;
      if (state.seen.step !== null) steps.unshift(state.seen.step);
      i = state.from;
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

  for (let at = 0; at < states.length; at += 1) {
    const state = states[at];
    if (state === undefined) break;
    if (state.depth >= depthMax) {
      fixpoint = false;
      break;
    }
    for (const step of movesOf(state.world, menu)) {
      const { world: next, reply } = decide(state.world, step, m);
      const now = next === state.world ? { ...state.seen, step, reply } : seen(step, reply, next, m);
      transitions += 1;
      for (const law of laws) {
        const what = law.check(state.ledger, state.seen, now);
        if (what !== null) return end({ law, what, story: story(at, step) }, null);
      }
      if ("refused" in reply) refusals.add(reply.refused);
      for (const name of met(state.ledger, state.seen, now)) reached.add(name);
      if (next === state.world || isBeyond(next, bounds)) continue;
      const key = keyOf(next, names);
      let to = known.get(key);
      if (to === undefined) {
        if (states.length >= statesMax) {
          fixpoint = false;
          continue;
        }
        to = states.length;
        known.set(key, to);
        const ledger = remember(state.ledger, state.seen, now);
        states.push({ world: next, ledger, seen: now, from: at, depth: state.depth + 1 });
      }
      if (step.do !== "crash" && step.do !== "close") edges.push(at, to);
    }
  }
  const stuck = unresting(states, edges);
  return end(null, stuck < 0 || !fixpoint ? null : story(stuck, null));
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

/** L41: the first state from which no way without a crash or a close leads to rest; -1 if there is none. */
function unresting(states: readonly State[], edges: readonly number[]): number {
  const back: number[][] = states.map(() => []);
  for (let i = 0; i < edges.length; i += 2) back[edges[i + 1] ?? 0]?.push(edges[i] ?? 0);
  const good = states.map(({ world }) => rests(world.handles["w1"]));
  const todo = good.flatMap((each, i) => (each ? [i] : []));
  for (let at = todo.pop(); at !== undefined; at = todo.pop())
    for (const from of back[at] ?? [])
      if (good[from] !== true) {
        good[from] = true;
        todo.push(from);
      }
  return good.indexOf(false);
}
