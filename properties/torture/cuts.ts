/**
 * What may lie in an archive whose process was killed: everything that was acknowledged, and of the step under way none of its
 * commits, the first, the first two, or all. By the specification, whose commits are counted and cut off one after another.
 */
import { step as decide, type Rules, rules, type World } from "../../model/index.ts";
import type { Reply, Step } from "../../src/contract.ts";

/** All that was live is gone, of every handle. */
const dead = (world: World): World => ({ ...world, handles: {} });

/** The rules with an end at the n-th commit: it is written, and nothing after it. */
function cutAt(last: number, counted: (commits: number) => void): Rules {
  let commits = 0;
  return {
    ...rules,
    commit: (m, run, draft) => {
      commits++;
      counted(commits);
      if (commits < last || run.commit !== "ok") return rules.commit(m, run, draft);
      return rules.commit(m, { ...run, commit: commits === last ? "crash_after" : "crash_before" }, draft);
    },
  };
}

/** After a kill during this step, without repetitions. */
export function cutDuring(world: World, step: Step): readonly World[] {
  let commits = 0;
  const whole = decide(
    world,
    step,
    cutAt(Number.POSITIVE_INFINITY, (count) => (commits = count)),
  ).world;
  const cut = Array.from(
    { length: commits },
    (_, at) =>
      decide(
        world,
        step,
        cutAt(at + 1, () => {}),
      ).world,
  );
  return distinct([world, ...cut, whole].map(dead));
}

export const cutAfter = (world: World): World => dead(world);

/** Worlds whose archives say the same are one. */
export function distinct(worlds: readonly World[]): readonly World[] {
  const known = new Map<string, World>();
  for (const world of worlds) {
    const { agents, root, capacity } = world.disk;
    const key = JSON.stringify([agents, root, capacity]);
    if (!known.has(key)) known.set(key, world);
  }
  return [...known.values()];
}

/** One process of the host goes on, whichever of these the archive turns out to be: names and roles are the host's. */
export function resumedBy(worlds: readonly World[]): readonly World[] {
  const [first] = worlds;
  if (first === undefined) return [];
  const openings = Math.max(...worlds.map((each) => each.openings));
  return worlds.map((each) => ({ ...each, openings, roles: first.roles }));
}

/** A reply without what is set aside: production looks late, and `verify` tells. */
export function told(reply: Reply): Reply {
  const { events, ...outcome } = reply;
  const left = (events ?? []).filter(([kind]) => kind !== "set_aside");
  return left.length === 0 ? outcome : { ...outcome, events: left };
}
