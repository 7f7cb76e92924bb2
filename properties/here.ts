/** Tells the stories of a run one after another in this process. */
import { breathing } from "./breath.ts";
import { indexAt, type Numbers } from "./numbers.ts";
import { type Judging, type Tale, taleOf } from "./tale.ts";
import type { Target } from "./target.ts";

export interface Telling {
  readonly judging: Judging;
  readonly numbers: Numbers;
  /** Given each tale in the order of their numbers; answers whether there is to be another. */
  readonly take: (tale: Tale) => boolean;
  /** Whether to begin no further story. */
  readonly isOver: () => boolean;
}

export async function tellHere(target: Target, { judging, numbers, take, isOver }: Telling): Promise<void> {
  const breath = breathing();
  for (let place = 0; place < numbers.count; place++) {
    await breath();
    if (isOver() || !take(await taleOf(target, judging, indexAt(numbers, place)))) return;
  }
}
