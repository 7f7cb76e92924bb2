/**
 * Where it comes from that a story is not the same twice. Guessing would send people the wrong way: a source is named only where
 * the difference comes back with nothing pinned and stays away with that source pinned; else it is unknown.
 */
import { breathing } from "./breath.ts";
import type { Sight } from "./sights.ts";
import { type Parting, parting } from "./sights.ts";
import type { Story } from "./stories.ts";
import { type Judging, tell } from "./tale.ts";
import type { OpenTarget, Source, Target } from "./target.ts";

export interface Origin {
  /** Pinning any one of these makes the difference go away; none where nothing is known. */
  readonly sources: readonly Source[];
  /** How that is known, or why it is not. */
  readonly why: string;
  /** What differed first between two tellings, where none had been seen yet. */
  readonly parting: Parting | null;
}

/** Told so often with nothing pinned, to learn how often it differs. */
const plainTimes = 20;
/** With a source pinned it is told so often that a difference would show in 99 of 100 cases, and no more than this. */
const pinnedTimes = { least: 6, most: 60, missed: 0.01 };

interface Told {
  readonly times: number;
  /** Tellings that were not as the one before. */
  readonly unlike: number;
  readonly first: Parting | null;
}

export async function originOf(
  target: Target,
  open: OpenTarget,
  told: Story,
  { oracle }: Judging,
  signal?: AbortSignal,
): Promise<Origin> {
  const breath = breathing();
  const several = async (on: Target, times: number): Promise<Told> => {
    let before: readonly Sight[] | null = null;
    let [unlike, done, first] = [0, 0, null as Parting | null]; // null has no type of its own to widen
    for (; done < times && signal?.aborted !== true; done++) {
      await breath();
      const { sights }: { readonly sights: readonly Sight[] } = await tell(on, told, oracle);
      const parted = before === null ? null : parting(on.capabilities, before, sights);
      if (parted !== null) [unlike, first] = [unlike + 1, first ?? parted];
      before = sights;
    }
    return { times: done, unlike, first };
  };

  const plain = await several(target, plainTimes);
  const unknown = (why: string): Origin => ({ sources: [], why, parting: plain.first });
  const seen = `${plain.unlike} of ${plain.times} tellings differ from the one before`;
  if (plain.unlike === 0)
    return unknown(`told ${plain.times} times alone it was the same each time: it may depend on the stories before it`);
  const pins = target.pins ?? [];
  if (pins.length === 0) return unknown(`${seen}; ${target.name} has nothing that can be pinned`);

  const share = plain.unlike / (plain.times - 1);
  const enough = share >= 1 ? 0 : Math.ceil(Math.log(pinnedTimes.missed) / Math.log(1 - share));
  const times = 1 + Math.min(pinnedTimes.most, Math.max(pinnedTimes.least, enough));
  const sources: Source[] = [];
  for (const source of pins) {
    const pinned = await open(source);
    try {
      const { unlike, times: done } = await several(pinned, times);
      if (unlike === 0 && done === times && enough <= pinnedTimes.most) sources.push(source);
    } finally {
      await pinned.close();
    }
  }
  if (sources.length === 0) return unknown(`${seen}, whatever is pinned (${pins.join(", ")})`);
  return { sources, why: `${seen}; with it pinned none of ${times} does`, parting: plain.first };
}
