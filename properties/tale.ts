/** One story of a run, told by its number to a target: what came of it, in plain data that another process can be told of. */
import { goals } from "../model/index.ts";
import { addCells } from "./coverage/cells.ts";
import { type Oracle, type Run, run, type Watch } from "./loop.ts";
import { parting, type Sight, sightOf } from "./sights.ts";
import { type Story, storyAt, telling } from "./stories.ts";
import type { Target } from "./target.ts";

export interface Tale {
  /** In the run, from 0. */
  readonly index: number;
  readonly steps: number;
  /** Steps that were refused, late or faulty. */
  readonly rebuffed: number;
  /** Places in the list of goals. */
  readonly goals: readonly number[];
  /** Behaviours that it shows, where coverage is asked for. */
  readonly cells: readonly string[];
  /** Known divergences that it came to. */
  readonly diverged: readonly string[];
  /** What differs only above the level that the target promises. */
  readonly beyond: readonly string[];
  readonly wrong: Wrong | null;
}
export interface Wrong {
  /** Why it failed; none where it held and was not the same when it was told again. */
  readonly kinds: readonly string[];
  readonly sights: readonly Sight[];
  /** As it was told again where it held. */
  readonly again: readonly Sight[] | null;
}

/** Of so many stories that held, one is told again: what is not the same twice can be trusted neither time. */
const twiceEvery = 50;

const places: ReadonlyMap<string, number> = new Map(goals.map(({ name }, place) => [name, place]));

/** What makes a run what it is, whoever tells it. */
export interface Judging {
  readonly seed: number;
  readonly oracle: Oracle;
  /** Whether tales say what they cover. */
  readonly covers?: boolean;
}
export interface Telling {
  readonly run: Run;
  readonly sights: readonly Sight[];
  /** Known divergences, told past. */
  readonly diverged: ReadonlySet<string>;
}

/** A story is told without the steps that are known to differ, so that what lies behind them is seen; but not for ever. */
const detoursMax = 6;

/** Tells a story, and keeps all that was seen. */
export async function tell(
  target: Target,
  told: Story,
  oracle: Oracle,
  watched: Pick<Watch, "met" | "beyond" | "stepped"> = {},
): Promise<Telling> {
  let sights: Sight[] = [];
  const showed = (...seen: Parameters<typeof sightOf>): void => {
    sights.push(sightOf(...seen));
  };
  const watch = { ...watched, showed };
  const skipped = new Set<number>();
  const diverged = new Set<string>();
  let last: number | null = null;
  const drew = (draft: number | null): void => {
    last = draft;
  };
  for (;;) {
    sights = [];
    const next = telling(told, target.capabilities, { skipped, drew });
    const done = await run(target, told.shape.scope, next, watch, oracle);
    if (done.diverged !== null) diverged.add(done.diverged);
    if (done.diverged === null || last === null || skipped.size >= detoursMax) return { run: done, sights, diverged };
    skipped.add(last);
  }
}

export async function taleOf(target: Target, { seed, oracle, covers }: Judging, index: number): Promise<Tale> {
  const told = storyAt(seed, index);
  const met = new Set<number>();
  const cells = new Set<string>();
  const beyond = new Set<string>();
  const stepped: NonNullable<Watch["stepped"]> = (before, step, _, reply) => addCells(cells, before, step, reply);
  const {
    run: done,
    sights,
    diverged,
  } = await tell(target, told, oracle, {
    met: (goal) => met.add(places.get(goal) ?? -1),
    beyond: (what) => beyond.add(what),
    ...(covers === true ? { stepped } : {}),
  });
  return {
    ...{ index, steps: done.told.length, rebuffed: done.rebuffed, goals: [...met], cells: [...cells] },
    ...{ diverged: [...diverged], beyond: [...beyond] },
    wrong:
      done.failure !== null
        ? { kinds: done.failure.kinds, sights, again: null }
        : index % twiceEvery === 0
          ? await unlike(target, told, oracle, sights)
          : null,
  };
}

/** What was wrong with a story that held: it was not the same again. */
async function unlike(target: Target, told: Story, oracle: Oracle, sights: readonly Sight[]): Promise<Wrong | null> {
  const { sights: again } = await tell(target, told, oracle);
  return parting(target.capabilities, sights, again) === null ? null : { kinds: [], sights, again };
}
