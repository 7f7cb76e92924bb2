/** What many hunts come to: of one fault, of all of them, and of each law. */
import { laws } from "../../model/index.ts";
import type { Kill } from "./hunt.ts";

export interface Verdict {
  readonly name: string;
  readonly is: "twin" | "planted";
  readonly does: string;
  readonly kills: readonly Kill[];
  /** Seeds with which it lived. */
  readonly survived: readonly number[];
  /** Laws that find it where nothing is compared; none: only a comparison does. */
  readonly byLaws: readonly number[];
  /** Steps of the shortest story known; `null` where none is. */
  readonly shortest: number | null;
}

/** Of a sorted copy, the value below which so many of a hundred are; infinite where there is none. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] ?? Number.POSITIVE_INFINITY;
}

/** With those that lived counted as never found. */
export function storiesOf({ kills, survived }: Pick<Verdict, "kills" | "survived">): readonly number[] {
  return [...kills.map(({ stories }) => stories), ...survived.map(() => Number.POSITIVE_INFINITY)];
}
export const lengthsOf = ({ kills }: Pick<Verdict, "kills">): readonly number[] =>
  kills.flatMap(({ shrunk }) => (shrunk === null ? [] : [shrunk.length]));
export const executionsOf = ({ kills }: Pick<Verdict, "kills">): readonly number[] =>
  kills.flatMap(({ shrunk }) => (shrunk === null ? [] : [shrunk.executions]));

export interface LawTally {
  readonly number: number;
  /** Faults that broke it when they were first seen. */
  readonly kills: number;
  /** Faults that broke nothing else when they were first seen, with some seed. */
  readonly alone: number;
}

export function lawsOf(verdicts: readonly Verdict[]): readonly LawTally[] {
  return laws.map(({ number }) => {
    const broke = (kill: Kill): boolean => kill.laws.includes(number);
    const only = (kill: Kill): boolean => broke(kill) && kill.laws.length === 1;
    return {
      number,
      kills: verdicts.filter(({ kills, byLaws }) => kills.some(broke) || byLaws.includes(number)).length,
      alone: verdicts.filter(({ kills }) => kills.some(only)).length,
    };
  });
}

/** What is asked of the checker, and what there is: over all hunts. */
export interface Sum {
  readonly hunts: number;
  readonly lived: readonly string[];
  readonly storiesMedian: number;
  readonly storiesP95: number;
  /** Shrunk stories of faults whose shortest is known: how many, how many of the shortest known length, which are longer by more than one step. */
  readonly shrunk: number;
  readonly shortest: number;
  readonly overlong: readonly string[];
  readonly executionsMedian: number;
}

export function sumOf(verdicts: readonly Verdict[]): Sum {
  const stories = verdicts.flatMap(storiesOf);
  const longer = verdicts.flatMap((each) => {
    const { name, shortest } = each;
    return shortest === null ? [] : lengthsOf(each).map((length) => ({ name, by: length - shortest }));
  });
  return {
    hunts: stories.length,
    lived: verdicts.filter(({ survived }) => survived.length > 0).map(({ name }) => name),
    storiesMedian: percentile(stories, 50),
    storiesP95: percentile(stories, 95),
    shrunk: longer.length,
    shortest: longer.filter(({ by }) => by <= 0).length,
    overlong: [...new Set(longer.filter(({ by }) => by > 1).map(({ name }) => name))],
    executionsMedian: percentile(verdicts.flatMap(executionsOf), 50),
  };
}
