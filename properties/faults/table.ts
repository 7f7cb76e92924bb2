/** The kill table for a terminal: a line a fault, what it comes to, and what each law is good for. */
import { createColors } from "picocolors";
import { counted, type Io } from "../io.ts";
import type { Kill } from "./hunt.ts";
import {
  executionsOf,
  type LawTally,
  lawsOf,
  lengthsOf,
  percentile,
  type Sum,
  storiesOf,
  sumOf,
  type Verdict,
} from "./tally.ts";

/** What issue and README ask of it. */
const asked = { median: 100, p95: 5_000, executions: 150 } as const;

const number = (value: number): string => (Number.isFinite(value) ? value.toLocaleString("en-US") : "never");

/** Commonest first, with how often where it was not always. */
function commonest(kills: readonly Kill[], of: (kill: Kill) => readonly string[], most: number): string {
  const counts = new Map<string, number>();
  for (const kill of kills) for (const each of of(kill)) counts.set(each, (counts.get(each) ?? 0) + 1);
  const sorted = [...counts].sort(([, one], [, other]) => other - one).map(([name]) => name);
  return sorted.slice(0, most).join(" ") + (sorted.length > most ? " …" : "");
}

function row(verdict: Verdict): readonly string[] {
  const { name, is, kills, survived, byLaws, shortest } = verdict;
  const lengths = lengthsOf(verdict);
  const byLaw = commonest(kills, ({ laws }) => laws.map((law) => `L${law}`), 4);
  return [
    is === "planted" ? `${name} (src)` : name,
    byLaw === "" ? "-" : byLaw,
    commonest(kills, ({ difference }) => (difference === null ? [] : [difference]), 1) || "-",
    kills.length === 0 ? "lived" : byLaws.length > 0 ? "yes" : "comparison only",
    survived.length > 0 ? `lived ${survived.length} times` : number(percentile(storiesOf(verdict), 50)),
    number(percentile(storiesOf(verdict), 95)),
    lengths.length === 0 ? "-" : `${[...new Set(lengths)].sort().join(" ")} / ${shortest ?? "?"}`,
    lengths.length === 0 ? "-" : number(percentile(executionsOf(verdict), 50)),
  ];
}

const heads = ["fault", "laws", "difference", "by laws alone", "stories", "p95", "shrunk / shortest", "executions"];

export function table(verdicts: readonly Verdict[], { color }: Pick<Io, "color">): string {
  const { bold, red } = createColors(color);
  const rows = verdicts.map(row);
  const widths = heads.map((head, at) => Math.max(head.length, ...rows.map((each) => each[at]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, at) => (at >= 4 && at !== 6 ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0)))
      .join("  ")
      .trimEnd();
  const lines = rows.map((each, at) => ((verdicts[at]?.survived.length ?? 0) > 0 ? red(line(each)) : line(each)));
  return `${[bold(line(heads)), ...lines].join("\n")}\n`;
}

function sentences(sum: Sum): readonly string[] {
  const { hunts, lived, storiesMedian, storiesP95, shrunk, shortest, overlong, executionsMedian } = sum;
  const killed =
    lived.length === 0
      ? `all killed in ${counted(hunts, "hunt")}`
      : `alive: ${lived.join(", ")}, of ${counted(hunts, "hunt")}`;
  const length =
    shrunk === 0
      ? "nothing shrunk"
      : `${shortest} of ${shrunk} shrunk to the shortest known${overlong.length === 0 ? ", none longer by more than one step" : `; longer by more than one step: ${overlong.join(", ")}`}`;
  return [
    killed,
    `stories to detection: ${number(storiesMedian)} in the middle (asked ${asked.median}), 95 of 100 within ${number(storiesP95)} (asked ${number(asked.p95)})`,
    length,
    ...(shrunk === 0
      ? []
      : [`executions to shrink: ${number(executionsMedian)} in the middle (asked ${asked.executions})`]),
  ];
}

function needed(tallies: readonly LawTally[]): readonly string[] {
  const named = (which: (law: LawTally) => boolean, say: (law: LawTally) => string): string => {
    const found = tallies.filter(which).map(say);
    return found.length === 0 ? "none" : found.join(", ");
  };
  return [
    `laws that some fault dies by alone: ${named(
      ({ alone }) => alone > 0,
      ({ number: law, alone }) => `L${law} (${alone})`,
    )}`,
    `redundant here, each fault dies by another as well: ${named(
      ({ kills, alone }) => kills > 0 && alone === 0,
      ({ number: law, kills }) => `L${law} (${kills})`,
    )}`,
    `untested, no fault dies by them: ${named(
      ({ kills }) => kills === 0,
      ({ number: law }) => `L${law}`,
    )}`,
  ];
}

export function summary(verdicts: readonly Verdict[]): string {
  return `${[...sentences(sumOf(verdicts)), ...needed(lawsOf(verdicts))].join("\n")}\n`;
}
