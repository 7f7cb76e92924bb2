/**
 * Who runs next. Everything that waits for the world, and every continuation of a client, passes a point: under fast-check's
 * scheduler it is a task that the seed releases; for real it is a promise, a turn of the loop, or a message from a thread.
 */
import { Worker } from "node:worker_threads";
import type { Scheduler } from "fast-check";

export interface Schedule {
  /** Resolves when it is this one's turn. */
  point(label: string): Promise<void>;
  /** Until nothing is left that passes a point; `rested` is told when nothing but points was left. */
  run(rested: () => void): Promise<void>;
}

/** Those who take their time pass several. */
const patience: readonly number[] = [0, 0, 3, 8];
export async function passing({ point }: Schedule, label: string, slowness: number): Promise<void> {
  for (let left = patience[slowness % patience.length] ?? 0; left >= 0; left--) await point(label);
}

/** Microtasks run to the end in between: a turn of the loop comes after all of them. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * After each task so many microtasks pass before the next; `paceMax` and more is until none is left. So a signal may be
 * aborted between the promise of an answer and the command that it becomes.
 */
export function scheduled(scheduler: Scheduler, pace: readonly number[]): Schedule {
  return {
    point: (label) => scheduler.schedule(Promise.resolve(), label),
    run: async (rested) => {
      for (let index = 0; ; index++) {
        const microtasks = pace[index % Math.max(1, pace.length)] ?? paceMax;
        if (microtasks >= paceMax || scheduler.count() === 0) {
          await turn();
          rested();
        } else for (let left = microtasks; left > 0; left--) await Promise.resolve();
        if (scheduler.count() === 0) return;
        await scheduler.waitOne();
      }
    },
  };
}
export const paceMax = 9;

/** A thread that sends every message back: how long that takes nobody knows. */
export interface Echo {
  wait(): Promise<void>;
  close(): Promise<void>;
}
export function echo(): Echo {
  const source =
    'const { parentPort } = require("node:worker_threads"); parentPort.on("message", (it) => parentPort.postMessage(it));';
  const worker = new Worker(source, { eval: true });
  const waiting = new Map<number, () => void>();
  let sent = 0;
  worker.on("message", (it: number) => {
    waiting.get(it)?.();
    waiting.delete(it);
  });
  return {
    wait: () =>
      new Promise((resolve) => {
        sent++;
        waiting.set(sent, resolve);
        worker.postMessage(sent);
      }),
    close: async () => {
      await worker.terminate();
    },
  };
}

/** Nothing is simulated: `choices` only says by which way each point goes. */
export function real(thread: Echo, choices: readonly number[]): Schedule {
  let passed = 0;
  let open = 0;
  const way = async (choice: number): Promise<void> => {
    if (choice % 4 === 3) return await thread.wait();
    if (choice % 4 === 2) return await turn();
    for (let left = choice >> 2; left > 0; left--) await Promise.resolve();
  };
  return {
    point: async () => {
      open++;
      await way(choices[passed++ % Math.max(1, choices.length)] ?? 0);
      open--;
    },
    run: async () => {
      for (let quiet = 0; quiet < 2; quiet = open === 0 ? quiet + 1 : 0) await turn();
    },
  };
}
