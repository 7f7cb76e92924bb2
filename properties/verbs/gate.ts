/**
 * `rollcall gate`: the main job, fit for CI: every recorded story, small worlds explored, generated stories against the
 * production registry in memory, in a file and in a process of its own; a summary a person can read, and an exit code.
 */
import { parseArgs } from "node:util";
import { createColors } from "picocolors";
import { laws } from "../../model/index.ts";
import { readTrace, traceFiles } from "../../regressions/files.ts";
import { type Checked, check } from "../check.ts";
import { counted, exit, grouped, type Io, progress, seconds, type Verb, verb, whole } from "../io.ts";
import { targetNamed } from "../targets/named.ts";
import { worlds } from "../worlds.ts";
import { failure, summary } from "./check.ts";
import { exploreAll, holds, told } from "./explore.ts";
import { codeOf, inProcess, replayAll, tally } from "./replay.ts";

/** Stories by target: as many as a gate has time for. */
const budgets: readonly (readonly [target: string, runs: number])[] = [
  ["memory", 2_400],
  ["sqlite", 250],
  ["child", 8],
];
const gateSeed = 1;

const help = `
Replays all recorded stories, explores small worlds of the specification, and tells generated stories to the production registry:
${budgets.map(([target, runs]) => `${runs} to ${target}`).join(", ")}. Every goal has to be reached, so that a weak generator is not taken for a good registry.

  --seed N        the same seed tells the same stories [${gateSeed}]
  --scale N       so many percent of the stories [100]; below 100 goals need not all be reached`;

export const gate: Verb = verb("gate", "gate [--seed N] [--scale N]", help, async (args, io) => {
  const { values } = parseArgs({ args: [...args], options: { seed: { type: "string" }, scale: { type: "string" } } });
  const seed = whole(values.seed, gateSeed, "--seed");
  const scale = whole(values.scale, 100, "--scale", 1);
  const started = performance.now();
  const codes: number[] = [];

  const traces = await Promise.all((await traceFiles()).map(readTrace));
  const replayed = await replayAll(traces, inProcess, true, io, true);
  codes.push(codeOf(replayed));
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

  io.out(section(io, "generated stories"));
  const checked: Checked[] = [];
  for (const [name, runs] of budgets) {
    const found = await checkOne(name, Math.ceil((runs * scale) / 100), seed, io);
    checked.push(found);
    io.out(`  ${summary(found, io)}`);
    if (found.failed === null) continue;
    io.out(await failure(found, found.failed, name, io, true));
    codes.push(found.failed.fickle ? exit.stale : exit.broken);
  }

  const goals = reached(checked);
  const missed = [...goals].filter(([, times]) => times === 0).map(([name]) => name);
  const whole100 = scale >= 100 && checked.every(({ failed }) => failed === null);
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
  if (missed.length > 0)
    io.out(`  goals not reached${whole100 ? "" : " (not all stories were told)"}: ${missed.join("; ")}\n`);
  return Math.max(...codes);
});

async function checkOne(name: string, runs: number, seed: number, io: Io): Promise<Checked> {
  const shown = progress(io);
  const open = await targetNamed(name);
  const tell = (stories: number, steps: number): void =>
    shown.tell(`${name}  ${grouped(stories)} of ${counted(runs, "story", "stories")}, ${counted(steps, "step")}`);
  // A target that is slow is given fewer executions to shrink with, or a red gate would take minutes.
  const found = await check({ runs, seed, open, progress: tell, shrinksMax: name === "memory" ? 4_000 : 400 });
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
