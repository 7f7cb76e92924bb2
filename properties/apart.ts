/**
 * Tells the stories of a run in several processes at once. Whatever their speed, tales are taken in the order of their numbers,
 * and none behind the first that failed: the result is that of one process.
 */
import { type ChildProcess, fork } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Telling } from "./here.ts";
import { indexAt } from "./numbers.ts";
import type { Judging, Tale } from "./tale.ts";
import { leash } from "./targets/leash.ts";
import type { TargetOptions } from "./targets/named.ts";
import { Unusable } from "./unusable.ts";

/** To a worker: stories to tell, or the number behind which none counts any more. */
export type Ask = { readonly tell: readonly number[] } | { readonly limit: number };
/** From a worker. A batch may come back short, of what no longer counts. */
export type Said =
  | { readonly opened: true }
  | { readonly tales: readonly Tale[]; readonly asked: number; readonly ms: number }
  | { readonly unusable: string; readonly exit: 2 | 3 | 4 }
  | { readonly bug: string };

interface Worker {
  readonly child: ChildProcess;
  readonly gone: Promise<void>;
}

export interface Apart extends Telling {
  /** Of the target; each worker opens its own. */
  readonly name: string;
  readonly options?: TargetOptions | undefined;
  readonly workers: number;
  readonly signal?: AbortSignal | undefined;
}

/** A batch takes about so long: short enough to stop in time, long enough that messages cost nothing. */
const batchMs = 80;
const batchMax = 100;
/** Batches that a worker has at once: one that it tells, one that lies ready. */
const ahead = 2;
const leaveMs = 5_000;
/** Each worker has one thread, so that as many as there are cores do not wait for one another's helpers; young objects die young. */
const runtime = ["--single-threaded", "--max-semi-space-size=64"];

/** Beside this file where it was built, else in `dist/`: Node 20 runs no TypeScript. */
function program(): string {
  const places = ["./worker.js", "../dist/properties/worker.js"];
  const found = places.map((each) => fileURLToPath(new URL(each, import.meta.url))).find((file) => existsSync(file));
  if (found === undefined) throw new Unusable(4, "what tells stories in several processes is not built: npm run build");
  return found;
}

function started(name: string, options: TargetOptions, { seed, oracle, covers }: Judging): Worker {
  // What a target prints is not ours to mix with what programs read.
  const given = [name, JSON.stringify(options), String(seed), oracle, covers === true ? "covers" : ""];
  const child = fork(program(), given, {
    execArgv: [...process.execArgv, ...runtime],
    serialization: "advanced",
    stdio: ["ignore", 2, 2, "ipc"],
  });
  return { child, gone: new Promise<void>((resolve) => child.once("exit", () => resolve())) };
}

export async function tellApart(apart: Apart): Promise<void> {
  const { name, options = {}, workers, judging, numbers, take, isOver, signal } = apart;
  const all = Array.from({ length: Math.min(workers, numbers.count) }, () => started(name, options, judging));
  const release = leash(() => {
    for (const { child } of all) child.kill();
  });
  const listening = new AbortController();
  try {
    await new Promise<void>((resolve, reject) => {
      const early = new Map<number, Tale>();
      let [opened, given, taken, open, rate, isDone] = [0, 0, 0, 0, 0, false];
      let limit = Number.POSITIVE_INFINITY;

      const hand = ({ child }: Worker): boolean => {
        if (isDone || isOver() || given >= numbers.count || indexAt(numbers, given) > limit) return false;
        const count = Math.max(1, Math.min(batchMax, Math.round(batchMs * rate), numbers.count - given));
        const tell = Array.from({ length: count }, (_, more) => indexAt(numbers, given + more));
        given += count;
        open++;
        child.send({ tell } satisfies Ask);
        return true;
      };
      const receive = (tales: readonly Tale[]): void => {
        for (const tale of tales) {
          early.set(tale.index, tale);
          if (tale.wrong === null || tale.index >= limit) continue;
          limit = tale.index;
          for (const { child } of all) if (child.connected) child.send({ limit } satisfies Ask);
        }
        for (let next = early.get(indexAt(numbers, taken)); next !== undefined && !isDone; ) {
          early.delete(next.index);
          isDone = !take(next);
          next = early.get(indexAt(numbers, ++taken));
        }
      };
      const hear = (worker: Worker, said: Said): void => {
        if ("bug" in said) reject(new Error(said.bug));
        else if ("unusable" in said) reject(new Unusable(said.exit, said.unusable));
        else if ("opened" in said) {
          opened++;
          for (let more = 0; more < ahead && hand(worker); more++);
        } else {
          open--;
          rate = said.tales.length / Math.max(0.01, said.ms);
          receive(said.tales);
          hand(worker);
        }
        if (isDone || (open === 0 && opened === all.length)) resolve();
      };
      for (const worker of all) {
        const { child } = worker;
        child.on("message", (message: unknown) => hear(worker, message as Said)); // its program is of the same build
        child.on("error", reject);
        child.once("exit", (code, how) => {
          const last = indexAt(numbers, Math.max(0, given - 1)) + 1;
          reject(
            new Unusable(
              4,
              `${name} ended a process that told it stories (${how ?? `exit code ${code}`}) up to story ${last}`,
            ),
          );
        });
      }
      if (signal?.aborted === true) resolve();
      signal?.addEventListener("abort", () => resolve(), { once: true, signal: listening.signal });
    });
  } finally {
    listening.abort();
    await Promise.all(all.map((worker) => ended(worker, signal?.aborted === true)));
    release();
  }
}

/** Lets it close its target; kills it where nobody wants to wait, or it takes too long. */
async function ended({ child, gone }: Worker, isHasty: boolean): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  if (isHasty) child.kill();
  else if (child.connected) child.disconnect();
  const late = setTimeout(() => child.kill("SIGKILL"), leaveMs);
  await gone;
  clearTimeout(late);
}
