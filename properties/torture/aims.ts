/** How the next process is to die: at the named point where fewest have, wherever it is after so many, or at any moment. */
import type { Death } from "../targets/torture/points.ts";
import type { Chance } from "./chance.ts";

export type Aim =
  | { readonly is: "point"; readonly death: Death & { readonly point: string } }
  | { readonly is: "count"; readonly death: Death }
  /** Sent from here, so many milliseconds after the work was handed over. */
  | { readonly is: "moment"; readonly afterMs: number };

/** Work that is killed apart: making or restoring an archive, and going on with a story. */
export type Work = "opening" | "going";

export interface Aims {
  /** `recovers` where turns were cut off that the next opening has to settle. */
  next(work: Work, chance: Chance, recovers?: boolean): Aim;
  /** What work took, and the points it passed, where it came to its end. */
  came(work: Work, ms: number, passed: { readonly [point: string]: number }): void;
  killedAt(point: string): void;
  /** Kills by point; known points at which nobody was killed with 0. */
  kills(): ReadonlyMap<string, number>;
}

/** Points of an opening, by their first words. */
const isOpening = (point: string): boolean => /^(create|open|restore|recovery|read-only)/.test(point);
const isRecovery = (point: string): boolean => point.startsWith("recovery");
/** How often a point is passed at most before it is aimed at. */
const timesMax = 4;

export function aims(): Aims {
  const kills = new Map<string, number>();
  const passedMost = new Map<string, number>();
  const typicalMs: { [work in Work]: number } = { opening: 10, going: 20 };
  const pointFor = (work: Work, chance: Chance, recovers: boolean): string | undefined => {
    const those = recovers && chance.in100(60) ? isRecovery : isOpening;
    const known = [...kills].filter(([point]) => (work === "opening" ? those(point) : !isOpening(point)));
    if (chance.in100(30)) return chance.of(known)?.[0];
    const least = Math.min(...known.map(([, count]) => count));
    return chance.of(known.filter(([, count]) => count === least))?.[0];
  };
  return {
    next: (work, chance, recovers = false) => {
      const die = chance.below(100);
      const point = die < 60 ? pointFor(work, chance, recovers) : undefined;
      if (point !== undefined) {
        const times = Math.min(timesMax, passedMost.get(point) ?? 1);
        return { is: "point", death: { point, nth: 1 + chance.below(times) } };
      }
      if (die < 70) return { is: "count", death: { point: null, nth: 1 + chance.below(120) } };
      return { is: "moment", afterMs: (chance.below(1_000) / 1_000) * typicalMs[work] * 1.2 };
    },
    came: (work, ms, passed) => {
      typicalMs[work] = typicalMs[work] * 0.9 + ms * 0.1;
      for (const [point, times] of Object.entries(passed)) {
        if (!kills.has(point)) kills.set(point, 0);
        passedMost.set(point, Math.max(times, passedMost.get(point) ?? 0));
      }
    },
    killedAt: (point) => {
      kills.set(point, (kills.get(point) ?? 0) + 1);
    },
    kills: () => kills,
  };
}
