/**
 * What any code can reach without being given it, pinned: the time, chance, and timers that nobody waits for. Only while a
 * story is told again to find out where it comes from that it was not the same twice.
 */
import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import type { Source } from "../target.ts";

export interface Ambient {
  /** For what is to be the same at the beginning of each telling. */
  reset(): void;
  /** Until nothing goes on that nobody waits for. */
  settle(): Promise<void>;
  /** Everything as it was. */
  restore(): void;
}

const none: Ambient = { reset: () => {}, settle: async () => {}, restore: () => {} };

export function pinnedAmbient(source: Source): Ambient {
  if (source === "clock") return pinnedTime();
  if (source === "ids") return pinnedChance();
  return source === "unawaited work" ? awaitedTimers() : none;
}

/** Puts other members into an object, and answers how to put the old ones back. */
function replaced(holder: object, members: { readonly [name: string]: unknown }): () => void {
  const before = Object.keys(members).map((name) => [name, Object.getOwnPropertyDescriptor(holder, name)] as const);
  for (const [name, value] of Object.entries(members))
    Object.defineProperty(holder, name, { value, configurable: true, writable: true });
  return () => {
    for (const [name, was] of before)
      if (was === undefined) Reflect.deleteProperty(holder, name);
      else Object.defineProperty(holder, name, was);
  };
}

const someDay = Date.UTC(2026, 10, 30);

/** The time stands still. */
function pinnedTime(): Ambient {
  class Still extends Date {
    constructor(...given: readonly []) {
      if (given.length === 0) super(someDay);
      else super(...given);
    }
    static override now(): number {
      return someDay;
    }
  }
  const undo = [
    replaced(globalThis, { Date: Still }),
    replaced(performance, { now: () => 0 }),
    replaced(process, { hrtime: Object.assign(() => [0, 0], { bigint: () => 0n }) }),
  ];
  return { ...none, restore: () => undo.forEach((each) => void each()) };
}

/** Chance is the same each time. */
function pinnedChance(): Ambient {
  let state = 1;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const fill = <Bytes extends ArrayBufferView>(view: Bytes): Bytes => {
    const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
    for (let at = 0; at < bytes.length; at++) bytes[at] = Math.floor(next() * 256);
    return view;
  };
  const uuid = (): string => {
    const hex = fill(Buffer.alloc(16)).toString("hex");
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
  };
  const undo = [
    replaced(Math, { random: next }),
    replaced(globalThis.crypto, { randomUUID: uuid, getRandomValues: fill }),
    replaced(crypto, {
      randomUUID: uuid,
      randomBytes: (size: number) => fill(Buffer.alloc(size)),
      randomInt: (low: number, high?: number) =>
        high === undefined ? Math.floor(next() * low) : low + Math.floor(next() * (high - low)),
    }),
  ];
  syncBuiltinESMExports();
  return {
    ...none,
    reset: () => {
      state = 1;
    },
    restore: () => {
      for (const each of undo) each();
      syncBuiltinESMExports();
    },
  };
}

/** Whoever waits longer than this waits for something else than the rest of a step. */
const longMs = 100;
const settleMsMax = 1_000;

/** Timers that are under way, so that a step can wait for them. */
function awaitedTimers(): Ambient {
  const { setTimeout: later, setImmediate: soon, clearTimeout: never, clearImmediate: notSoon } = globalThis;
  const due = new Set<unknown>();
  type Call = (...given: readonly unknown[]) => void;
  const undo = replaced(globalThis, {
    setTimeout: (call: Call, ms = 0, ...given: readonly unknown[]) => {
      const timer = later(() => {
        due.delete(timer);
        call(...given);
      }, ms);
      if (ms <= longMs) due.add(timer);
      return timer;
    },
    setImmediate: (call: Call, ...given: readonly unknown[]) => {
      const timer = soon(() => {
        due.delete(timer);
        call(...given);
      });
      due.add(timer);
      return timer;
    },
    clearTimeout: (timer: NodeJS.Timeout) => {
      due.delete(timer);
      never(timer);
    },
    clearImmediate: (timer: NodeJS.Immediate) => {
      due.delete(timer);
      notSoon(timer);
    },
  });
  const settle = async (): Promise<void> => {
    const until = performance.now() + settleMsMax;
    // A little longer than the last timer: what it began may be on its way through the file system.
    do await new Promise((resolve) => later(resolve, 1));
    while (due.size > 0 && performance.now() < until);
  };
  return { ...none, settle, restore: undo };
}
