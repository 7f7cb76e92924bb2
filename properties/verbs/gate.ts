/**
 * `rollcall gate`: the main job, fit for CI: every recorded story, small worlds explored, generated stories against the
 * production registry in memory, in a file and in a process of its own; a summary a person can read, and an exit code.
 */
import { parseArgs } from "node:util";
import { createColors } from "picocolors";
import { laws } from "../../model/index.ts";
import { readTrace, traceFiles } from "../../regressions/files.ts";
import { type Checked, check } from "../check.ts";
import { counted, exit, grouped, type Io, interruptible, progress, seconds, type Verb, verb, whole } from "../io.ts";
import { type Case, casesOf, passed } from "../reports/case.ts";
import { reporterHelp, reporting } from "../reports/reporters.ts";
import { Unusable } from "../unusable.ts";
import { worlds } from "../worlds.ts";
import { budgetOf, workersOf } from "./budget.ts";
import { machine } from "./check.ts";
import { configHelp, configured } from "./config.ts";
import { draftsUsual } from "./drafts.ts";
import { type ExploredWorld, exploreAll, holds, told } from "./explore.ts";
import { type Chosen, chosen, opened, targetHelp, targetOptions } from "./on-target.ts";
import { type OrderedSet, orderSets, quickSets, told as toldOrders } from "./orders.ts";
import { casesOfReplays, codeOf, inProcess, machine as machineOfReplay, replayAll, tally } from "./replay.ts";
import { again, failure, summary } from "./say.ts";

const runsInMemory = 3_000;
/** Stories by target: as many as a gate has time for, and more than every goal was seen to need. */
const budgets: readonly (readonly [target: string, runs: number])[] = [
  ["memory", runsInMemory],
  ["tight", 150],
  ["sqlite", 250],
  ["child", 5],
];
/** To a target that is not ours. */
const othersRuns = 300;
const gateSeed = 1;

const help = `
Replays all recorded stories, explores small worlds of the specification, tells what can happen at once in every order, and
tells generated stories to the production registry:
${budgets.map(([target, runs]) => `${grouped(runs)} to ${target}`).join(", ")}. Every goal has to be reached, so that a weak generator is not taken for a good registry.
With --target all of this is for that one: the recorded stories, those that it lacks something for counted and left out, and
${othersRuns} generated ones. Goals need not be reached then: they depend on what it can do.

${targetHelp("ours")}
  --seed N        the same seed tells the same stories [${gateSeed}]
  --runs N        so many stories to memory, and the others in proportion [${runsInMemory}]; with --target so many to that one
  --scale N       the same in percent [100]; below 100 goals need not all be reached
  --budget TIME   begins no story after 60s, 5m, 1h; goals need not all be reached if it runs out
  --workers N     tells in N processes; the result is that of one
${configHelp}
${reporterHelp}
  --drafts DIR    where a story that failed is written as a trace [${draftsUsual}]

Ctrl-C ends it with what there was.`;

