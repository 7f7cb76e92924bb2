/**
 * What a step may cost, by the target's counters: laws about work that no view shows. A step that changes nothing on disk
 * commits nothing, a restore reads what was abandoned and no more, and nothing ever runs a tool.
 */
import { type Law, laws, type World } from "../model/index.ts";
import type { Counters, Path, Step } from "../src/contract.ts";
import type { Broken } from "./loop.ts";

export function overspent(
  before: World,
  step: Step,
  after: World,
  was: Counters | null,
  is: Counters | null,
): readonly Broken[] {
  if (was === null || is === null) return [];
  const broken: Broken[] = [];
  const say = (number: number, what: string): void => {
    const law = laws.find((each: Law) => each.number === number);
    if (law !== undefined) broken.push({ law, what });
  };
  const commits = is.commits - was.commits;
  if (commits > 0 && before.disk === after.disk)
    say(37, `${step.do} made ${commits} commits, and nothing was to be written`);
  const reads = is.conversationsHydrated - was.conversationsHydrated;
  const allowed = readsMax(before, step);
  if (reads > allowed) say(31, `${step.do} read ${reads} conversations, where ${allowed} could be needed`);
  if (is.toolRuns > was.toolRuns) say(35, `${step.do} ran a tool`);
  return broken;
}

/** What the step itself may read, and what a woken waiter asks for. */
function readsMax(world: World, step: Step): number {
  return own(world, step) + called(world);
}

function own(world: World, step: Step): number {
  switch (step.do) {
    case "restore":
      return abandoned(world);
    case "answer": {
      const handle = world.handles[step.as ?? "w1"];
      // Answered in advance, those still to come are read in the same step.
      if (handle?.is === "restoring") return 1 + handle.left.length;
      return step.gate === "hydrate" ? 1 : 0;
    }
    case "follow_up":
      return residencyAt(world, step.as, step.to.startsWith("/") ? step.to : `${step.by}/${step.to}`) === "writable"
        ? 0
        : 1;
    case "read_history":
    case "inspect":
      return residencyAt(world, step.as, step.path) === "cold" ? 1 : 0;
    case "together":
      // The first may evict what the second reads.
      return step.steps.filter((one) => own(world, one) > 0 || readers.includes(one.do)).length;
    default:
      return 0;
  }
}
const readers: readonly Step["do"][] = ["follow_up", "read_history", "inspect"];

function residencyAt(world: World, as: string | undefined, path: Path): string {
  const handle = world.handles[as ?? "w1"];
  return (handle?.is === "open" ? handle.agents[path]?.residency : undefined) ?? "cold";
}

/** Turns that a restore has to recover, each of which it reads. */
function abandoned({ disk }: World): number {
  return Object.values(disk.agents).filter(({ activity }) => activity !== "idle" && activity !== "starting").length;
}

/** A step may wake any waiter, and its callback may read. */
function called({ handles }: World): number {
  let count = 0;
  for (const handle of Object.values(handles)) {
    if (handle.is !== "open") continue;
    if (handle.root.waiter?.callback != null) count++;
    for (const agent of Object.values(handle.agents))
      if (agent.is === "admitted" && agent.waiter?.callback != null) count++;
  }
  return count;
}
