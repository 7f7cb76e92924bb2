/**
 * Timing: all cases of a subject in turn, round after round, forwards and backwards, so that whatever slows the machine
 * for a moment slows all of them; medians at the end. What a sample prepares and tidies is not timed. L31 and the like
 * are shown by counters, not here.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Bench } from "tinybench";

/** Times from the start of the sample, by the name of what was reached, in the order in which it was reached. */
export type Laps = { readonly [lap: string]: number };
export interface Case {
  readonly name: string;
  /** Samples a round, one after the other, where one costs next to nothing; 1 unless told. */
  readonly times?: number;
  /** Prepares, measures with `stopwatch`, tidies. */
  sample(): Promise<Laps>;
}
export interface Timing {
  readonly median: number;
  /** Quartiles. */
  readonly low: number;
  readonly high: number;
  readonly samples: number;
  /** In the order in which they were taken: the same place in two cases is the same round. */
  readonly all: readonly number[];
}
export interface Effort {
  /** After the first round, which only warms up. */
  readonly roundsMin: number;
  /** No further round begins after so many milliseconds. */
  readonly budgetMs: number;
  /** Collects garbage before each case's turn: for cases that leave much of it to whoever comes next. */
  readonly collects?: boolean;
}
/** Timings by case and lap. */
export type Timings = ReadonlyMap<string, ReadonlyMap<string, Timing>>;

const roundsMax = 200;
/** A case that has so many samples and has used the whole budget by itself takes no further turn: the others go on without it. */
const samplesOfSlow = 3;

/** Reads the milliseconds since it was made. */
export function stopwatch(): () => number {
  const began = performance.now();
  return () => performance.now() - began;
}

function collector(): () => void {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  return () => {
    if (typeof collect === "function") collect();
  };
}

function quantile(sorted: readonly number[], q: number): number {
  const at = (sorted.length - 1) * q;
  const [low, high] = [sorted[Math.floor(at)] ?? Number.NaN, sorted[Math.ceil(at)] ?? Number.NaN];
  return low + (high - low) * (at - Math.floor(at));
}
export function timingOf(samples: readonly number[]): Timing {
  const sorted = samples.toSorted((one, other) => one - other);
  return {
    median: quantile(sorted, 0.5),
    low: quantile(sorted, 0.25),
    high: quantile(sorted, 0.75),
    samples: samples.length,
    all: samples,
  };
}

/** So many samples of each case; a sample that rejects ends the run. */
async function round(cases: readonly Case[], collect: () => void, found: (name: string, laps: Laps) => void) {
  for (const { name, times = 1, sample } of cases) {
    // A bench of its own for each turn: tinybench runs one task to its end before the next.
    const bench = new Bench({ time: 0, iterations: times, warmup: false, throws: true });
    collect();
    const run = async () => {
      const laps = await sample();
      found(name, laps);
      return { overriddenDuration: Math.max(0, ...Object.values(laps)) };
    };
    await bench.add(name, run, { async: true }).run();
  }
}

export async function interleave(cases: readonly Case[], effort: Effort): Promise<Timings> {
  const collect = effort.collects === true ? collector() : () => {};
  const samples = new Map(cases.map(({ name }) => [name, new Map<string, number[]>()]));
  const spent = new Map<string, number>();
  const timed = cases.map(
    (each): Case => ({
      ...each,
      sample: async () => {
        const took = stopwatch();
        const laps = await each.sample();
        spent.set(each.name, (spent.get(each.name) ?? 0) + took());
        return laps;
      },
    }),
  );
  await round(timed, collect, () => {});
  spent.clear();
  const elapsed = stopwatch();
  for (let done = 0; done < effort.roundsMin || (elapsed() < effort.budgetMs && done < roundsMax); done++) {
    const going = timed.filter(({ name }) => done < samplesOfSlow || (spent.get(name) ?? 0) < effort.budgetMs);
    await round(done % 2 === 0 ? going : going.toReversed(), collect, (name, laps) => {
      const of = samples.get(name) ?? new Map<string, number[]>();
      for (const [lap, ms] of Object.entries(laps)) of.set(lap, [...(of.get(lap) ?? []), ms]);
    });
  }
  return new Map(
    [...samples].map(([name, laps]) => [name, new Map([...laps].map(([lap, all]) => [lap, timingOf(all)]))]),
  );
}

/** A name that was never measured is a bug of the bench. */
export function timingAt(timings: Timings, name: string, lap: string): Timing {
  const timing = timings.get(name)?.get(lap);
  if (timing === undefined) throw new Error(`nothing was measured for ${name}, ${lap}`);
  return timing;
}
export function medianOf(timings: Timings, name: string, lap: string): number {
  return timingAt(timings, name, lap).median;
}
/** One against another, pair by pair: what slowed a round slowed both, and the median is of their ratios. */
export function ratios(one: Timing, other: Timing): Timing {
  const pairs = Math.min(one.samples, other.samples);
  return timingOf(one.all.slice(0, pairs).map((each, at) => each / (other.all[at] ?? Number.NaN)));
}