export const gate: Verb = verb(
  "gate",
  "gate [--target TARGET] [--seed N] [--runs N] [--budget TIME] [--workers N]",
  help,
  async (args, terminal) => {
    const { values: typed } = parseArgs({
      args: [...args],
      options: {
        ...targetOptions,
        seed: { type: "string" },
        runs: { type: "string" },
        scale: { type: "string" },
        budget: { type: "string" },
        workers: { type: "string" },
        drafts: { type: "string" },
        reporter: { type: "string", multiple: true },
        json: { type: "string" },
      },
    });
    const { values, judged: more } = await configured(typed);
    const seed = whole(values.seed, gateSeed, "--seed");
    const isOurs = values.target === undefined;
    const judged = chosen(values, "", more);
    const due = isOurs ? budgets : [[judged.name, othersRuns] as const];
    const usual = isOurs ? runsInMemory : othersRuns;
    const scale = scaleOf(values.runs, values.scale, usual);
    const workers = workersOf(values.workers, usual * scale);
    const budgetMs = budgetOf(values.budget);
    const drafts = values.drafts ?? draftsUsual;
    const report = reporting(values.reporter, values.json, terminal);
    const { io } = report;
    const cases: Case[] = [];
    const started = performance.now();
    const codes: number[] = [];

    const traces = await Promise.all((await traceFiles()).map(readTrace));
    const replayed = await replayAll(traces, isOurs ? inProcess : [judged.name], isOurs, io, true, judged.options);
    codes.push(codeOf(isOurs ? replayed : replayed.filter(({ verdict }) => verdict.is !== "not applicable")));
    cases.push(...(await casesOfReplays(replayed)));
    io.out(
      section(
        io,
        `recorded stories: ${counted(traces.length, "trace")} on ${counted(new Set(replayed.map(({ target }) => target)).size, "target")}, ${tally(replayed)}`,
      ),
    );

    const explored = await exploreAll(
      worlds.filter(({ quick }) => quick),
      io,
    );
    io.out(section(io, "small worlds of the specification, completely"));
    for (const each of explored) io.out(`  ${told(each, io)}`);
    codes.push(explored.every(holds) ? exit.held : exit.broken);
    for (const each of explored) cases.push(caseOfWorld(each, io));

    const memory = await opened({ name: "memory", options: {} });
    if (isOurs) io.out(section(io, "what can happen at once, in every order that makes a difference"));
    const ordered = isOurs ? await orderSets(memory, "memory", quickSets, { merged: true }, io) : [];
    for (const each of ordered) {
      io.out(`  ${toldOrders(each, "memory", io)}`);
      if (each.tried.failed !== null) codes.push(exit.broken);
      cases.push(caseOfOrders(each, io));
    }

    io.out(section(io, "generated stories"));
    const checked: Checked[] = [];
    await interruptible(async (signal) => {
      const until = performance.now() + (budgetMs ?? 0);
      for (const [place, [name, runs]] of due.entries()) {
        if (signal.aborted) return;
        const left = budgetMs === undefined ? undefined : shareOf(until - performance.now(), place);
        const target = { ...judged, name };
        const asked = { target, runs: Math.ceil(runs * scale), seed, workers, budgetMs: left };
        const found = await checkOne(asked, io, signal);
        checked.push(found);
        io.out(`  ${summary(found, io, left)}`);
        const { failed } = found;
        const red = failed === null ? null : await failure(found, failed, { target, texts: true, drafts }, io);
        cases.push(...casesOf(found, name, red?.kept ?? null, failed === null ? "" : again(found, failed, target)));
        if (red === null || failed === null) continue;
        io.out(red.text);
        codes.push(failed.fickle === null ? exit.broken : exit.stale);
      }
    });

    const goals = reached(checked);
    const missed = [...goals].filter(([, times]) => times === 0).map(([name]) => name);
    const told100 = scale >= 1 && isOurs && checked.length === due.length;
    const whole100 = told100 && checked.every(({ failed, stories, asked }) => failed === null && stories === asked);
    if (missed.length > 0 && whole100) codes.push(exit.broken);
    io.out(
      verdict(
        io,
        Math.max(...codes),
        checked,
        goals.size - missed.length,
        goals.size,
        explored.reduce((sum, { found }) => sum + found.states, 0),
        traces.length,
        performance.now() - started,
      ),
    );
    if (missed.length > 0 && isOurs)
      io.out(`  goals not reached${whole100 ? "" : " (not all stories were told)"}: ${missed.join("; ")}\n`);
    const code = Math.max(...codes);
    cases.push(caseOfGoals(missed, whole100));
    const machines = { stories: checked.map(machine), traces: replayed.map(machineOfReplay), goalsMissed: missed };
    await report.finish(
      cases,
      { verdict: code === exit.held ? "held" : "failed", ...machines },
      performance.now() - started,
    );
    return code;
  },
);

