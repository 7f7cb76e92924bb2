/**
 * The power-loss campaign: stories told to a process whose writes and syncs are recorded; disks rebuilt from the record as they
 * may be when the power goes at any of them; each reopened, and judged by what had been acknowledged by then.
 */
import { mkdtemp, realpath } from "node:fs/promises";
import { join } from "node:path";
import { begin, step as decide, type World } from "../../model/index.ts";
import type { Reply, Scope, Step } from "../../src/contract.ts";
import { digest } from "../digest.ts";
import { storyAt, telling } from "../stories.ts";
import { removeFolder } from "../targets/settled.ts";
import type { Opening } from "../targets/torture/worker.ts";
import { type Chance, chanceOf } from "./chance.ts";
import { cutAfter, cutDuring, distinct, resumedBy } from "./cuts.ts";
import { diskAfter, type Loss, losses, writeDisk } from "./disks.ts";
import { answered, Found, possible, seen } from "./judge.ts";
import { type Line, lineOf, type Process, startProcess } from "./process.ts";
import { capabilities, looksAt, stepsFrom } from "./steps.ts";
import { type Act, readTape, tracer } from "./tape.ts";

export interface Asked {
  /** Disks that are rebuilt and judged. */
  readonly states: number;
  readonly seed: number;
  /** The process under test, built. */
  readonly program: string;
  readonly folder: string;
  readonly durability: Opening["durability"];
  readonly signal?: AbortSignal;
  readonly progress?: (states: number, tapes: number) => void;
}
interface Wrong {
  readonly story: number;
  readonly loss: Loss;
  /** After so many acts of the tape. */
  readonly acts: number;
  readonly what: string;
  /** Acknowledged by then, and the step that was under way. */
  readonly acknowledged: readonly Step[];
  readonly under: Step | null;
  readonly folder: string;
}
export interface Lost {
  readonly states: number;
  readonly tapes: number;
  /** Writes and syncs that were recorded. */
  readonly writes: number;
  readonly syncs: number;
  readonly losses: ReadonlyMap<Loss, number>;
  /** Where a step was under way that could have changed the archive: found without it, and with it. */
  readonly without: number;
  readonly with: number;
  readonly wrong: Wrong | null;
  readonly interrupted: boolean;
}

/** Disks rebuilt from one tape. */
const statesOfTape = 25;
/** A story of so many is told until the log is written back into the file. */
const heavyEvery = 4;
const heavyText = "heavy ".repeat(107_000);
const storyStepsMax = 80;

export async function losePower(all: Asked): Promise<Lost> {
  const found = new Map<Loss, number>(losses.map((loss) => [loss, 0]));
  const counts = { states: 0, tapes: 0, writes: 0, syncs: 0, without: 0, with: 0 };
  let wrong: Wrong | null = null;
  const isOver = (): boolean => counts.states >= all.states || wrong !== null || all.signal?.aborted === true;
  const folder = await realpath(await mkdtemp(join(all.folder, "rollcall-power-")));
  for (let index = 0; !isOver(); index++) {
    const chance = chanceOf(all.seed, index);
    const { scope, steps, tape } = await recorded(all, index, join(folder, `tape-${index}`));
    counts.tapes++;
    counts.writes += tape.filter(({ is }) => is === "write").length;
    counts.syncs += tape.filter(({ is }) => is.startsWith("sync")).length;
    const judge = startProcess(all.program);
    await lineOf(judge);
    for (let state = 0; state < statesOfTape && !isOver(); state++) {
      const loss = chance.of(losses) ?? "dropped";
      const acts = momentOf(tape, chance);
      const at = join(folder, `disk-${index}-${state}`);
      const acknowledged = tape
        .slice(0, acts)
        .filter((act) => act.is === "said" && act.line.startsWith('{"reply"')).length;
      try {
        await writeDisk(diskAfter(tape, acts, loss, chance), at);
        const left = await judged(judge, at, scope, steps, acknowledged);
        if (left !== null) counts[left]++;
        await removeFolder(at);
      } catch (error) {
        if (!(error instanceof Found)) throw error;
        const under = steps[acknowledged] ?? null;
        wrong = {
          ...{ story: index, loss, acts, what: error.message, under, folder: at },
          acknowledged: steps.slice(0, acknowledged),
        };
      }
      counts.states++;
      found.set(loss, (found.get(loss) ?? 0) + 1);
      all.progress?.(counts.states, counts.tapes);
    }
    await judge.kill();
  }
  if (wrong === null) await removeFolder(folder);
  return { ...counts, losses: found, wrong, interrupted: all.signal?.aborted === true };
}

