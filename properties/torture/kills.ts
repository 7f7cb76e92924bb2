/**
 * The crash campaign: stories told to a real process over a real archive, killed at named points and at any moment, gone on with
 * in a fresh process, until so many were killed. The ledger of acknowledgements is here; the specification judges.
 */
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { begin, type World } from "../../model/index.ts";
import type { Reply, Step } from "../../src/contract.ts";
import { digest } from "../digest.ts";
import { storyAt, telling } from "../stories.ts";
import { removeFolder, settled } from "../targets/settled.ts";
import type { Opening } from "../targets/torture/worker.ts";
import { type Aim, type Aims, aims, type Work } from "./aims.ts";
import { chanceOf } from "./chance.ts";
import { cutAfter, resumedBy } from "./cuts.ts";
import { answered, Found, possible, seen } from "./judge.ts";
import { type Migrations, migrations } from "./migrations.ts";
import { type Line, lineOf, type Process, startProcess } from "./process.ts";
import { capabilities, looksAt, stepsFrom } from "./steps.ts";

export interface Asked {
  readonly kills: number;
  readonly seed: number;
  readonly workers: number;
  /** The process under test, built. */
  readonly program: string;
  /** Where archives are made; they are removed, but for one that is wrong. */
  readonly folder: string;
  readonly durability: Opening["durability"];
  /** Points at which they die, for a look at these alone. */
  readonly at?: readonly string[];
  readonly signal?: AbortSignal;
  readonly progress?: (kills: number, steps: number) => void;
}
/** A step with its reply; what happened between steps is a sentence. */
export type Entry = readonly [Step, Reply] | string;
interface Wrong {
  readonly story: number;
  readonly what: string;
  /** Everything told to the processes of the story, and how they ended. */
  readonly ledger: readonly Entry[];
  readonly folder: string;
}
export interface Tortured {
  readonly kills: number;
  readonly stories: number;
  /** Acknowledged. */
  readonly steps: number;
  /** Archives of an earlier format whose migration was cut off. */
  readonly migrations: number;
  /** Kills by the point at which they came, also 0. */
  readonly points: ReadonlyMap<string, number>;
  /** Kills at any moment of a work, and of a process that had done all it was given. */
  readonly moments: number;
  readonly rests: number;
  /** Of kills within a step that could have changed the archive: found without it, and with it or some of its commits. */
  readonly without: number;
  readonly with: number;
  readonly wrong: Wrong | null;
  readonly interrupted: boolean;
}

/** Steps told to one process before it is killed, at most. */
const stepsMax = 14;
/** After so many a migration is killed. */
const killsPerMigration = 10;
interface Counts {
  kills: number;
  migrations: number;
  stories: number;
  steps: number;
  moments: number;
  rests: number;
  without: number;
  with: number;
  wrong: Wrong | null;
}

export async function torture(all: Asked): Promise<Tortured> {
  const counts: Counts = {
    kills: 0,
    migrations: 0,
    stories: 0,
    steps: 0,
    moments: 0,
    rests: 0,
    without: 0,
    with: 0,
    wrong: null,
  };
  const aiming = aims(all.at);
  let hasFailed = false;
  const isOver = (): boolean =>
    counts.kills >= all.kills || counts.wrong !== null || hasFailed || all.signal?.aborted === true;
  let story = 0;
  const lane = async (): Promise<void> => {
    const pool = spares(all.program);
    try {
      const setting = { all, counts, aiming, isOver, fresh: pool.take };
      const migrated = migrations({ ...all, fresh: pool.take, killed: (point) => aiming.kills().get(point) ?? 0 });
      while (!isOver()) {
        if (all.at === undefined && counts.kills >= (counts.migrations + 1) * killsPerMigration)
          await killMigration(counts.migrations++, migrated, setting);
        else await tellStory(story++, setting);
      }
    } catch (error) {
      hasFailed = true;
      throw error;
    } finally {
      await pool.close();
    }
  };
  await settled(Array.from({ length: all.workers }, lane));
  return { ...counts, points: aiming.kills(), interrupted: all.signal?.aborted === true };
}