function caseOfWorld(each: ExploredWorld, io: Io): Case {
  const suite = "rollcall.explore";
  const { name } = each.world;
  if (holds(each)) return passed(suite, name);
  return { suite, name, is: "failed", what: told(each, { ...io, color: false }), at: null };
}

function caseOfOrders(each: OrderedSet, io: Io): Case {
  const [suite, name] = ["rollcall.orders.memory", each.set.join(", ")];
  if (each.tried.failed === null) return passed(suite, name);
  return { suite, name, is: "failed", what: toldOrders(each, "memory", { ...io, color: false }), at: null };
}

function caseOfGoals(missed: readonly string[], isWhole: boolean): Case {
  const [suite, name] = ["rollcall.gate", "every goal is reached"];
  if (missed.length === 0) return passed(suite, name);
  const what = `${isWhole ? "" : "not all stories were told; "}not reached: ${missed.join("; ")}`;
  return { suite, name, is: isWhole ? "failed" : "skipped", what, at: null };
}

/** So many times the usual number of stories. */
function scaleOf(runs: string | undefined, percent: string | undefined, usual: number): number {
  if (runs !== undefined && percent !== undefined)
    throw new Unusable(exit.usage, "--runs and --scale say the same: give one of them");
  if (runs !== undefined) return whole(runs, usual, "--runs", 1) / usual;
  return whole(percent, 100, "--scale", 1) / 100;
}

/** What a target gets of the time left: most of it is for production in memory. */
function shareOf(leftMs: number, place: number): number {
  const shares = [0.7, 0.15, 0.15].slice(place);
  return (Math.max(0, leftMs) * (shares[0] ?? 1)) / shares.reduce((sum, share) => sum + share, 0);
}

interface Asked {
  readonly target: Chosen;
  readonly runs: number;
  readonly seed: number;
  readonly workers: number;
  readonly budgetMs: number | undefined;
}

async function checkOne(
  { target, runs, seed, workers, budgetMs }: Asked,
  io: Io,
  signal: AbortSignal,
): Promise<Checked> {
  const { name } = target;
  const shown = progress(io);
  const open = await opened(target);
  const tell = (stories: number, steps: number): void =>
    shown.tell(`${name}  ${grouped(stories)} of ${counted(runs, "story", "stories")}, ${counted(steps, "step")}`);
  // A target that is slow is given fewer executions to shrink with, or a red gate would take minutes.
  const shrinksMax = name === "memory" ? 4_000 : 400;
  const processes = { ...target, count: workers };
  const found = await check({ runs, seed, open, signal, budgetMs, workers: processes, progress: tell, shrinksMax });
  shown.done();
  return found;
}

/** By goal, in how many stories it was reached on any target. */
function reached(checked: readonly Checked[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const { goals } of checked) for (const [name, times] of goals) sums.set(name, (sums.get(name) ?? 0) + times);
  return sums;
}

function section({ color }: Io, title: string): string {
  return `${createColors(color).bold(title)}\n`;
}

function verdict(
  { color }: Io,
  code: number,
  checked: readonly Checked[],
  goals: number,
  goalsOf: number,
  states: number,
  traces: number,
  ms: number,
): string {
  const { green, red, bold } = createColors(color);
  const sum = (of: (found: Checked) => number): number => checked.reduce((total, found) => total + of(found), 0);
  const mark = code === exit.held ? green(bold("held")) : red(bold("failed"));
  const parts = [
    counted(
      sum(({ stories }) => stories),
      "story",
      "stories",
    ),
    counted(
      sum(({ steps }) => steps),
      "step",
    ),
    `${goals} of ${counted(goalsOf, "goal")}`,
    counted(laws.length, "law"),
    counted(states, "state"),
    counted(traces, "trace"),
  ];
  return `${mark}  ${parts.join(", ")}; ${seconds(ms)}\n`;
}
