/** A clock that moves only when it is told to: timers fire within `advance`, earliest first. */
import type { Clock } from "../../src/index.ts";

export interface ManualClock extends Clock {
  advance(ms: number): void;
}

export function manualClock(): ManualClock {
  let now = 0;
  let timers: { readonly at: number; readonly call: () => void }[] = [];
  return {
    now: () => now,
    after: (ms, call) => {
      const timer = { at: now + ms, call };
      timers.push(timer);
      return () => {
        timers = timers.filter((each) => each !== timer);
      };
    },
    advance: (ms) => {
      now += ms;
      for (;;) {
        const [due] = timers.filter(({ at }) => at <= now).sort((one, other) => one.at - other.at);
        if (due === undefined) return;
        timers = timers.filter((each) => each !== due);
        due.call();
      }
    },
  };
}
