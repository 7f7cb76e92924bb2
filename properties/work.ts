/**
 * What a step may cost, by the target's counters: laws about work that no view shows. A step that changes nothing on disk
 * commits nothing, a restore reads what was abandoned and no more, and nothing ever runs a tool.
 */
import { type Law, laws, type World } from "../model/index.ts";
import type { Disk, Stored } from "../model/state.ts";
import type { Config, Counters, Path, Step } from "../src/contract.ts";
import type { Difference } from "./compare.ts";
import { digest } from "./digest.ts";
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

/** A commit costs what changed: no more commits than a step can need, no more bytes than the rows that differ. */
export function overweight(
  before: World,
  step: Step,
  after: World,
  rowBytes: number | undefined,
  was: Counters | null,
  is: Counters | null,
): Difference | null {
  if (was === null || is === null) return null;
  const commits = is.commits - was.commits;
  const allowed = commitsMax(step) + 2 * called(before);
  if (commits > allowed) return { at: "counters.commits", model: allowed, target: commits };
  // Of several steps in one, what was written between them is not known.
  if (rowBytes === undefined || commits === 0 || step.do === "together" || called(before) > 0) return null;
  const bytes = is.bytesWritten - was.bytesWritten;
  // With two commits a settlement stores its result, owes it, and is written again when its handler has answered.
  const most = changedBytes(before.disk, after.disk, rowBytes, commits > 1 ? 3 : 1);
  return bytes > most ? { at: "counters.bytesWritten", model: most, target: bytes } : null;
}

/** Settlements may come with an answer of their handler, which is written by itself; a restore takes ownership first. */
const twofold: readonly Step["do"][] = ["spawn", "follow_up", "finish", "interrupt", "answer", "restore"];
function commitsMax(step: Step): number {
  if (step.do === "together") return step.steps.reduce((sum, one) => sum + commitsMax(one), 0);
  return twofold.includes(step.do) ? 2 : 1;
}

/** An escaped character of a text may take twice its place. */
const textBytes = (text: string | null | undefined): number => 2 * (text?.length ?? 0);

function changedBytes(before: Disk, after: Disk, rowBytes: number, times: number): number {
  const known = new Set(Object.values(before.agents).map(({ config }) => digest.config(config)));
  const added = (was: Pick<Stored, "mail" | "messages">, is: Pick<Stored, "mail" | "messages">): number => {
    const mail = is.mail.filter((each) => !was.mail.includes(each));
    const messages = is.messages.filter((each) => !was.messages.includes(each));
    return [...mail, ...messages].reduce((sum, { text }) => sum + rowBytes + textBytes(text), 0);
  };
  let bytes = rowBytes + added(before.root, after.root);
  for (const [path, is] of Object.entries(after.agents)) {
    const was = before.agents[path];
    if (was === is) continue;
    bytes += rowBytes + times * recordBytes(is, rowBytes) + added(was ?? { mail: [], messages: [] }, is);
    bytes += configBytes(is.config, known);
  }
  return bytes;
}

function recordBytes({ path, result, undo, owed }: Stored, rowBytes: number): number {
  const results = [result, undo, ...owed.map((each) => each.result)].filter((each) => each !== null);
  return results.reduce(
    (sum, { text, partial }) => sum + rowBytes + textBytes(text) + textBytes(partial),
    3 * path.length,
  );
}

/** Equal configurations are stored once. */
function configBytes(config: Config, known: Set<string>): number {
  const hash = digest.config(config);
  if (known.has(hash)) return 0;
  known.add(hash);
  return JSON.stringify(config).length;
}
