/**
 * The failing-store campaign: stories told to a process whose writes and syncs fail at the system's own calls (strace makes them),
 * each a few times, or beside another that is inside a write; and archives whose reads fail (unreadable.ts). A step is then the fault that the specification has for it, the state as before, and it works when it is tried
 * again; killed right after a fault, a fresh process finds what was written and nothing that was said not to be.
 */
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { begin, step as decide, rules, type World } from "../../model/index.ts";
import type { CommitAnswer, CommitFault, Reply, Scope, Step } from "../../src/contract.ts";
import { equal } from "../compare.ts";
import { digest } from "../digest.ts";
import { storyAt, telling } from "../stories.ts";
import { removeFolder } from "../targets/settled.ts";
import { holdWrite } from "../targets/torture/holding.ts";
import { chanceOf } from "./chance.ts";
import { cutAfter, resumedBy, told } from "./cuts.ts";
import { answered, Found, possible, seen } from "./judge.ts";
import { lineOf, type Process, startProcess } from "./process.ts";
import { capabilities, looksAt, stepsFrom } from "./steps.ts";
import { unreadable } from "./unreadable.ts";

export interface Asked {
  readonly stories: number;
  /** The number of the first one [0]. */
  readonly from?: number;
  readonly seed: number;
  readonly program: string;
  readonly folder: string;
  readonly signal?: AbortSignal;
  readonly progress?: (stories: number) => void;
}
export interface Failing {
  readonly stories: number;
  readonly steps: number;
  /** Steps that were faults, by code; and those that worked when they were tried again. */
  readonly faults: ReadonlyMap<string, number>;
  readonly retried: number;
  readonly kills: number;
  /** Reads that failed, and answers that said so. */
  readonly reads: number;
  readonly told: number;
  readonly wrong: { readonly story: number; readonly what: string; readonly folder: string } | null;
  readonly interrupted: boolean;
}

/** What the system says at the call, and what it is called by. */
const errors: readonly (readonly [calls: string, error: string] | "held")[] = [
  ["pwrite64", "EIO"],
  ["fsync,fdatasync", "EIO"],
  ["fsync,fdatasync", "ENOSPC"],
  ["pwrite64,fsync,fdatasync", "EROFS"],
  ["pwrite64", "ENOSPC"],
  // No call fails: somebody else is inside a write.
  "held",
];
const kindOf = (index: number): (typeof errors)[number] => errors[index % errors.length] ?? "held";
/** Steps beside which somebody else writes: each commit waits for it for a second, and in vain. */
const heldIn100 = 30;
const codes: readonly CommitFault[] = ["disk_full", "io_failed", "read_only_file", "busy", "not_written"];
/** Answers to a commit that has to be written first. */
const written: readonly CommitAnswer[] = ["ok", "crash_after"];
const storyStepsMax = 60;
/** A try takes several calls, of which one may always be the m-th: only once no more fail does it have to work. */
const failuresMax = 6;
const triesMax = failuresMax;

/** Under strace, from the n-th of these calls on every m-th fails, until so many have: then whatever is tried again works. Making the archive is not what is asked about. */
function saboteur(index: number, log: string): readonly string[] {
  const chance = chanceOf(index, 7);
  const kind = kindOf(index);
  if (kind === "held") return [];
  const [calls, error] = kind;
  const isSync = calls.startsWith("fsync");
  const [from, each] = isSync
    ? [9 + chance.below(6), 2 + chance.below(5)]
    : [120 + chance.below(40), 5 + chance.below(40)];
  return [
    ...["strace", "-f", "-qq", "--seccomp-bpf", "-o", log, "-e", `trace=${calls}`],
    ...["-e", `inject=${calls}:error=${error}:when=${from}..${from + each * (failuresMax - 1)}+${each}`],
  ];
}

export async function fail(all: Asked): Promise<Failing> {
  const faults = new Map<string, number>();
  const counts = { stories: 0, steps: 0, retried: 0, kills: 0, reads: 0, told: 0 };
  let wrong: Failing["wrong"] = null;
  while (counts.stories < all.stories && wrong === null && all.signal?.aborted !== true) {
    const index = (all.from ?? 0) + counts.stories++;
    const folder = await mkdtemp(join(all.folder, "rollcall-failing-"));
    const process = startProcess(all.program, saboteur(index, join(folder, "calls")));
    const fresh = startProcess(all.program);
    try {
      for (const each of [process, fresh]) await lineOf(each);
      const done = await tellStory(all.seed, index, process, fresh, folder);
      counts.steps += done.steps;
      counts.retried += done.retried;
      counts.kills++;
      for (const code of done.faults) faults.set(code, (faults.get(code) ?? 0) + 1);
      const read = await unreadable(index, all);
      counts.reads += read.failed;
      counts.told += read.told;
      await removeFolder(folder);
    } catch (error) {
      if (!(error instanceof Found)) throw error;
      wrong = { story: index, what: error.message, folder };
    } finally {
      for (const each of [process, fresh]) await each.kill();
    }
    all.progress?.(counts.stories);
  }
  return { ...counts, faults, wrong, interrupted: all.signal?.aborted === true };
}

