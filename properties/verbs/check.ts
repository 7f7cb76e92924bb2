/** `rollcall check`: generated stories against a target, the first failure shrunk, told and written down as a draft. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createColors } from "picocolors";
import { type Checked, check as checked, type Failed } from "../check.ts";
import { counted, exit, grouped, type Io, progress, seconds, type Verb, verb, whole } from "../io.ts";
import { type Oracle, oracles } from "../loop.ts";
import { draft, reasons, story } from "../report.ts";
import { targetNamed, targetNames } from "../targets/named.ts";
import { printTrace } from "../trace.ts";
import { Unusable } from "../unusable.ts";

const runsUsual = 1_000;
const seedUsual = 1;
const draftsFolder: string = join(".rollcall", "drafts");

const help = `
Tells generated stories to a target and to the specification, compares outcome, events, whole view and encoding after every
step, checks the laws, and shrinks the first story that fails.

  --target NAME   ${targetNames()
    .filter((name) => !name.includes(":"))
    .join(", ")}, twin:NAME (a faulty one), or a module ./my-target.js [memory]
  --runs N        how many stories [${runsUsual}]
  --seed N        the same seed tells the same stories [${seedUsual}]
  --oracle WHICH  what judges: both, laws (no comparison) or comparison (no laws) [both]
  --json FILE     what was found, for programs
  --texts         show texts of a target that is not ours as they are, not as lengths and hashes

Ctrl-C ends it with what there was. The story that failed is written to ${draftsFolder}/ as a trace.`;

export const check: Verb = verb(
  "check",
  "check [--target NAME|MODULE] [--runs N] [--seed N] [--oracle WHICH] [--json FILE]",
  help,
  async (args, io) => {
    const { values } = parseArgs({
      args: [...args],
      options: {
        target: { type: "string" },
        runs: { type: "string" },
        seed: { type: "string" },
        oracle: { type: "string" },
        json: { type: "string" },
        texts: { type: "boolean" },
      },
    });
    const name = values.target ?? "memory";
    const open = await targetNamed(name);
    const runs = whole(values.runs, runsUsual, "--runs", 1);
    const seed = whole(values.seed, seedUsual, "--seed");
    const oracle = oracleOf(values.oracle);
    const line = progress(io);
    const interrupted = new AbortController();
    const stop = (): void => interrupted.abort();
    process.once("SIGINT", stop);
    try {
      const tell = (stories: number, steps: number): void =>
        line.tell(`${name}  ${grouped(stories)} of ${counted(runs, "story", "stories")}, ${counted(steps, "step")}`);
      const found = await checked({ runs, seed, open, oracle, signal: interrupted.signal, progress: tell });
      line.done();
      if (values.json !== undefined) await write(values.json, `${JSON.stringify(machine(found), null, 2)}\n`);
      io.out(summary(found, io));
      if (found.failed === null) return absent(found) === null ? exit.held : exit.broken;
      io.out(await failure(found, found.failed, name, io, values.texts === true || !name.includes(".")));
      return found.failed.fickle ? exit.stale : exit.broken;
    } finally {
      line.done();
      process.removeListener("SIGINT", stop);
    }
  },
);

function oracleOf(given = "both"): Oracle {
  const found = oracles.find((each) => each === given);
  if (found === undefined) throw new Unusable(2, `--oracle is ${oracles.join(", ")}, not ${JSON.stringify(given)}`);
  return found;
}

async function write(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text);
  } catch (cause) {
    throw new Unusable(2, `${file} cannot be written: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}

/** One line on what was done, and which goals no story reached. */
export function summary(found: Checked, io: Pick<Io, "color">): string {
  const { green, red, dim, yellow } = createColors(io.color);
  const { target, stories, steps, seed, ms, goals, failed, interrupted, diverged } = found;
  const mark = failed === null ? green("held") : red("failed");
  const reached = [...goals.values()].filter((times) => times > 0).length;
  const lines = [
    `${mark}  ${target}: ${counted(stories, "story", "stories")}, ${counted(steps, "step")}, ${reached} of ${counted(goals.size, "goal")}  ${dim(`seed ${seed}, ${seconds(ms)}`)}`,
  ];
  if (interrupted) lines.push(yellow("      interrupted; this is what there was"));
  for (const [kind, times] of diverged) lines.push(yellow(`      known divergence ${kind}: ${counted(times, "time")}`));
  const gone = absent(found);
  if (gone !== null)
    lines.push(red(`      known divergence ${gone} no longer occurs: take it out of the target's capabilities`));
  return `${lines.join("\n")}\n`;
}

/** A known divergence that did not occur. */
const absent = ({ missing, failed, interrupted }: Checked): string | null =>
  failed === null && !interrupted ? (missing[0] ?? null) : null;

export async function failure(found: Checked, failed: Failed, name: string, io: Io, texts: boolean): Promise<string> {
  const { bold, red } = createColors(io.color);
  const { shrunk, executions, length, fickle } = failed;
  const paper = { columns: Math.min(io.columns, 160), texts };
  const judging = found.oracle === "both" ? "" : ` --oracle ${found.oracle}`;
  const again = `rollcall check --target ${name}${judging} --seed ${found.seed} --runs ${found.stories}`;
  const file = await keep(
    draft(failed, name, `rollcall check --target ${name}, seed ${found.seed}, story ${found.stories}`),
  );
  const how = `shrunk from ${counted(length, "step")} in ${counted(executions, "execution")}`;
  const broken = failed.failure.broken.length > 0 ? "breaks the law" : "differs from the specification";
  return [
    "",
    red(bold(`${name} ${fickle ? "is not deterministic: it failed once and then did not" : broken}`)),
    reasons(failed.failure, name, found.oracle !== "laws"),
    "",
    `${counted(shrunk.run.told.length, "step")}, ${how}:`,
    story(shrunk.run.told, failed.failure, name, paper),
    "",
    `again:    ${again}`,
    `written:  ${file}`,
    `replay:   rollcall replay ${file} --target ${name}`,
    "",
  ].join("\n");
}

async function keep(trace: ReturnType<typeof draft>): Promise<string> {
  const slug = trace.why.split(" ")[0]?.replace(/[^a-z0-9]+/gi, "-") ?? "draft";
  const file = join(draftsFolder, `${slug}-${trace.laws[0] === undefined ? "difference" : `l${trace.laws[0]}`}.json`);
  await mkdir(draftsFolder, { recursive: true });
  await write(file, printTrace(trace));
  return file;
}

/** For programs. */
function machine(found: Checked): object {
  const { target, oracle, seed, stories, steps, rebuffed, failed, goals, interrupted, ms } = found;
  const counts = {
    target,
    oracle,
    seed,
    stories,
    steps,
    rebuffed,
    seconds: ms / 1_000,
    interrupted,
    goals: Object.fromEntries(goals),
  };
  if (failed === null) return { verdict: "held", ...counts };
  const { failure, shrunk, executions, length, fickle } = failed;
  const [first] = failure.broken;
  return {
    verdict: fickle ? "not deterministic" : "failed",
    kind: failure.kinds[0],
    kinds: failure.kinds,
    law: first === undefined ? null : { number: first.law.number, sentence: first.law.sentence, what: first.what },
    laws: failure.broken.map(({ law, what }) => ({ number: law.number, sentence: law.sentence, what })),
    difference: failure.difference,
    threw: failure.thrown === null ? null : String(failure.thrown),
    ...counts,
    shrunk: { length: shrunk.run.told.length, from: length, executions, scope: shrunk.scope, steps: shrunk.run.told },
    found: failure.found === null ? null : { reply: failure.found.reply, view: failure.found.view },
  };
}
