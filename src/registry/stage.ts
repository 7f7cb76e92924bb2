/**
 * A stage for tests: a session whose world answers only when it is told to, over an archive whose commits and reads fail
 * on demand. Nothing here knows what the registry does.
 */
import type { Archive, Message, ReadRequest, Store } from "../archive/archive.ts";
import type { MemoryDisk } from "../archive/memory.ts";
import { memoryDisk, memoryStore } from "../archive/memory.ts";
import type { CommitFault, Config, Event, Op } from "../contract.ts";
import { fault } from "../errors.ts";
import type { Session } from "./api.ts";
import { openSession, type SessionOptions } from "./open.ts";
import type { Clock, DispatchRequest, Provider, Registrar } from "./ports.ts";

export interface Gate<Value> {
  readonly resolve: (value: Value) => void;
  readonly reject: (error: unknown) => void;
}
/** Gates by operation, each open until it is answered by hand. */
export type Gates<Value> = Map<Op, Gate<Value>>;
function stop<Value>(gates: Gates<Value>, op: Op): Promise<Value> {
  return new Promise((resolve, reject) => gates.set(op, { resolve, reject }));
}
/** The gate that an operation waits at; it must be there. */
export function at<Value>(gates: Gates<Value>, op: Op): Gate<Value> {
  const gate = gates.get(op);
  if (gate === undefined) throw new Error(`no gate of ${op}; open: ${[...gates.keys()].join(", ")}`);
  return gate;
}

interface ManualClock extends Clock {
  elapse(ms: number): void;
}
function manualClock(): ManualClock {
  let time = 0;
  const timers = new Map<() => void, number>();
  return {
    now: () => time,
    after: (ms, call) => {
      const ring = () => call();
      timers.set(ring, time + ms);
      return () => timers.delete(ring);
    },
    elapse: (ms) => {
      time += ms;
      for (const [ring, due] of timers) {
        if (due > time) continue;
        timers.delete(ring);
        ring();
      }
    },
  };
}

/** Everything that can happen without an answer has happened. */
export function rest(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
/** How a promise ended: its value, or the code or message it rejected with. */
export async function endOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    return await promise;
  } catch (error) {
    return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : error;
  }
}

export interface World {
  readonly disk: MemoryDisk;
  readonly store: Store;
  readonly clock: ManualClock;
  /** Commits to come are answered with these, in order; then they succeed. */
  readonly faults: (CommitFault | null)[];
  /** Commits wait here while it is set. */
  holdsCommits: boolean;
  /** Called when a commit was written, before anybody hears of it. */
  written: () => void;
  readonly commits: Gates<void>;
  readonly prepares: Gates<"refuse" | undefined>;
  readonly dispatches: Gates<void>;
  readonly aborts: Gates<void>;
  /** Reads at a gate wait here while it is set. */
  holdsReads: boolean;
  readonly reads: Gates<void>;
  readonly requests: ReadRequest[];
  readonly dispatched: DispatchRequest[];
  readonly stopped: Op[];
  readonly events: Event[];
}

export function openWorld(): World {
  const disk = memoryDisk();
  const world: World = {
    disk,
    store: { open: async (request) => staged(world, await memoryStore(disk).open(request)) },
    clock: manualClock(),
    ...{
      faults: [],
      holdsCommits: false,
      written: () => {},
      commits: new Map(),
      holdsReads: false,
      reads: new Map(),
      requests: [],
    },
    ...{ prepares: new Map(), dispatches: new Map(), aborts: new Map() },
    ...{ dispatched: [], stopped: [], events: [] },
  };
  return world;
}
function staged(world: World, archive: Archive): Archive {
  let ordinal = 0;
  return {
    ...archive,
    commit: async (commit) => {
      ordinal += 1;
      if (world.holdsCommits) await stop(world.commits, `commit ${ordinal}`);
      const code = world.faults.shift();
      if (code !== undefined && code !== null) throw fault(code, "archive");
      await archive.commit(commit);
      world.written();
    },
    messages: async (request): Promise<readonly Message[]> => {
      world.requests.push(request);
      if (world.holdsReads && request.op !== undefined) await stop(world.reads, request.op);
      return archive.messages(request);
    },
  };
}

/** Tasks are taken and set up at once, unless the world is told to hold them. */
export interface Held {
  readonly prepare?: boolean;
  readonly dispatch?: boolean;
  readonly abort?: boolean;
}
function providerIn(world: World, held: Held): Provider {
  return {
    prepare: ({ op }) => (held.prepare === true ? stop(world.prepares, op) : undefined),
    dispatch: (request) => {
      world.dispatched.push(request);
      return held.dispatch === true ? stop(world.dispatches, request.op) : undefined;
    },
    abort: ({ op }) => (held.abort === true ? stop(world.aborts, op) : undefined),
    stop: ({ op }) => {
      world.stopped.push(op);
    },
  };
}

const roleConfig: Config = {
  ...{ instructions: "Look closely.", model: "m", effort: null, tools: [["core", "read"]] },
  ...{ limits: { tokens: 10 }, parameters: { deep: { list: [1] } } },
};
export const core: Registrar = { category: "core", names: () => ["read"], load: () => {} };

export function enter(world: World, held: Held = {}, options: Partial<SessionOptions> = {}): Promise<Session> {
  return openSession(world.store, {
    roles: { r: roleConfig },
    registrars: [core],
    provider: providerIn(world, held),
    clock: world.clock,
    onEvent: (event) => {
      world.events.push(event);
    },
    ...options,
  });
}