/** The next process starts while the last one works. */
function spares(program: string): { take(): Promise<Process>; close(): Promise<void> } {
  let spare: Process | null = null;
  return {
    take: async () => {
      const taken = spare ?? startProcess(program);
      spare = startProcess(program);
      const first = await taken.next();
      if (first?.ok !== "ready") throw new Error(`a process to be killed did not start: ${taken.said()}`);
      return taken;
    },
    close: async () => {
      await spare?.kill();
    },
  };
}

async function killMigration(number: number, migrated: Migrations, setting: Setting): Promise<void> {
  const { all, counts, aiming } = setting;
  try {
    for (const point of await migrated.kill(number)) {
      counts.kills++;
      if (point === null) counts.moments++;
      else aiming.killedAt(point);
    }
    aiming.knows(migrated.points());
  } catch (error) {
    if (!(error instanceof Found)) throw error;
    if (all.signal?.aborted !== true)
      counts.wrong ??= { story: number, what: error.message, ledger: [], folder: all.folder };
  }
}

interface Setting {
  readonly all: Asked;
  readonly counts: Counts;
  readonly aiming: Aims;
  readonly isOver: () => boolean;
  readonly fresh: () => Promise<Process>;
}

async function tellStory(index: number, setting: Setting): Promise<void> {
  const { all, counts, isOver, fresh } = setting;
  const folder = await mkdtemp(join(all.folder, "rollcall-killed-"));
  const ledger: Entry[] = [];
  let process: Process | null = null;
  try {
    const story = storyAt(all.seed, index);
    const chance = chanceOf(all.seed, index);
    const next = telling(story, capabilities);
    let worlds: readonly World[] = [begin(digest, story.shape.scope)];
    let [isMade, isTold, at] = [false, false, 0];
    counts.stories++;
    for (;;) {
      process = await fresh();
      const life = living(process, setting, ledger);
      const isLast = isOver() || isTold;
      const recovers = worlds.some(({ disk }) =>
        Object.values(disk.agents).some(({ activity }) => activity !== "idle"),
      );
      const dies = !isLast && chance.in100(recovers ? 60 : 30);
      const aim = dies ? setting.aiming.next("opening", chance, recovers) : null;
      const opened = isMade
        ? await life.restore(folder, story.shape.scope, resumedBy(worlds), aim)
        : await life.make(folder, story.shape.scope, worlds, aim);
      ({ worlds } = opened);
      isMade ||= opened.isMade;
      if (opened.isDead) continue;
      const [world] = worlds;
      if (isLast || world === undefined) break;
      const { steps, told } = stepsFrom(world, next, at, 1 + chance.below(stepsMax));
      at += steps.length;
      isTold = told;
      worlds = await life.go(worlds, steps, setting.aiming.next("going", chance));
      all.progress?.(counts.kills, counts.steps);
    }
    process.send({ leave: true });
    await process.kill();
    await removeFolder(folder);
  } catch (error) {
    await process?.kill();
    if (!(error instanceof Found)) throw error;
    // Whoever interrupts ends the processes as well.
    if (all.signal?.aborted !== true) counts.wrong ??= { story: index, what: error.message, ledger, folder };
  }
}

interface Opened {
  readonly worlds: readonly World[];
  readonly isMade: boolean;
  readonly isDead: boolean;
}
interface Life {
  make(folder: string, scope: Opening["scope"], worlds: readonly World[], aim: Aim | null): Promise<Opened>;
  restore(folder: string, scope: Opening["scope"], worlds: readonly World[], aim: Aim | null): Promise<Opened>;
  go(worlds: readonly World[], steps: readonly Step[], aim: Aim): Promise<readonly World[]>;
}

