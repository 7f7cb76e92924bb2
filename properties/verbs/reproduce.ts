/** `rollcall reproduce`: from a capture to the shortest story that it allows and that a target gets wrong. */
import { parseArgs } from "node:util";
import { createColors } from "picocolors";
import type { Distance } from "../captures/distance.ts";
import { importCapture } from "../captures/import.ts";
import { type Found, type Reproduced, reproduce as searched } from "../captures/reproduce.ts";
import { counted, exit, grouped, type Io, interruptible, progress, seconds, type Verb, verb, whole } from "../io.ts";
import { reasons, story } from "../report.ts";
import { budgetOf } from "./budget.ts";
import { oracleOf } from "./check.ts";
import { draftsUsual, type Kept, keep, write } from "./drafts.ts";
import { readGiven, summaryOf } from "./import.ts";
import { asked, type Chosen, chosen, opened, targetHelp, targetOptions } from "./on-target.ts";

const budgetUsualMs = 60_000;
const shrinksUsual = 2_000;

const help = `
Searches the stories that a capture (see rollcall import) allows for one that breaks a law or differs from the specification. In the
capture's order: what was concurrent with each operation, as it was recorded; then again and again what is around an operation, with
what may have happened unseen put in between, concurrent moments moved, gates answered otherwise, and saves, mail and crashes; once,
all of it. The first that fails is shrunk, and told with its distance from what was recorded: steps that the capture does
not have, plus steps with another answer, plus steps in another order. What the story leaves out is counted apart.

${targetHelp("memory")}
  --budget TIME   begins no story after 60s, 5m, 1h [60s]
  --tries N       tells so many stories at most
  --seed N        the same seed tells the same stories [1]
  --oracle WHICH  what judges: both, laws (no comparison) or comparison (no laws) [both]
  --json FILE     what was found, for programs
  --drafts DIR    where the story is written as a trace [${draftsUsual}]
  --texts         keep the capture's texts as they are, not as stand-ins that name their length and hash

Exit code 0 where none was found, 1 where one was. Ctrl-C ends it with what there was.`;

export const reproduce: Verb = verb(
  "reproduce",
  "reproduce CAPTURE [--target TARGET] [--budget TIME]",
  help,
  async (args, io) => {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        ...targetOptions,
        budget: { type: "string" },
        tries: { type: "string" },
        seed: { type: "string" },
        oracle: { type: "string" },
        json: { type: "string" },
        drafts: { type: "string" },
        texts: { type: "boolean" },
      },
    });
    const chose = chosen(values, "memory");
    const budgetMs = budgetOf(values.budget) ?? budgetUsualMs;
    const triesMax = whole(values.tries, Number.MAX_SAFE_INTEGER, "--tries", 1);
    const seed = whole(values.seed, 1, "--seed");
    const oracle = oracleOf(values.oracle);
    const texts = values.texts === true;
    const capture = importCapture(await readGiven(positionals), texts);
    const target = await (await opened(chose))();
    const line = progress(io);
    const tell = (tries: number, steps: number): void =>
      line.tell(`${chose.name}  ${counted(tries, "story", "stories")}, ${counted(steps, "step")}`);
    try {
      const found = await interruptible((signal) =>
        searched({
          capture,
          target,
          seed,
          budgetMs,
          triesMax,
          shrinksMax: shrinksUsual,
          oracle,
          signal,
          progress: tell,
        }),
      );
      line.done();
      io.out(summaryOf(capture));
      io.out(summary(found, io));
      if (values.json !== undefined) await write(values.json, `${JSON.stringify(machine(found), null, 2)}\n`);
      if (found.found === null) return exit.held;
      const files = positionals.join(" ");
      const judging = oracle === "both" ? "" : ` --oracle ${oracle}`;
      const again = `rollcall reproduce ${files} ${asked(chose)}${judging} --seed ${seed}`;
      const drafts = values.drafts ?? draftsUsual;
      io.out(await told(found.found, { chose, again, drafts, texts: texts || !chose.name.includes(".") }, io));
      return found.found.shrunk.fickle ? exit.stale : exit.broken;
    } finally {
      line.done();
      await target.close();
    }
  },
);

function summary({ target, tries, steps, seed, ms, found, interrupted, diverged }: Reproduced, io: Pick<Io, "color">) {
  const { green, red, dim, yellow } = createColors(io.color);
  const mark = found === null ? green("none found") : red("found");
  const lines = [
    `${mark}  ${target}: ${counted(tries, "story", "stories")}, ${counted(steps, "step")}  ${dim(`seed ${seed}, ${seconds(ms)}`)}`,
  ];
  if (interrupted) lines.push(yellow("      interrupted; this is what there was"));
  for (const [kind, times] of diverged) lines.push(yellow(`      known divergence ${kind}: ${counted(times, "time")}`));
  return `${lines.join("\n")}\n`;
}

interface Telling {
  readonly chose: Chosen;
  readonly again: string;
  readonly drafts: string;
  readonly texts: boolean;
}
async function told(found: Found, { chose, again, drafts, texts }: Telling, io: Pick<Io, "color" | "columns">) {
  const { red, bold } = createColors(io.color);
  const { name } = chose;
  const { shrunk, failure, length, way } = found;
  if (shrunk.fickle)
    return `\n${red(bold(`${name} failed once and then did not: it is not deterministic, and that is no verdict`))}\n`;
  const place = { story: found.story, length, executions: shrunk.executions, fickle: null };
  const kept: Kept = await keep({ ...place, shrunk, failure }, name, again, drafts);
  const ways = {
    "as recorded": "around one operation, as it was recorded",
    whole: "all of the capture, as it was recorded",
    changed: "around one operation, changed as the capture allows",
  } as const;
  const broken = failure.broken.length > 0 ? "breaks the law" : "differs from the specification";
  const paper = { columns: Math.min(io.columns, 160), texts };
  return [
    "",
    red(bold(`${name} ${broken}`)),
    reasons(failure, name),
    "",
    `${counted(shrunk.run.told.length, "step")}, shrunk from ${counted(length, "step")} (${ways[way]}) in ${counted(shrunk.executions, "execution")}:`,
    story(shrunk.run.told, failure, name, paper),
    "",
    distanceText(found.distance),
    "",
    `again:    ${again}`,
    `written:  ${kept.file}`,
    `replay:   rollcall replay ${kept.file} ${asked(chose)}`,
    "",
  ].join("\n");
}

function distanceText({ total, added, changed, moved, matched, assumed, leftOut }: Distance): string {
  return [
    `distance from the capture ${total}: ${added} added, ${changed} answered otherwise, ${moved} moved;`,
    `${matched} as recorded, ${assumed} of them assumed; ${grouped(leftOut)} known moments left out`,
  ].join(" ");
}

/** For programs. */
function machine({ found, diverged, ms, ...rest }: Reproduced): object {
  const counts = { ...rest, seconds: ms / 1_000, diverged: Object.fromEntries(diverged) };
  if (found === null) return { verdict: "none found", ...counts };
  const { shrunk, failure, way, story: number, length, distance, stepsBefore, msBefore } = found;
  return {
    verdict: shrunk.fickle ? "not deterministic" : "found",
    ...counts,
    ...{ way, story: number, stepsBefore, secondsBefore: msBefore / 1_000, distance },
    ...{ kinds: failure.kinds, laws: failure.broken.map(({ law, what }) => ({ number: law.number, what })) },
    difference: failure.difference,
    shrunk: { length: shrunk.run.told.length, from: length, executions: shrunk.executions, steps: shrunk.run.told },
  };
}
