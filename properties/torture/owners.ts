/**
 * Ownership between processes, measured: who is refused, by whom and how soon; who opens after a kill; what an owner writes that
 * was stopped and taken over (nothing); one stopped inside a write; and readers beside a writer, who see committed states only.
 */
import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { begin, step as decide, view, type World } from "../../model/index.ts";
import type { Reply, Scope, Step, View } from "../../src/contract.ts";
import { difference, equal } from "../compare.ts";
import { digest } from "../digest.ts";
import { removeFolder } from "../targets/settled.ts";
import { cutAfter, cutDuring, told } from "./cuts.ts";
import { Found, seen } from "./judge.ts";
import { type Line, lineOf, type Process, startProcess } from "./process.ts";

export interface Asked {
  readonly rounds: number;
  readonly program: string;
  readonly folder: string;
  readonly signal?: AbortSignal;
  readonly progress?: (rounds: number) => void;
}
export interface Owned {
  readonly rounds: number;
  /** In ms: of a second writer beside a living and beside a stopped one. */
  readonly refused: readonly number[];
  /** From the kill of an owner until the next one has opened, its recovery included. */
  readonly reopened: readonly number[];
  readonly takenOver: readonly number[];
  /** That owners wrote after they had been taken over: of all files of the archive, by what is in them. */
  readonly staleBytes: number;
  /** Looks of a reader beside a writer, and how many different states they saw. */
  readonly looks: number;
  readonly states: number;
  readonly wrong: { readonly what: string; readonly folder: string } | null;
  readonly interrupted: boolean;
}

const scope: Scope = {
  capacity: 3,
  roles: { r: { instructions: "", model: "m", effort: null, tools: [], limits: {}, parameters: {} } },
  registrars: { core: { category: "core", tools: ["read"] } },
  archive: "sqlite",
  process: "fresh",
};
const spawn = (name: string): Step => ({
  ...{ do: "spawn", by: "/root", name, role: "r", text: "task" },
  answers: { prepare: "ok", dispatch: "ok" },
});
const send = (text: string, as?: string): Step => ({ ...asOf(as), do: "send", by: "/root", to: "/root/a", text });
const asOf = (as: string | undefined): { readonly as?: string } => (as === undefined ? {} : { as });
const restore = (as?: string, takeover?: true): Step => ({
  ...{ ...asOf(as), do: "restore", mode: "write", answers: { hydrate: "ok" } },
  ...(takeover === true ? { takeover } : {}),
});
/** What the reader sees while these are told to the writer. */
const work: readonly Step[] = Array.from(
  { length: 30 },
  (_, n): Step => (n % 3 === 2 ? { do: "sample", path: "/root/a" } : send(`beside ${n}`)),
);

interface Measured {
  refused: number[];
  reopened: number[];
  takenOver: number[];
  staleBytes: number;
  looks: number;
  states: number;
}

export async function own(all: Asked): Promise<Owned> {
  const measured: Measured = { refused: [], reopened: [], takenOver: [], staleBytes: 0, looks: 0, states: 0 };
  let rounds = 0;
  let wrong: Owned["wrong"] = null;
  while (rounds < all.rounds && wrong === null && all.signal?.aborted !== true) {
    const folder = await mkdtemp(join(all.folder, "rollcall-owners-"));
    const both = [startProcess(all.program), startProcess(all.program)] as const;
    try {
      for (const each of both) await lineOf(each);
      await round(both, folder, measured);
      await removeFolder(folder);
    } catch (error) {
      if (!(error instanceof Found)) throw error;
      wrong = { what: error.message, folder };
    } finally {
      for (const each of both) await each.kill();
    }
    rounds++;
    all.progress?.(rounds);
  }
  return { ...measured, rounds, wrong, interrupted: all.signal?.aborted === true };
}

