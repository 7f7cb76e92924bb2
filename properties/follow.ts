/** How a story is told whose names are bound to its steps: each is called what it is called where it comes to stand. */
import { type Begun, type Bound, begun, bind, rebind } from "./bind.ts";
import type { Next, Watch } from "./loop.ts";

/** Gives the steps of a list with their names as they are where each comes to stand, and binds them anew. */
export function follow(list: readonly Bound[]): {
  readonly next: Next;
  readonly watch: Watch;
  readonly bound: readonly Bound[];
} {
  const earlier: Begun = new Map();
  const fresh: Begun = new Map();
  const bound: Bound[] = [];
  const next: Next = (world, index) => {
    const held = list[index];
    if (held === undefined) return null;
    const step = rebind(held, world, earlier);
    bound.push(bind(step, world, fresh));
    return step;
  };
  const stepped = (before: Parameters<Next>[0], _: unknown, after: Parameters<Next>[0]): void => {
    const index = bound.length - 1;
    const [held, anew] = [list[index], bound[index]];
    if (held === undefined || anew === undefined) return;
    const ops = begun(before, after);
    earlier.set(held, ops);
    fresh.set(anew, ops);
  };
  return { next, watch: { stepped }, bound };
}