/** A number of acts: first a step is chosen, then an act within it, so that long steps are not cut off more often than short ones. */
function momentOf(tape: readonly Act[], chance: Chance): number {
  const ends = tape.flatMap(({ is }, at) => (is === "said" ? [at + 1] : []));
  const which = chance.below(ends.length + 1);
  const from = which === 0 ? 0 : (ends[which - 1] ?? 0);
  const to = ends[which] ?? tape.length;
  return from + chance.below(to - from + 1);
}

interface Recorded {
  readonly scope: Scope;
  readonly steps: readonly Step[];
  readonly tape: readonly Act[];
}

/** A whole story told to a process under strace. */
async function recorded({ program, seed, durability }: Asked, index: number, folder: string): Promise<Recorded> {
  const story = storyAt(seed, index);
  const { scope } = story.shape;
  const world = begin(digest, scope);
  const told = stepsFrom(world, telling(story, capabilities), 0, storyStepsMax).steps;
  const steps = index % heavyEvery === heavyEvery - 1 ? [...told, ...heavy] : told;
  const archive = join(folder, "archive");
  await writeDisk(new Map(), archive);
  const log = join(folder, "log");
  const process = startProcess(program, tracer(log));
  await lineOf(process);
  process.send({ open: { folder: archive, scope, openings: null, durability } }, { go: steps }, { leave: true });
  const replies: Reply[] = [];
  for (let line = await lineOf(process); line?.ok !== "leave"; line = await lineOf(process)) {
    if (line === null) throw new Found(`it ended by itself: ${process.said()}`);
    if (line.reply !== undefined) replies.push(line.reply);
  }
  await process.kill();
  // What it answered is right: what it wrote is in question.
  possible(answered([world], steps, replies, false));
  const tape = await readTape(log, archive);
  await removeFolder(folder);
  return { scope, steps, tape };
}

/** Long mails of its own until the log is long enough, in a session that is there for certain. */
const heavy: readonly Step[] = [
  { do: "crash" },
  { do: "restore", mode: "write", takeover: true, answers: { hydrate: "ok" } },
  { do: "verify" },
  ...Array.from({ length: 7 }, (): Step => ({ do: "execution", owner: "/root", text: heavyText })),
  { do: "sample", path: "/root" },
  { do: "set_capacity", capacity: 2 },
];

/** Throws `Found` where it is wrong; whether a step under way was found there, where that can be told. */
async function judged(
  process: Process,
  folder: string,
  scope: Scope,
  steps: readonly Step[],
  acknowledged: number,
): Promise<"with" | "without" | null> {
  const fresh = begin(digest, scope);
  let world: World = fresh;
  for (const step of steps.slice(0, acknowledged)) world = decide(world, step).world;
  const under = steps[acknowledged];
  const worlds = resumedBy(distinct(under === undefined ? [cutAfter(world)] : cutDuring(world, under)));
  const [first] = worlds;
  if (first === undefined) throw new Found("nothing is possible");
  const looks = looksAt(first);
  const open = { folder, scope: { ...scope, roles: first.roles }, durability: "off" } as const;
  process.send({ open: { ...open, openings: first.openings } }, { go: looks }, { look: true });
  const lines: Line[] = [];
  while (lines.length < looks.length + 2) {
    const line = await lineOf(process);
    if (line === null) throw new Found(`it ended by itself: ${process.said()}`);
    lines.push(line);
  }
  const replies = lines.flatMap(({ reply }) => (reply === undefined ? [] : [reply]));
  const [restored] = replies;
  // An archive in which nothing was written yet may not be there, or not be one; then it can be made.
  const isNothing = restored !== undefined && "fault" in restored && /^archive_/.test(restored.fault);
  if (isNothing && worlds.some(({ disk }) => JSON.stringify(disk.agents) === "{}" && isUnchanged(disk, fresh.disk))) {
    process.send({ open: { ...open, openings: null } });
    if ((await lineOf(process))?.ok !== "open") throw new Found("it cannot be made where nothing was left");
    return null;
  }
  const look = lines.at(-1);
  if (look?.view === undefined) throw new Found("it showed nothing");
  const left = possible(seen(possible(answered(worlds, looks, replies, false)), look.view, look.encode ?? null));
  if (worlds.length === 1) return null;
  return left[0]?.disk.agents === first.disk.agents ? "without" : "with";
}

const isUnchanged = (one: World["disk"], other: World["disk"]): boolean =>
  one.capacity === other.capacity && one.root.mail.length === 0 && one.root.messages.length === 0;
