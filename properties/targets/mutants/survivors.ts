/** What may survive, and why: `survivors.json` names each mutant that nothing notices, under the reason that it has. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { home, root } from "./files.ts";
import { isAlive, type Mutant, type Results } from "./results.ts";

export interface Excused {
  readonly file: string;
  readonly why: string;
  /** As `was => became`; several places of a file where the same is written are one. */
  readonly mutants: readonly string[];
}

export async function readExcused(): Promise<readonly Excused[]> {
  const excused: readonly Excused[] = JSON.parse(await readFile(join(root, home, "survivors.json"), "utf8"));
  return excused;
}
const textOf = ({ was, became }: Mutant): string => `${was} => ${became}`;

/** Survivors that have no reason, as `file:line text`. */
export function unexcused(excused: readonly Excused[], { file, mutants }: Results): readonly string[] {
  const known = new Set(excused.filter((each) => each.file === file).flatMap((each) => each.mutants));
  const alive = mutants.filter((each) => isAlive(each) && !known.has(textOf(each)));
  return alive.map((each) => `${file}:${each.at.split("-")[0]} ${each.verdict} ${each.mutator}: ${textOf(each)}`);
}
/** Reasons for what does not survive. */
export function stale(excused: readonly Excused[], results: readonly Results[]): readonly string[] {
  return excused.flatMap(({ file, mutants }) => {
    const found = results.find((each) => each.file === file);
    const alive = new Set(found?.mutants.filter(isAlive).map(textOf));
    return mutants.filter((each) => !alive.has(each)).map((each) => `${file}: ${each}`);
  });
}
