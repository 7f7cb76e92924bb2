/**
 * A small world told to a target, whole: every step from every state of the specification. A state is reached by the shortest
 * story to it. What is refused there leaves it as it was, so all of that is told at once; what leaves it is told by the stories
 * of where it leads, or ends a story of its own where those are told from elsewhere.
 */
import { movesOf } from "../../model/explore/moves.ts";
import { frame, type Small } from "../../model/explore.ts";
import { begin, step as decide, type World } from "../../model/index.ts";
import type { Scope, Step } from "../../src/contract.ts";
import { applicable } from "../applicable.ts";
import { digest } from "../digest.ts";
import { type Failure, run } from "../loop.ts";
import type { Capabilities, Target } from "../target.ts";
import type { Told } from "../trace.ts";

export interface WorldTold {
  /** Of the specification, as far as the target can be given steps. */
  readonly states: number;
  readonly transitions: number;
  readonly stories: number;
  readonly steps: number;
  /** Nothing was left out. */
  readonly fixpoint: boolean;
  readonly failed: { readonly told: readonly Told[]; readonly failure: Failure } | null;
}

interface State {
  readonly world: World;
  readonly from: State | null;
  readonly step: Step | null;
  readonly depth: number;
}

function storyTo(state: State): readonly Step[] {
  const steps: Step[] = [];
  for (let at: State | null = state; at !== null; at = at.from) if (at.step !== null) steps.unshift(at.step);
  return steps;
}

export interface WorldStory {
  readonly story: readonly Step[];
  /** So many of its steps lead to the state that it is about. */
  readonly way: number;
  /** What is known by then. */
  readonly states: number;
  readonly transitions: number;
}

/** Stories that take every transition, the shortest first. */
export function* worldStories(small: Small, can: Capabilities): Generator<WorldStory, boolean> {
  const { scope, menu, keyOf, isBeyond } = frame(small);
  const depthMax = small.depth ?? Number.POSITIVE_INFINITY;
  const states: State[] = [{ world: begin(digest, scope), from: null, step: null, depth: 0 }];
  const known = new Set<string>(states.map(({ world }) => keyOf(world)));
  let transitions = 0;
  let isWhole = true;
  for (const state of states) {
    const path = storyTo(state);
    const stays: Step[] = [];
    const leaves: Step[] = [];
    if (state.depth >= depthMax) isWhole = false;
    else
      for (const step of movesOf(state.world, menu)) {
        if (applicable(step, can, state.world) !== null) continue;
        transitions += 1;
        const { world: next } = decide(state.world, step);
        if (next === state.world) {
          stays.push(step);
          continue;
        }
        const key = isBeyond(next) ? null : keyOf(next);
        if (key === null || known.has(key)) leaves.push(step);
        else {
          known.add(key);
          // A generator's list grows while it is walked: breadth first.
          states.push({ world: next, from: state, step, depth: state.depth + 1 });
        }
      }
    const [first, ...others] = leaves;
    const counts = { way: path.length, states: states.length, transitions };
    yield { story: [...path, ...stays, ...(first === undefined ? [] : [first])], ...counts };
    for (const leave of others) yield { story: [...path, leave], ...counts };
  }
  return isWhole;
}

/** Until a story fails, there is none left, or the signal ends it. */
export async function tellWorld(
  target: Target,
  small: Small,
  { signal, progress }: { readonly signal?: AbortSignal; readonly progress?: (so: WorldTold) => void } = {},
): Promise<WorldTold> {
  const scope: Scope = frame(small).scope;
  let told: WorldTold = { states: 0, transitions: 0, stories: 0, steps: 0, fixpoint: false, failed: null };
  const going = worldStories(small, target.capabilities);
  for (let next = going.next(); ; next = going.next()) {
    if (next.done === true) return { ...told, fixpoint: next.value };
    if (signal?.aborted === true) return told;
    const { story, way, ...counts } = next.value;
    const tell = (steps: readonly Step[]) => run(target, scope, (_, index) => steps[index] ?? null);
    const { told: steps, failure } = await tell(story);
    told = { ...told, ...counts, stories: told.stories + 1, steps: told.steps + steps.length };
    if (failure !== null) {
      // What was refused on the way may have had no part in it.
      const bare = await tell([...story.slice(0, way), ...story.slice(Math.max(way, steps.length - 1), steps.length)]);
      return {
        ...told,
        failed: bare.failure === null ? { told: steps, failure } : { told: bare.told, failure: bare.failure },
      };
    }
    progress?.(told);
  }
}
