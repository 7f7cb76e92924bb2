/**
 * Kills within a migration: a process that opens an archive of the first format for writing dies at a named point of it, or at any
 * moment; then the archive is whole in the one format or in the other, and holds what it held.
 */
import { mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { removeFolder } from "../targets/settled.ts";
import { dumpOf, formatOf, integrityOf, linesOf, type Older, olderArchive } from "../targets/torture/older.ts";
import type { Death } from "../targets/torture/points.ts";
import { type Chance, chanceOf } from "./chance.ts";
import { Found } from "./judge.ts";
import { lineOf, type Process } from "./process.ts";

/** Points that a migration passes, and how often; known once one came to its end. */
type Passed = { readonly [point: string]: number };
interface Known {
  readonly older: Older;
  readonly passed: Passed;
}
export interface Migrations {
  /** Kills one, some twice: the points at which they died, null for any moment. Throws `Found` where the archive is not whole. */
  kill(number: number): Promise<readonly (string | null)[]>;
  /** All points that were passed so far. */
  points(): readonly string[];
}
export interface Asked {
  readonly seed: number;
  readonly folder: string;
  /** A process that is ready. */
  readonly fresh: () => Promise<Process>;
  /** How many died at a point so far: where fewest have, the next one does. */
  readonly killed: (point: string) => number;
}

/** So many archives; the first is the stored one. */
const archives = 4;
const twice = 30;
const anyMoment = 15;

export function migrations({ seed, folder: parent, fresh, killed }: Asked): Migrations {
  const known = new Map<number, Promise<Known>>();
  const points = new Set<string>();
  const unharmed = async (which: number): Promise<Known> => {
    const folder = await mkdtemp(join(parent, "rollcall-older-"));
    const older = await olderArchive(folder, which === 0 ? 0 : seed + which);
    const file = join(folder, "archive.rollcall");
    await writeFile(file, older.bytes);
    const process = await fresh();
    process.send({ migrate: file }, { passed: true });
    if ((await lineOf(process))?.ok !== "migrate") throw new Found(`it did not migrate: ${process.said()}`);
    const all = Object.entries((await lineOf(process))?.passed ?? {});
    const passed = Object.fromEntries(all.filter(([point]) => point.startsWith("migration: ")));
    await process.kill();
    for (const point of Object.keys(passed)) points.add(point);
    await whole(file, older);
    await removeFolder(folder);
    return { older, passed };
  };
  const knownOf = (which: number): Promise<Known> => {
    const found = known.get(which) ?? unharmed(which);
    known.set(which, found);
    return found;
  };
  return {
    points: () => [...points],
    kill: async (number) => {
      const { older, passed } = await knownOf(number % archives);
      const chance = chanceOf(seed, number);
      const folder = await mkdtemp(join(parent, "rollcall-migrated-"));
      const file = join(folder, "archive.rollcall");
      await writeFile(file, older.bytes);
      const died: (string | null)[] = [];
      do {
        const death = deathIn(passed, killed, chance);
        const process = await fresh();
        process.send({ arm: death }, { migrate: file });
        const timer = death === null ? setTimeout(() => void process.kill(), chance.below(20)) : undefined;
        const line = await lineOf(process);
        clearTimeout(timer);
        await process.kill();
        died.push(line?.dying ?? null);
        const format = formatOf(file);
        // In the first one nothing at all has changed, not even whose it is.
        if (format === 1 && dumpOf(file) !== older.dump) throw new Found(`${saidOf(died)}: half of it is migrated`);
      } while (formatOf(file) === 1 && chance.in100(twice));
      try {
        await whole(file, older);
      } catch (error) {
        throw new Found(`${saidOf(died)}: ${error instanceof Error ? error.message : String(error)}, in ${file}`);
      }
      await removeFolder(folder);
      return died;
    },
  };
}
const saidOf = (died: readonly (string | null)[]): string =>
  `a migration killed ${died.map((each) => each ?? "at any moment").join(", then ")}`;

/** At the point where fewest have died, any time it comes to it; or null for any moment. */
function deathIn(passed: Passed, killed: (point: string) => number, chance: Chance): Death | null {
  const [first] = Object.keys(passed).sort((one, other) => killed(one) - killed(other));
  if (first === undefined || chance.in100(anyMoment)) return null;
  return { points: [first], nth: 1 + chance.below(passed[first] ?? 1) };
}

/** Opened by its next owner it is of today's format, whole, and holds what it held. */
async function whole(file: string, older: Older): Promise<void> {
  const lines = await linesOf(file);
  if (lines !== older.lines) throw new Found(`it does not hold what it held: ${differing(lines, older.lines)}`);
  const integrity = integrityOf(file);
  if (formatOf(file) === 1 || integrity !== "ok, 0 foreign keys broken")
    throw new Found(`it is not whole: ${integrity}`);
}
function differing(found: string, expected: string): string {
  const [lines, others] = [found.split("\n"), expected.split("\n")];
  const at = others.findIndex((line, index) => line !== lines[index]);
  return `${lines[at]?.slice(0, 200)} for ${others[at]?.slice(0, 200)}`;
}