/** One process, until it is killed. */
function living(process: Process, { all, counts, aiming }: Setting, ledger: Entry[]): Life {
  const next = (): Promise<Line | null> => lineOf(process);
  /** At which it said it would die. */
  let point: string | null = null;
  /** Lines until it has answered so many or is dead; killed from here, if that is the aim. */
  const lines = async (
    count: number,
    aim: Aim | null,
  ): Promise<{ readonly got: readonly Line[]; readonly isDead: boolean }> => {
    // Once it is sent, the signal comes, though all that was asked may be answered before.
    let isSent = false;
    const send = (): void => {
      isSent = true;
      void process.kill();
    };
    const timer = aim?.is === "moment" ? setTimeout(send, aim.afterMs) : undefined;
    const got: Line[] = [];
    let isDead = false;
    while ((got.length < count || isSent) && !isDead) {
      const line = await next();
      if (line === null) isDead = true;
      else if (line.dying === undefined) got.push(line);
      else point = line.dying;
    }
    clearTimeout(timer);
    return { got, isDead };
  };
  const died = (aim: Aim | null): void => {
    if (point === null && aim?.is !== "moment") throw new Found(`it ended by itself: ${process.said()}`);
    counts.kills++;
    if (point === null) counts.moments++;
    else aiming.killedAt(point);
    ledger.push(point === null ? "killed from outside" : `killed ${point}`);
  };
  const armed = (aim: Aim | null): void => {
    process.send({ arm: aim === null || aim.is === "moment" ? null : aim.death });
  };
  const tell = (steps: readonly Step[], got: readonly Line[]): readonly Reply[] => {
    const replies = got.flatMap(({ reply }) => (reply === undefined ? [] : [reply]));
    replies.forEach((reply, at) => {
      const step = steps[at];
      if (step !== undefined) ledger.push([step, reply]);
    });
    counts.steps += replies.length;
    return replies;
  };
  const learn = async (work: Work, begun: number): Promise<void> => {
    process.send({ passed: true });
    const line = await next();
    aiming.came(work, performance.now() - begun, line?.passed ?? {});
  };
  const opening = { durability: all.durability };
  return {
    make: async (folder, scope, worlds, aim) => {
      const begun = performance.now();
      armed(aim);
      process.send({ open: { ...opening, folder, scope, openings: null } });
      const { got, isDead } = await lines(1, aim);
      if (isDead) died(aim);
      else await learn("opening", begun);
      const isThere = got.length > 0;
      return { worlds: isDead && isThere ? worlds.map(cutAfter) : worlds, isMade: isThere, isDead };
    },
    restore: async (folder, scope, worlds, aim) => {
      const [first] = worlds;
      if (first === undefined) throw new Found("nothing is possible");
      const steps = looksAt(first);
      const begun = performance.now();
      armed(aim);
      process.send({ open: { ...opening, folder, scope: { ...scope, roles: first.roles }, openings: first.openings } });
      process.send({ go: steps }, { look: true });
      const { got, isDead } = await lines(steps.length + 2, aim);
      const judged = possible(answered(worlds, steps, tell(steps, got), isDead));
      if (isDead) {
        died(aim);
        return { worlds: judged, isMade: true, isDead };
      }
      const look = got.at(-1);
      if (look?.view === undefined) throw new Found("it showed nothing");
      const left = possible(seen(judged, look.view, look.encode ?? null));
      if (worlds.length > 1) counts[left[0]?.disk.agents === first.disk.agents ? "without" : "with"]++;
      await learn("opening", begun);
      return { worlds: left.slice(0, 1), isMade: true, isDead };
    },
    go: async (worlds, steps, aim) => {
      const begun = performance.now();
      armed(aim);
      process.send({ go: steps });
      const { got, isDead } = await lines(steps.length, aim);
      const replies = tell(steps, got);
      if (isDead) {
        died(aim);
      } else {
        await learn("going", begun);
        // It was not where it was waited for: killed as it sits there.
        await process.kill();
        counts.kills++;
        counts.rests++;
        ledger.push("killed at rest");
      }
      return possible(answered(worlds, steps, replies, true));
    },
  };
}
