/**
 * A clock that moves only when it is told to: timers fire within `advance`, earliest first. Deadlines of gates are none of its
 * timers: they run out when a step says so.
 */
import type { Gate } from "../../src/contract.ts";
import type { Clock, Deadlines } from "../../src/index.ts";

/** The deadline of one gate, until it is cancelled. */
export interface Deadline {
  isCancelled: boolean;
  readonly runOut: () => void;
}
export interface ManualClock extends Clock {
  advance(ms: number): void;
  /** Timers that were set and neither fired nor cancelled; deadlines not counted. */
  pending(): number;
  /** The next deadline of this kind that was set and is nobody's yet. */
  takeDeadline(gate: Gate): Deadline | null;
}

/** No time that anybody waits: a timer of so many milliseconds is the deadline of that gate. */
const deadlineMs: { readonly [gate in Gate]: number } = {
  hydrate: 10_000_000_001,
  prepare: 10_000_000_002,
  dispatch: 10_000_000_003,
  abort: 10_000_000_004,
  handler: 10_000_000_005,
};
export const deadlines: Deadlines = {
  hydrateMs: deadlineMs.hydrate,
  prepareMs: deadlineMs.prepare,
  dispatchMs: deadlineMs.dispatch,
  abortMs: deadlineMs.abort,
  handlerMs: deadlineMs.handler,
};
/** So that a time which nobody took from the clock is told from one that somebody did. */
const beginning = 1_000;

export function manualClock(): ManualClock {
  let now = beginning;
  let timers: { readonly at: number; readonly call: () => void }[] = [];
  const due: { readonly ms: number; readonly deadline: Deadline }[] = [];
  return {
    now: () => now,
    after: (ms, call) => {
      if (ms >= deadlineMs.hydrate) {
        const deadline = { isCancelled: false, runOut: call };
        due.push({ ms, deadline });
        return () => {
          deadline.isCancelled = true;
        };
      }
      const timer = { at: now + ms, call };
      timers.push(timer);
      return () => {
        timers = timers.filter((each) => each !== timer);
      };
    },
    advance: (ms) => {
      now += ms;
      for (;;) {
        const [first] = timers.filter(({ at }) => at <= now).sort((one, other) => one.at - other.at);
        if (first === undefined) return;
        timers = timers.filter((each) => each !== first);
        first.call();
      }
    },
    pending: () => timers.length,
    takeDeadline: (gate) => {
      const at = due.findIndex(({ ms, deadline }) => ms === deadlineMs[gate] && !deadline.isCancelled);
      return at < 0 ? null : (due.splice(at, 1)[0]?.deadline ?? null);
    },
  };
}
