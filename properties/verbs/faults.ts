/** `rollcall faults`: every fault that is known hunted with several seeds; a table of what finds which, and how soon. */
import { parseArgs } from "node:util";
import { createColors } from "picocolors";
import { hunt, type Kill } from "../faults/hunt.ts";
import { summary, table } from "../faults/table.ts";
import { lawsOf, type Sum, sumOf, type Verdict } from "../faults/tally.ts";
import { counted, exit, type Io, interruptible, progress, seconds, type Verb, verb, whole } from "../io.ts";
import { hasSources, plantedSubjects, type Subject, twinSubjects } from "../targets/subjects.ts";
import { Unusable } from "../unusable.ts";
import { write } from "./drafts.ts";

const usual = { seeds: 20, shrinks: 3, runs: 5_000, lawRuns: 200 } as const;

const help = `
Hunts every faulty twin of the specification and, where the sources are at hand, every fault planted in a copy of the production
source: with each seed until the first story that fails. Says for each by which laws and which difference it dies, whether laws
alone find it (nothing compared), how many stories that takes, how long the shrunk story is beside the shortest known, and
for each law whether some fault dies by it alone.

  --seeds N       so many seeds, from 1 on [${usual.seeds}]
  --runs N        stories with one seed at most; a fault that lives through them has survived [${usual.runs}]
  --shrinks N     with so many seeds the story that fails is shrunk [${usual.shrinks}]
  --law-runs N    stories judged by laws alone where none was broken when a difference was seen [${usual.lawRuns}]
  --only NAMES    these faults only, with commas between
  --plants        planted faults only; an error where there are no sources
  --twins         twins only
  --json FILE     every hunt, for programs

Ctrl-C ends it with what there was. A survivor, or a story shrunk to more than one step above the shortest known, is a failure.`;

interface Asked {
  readonly seeds: number;
  readonly runs: number;
  readonly shrinks: number;
  readonly lawRuns: number;
}

export const faults: Verb = verb(
  "faults",
  "faults [--seeds N] [--only NAMES] [--plants|--twins] [--json FILE]",
  help,
  async (args, io) => {
    const { values } = parseArgs({
      args: [...args],
      options: {
        ...{ seeds: { type: "string" }, runs: { type: "string" }, shrinks: { type: "string" } },
        "law-runs": { type: "string" },
        ...{ only: { type: "string" }, json: { type: "string" } },
        ...{ plants: { type: "boolean" }, twins: { type: "boolean" } },
      },
    });
    const asked: Asked = {
      seeds: whole(values.seeds, usual.seeds, "--seeds", 1),
      runs: whole(values.runs, usual.runs, "--runs", 1),
      shrinks: whole(values.shrinks, usual.shrinks, "--shrinks"),
      lawRuns: whole(values["law-runs"], usual.lawRuns, "--law-runs"),
    };
    const { subjects, remove } = await chosen(values);
    const started = performance.now();
    try {
      const told = await interruptible((signal) => all(subjects, asked, signal, io));
      const { verdicts, interrupted } = told;
      if (values.json !== undefined) await write(values.json, `${JSON.stringify(machine(told, asked), null, 2)}\n`);
      io.out(table(verdicts, io));
      io.out(`\n${summary(verdicts)}`);
      io.out(ending(sumOf(verdicts), verdicts.length, subjects.length, interrupted, performance.now() - started, io));
      return holds(sumOf(verdicts)) ? exit.held : exit.broken;
    } finally {
      await remove();
    }
  },
);

interface Choice {
  readonly only?: string | undefined;
  readonly plants?: boolean | undefined;
  readonly twins?: boolean | undefined;
}

async function chosen({ only, plants, twins }: Choice): Promise<Awaited<ReturnType<typeof plantedSubjects>>> {
  if (plants === true && twins === true) throw new Unusable(2, "--plants and --twins leave nothing; take one of them");
  const names = only === undefined ? null : only.split(",").map((name) => name.trim());
  const isChosen = (name: string): boolean => names === null || names.includes(name);
  if (plants === true && !hasSources())
    throw new Unusable(2, "--plants needs the sources of rollcall, and this package has none; use a checkout");
  const own = plants === true ? [] : twinSubjects().filter(({ name }) => isChosen(name));
  const planted =
    twins === true || !hasSources() ? { subjects: [], remove: async () => {} } : await plantedSubjects(isChosen);
  const subjects = [...own, ...planted.subjects];
  const unknown = names?.find((name) => !subjects.some((each) => each.name === name));
  if (unknown !== undefined || subjects.length === 0)
    throw new Unusable(2, `there is no fault ${JSON.stringify(unknown ?? "")}; without --only all are told`);
  return { subjects, remove: planted.remove };
}

interface ToldAll {
  readonly verdicts: readonly Verdict[];
  readonly interrupted: boolean;
}

async function all(subjects: readonly Subject[], asked: Asked, signal: AbortSignal, io: Io): Promise<ToldAll> {
  const verdicts: Verdict[] = [];
  const line = progress(io);
  for (const [index, subject] of subjects.entries()) {
    if (signal.aborted) break;
    const verdict = await judged(subject, asked, signal, (seed) =>
      line.tell(`${index + 1} of ${subjects.length}  ${subject.is} ${subject.name}, seed ${seed} of ${asked.seeds}`),
    );
    if (verdict !== null) verdicts.push(verdict);
  }
  line.done();
  return { verdicts, interrupted: signal.aborted };
}

/** `null` where nothing was found out before it was interrupted. */
async function judged(
  { name, is, does, shortest, open }: Subject,
  { seeds, runs, shrinks, lawRuns }: Asked,
  signal: AbortSignal,
  tell: (seed: number) => void,
): Promise<Verdict | null> {
  const target = await open();
  const kills: Kill[] = [];
  const survived: number[] = [];
  try {
    for (let seed = 1; seed <= seeds && !signal.aborted; seed++) {
      tell(seed);
      const kill = await hunt(target, { seed, runs, oracle: "both", shrinks: seed <= shrinks, signal });
      if (kill !== null) kills.push(kill);
      else if (!signal.aborted) survived.push(seed);
    }
    let byLaws: readonly number[] = [...new Set(kills.flatMap(({ laws }) => laws))];
    // Where a comparison always came first, laws are asked alone: they may say so some steps later.
    if (byLaws.length === 0 && kills.length > 0 && !signal.aborted)
      byLaws = (await hunt(target, { seed: 1, runs: lawRuns, oracle: "laws", shrinks: false, signal }))?.laws ?? [];
    return kills.length + survived.length === 0 ? null : { name, is, does, kills, survived, byLaws, shortest };
  } finally {
    await target.close();
  }
}

const holds = ({ lived, overlong, hunts }: Sum): boolean => hunts > 0 && lived.length === 0 && overlong.length === 0;

function ending(sum: Sum, told: number, of: number, interrupted: boolean, ms: number, { color }: Io): string {
  const { green, red, yellow } = createColors(color);
  const mark = holds(sum) ? green("held") : red("failed");
  const cut = interrupted ? yellow(`; interrupted, of ${counted(of, "fault")}`) : "";
  return `\n${mark}  ${counted(told, "fault")}, ${counted(sum.hunts, "hunt")}; ${seconds(ms)}${cut}\n`;
}

function machine({ verdicts, interrupted }: ToldAll, asked: Asked): object {
  return { asked, interrupted, sum: sumOf(verdicts), laws: lawsOf(verdicts), faults: verdicts };
}
