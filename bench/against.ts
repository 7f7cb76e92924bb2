/**
 * This build against another checkout's, alternated in one run: reading whole conversations, and saving mails without waiting
 * for the disk. What is compared is how long each computes, not how long it takes: others' turns on the machine and the moods
 * of a disk are nobody's change. And how often the verdict is right, on slow-downs that are planted.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Content, strides } from "./content.ts";
import { stopwatch, timingOf } from "./measure.ts";
import type { Manner } from "./peers/peer.ts";
import { prose } from "./prose.ts";
import { type Staged, staged } from "./staged.ts";
import { type Verdict, verdictOf } from "./verdict.ts";

export const compared = ["hydrate", "save"] as const;
export type Compared = (typeof compared)[number];
const content: Content = { agents: 28, conversation: 50_000 };
/** Pairs of processes of a comparison. */
const processes = 8;
/** Old and new in turn, new and old, so many times in each pair of processes. */
const rounds = 24;
const warmUps = 4;
/** A sample is so many operations; about ten milliseconds of them. */
const inBatch: { readonly [what in Compared]: number } = { hydrate: 12, save: 24 };
const text = prose(7, 200);

interface Side {
  readonly folder: string;
  readonly manner: Manner;
}
/** An archive of its own for each, written by its own build. */
export async function sideOf(folder: string, name: string, manner: Manner): Promise<Side> {
  const side = { folder: join(folder, name), manner: { durability: "normal", ...manner } } as const;
  mkdirSync(side.folder, { recursive: true });
  const maker = staged({ peer: "rollcall", ...side });
  await maker.ask({ do: "create", content });
  await maker.end();
  return side;
}

async function batch(stage: Staged, of: Compared, next: () => string): Promise<number> {
  const paths = Array.from({ length: inBatch[of] }, next);
  return (await stage.ask({ do: "batch", of, paths, text })).laps["cpu"] ?? Number.NaN;
}
/** One ratio, new against old, of two processes that are started for it. */
async function pairOf(of: Compared, old: Side, now: Side, isOldFirst: boolean): Promise<number> {
  const sides = isOldFirst ? [old, now] : [now, old];
  const stages = sides.map((side) => staged({ peer: "rollcall", ...side }));
  const next = strides(content.agents);
  const ratios: number[] = [];
  try {
    for (const stage of stages) await stage.ask({ do: "open" });
    const [first, second] = stages;
    if (first === undefined || second === undefined) throw new Error("two processes are compared");
    for (let round = -warmUps; round < rounds; round++) {
      const inOrder = round % 2 === 0;
      const one = await batch(inOrder ? first : second, of, next);
      const other = await batch(inOrder ? second : first, of, next);
      const ratio = inOrder === isOldFirst ? other / one : one / other;
      if (round >= 0) ratios.push(ratio);
    }
    // Mails that were sent would make the next pair's mailboxes longer; reading them empties none, so they are few.
    for (const stage of stages) await stage.ask({ do: "close" });
  } finally {
    for (const stage of stages) await stage.end();
  }
  return timingOf(ratios).median;
}
export async function compare(of: Compared, old: Side, now: Side): Promise<Verdict & { readonly seconds: number }> {
  const elapsed = stopwatch();
  const ratios: number[] = [];
  for (let pair = 0; pair < processes; pair++) ratios.push(await pairOf(of, old, now, pair % 2 === 0));
  return { ...verdictOf(ratios), seconds: elapsed() / 1_000 };
}

export interface Trials {
  /** Planted slow-downs that were called slower, of so many. */
  readonly caught: number;
  readonly planted: number;
  /** Unchanged pairs that were called slower. */
  readonly blamed: number;
  readonly unchanged: number;
}
/** How often it is right about this build and itself, a tenth slower or not. */
export async function trials(
  of: Compared,
  count: number,
  sides: { readonly old: Side; readonly same: Side; readonly slower: Side },
  tell: (line: string) => void,
): Promise<Trials> {
  let [caught, blamed] = [0, 0];
  for (let done = 1; done <= count; done++) {
    const slower = await compare(of, sides.old, sides.slower);
    const same = await compare(of, sides.old, sides.same);
    caught += slower.is === "slower" ? 1 : 0;
    blamed += same.is === "slower" ? 1 : 0;
    const [planted, unchanged] = [slower, same].map(({ times, is }) => `${((times - 1) * 100).toFixed(1)} % ${is}`);
    tell(`${of} ${done}: planted 10 % found ${planted}; unchanged found ${unchanged}; ${same.seconds.toFixed(0)} s`);
  }
  return { caught, planted: count, blamed, unchanged: count };
}
