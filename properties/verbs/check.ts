/** `rollcall check`: generated stories against a target, the first failure shrunk, told and written down as a draft. */
import { parseArgs } from "node:util";
import { type Checked, check as checked } from "../check.ts";
import { escapedIn } from "../coverage/escaped.ts";
import { coverageMachine, coverageText } from "../coverage/say.ts";
import { counted, exit, grouped, interruptible, progress, type Verb, verb, whole } from "../io.ts";
import { type Oracle, oracles } from "../loop.ts";
import { casesOf } from "../reports/case.ts";
import { reporterHelp, reporting } from "../reports/reporters.ts";
import { Unusable } from "../unusable.ts";
import { budgetOf, partOf, workersOf } from "./budget.ts";
import { configHelp, configured } from "./config.ts";
import { draftsUsual, write } from "./drafts.ts";
import { chosen, opened, targetHelp, targetOptions } from "./on-target.ts";
import { pictured } from "./picture.ts";
import { absent, again, failure, summary } from "./say.ts";

const runsUsual = 1_000;
const seedUsual = 1;

const help = `
Tells generated stories to a target and to the specification, compares outcome, events, whole view and encoding after every
step, checks the laws, and shrinks the first story that fails. Each story comes from the seed and its own number.

${targetHelp("memory")}
  --runs N        how many stories [${runsUsual}; with --budget as many as there is time for]
  --seed N        the same seed tells the same stories [${seedUsual}]
  --budget TIME   begins no story after 60s, 5m, 1h
  --shard I/N     the I-th of N parts of the run, each N-th story; all parts together are the run
  --story N       only this story of the run
  --workers N     tells in N processes, each with a target of its own; the result is that of one [1 for fewer than 300 stories]
  --oracle WHICH  what judges: both, laws (no comparison) or comparison (no laws) [both]
${configHelp}
${reporterHelp}
  --coverage[=FILE]  what the stories cover, by how many of them: activity × command × outcome, commands while operations stand
                  at gates, goals; what none has shown; and the chance (Good–Turing) that the next story shows a class of
                  behaviour that none has: one of activity × command × outcome, of gate × command, or a goal
  --faults FILE   from rollcall faults --json FILE: the share of planted faults that escaped, beside that chance
  --drafts DIR    where a story that failed is written as a trace [${draftsUsual}]
  --texts         show texts of a target that is not ours as they are, not as lengths and hashes

Ctrl-C ends it with what there was.`;

export const check: Verb = verb(
  "check",
  "check [--target TARGET] [--runs N] [--seed N] [--budget TIME] [--workers N]",
  help,
  async (args, io) => {
    const { values: typed } = parseArgs({
      // Its file may be left out, which no option of parseArgs allows.
      args: args.map((arg) => (arg === "--coverage" ? "--coverage=" : arg)),
      options: {
        ...targetOptions,
        runs: { type: "string" },
        seed: { type: "string" },
        budget: { type: "string" },
        shard: { type: "string" },
        story: { type: "string" },
        workers: { type: "string" },
        oracle: { type: "string" },
        json: { type: "string" },
        reporter: { type: "string", multiple: true },
        drafts: { type: "string" },
        texts: { type: "boolean" },
        coverage: { type: "string" },
        faults: { type: "string" },
      },
    });
    const { values, judged: more } = await configured(typed);
    const target = chosen(values, "memory", more);
    const { name } = target;
    const open = await opened(target);
    const budgetMs = budgetOf(values.budget);
    const runs = whole(values.runs, budgetMs === undefined ? runsUsual : Number.MAX_SAFE_INTEGER, "--runs", 1);
    const seed = whole(values.seed, seedUsual, "--seed");
    const part = partOf(values.shard, values.story);
    const workers = { ...target, count: part.story === undefined ? workersOf(values.workers, runs) : 1 };
    const oracle = oracleOf(values.oracle);
    const report = reporting(values.reporter, values.json, io);
    const covers = values.coverage !== undefined || values.faults !== undefined;
    const escaped = values.faults === undefined ? null : await escapedIn(values.faults);
    const line = progress(io);
    const of = runs === Number.MAX_SAFE_INTEGER ? "" : ` of ${counted(runs, "story", "stories")}`;
    const tell = (stories: number, steps: number): void =>
      line.tell(`${name}  ${grouped(stories)}${of}, ${counted(steps, "step")}`);
    try {
      const found = await interruptible((signal) =>
        checked({ runs, seed, open, oracle, covers, ...part, budgetMs, workers, signal, progress: tell }),
      );
      line.done();
      report.io.out(summary(found, report.io, budgetMs));
      const { failed, coverage } = found;
      if (coverage !== null) report.io.out(coverageText(coverage, escaped));
      if (coverage !== null && values.coverage !== undefined && values.coverage !== "")
        await write(values.coverage, `${JSON.stringify(coverageMachine(coverage, escaped), null, 2)}\n`);
      const texts = values.texts === true || !name.includes(".");
      const told =
        failed === null
          ? null
          : await failure(found, failed, { target, texts, drafts: values.drafts ?? draftsUsual }, report.io);
      if (told !== null) report.io.out(told.text);
      const shown =
        failed === null || told === null || !found.pictures ? null : await pictured(open, failed, told.kept.file);
      if (shown !== null) report.io.out(`picture:  ${shown}\n`);
      const repeat = failed === null ? "" : again(found, failed, target);
      await report.finish(casesOf(found, name, told?.kept ?? null, repeat), machine(found), found.ms);
      if (failed === null) return absent(found) === null ? exit.held : exit.broken;
      return failed.fickle === null ? exit.broken : exit.stale;
    } finally {
      line.done();
    }
  },
);

/** `--oracle`. */
export function oracleOf(given = "both"): Oracle {
  const found = oracles.find((each) => each === given);
  if (found === undefined) throw new Unusable(2, `--oracle is ${oracles.join(", ")}, not ${JSON.stringify(given)}`);
  return found;
}

/** For programs. */
export function machine(found: Checked): object {
  const { target, oracle, seed, asked, stories, steps, rebuffed, failed, goals, coverage, interrupted, spent, ms } =
    found;
  const counts = {
    target,
    oracle,
    seed,
    asked,
    stories,
    steps,
    rebuffed,
    seconds: ms / 1_000,
    interrupted,
    spent,
    goals: Object.fromEntries(goals),
    level: found.level,
    shims: found.shims,
    beyond: Object.fromEntries(found.beyond),
    ...(coverage === null ? {} : { coverage: coverageMachine(coverage, null) }),
  };
  if (failed === null) return { verdict: "held", ...counts };
  const { story, failure, shrunk, executions, length, fickle } = failed;
  // What is not the same twice breaks no law.
  const broken = fickle === null ? failure.broken : [];
  const [first] = broken;
  return {
    verdict: fickle === null ? "failed" : "not deterministic",
    story,
    fickle,
    kind: failure.kinds[0],
    kinds: failure.kinds,
    law: first === undefined ? null : { number: first.law.number, sentence: first.law.sentence, what: first.what },
    laws: broken.map(({ law, what }) => ({ number: law.number, sentence: law.sentence, what })),
    difference: failure.difference,
    threw: failure.thrown === null ? null : String(failure.thrown),
    ...counts,
    shrunk: { length: shrunk.run.told.length, from: length, executions, scope: shrunk.scope, steps: shrunk.run.told },
    found: failure.found === null ? null : { reply: failure.found.reply, view: failure.found.view },
  };
}
