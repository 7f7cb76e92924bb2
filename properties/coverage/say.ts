/** Coverage in a few lines for people, and all of it for programs. */
import { counted, grouped } from "../io.ts";
import { during, pairs } from "./cells.ts";
import type { Coverage } from "./coverage.ts";
import type { Escaped } from "./escaped.ts";

/** Holes named on a terminal; a file has all of them. */
const namedMax = 8;
const rareMax = 5;

const named = (holes: readonly string[]): string => {
  const more = holes.length - namedMax;
  return `${holes.slice(0, namedMax).join("; ")}${more > 0 ? `; and ${grouped(more)} more` : ""}`;
};

const percent = (share: number): string => `${(share * 100).toFixed(share < 0.1 ? 2 : 0)} %`;

export function coverageText({ stories, cells, goals, holes, next }: Coverage, escaped: Escaped | null): string {
  const line = (what: string, all: number, missing: readonly string[]): readonly string[] => [
    `  ${what}: ${all - missing.length} of ${all}`,
    ...(missing.length === 0 ? [] : [`      never: ${named(missing)}`]),
  ];
  const rare = [...goals]
    .filter(([, count]) => count > 0)
    .toSorted(([, one], [, other]) => one - other)
    .slice(0, rareMax);
  const behaviours = [...cells.keys()].filter((cell) => !during.includes(cell)).length;
  const lines = [
    `coverage by ${counted(stories, "story", "stories")}: ${grouped(behaviours)} of activity × command × outcome`,
    ...line("commands on whatever somebody is doing", pairs.length, holes.pairs),
    ...line("commands while an operation stands at a gate", during.length, holes.during),
    ...line("goals", goals.size, holes.goals),
    `      in the fewest stories: ${rare.map(([name, count]) => `${name} (${count})`).join("; ")}`,
    `  the next story shows something that none has shown: ${percent(next.unseen)}, estimated; ${grouped(next.once)} of ${grouped(next.classes)} were seen in one story only`,
    `  and is as a whole like no other: ${percent(next.unseenSignature)}`,
    escaped === null
      ? "  planted faults that escaped: not told; --faults FILE takes what `rollcall faults --json FILE` wrote"
      : `  planted faults that escaped: ${percent(escaped.faults === 0 ? 0 : escaped.escaped.length / escaped.faults)}, ${escaped.escaped.length} of ${escaped.faults}${escaped.escaped.length === 0 ? "" : ` (${named(escaped.escaped)})`}; ${grouped(escaped.survived)} of ${counted(escaped.hunts, "hunt")}`,
  ];
  return `${lines.join("\n")}\n`;
}

export function coverageMachine({ stories, cells, goals, holes, next }: Coverage, escaped: Escaped | null): object {
  return {
    stories,
    cells: Object.fromEntries([...cells].toSorted(([one], [other]) => (one < other ? -1 : 1))),
    goals: Object.fromEntries(goals),
    holes,
    next,
    faults: escaped,
  };
}
