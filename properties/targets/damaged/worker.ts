/**
 * Damages archives and asks them, one after another, and says so line by line: whoever started it knows at which one it died.
 * A process of its own, since a damaged file may end one.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chanceOf } from "../../torture/chance.ts";
import { leash } from "../leash.ts";
import { type Answers, answersOf, silent, survives } from "./answers.ts";
import { type Base, baseOf } from "./archives.ts";
import { damage, damageKinds } from "./damages.ts";

/** What it is told on its command line. */
export interface Task {
  readonly seed: number;
  readonly folder: string;
  readonly from: number;
  readonly to: number;
}
/** One line for each damage: before it is asked, and what came of it. */
export type Line =
  | { readonly at: number; readonly kind: string; readonly says: string }
  | { readonly done: number; readonly reported: number; readonly wrong: string | null; readonly rss: number };

/** Another archive for so many damages. */
const perBase = 250;
const perCollection = 20;
const { gc: collect } = globalThis;
/** Opened for writing, too: each of so many. */
const perWrite = 5;

async function wholeOf(folder: string, seed: number): Promise<readonly [Base, Answers, Answers]> {
  const base = await baseOf(folder, seed);
  const file = join(folder, "whole.rollcall");
  writeFileSync(file, base.closed);
  const whole = await answersOf(file, base.paths);
  const other = join(folder, "left.rollcall");
  writeFileSync(other, base.left.file);
  writeFileSync(`${other}-wal`, base.left.log);
  writeFileSync(`${other}-log`, base.left.mark);
  const left = await answersOf(other, base.paths);
  for (const each of [file, other])
    for (const end of ["", "-wal", "-shm", "-log"]) rmSync(`${each}${end}`, { force: true });
  if (whole.refused !== null || left.refused !== null)
    throw new Error(`a whole archive is refused: ${whole.refused ?? left.refused}`);
  return [base, whole, left];
}

async function work({ seed, folder, from, to }: Task): Promise<void> {
  const own = mkdtempSync(join(folder, "rollcall-damage-"));
  leash(() => rmSync(own, { recursive: true, force: true }));
  const say = (line: Line): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
  let made = Math.floor(from / perBase);
  let known = await wholeOf(own, seed + made);
  for (let at = from; at < to; at++) {
    const number = Math.floor(at / perBase);
    if (number !== made) {
      known = await wholeOf(own, seed + number);
      made = number;
    }
    const [base, whole, left] = known;
    const chance = chanceOf(seed, at);
    const kind = damageKinds[at % damageKinds.length] ?? "bit";
    const file = join(own, "damaged.rollcall");
    const done = damage(base, file, kind, chance);
    say({ at, kind, says: done?.says ?? "nothing to damage" });
    const { wrong, reported } = silent(kind === "log" ? left : whole, await answersOf(file, base.paths));
    if (at % perWrite === 0) await survives(file);
    // What libsql holds of a database that is closed goes with the garbage.
    if (at % perCollection === 0) collect?.();
    say({ done: at, reported, wrong, rss: process.memoryUsage().rss });
  }
  rmSync(own, { recursive: true, force: true });
}

const [task] = process.argv.slice(2);
if (task === undefined) throw new Error("it is told what to do by whoever starts it");
const given: Task = JSON.parse(task);
await work(given);