/** The step in every way in which one of its commits, or the one that takes ownership, can fail. */
interface Failed {
  readonly world: World;
  readonly reply: Reply;
  readonly code: CommitFault;
}
function failures(world: World, step: Step): readonly Failed[] {
  let commits = 0;
  const failingAt = (which: number | "all", code: CommitFault): typeof rules => {
    let at = 0;
    return {
      ...rules,
      commit: (m, run, draft) => {
        commits = Math.max(commits, ++at);
        const isMeant = at === which || which === "all";
        return rules.commit(m, isMeant && written.includes(run.commit) ? { ...run, commit: code } : run, draft);
      },
    };
  };
  decide(world, step, failingAt(0, "io_failed"));
  return codes.flatMap((code) => {
    const which: readonly (number | "all")[] = [...Array.from({ length: commits }, (_, at) => at + 1), "all"];
    const own = which.map((each) => decide(world, step, failingAt(each, code)));
    const epoch = step.do === "restore" ? [decide(world, { ...step, epoch: code })] : [];
    // What is forked is another archive, of which the specification knows no commit: it is not made, and its source is as before.
    const fork = step.do === "fork" ? [{ world, reply: { fault: code, at: "archive" } }] : [];
    return [...own, ...epoch, ...fork].map((each) => ({ ...each, code }));
  });
}

interface Done {
  readonly steps: number;
  readonly retried: number;
  readonly faults: readonly string[];
}

async function tellStory(seed: number, index: number, process: Process, fresh: Process, folder: string): Promise<Done> {
  const story = storyAt(seed, index);
  const { scope } = story.shape;
  let world = begin(digest, scope);
  const faults: string[] = [];
  let [steps, retried, tried] = [0, 0, 0];
  process.send({ open: { folder, scope, openings: null, durability: "full" } });
  if ((await lineOf(process))?.ok !== "open") throw new Found(`it was not opened: ${process.said()}`);
  const next = telling(story, capabilities);
  let again: Step | null = null;
  const isHeld = kindOf(index) === "held";
  const [archive, chance] = [join(folder, "archive.rollcall"), chanceOf(seed, index)];
  // At the last fault it is killed: whatever was said not to be written must not be there.
  const lastAt = 2 + chance.below(5);
  while (steps < storyStepsMax && faults.length < lastAt) {
    const step: Step | undefined = again ?? stepsFrom(world, next, steps, 1).steps[0];
    if (step === undefined) break;
    steps++;
    // Idle records are looked at late; `verify` looks at all.
    const looks: readonly Step[] =
      step.do === "restore" ? [{ do: "verify", ...(step.as === undefined ? {} : { as: step.as }) }] : [];
    const letGo = isHeld && again === null && chance.in100(heldIn100) ? holdWrite(archive) : null;
    process.send({ go: [step, ...looks] }, { look: true });
    const reply = (await lineOf(process))?.reply;
    letGo?.();
    if (looks.length > 0) await lineOf(process);
    const look = await lineOf(process);
    if (reply === undefined || look?.view === undefined) throw new Found(`it ended by itself: ${process.said()}`);
    const right = decide(world, step);
    const failed: Failed | null | undefined = equal(told(right.reply), told(reply))
      ? null
      : failures(world, step).find((each) => equal(told(each.reply), told(reply)));
    if (failed === undefined)
      throw new Found(
        `${JSON.stringify(step)} answered ${JSON.stringify(reply)}, expected ${JSON.stringify(right.reply)} or a fault of the store`,
      );
    world = failed === null ? right.world : failed.world;
    if (failed !== null) faults.push(failed.code);
    else if (again !== null) retried++;
    tried = failed === null ? 0 : tried + 1;
    if (tried > triesMax) throw new Found(`${JSON.stringify(step)} does not work when it is tried again`);
    again = failed !== null && "fault" in told(reply) && step.do !== "answer" && step.do !== "together" ? step : null;
    possible(seen([world], look.view, look.encode ?? null));
  }
  await process.kill();
  await found(fresh, folder, scope, world);
  return { steps, retried, faults };
}

/** In a fresh process, with nothing that fails. */
async function found(process: Process, folder: string, scope: Scope, last: World): Promise<void> {
  const worlds = resumedBy([cutAfter(last)]);
  const [world] = worlds;
  if (world === undefined) return;
  const looks = looksAt(world);
  process.send({
    open: { folder, scope: { ...scope, roles: world.roles }, openings: world.openings, durability: "off" },
  });
  process.send({ go: looks }, { look: true });
  const replies: Reply[] = [];
  for (let line = await lineOf(process); ; line = await lineOf(process)) {
    if (line === null) throw new Found(`it ended by itself: ${process.said()}`);
    if (line.reply !== undefined) replies.push(line.reply);
    if (line.view === undefined) continue;
    possible(seen(possible(answered(worlds, looks, replies, false)), line.view, line.encode ?? null));
    return;
  }
}
