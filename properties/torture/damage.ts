/**
 * The damage campaign: archives are damaged and asked in processes of their own, since a damaged file may end one, hang it or eat
 * its memory; each of these is a failure, as is an answer that is neither what it was nor says which code and where.
 */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import type { Line, Task } from "../targets/damaged/worker.ts";
import { leash } from "../targets/leash.ts";
import { settled } from "../targets/settled.ts";
import { Unusable } from "../unusable.ts";

export interface Damaging {
  readonly damages: number;
  readonly seed: number;
  readonly folder: string;
  readonly workers: number;
  readonly signal: AbortSignal;
  readonly progress: (done: number) => void;
}
export interface Damaged {
  damages: number;
  /** By kind: how many there were, and how many of them anybody noticed. */
  readonly kinds: Map<string, { made: number; reported: number }>;
  /** Most that a process held, in bytes. */
  rss: number;
  interrupted: boolean;
  wrong: { readonly at: number; readonly kind: string; readonly says: string; readonly what: string } | null;
}

/** A process answers within so long, and holds no more than so much. */
const answerMs = 60_000;
const rssMax = 1_000 * 1024 * 1024;
/** Damages of one process. */
const portion = 500;

/** Beside this file where it was built, else in `dist/`: Node 20 runs no TypeScript. */
function workerProgram(): string {
  const places = ["../targets/damaged/worker.js", "../../dist/properties/targets/damaged/worker.js"];
  const found = places.map((each) => fileURLToPath(new URL(each, import.meta.url))).find((file) => existsSync(file));
  if (found === undefined) throw new Unusable(4, "the process that opens damaged archives is not built: npm run build");
  return found;
}

export async function damageArchives(given: Damaging): Promise<Damaged> {
  const found: Damaged = { damages: 0, kinds: new Map(), rss: 0, interrupted: false, wrong: null };
  const tasks: Task[] = [];
  const { seed, folder, damages } = given;
  for (let from = 0; from < damages; from += portion)
    tasks.push({ seed, folder, from, to: Math.min(damages, from + portion) });
  const next = async (): Promise<void> => {
    for (let task = tasks.shift(); task !== undefined; task = tasks.shift()) {
      if (given.signal.aborted || found.wrong !== null) return;
      await worked(task, given, found);
    }
  };
  await settled(Array.from({ length: given.workers }, next));
  found.interrupted = given.signal.aborted;
  return found;
}

async function worked(task: Task, { signal, progress }: Damaging, found: Damaged): Promise<void> {
  const args = ["--max-old-space-size=256", "--expose-gc", workerProgram(), JSON.stringify(task)];
  const child = execa(process.execPath, args, { stdin: "ignore", encoding: "utf8", buffer: false, reject: false });
  const end = (): void => void child.kill("SIGKILL");
  const release = leash(end);
  signal.addEventListener("abort", end, { once: true });
  let last = { at: task.from, kind: "nothing", says: "the whole archive" };
  let done = task.from - 1;
  let said = "";
  let isHung = false;
  const hung = (): void => {
    isHung = true;
    end();
  };
  let watch = setTimeout(hung, answerMs);
  const fails = (what: string): void => {
    found.wrong ??= { ...last, what };
  };
  const take = (line: Line): void => {
    clearTimeout(watch);
    watch = setTimeout(hung, answerMs);
    if ("at" in line) {
      last = line;
      return;
    }
    done = line.done;
    found.damages++;
    found.rss = Math.max(found.rss, line.rss);
    const kind = found.kinds.get(last.kind) ?? { made: 0, reported: 0 };
    found.kinds.set(last.kind, { made: kind.made + 1, reported: kind.reported + Math.sign(line.reported) });
    if (line.wrong !== null) fails(line.wrong);
    if (line.rss > rssMax) fails(`the process holds ${line.rss} bytes`);
    progress(found.damages);
  };
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    said = (said + chunk).slice(-2_000);
  });
  for await (const line of child) {
    const told: Line = JSON.parse(String(line));
    take(told);
  }
  await child;
  clearTimeout(watch);
  release();
  signal.removeEventListener("abort", end);
  if (signal.aborted || done === task.to - 1) return;
  fails(
    isHung ? `no answer within ${answerMs} ms` : `the process that opened it ended: ${said.trim() || "without a word"}`,
  );
}