async function round([one, other]: readonly [Process, Process], folder: string, measured: Measured): Promise<void> {
  let world = begin(digest, scope);
  const open = { folder, scope, durability: "full" } as const;
  one.send({ open: { ...open, openings: null } });
  await lineOf(one);
  other.send({ open: { ...open, openings: 1 } });
  await lineOf(other);
  /** Tells a step, which the specification takes for `as`, and compares. */
  const tell = async (process: Process, step: Step, as: Step = step): Promise<number> => {
    process.send({ go: [step] });
    const line = await lineOf(process);
    const next = decide(world, as);
    if (line?.reply === undefined) throw new Found(`${JSON.stringify(step)} was not answered: ${process.said()}`);
    const differs = difference(told(next.reply), told(line.reply), "reply");
    if (differs !== null)
      throw new Found(
        `${JSON.stringify(step)} answered ${JSON.stringify(line.reply)}, expected ${JSON.stringify(next.reply)}`,
      );
    ({ world } = next);
    return line.ms ?? 0;
  };
  // One lives, and so does who is stopped: both are named to whoever comes.
  await tell(one, spawn("a"));
  await tell(one, send("first"));
  await reading(one, other, world, measured, (now) => {
    world = now;
  });
  measured.refused.push(await tell(other, restore("w2")));
  one.stop();
  await one.stopped();
  measured.refused.push(await tell(other, restore("w2")));
  // Taken over on purpose: it writes nothing more, and says so.
  measured.takenOver.push(await tell(other, restore("w2", true)));
  await tell(other, send("of the second", "w2"));
  const [before, bytes] = [await filesIn(folder), await bytesOf(one)];
  for (const step of [send("lost"), { do: "save" }, { do: "close" }] as const) await tell(one, step);
  const [after, more] = [await filesIn(folder), await bytesOf(one)];
  if (!equal(before.sums, after.sums)) measured.staleBytes += Math.max(1, Math.abs(after.bytes - before.bytes));
  measured.staleBytes += more - bytes;
  if (measured.staleBytes > 0) throw new Found("an owner that was taken over has written to the archive");
  await tell(one, { do: "crash" });
  // Stopped inside a write it stays the owner, and is busy.
  other.send({ arm: { points: ["commit: before commit"], nth: 1, stops: true } });
  other.send({ go: [send("slow", "w2")] });
  await other.stopped();
  await tell(one, restore(undefined, true), { do: "restore", mode: "write", takeover: true, epoch: "busy" });
  other.goOn();
  const slow = decide(world, send("slow", "w2"));
  const line = await lineOf(other);
  if (!equal(told(slow.reply), line?.reply))
    throw new Found(`a write that was stopped answered ${JSON.stringify(line)}`);
  ({ world } = slow);
  measured.refused.push(await tell(one, restore()));
  // Killed, it is gone: the next opens by itself.
  await other.kill();
  world = { ...world, handles: {} };
  measured.reopened.push(await tell(one, restore()));
  await tell(one, { do: "verify" });
  one.send({ look: true });
  const look = await lineOf(one);
  const judged = seen([world], look?.view ?? { mode: "closed" }, look?.encode ?? null);
  if (judged.what !== null) throw new Found(judged.what);
}

async function bytesOf(process: Process): Promise<number> {
  process.goOn();
  process.send({ look: true });
  return (await lineOf(process))?.bytes ?? 0;
}

/** What all files of the archive hold; of the memory that readers and writers share only that it is there. */
async function filesIn(folder: string): Promise<{ readonly bytes: number; readonly sums: object }> {
  const sums: { [name: string]: string } = {};
  let bytes = 0;
  for (const name of (await readdir(folder)).sort()) {
    // Read by this process, which holds no lock on any of them.
    const content = name.endsWith("-shm") ? Buffer.alloc(0) : await readFile(join(folder, name));
    bytes += content.length;
    sums[name] = createHash("sha256").update(content).digest("hex");
  }
  return { bytes, sums };
}

/** The writer works; the reader opens, looks and closes again and again; whatever it saw was committed, and never less than before. */
async function reading(
  writer: Process,
  reader: Process,
  from: World,
  measured: Measured,
  ended: (world: World) => void,
): Promise<void> {
  const possible: View[] = [];
  let world = from;
  const shown = (dead: World): View => view(decide(dead, { do: "restore", mode: "read" }).world);
  possible.push(shown(cutAfter(world)));
  const replies: Reply[] = [];
  for (const step of work) {
    for (const cut of cutDuring(world, step)) possible.push(shown(cut));
    const next = decide(world, step);
    replies.push(told(next.reply));
    ({ world } = next);
  }
  possible.push(shown(cutAfter(world)));
  writer.send({ go: work });
  const writing = Promise.all(work.map(() => lineOf(writer)));
  let isDone = false;
  const over = (): void => {
    isDone = true;
  };
  writing.then(over, over);
  let least = 0;
  const states = new Set<number>();
  const steps: readonly Step[] = [{ do: "restore", mode: "read" }, { do: "verify" }];
  do {
    reader.send({ go: steps }, { look: true }, { go: [{ do: "crash" }] });
    const lines: (Line | null)[] = [];
    for (let at = 0; at < 4; at++) lines.push(await lineOf(reader));
    const found = lines[2]?.view;
    if (found === undefined) throw new Found(`a reader saw nothing: ${JSON.stringify(lines)}`);
    const which = possible.findIndex((each, at) => at >= least && equal(each, found));
    if (which < 0)
      throw new Found(`a reader saw what was never committed, or less than before: ${JSON.stringify(found)}`);
    least = which;
    states.add(which);
    measured.looks++;
  } while (!isDone);
  const answers = (await writing).map((line) => line?.reply);
  if (!equal(replies, answers)) throw new Found(`a writer with a reader beside it answered ${JSON.stringify(answers)}`);
  measured.states += states.size;
  ended(world);
}
