/** How the next process is to die: at the named points where fewest have, wherever it is after so many, or at any moment. */
import type { Death } from "../targets/torture/points.ts";
import type { Chance } from "./chance.ts";

export type Aim =
  | { readonly is: "point"; readonly death: Death }
  /** Sent from here, so many milliseconds after the work was handed over. */
  | { readonly is: "moment"; readonly afterMs: number };

/** Work that is killed apart: making or restoring an archive, and going on with a story. */
export type Work = "opening" | "going";

export interface Aims {
  /** `recovers` where turns were cut off that the next opening has to settle. */
  next(work: Work, chance: Chance, recovers?: boolean): Aim;
  /** What work took, and the points it passed, where it came to its end. */
  came(work: Work, ms: number, passed: { readonly [point: string]: number }): void;
  /** There are these, too. */
  knows(points: readonly string[]): void;
  killedAt(point: string): void;
  /** Kills by point; known points at which nobody was killed with 0. */
  kills(): ReadonlyMap<string, number>;
}

/** Points of an opening, by their first words. */
const isOpening = (point: string): boolean => /^(create|open|restore|recovery|read-only)/.test(point);
/** Told apart by whoever kills migrations. */
const isMigration = (point: string): boolean => point.startsWith("migration");
const isRecovery = (point: string): boolean => point.startsWith("recovery");
/** Passed in work of either kind before a process dies anywhere, at most. */
const passedMax = 120;

/** `only`: these points, whatever goes on. */
export function aims(only?: readonly string[]): Aims {
  const kills = new Map<string, number>();
  const typicalMs: { [work in Work]: number } = { opening: 10, going: 20 };
  /** The third of the points of such work at which fewest have died. */
  const rarest = (work: Work, recovers: boolean, chance: Chance): readonly string[] => {
    const those = recovers && chance.in100(60) ? isRecovery : isOpening;
    const known = [...kills].filter(([point]) =>
      work === "opening" ? those(point) : !isOpening(point) && !isMigration(point),
    );
    const sorted = known.sort(([, one], [, other]) => one - other);
    return sorted.slice(0, Math.ceil(sorted.length / 3)).map(([point]) => point);
  };
  const knows = (points: readonly string[]): void => {
    for (const point of points) if (!kills.has(point)) kills.set(point, 0);
  };
  return {
    knows,
    next: (work, chance, recovers = false) => {
      if (only !== undefined) return { is: "point", death: { points: only, nth: 1 + chance.below(3) } };
      const die = chance.below(100);
      const points = die < 55 ? rarest(work, recovers, chance) : [];
      if (points.length > 0) return { is: "point", death: { points, nth: 1 + chance.below(3) } };
      if (die < 75) return { is: "point", death: { points: null, nth: 1 + chance.below(passedMax) } };
      return { is: "moment", afterMs: (chance.below(1_000) / 1_000) * typicalMs[work] * 1.2 };
    },
    came: (work, ms, passed) => {
      typicalMs[work] = typicalMs[work] * 0.9 + ms * 0.1;
      knows(Object.keys(passed));
    },
    killedAt: (point) => {
      kills.set(point, (kills.get(point) ?? 0) + 1);
    },
    kills: () => kills,
  };
}
