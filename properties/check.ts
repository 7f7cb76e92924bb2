/**
 * Checks a target: generated stories, here or in several processes, until one fails, their number is told or their time is
 * over; then the one that failed is looked into.
 */
import { goals } from "../model/index.ts";
import type { Level } from "../src/contract.ts";
import { tellApart } from "./apart.ts";
import { type Coverage, type Covering, covering } from "./coverage/coverage.ts";
import { type Failed, lookedInto } from "./failed.ts";
import { tellHere } from "./here.ts";
import type { Oracle } from "./loop.ts";
import { type Numbers, numbersOf, type Shard } from "./numbers.ts";
import type { Judging, Tale, Wrong } from "./tale.ts";
import { called, type OpenTarget, type Shim, type Target } from "./target.ts";
import type { TargetOptions } from "./targets/named.ts";
import { Unusable } from "./unusable.ts";

export interface CheckOptions {
  readonly runs: number;
  readonly seed: number;
  readonly open: OpenTarget;
  /** What judges; laws and comparison unless told. */
  readonly oracle?: Oracle;
  /** Whether to say what the stories cover. */
  readonly covers?: boolean;
  /** Tells this part of the run; the whole unless told. */
  readonly shard?: Shard | undefined;
  /** Tells this story only, by its number from 1. */
  readonly story?: number | undefined;
  /** Begins no story after so many milliseconds, but always one. */
  readonly budgetMs?: number | undefined;
  /** Tells in so many processes, each of which opens the target by this name and with these options; in this one unless told. */
  readonly workers?: { readonly name: string; readonly options?: TargetOptions; readonly count: number } | undefined;
  /** Executions spent on shrinking. */
  readonly shrinksMax?: number;
  /** Ends it early, with what there was. */
  readonly signal?: AbortSignal | undefined;
  readonly progress?: (stories: number, steps: number) => void;
}

export interface Checked {
  readonly target: string;
  /** Of agreement, as the target promises or as it was asked for. */
  readonly level: Level;
  readonly oracle: Oracle;
  /** What the target was given beside the implementation. */
  readonly shims: readonly Shim[];
  /** It can take pictures of its screen. */
  readonly pictures: boolean;
  readonly seed: number;
  /** Stories asked for, in this shard. */
  readonly asked: number;
  readonly stories: number;
  readonly steps: number;
  /** Steps that were refused, late or faulty. */
  readonly rebuffed: number;
  /** By goal, in how many stories it was reached. */
  readonly goals: ReadonlyMap<string, number>;
  /** Known divergences, and in how many stories they occurred. */
  readonly diverged: ReadonlyMap<string, number>;
  /** What differs only above the level that the target promises, and in how many stories: no failure. */
  readonly beyond: ReadonlyMap<string, number>;
  /** Known divergences that did not occur. */
  readonly missing: readonly string[];
  /** Where it was asked for. */
  readonly coverage: Coverage | null;
  readonly failed: Failed | null;
  readonly interrupted: boolean;
  /** The budget ran out before the stories did. */
  readonly spent: boolean;
  readonly ms: number;
}

/** Enough for any story where a step costs microseconds; a target that answers by promises is given fewer. */
const shrinksUsual = { quick: 5_000, slow: 1_000 };

export async function check(options: CheckOptions): Promise<Checked> {
  const { runs, seed, open, oracle = "both", shard, story, signal, workers } = options;
  const started = performance.now();
  const judging: Judging = { seed, oracle, covers: options.covers === true };
  const numbers: Numbers = story === undefined ? numbersOf(runs, shard) : { first: story - 1, apart: 1, count: 1 };
  const until = started + (options.budgetMs ?? Number.POSITIVE_INFINITY);
  let begun = false;
  const isOver = (): boolean => {
    const over = signal?.aborted === true || (begun && performance.now() >= until);
    begun = true;
    return over;
  };
  const target = await open();
  try {
    const added = summing(target, options.covers === true ? covering() : null, options.progress);
    const telling = { judging, numbers, take: added.take, isOver };
    try {
      if (workers === undefined || workers.count < 2) await tellHere(target, telling);
      else await tellApart({ ...telling, ...workers, workers: workers.count, signal });
    } catch (error) {
      // Ctrl-C reaches a target's processes as well, and then they are gone in the middle of a story.
      if (!(error instanceof Unusable) || signal?.aborted !== true) throw error;
    }
    const { wrong, sums } = added.last();
    const usual = async (): Promise<number> => shrinksUsual[(await isQuick(target)) ? "quick" : "slow"];
    const failed =
      wrong === null
        ? null
        : await lookedInto(target, open, judging, wrong, { shrinksMax: options.shrinksMax ?? (await usual()), signal });
    const interrupted = signal?.aborted === true;
    const spent = failed === null && !interrupted && sums.stories < numbers.count;
    const isWhole = numbers.count === runs && !spent;
    return {
      ...{ target: target.name, level: target.capabilities.level, oracle, seed, asked: numbers.count },
      shims: target.capabilities.shims ?? [],
      pictures: target.picture !== undefined,
      ...sums,
      // Part of a run need not meet everything that the run would.
      ...(isWhole ? {} : { missing: [] }),
      ...{ failed, interrupted, spent, ms: performance.now() - started },
    };
  } finally {
    await target.close();
  }
}

type Sums = Pick<Checked, "stories" | "steps" | "rebuffed" | "goals" | "diverged" | "beyond" | "missing" | "coverage">;
type WrongTale = Tale & { readonly wrong: Wrong };
const isWrong = (tale: Tale): tale is WrongTale => tale.wrong !== null;

/** Adds up tales until one is wrong. */
function summing({ capabilities }: Target, covers: Covering | null, progress: CheckOptions["progress"]) {
  const reached = goals.map(() => 0);
  const diverged = new Map<string, number>();
  const beyond = new Map<string, number>();
  let [stories, steps, rebuffed] = [0, 0, 0];
  let wrong: WrongTale | null = null;
  const take = (tale: Tale): boolean => {
    stories++;
    steps += tale.steps;
    covers?.add(tale.cells, tale.goals);
    rebuffed += tale.rebuffed;
    for (const place of tale.goals) reached[place] = (reached[place] ?? 0) + 1;
    for (const what of tale.beyond) beyond.set(what, (beyond.get(what) ?? 0) + 1);
    for (const what of tale.diverged) diverged.set(what, (diverged.get(what) ?? 0) + 1);
    progress?.(stories, steps);
    if (isWrong(tale)) wrong = tale;
    return wrong === null;
  };
  const sums = (): Sums => ({
    ...{ stories, steps, rebuffed, diverged, beyond },
    coverage: covers?.sum() ?? null,
    goals: new Map(goals.map(({ name }, place) => [name, reached[place] ?? 0])),
    missing: (capabilities.diverges ?? []).map(called).filter((name) => !diverged.has(name)),
  });
  const last = (): { readonly wrong: WrongTale | null; readonly sums: Sums } => ({ wrong, sums: sums() });
  return { take, last };
}

/** Whether it answers at once, and not by a promise. */
async function isQuick(target: Target): Promise<boolean> {
  await target.reset({ capacity: 1, roles: {}, registrars: {}, archive: "memory", process: "same" });
  const answered = target.view();
  await answered;
  return !(answered instanceof Promise) && target.counters() === null;
}
