/** What became of each mutant of a file, kept as one readable line each in `results/`, in the order of the code. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { home, root } from "./files.ts";

/**
 * `killed`: something failed. `timeout`: it ran on and on, which would be noticed too. `survived`: nothing noticed.
 * `uncovered`: nothing came across it. `invalid`: it could not be run at all.
 */
export type Verdict = "killed" | "timeout" | "survived" | "uncovered" | "invalid";

export interface Mutant {
  /** Where it begins, and ends: `12:5-12:9`. */
  readonly at: string;
  readonly mutator: string;
  readonly was: string;
  readonly became: string;
  readonly verdict: Verdict;
  /** What noticed it, and how. */
  readonly by: string;
}
export interface Results {
  readonly file: string;
  /** Of the text that was judged. */
  readonly hash: string;
  readonly mutants: readonly Mutant[];
}

function placeOf(file: string): string {
  return join(root, home, "results", file.replace(/^src\//, "").replace(/\.ts$/, ".json"));
}

export async function readResults(file: string): Promise<Results | null> {
  const text = await readFile(placeOf(file), "utf8").catch(() => null);
  if (text === null) return null;
  const results: Results = JSON.parse(text);
  return results;
}
export async function writeResults(results: Results): Promise<void> {
  const { mutants, ...head } = results;
  const lines = mutants.map((each) => `    ${JSON.stringify(each)}`);
  const opened = JSON.stringify(head, null, 2).replace(/\n\}$/, "");
  const file = placeOf(results.file);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${opened},\n  "mutants": [\n${lines.join(",\n")}\n  ]\n}\n`);
}

export const isAlive = ({ verdict }: Mutant): boolean => verdict === "survived" || verdict === "uncovered";
/** Worth another try. */
export const isOpen = (mutant: Mutant): boolean => isAlive(mutant) || mutant.verdict === "invalid";
/** The same mutant in two runs over the same text. */
const nameOf = ({ at, mutator, became }: Mutant): string => `${at} ${mutator} ${became}`;

/** What is known with what a later run, over some of them, has found: a mutant once killed stays so. */
export function merged(before: readonly Mutant[], later: readonly Mutant[]): readonly Mutant[] {
  const found = new Map(later.map((each) => [nameOf(each), each]));
  return before.map((each) => {
    const again = found.get(nameOf(each));
    return again === undefined || !isOpen(each) ? each : again;
  });
}
