/** What is known of each file's mutants, as a table, and whether that is enough. */
import { floorFiles } from "./files.ts";
import type { Results, Verdict } from "./results.ts";

/** The share to be killed of each of the files that the floor is for, taken together. */
const floor = 0.9;

export interface Known {
  readonly file: string;
  /** Null: not run. */
  readonly results: Results | null;
}
type Counts = { readonly [verdict in Verdict]: number };

function count(all: readonly Known[]): Counts {
  const counts = { killed: 0, timeout: 0, survived: 0, uncovered: 0, invalid: 0 };
  for (const { results } of all) for (const { verdict } of results?.mutants ?? []) counts[verdict]++;
  return counts;
}
/** Of those that could be run: what ran on and on would have been noticed. */
function shareOf({ killed, timeout, survived, uncovered }: Counts): number {
  const all = killed + timeout + survived + uncovered;
  return all === 0 ? 1 : (killed + timeout) / all;
}

const heads = ["killed", "timeout", "survived", "uncovered", "share"];
function row(name: string, cells: readonly string[]): string {
  return `${name.padEnd(28)}${cells.map((cell) => cell.padStart(11)).join("")}\n`;
}
function cellsOf(counts: Counts): readonly string[] {
  const { killed, timeout, survived, uncovered } = counts;
  // Rounded down: 90 % is never said of less.
  const share = `${(Math.floor(shareOf(counts) * 1_000) / 10).toFixed(1)} %`;
  return [...[killed, timeout, survived, uncovered].map(String), share];
}

export function summary(all: readonly Known[]): string {
  const known = all.filter(({ results }) => results !== null);
  const each = all.map((one) => row(one.file, one.results === null ? ["not run"] : cellsOf(count([one]))));
  return [row("", heads), ...each, row("together", cellsOf(count(known)))].join("");
}
/** Every file that the floor is for has been run, and enough was killed in all of them together. */
export function isReached(all: readonly Known[]): boolean {
  const floored = all.filter(({ file }) => floorFiles.includes(file));
  return floored.every(({ results }) => results !== null) && shareOf(count(floored)) >= floor;
}
