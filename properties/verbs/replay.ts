/** `rollcall replay`: recorded stories against targets. */
import { readFile, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { createColors } from "picocolors";
import { type Recorded, readTrace, readWholeTrace, traceFiles } from "../../regressions/files.ts";
import { replay as replayed, rerecorded, type Verdict } from "../../regressions/replay.ts";
import { counted, exit, type Io, type Verb, verb } from "../io.ts";
import { line, reasons, story } from "../report.ts";
import { type Case, caseOfReplay } from "../reports/case.ts";
import { reporterHelp, reporting } from "../reports/reporters.ts";
import type { Target } from "../target.ts";
import { type TargetOptions, targetNamed } from "../targets/named.ts";
import { lineOfStep, printTrace } from "../trace.ts";
import { configHelp, configured } from "./config.ts";
import { chosen, targetHelp, targetOptions } from "./on-target.ts";

/** What every trace is replayed against; one that asks for a fresh process also against one in another process. */
export const inProcess: readonly string[] = ["model", "memory", "sqlite"];
const inAnother = "child";

const help = `
Replays recorded stories: what is recorded, what the specification says and what the target does must agree at every step.
Without FILES it replays all of this package's own. A verdict is one of
  fixed              they agree to the end
  reproduces         the target differs, or breaks a law
  stale at step n    the specification now says something else than was recorded, or does not know a word of the trace
  not applicable     the target lacks what a step needs, or the trace is for a later specification; never counted as green
each with its reason. A trace names the version of the specification it was written for.

${targetHelp(`${inProcess.join(", ")}; ${inAnother} for those that ask for a fresh process`)}
  --update        rewrite what is recorded from the specification; only together with a dated decision that says why
${configHelp}
${reporterHelp}
  --texts         show texts as they are, not as lengths and hashes`;

export const replay: Verb = verb("replay", "replay [FILES] [--target TARGET] [--update]", help, async (args, io) => {
  const { values: typed, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      ...targetOptions,
      update: { type: "boolean" },
      reporter: { type: "string", multiple: true },
      json: { type: "string" },
      texts: { type: "boolean" },
    },
  });
  const { values, judged: more } = await configured(typed);
  const report = reporting(values.reporter, values.json, io);
  const own = positionals.length === 0;
  const files = own ? await traceFiles() : positionals;
  if (values.update === true) return await update(await Promise.all(files.map(readWholeTrace)), io);
  const traces = await Promise.all(files.map(readTrace));
  const targets = values.target === undefined ? inProcess : [values.target];
  const { options } = chosen(values, "", more);
  const texts = own || values.texts === true;
  const started = performance.now();
  const told = await replayAll(traces, targets, values.target === undefined, report.io, texts, options);
  // Of those named one by one it is said why they are green, too.
  if (!own) for (const each of told) if (each.verdict.is === "fixed") report.io.out(fixed(each, report.io));
  report.io.out(`${counted(traces.length, "trace")}: ${tally(told)}\n`);
  await report.finish(await casesOfReplays(told), told.map(machine), performance.now() - started);
  return codeOf(told);
});

export interface Told {
  readonly name: string;
  readonly file: string;
  readonly target: string;
  readonly verdict: Verdict;
}

/** Each trace against each target, in turn; what is not `fixed` is told. */
export async function replayAll(
  traces: readonly Recorded[],
  names: readonly string[],
  fresh: boolean,
  io: Io,
  texts: boolean,
  options: TargetOptions = {},
): Promise<readonly Told[]> {
  const told: Told[] = [];
  const opened = new Map<string, Target>();
  const open = async (name: string): Promise<Target> => {
    const target = opened.get(name) ?? (await (await targetNamed(name, options))());
    opened.set(name, target);
    return target;
  };
  try {
    for (const recorded of traces) {
      const apart = fresh && recorded.trace.scope.process === "fresh" ? [inAnother] : [];
      for (const name of [...names, ...apart]) {
        const verdict = await replayed(recorded.trace, await open(name), recorded.rot);
        told.push({ name: recorded.name, file: recorded.file, target: name, verdict });
        if (verdict.is !== "fixed") io.out(tell(recorded, name, verdict, io, texts));
      }
    }
  } finally {
    for (const target of opened.values()) await target.close();
  }
  return told;
}

function tell({ name, trace }: Recorded, target: string, verdict: Verdict, io: Io, texts: boolean): string {
  const { red, yellow } = createColors(io.color);
  const paper = { columns: Math.min(io.columns, 160), texts };
  if (verdict.is === "reproduces") {
    const told = trace.steps.slice(0, verdict.step);
    return `${red("reproduces")}  ${name} on ${target}, at step ${verdict.step}\n${reasons(verdict.failure, target)}\n${story(told, verdict.failure, target, paper)}\n\n`;
  }
  const at = `${name} on ${target}: ${verdict.why}`;
  if (verdict.is === "stale") {
    const sides = `  recorded       ${line(verdict.recorded, paper)}\n  specification  ${line(verdict.model, paper)}\n`;
    return `${red(`stale at step ${verdict.step}`)}  ${at}\n${verdict.model === null ? "" : sides}`;
  }
  if (verdict.is === "not applicable") return `${yellow(`not applicable at step ${verdict.step}`)}  ${at}\n`;
  return "";
}

const fixed = ({ name, target, verdict }: Told, { color }: Io): string =>
  `${createColors(color).green("fixed")}  ${name} on ${target}: ${verdict.why}\n`;

/** For reports: where something is wrong, with the line of the step. */
export async function casesOfReplays(told: readonly Told[]): Promise<readonly Case[]> {
  const lines = async ({ file, verdict }: Told): Promise<number> =>
    verdict.is === "fixed" ? 1 : lineOfStep(await readFile(file, "utf8"), verdict.step);
  return await Promise.all(told.map(async (each) => caseOfReplay({ ...each, line: await lines(each) })));
}

/** For programs. */
export function machine({ name, target, verdict }: Told): object {
  const { is, why } = verdict;
  return { trace: name, target, verdict: is, why, ...("step" in verdict ? { step: verdict.step } : {}) };
}

export function tally(told: readonly Told[]): string {
  const kinds = ["fixed", "reproduces", "stale", "not applicable"] as const;
  const counts = kinds.map((kind) => [kind, told.filter(({ verdict }) => verdict.is === kind).length] as const);
  return counts
    .filter(([kind, count]) => count > 0 || kind === "fixed")
    .map(([kind, count]) => `${count} ${kind}`)
    .join(", ");
}

/** A trace that no target could be given is no green one. */
export function codeOf(told: readonly Told[]): number {
  const is = (kind: Verdict["is"]): boolean => told.some(({ verdict }) => verdict.is === kind);
  if (is("reproduces")) return exit.broken;
  if (is("stale")) return exit.stale;
  const counts = ({ verdict }: Told): boolean => verdict.is === "fixed" || ("known" in verdict && verdict.known);
  const applied = new Set(told.filter(counts).map(({ name }) => name));
  return told.every(({ name }) => applied.has(name)) ? exit.held : exit.broken;
}

async function update(traces: readonly Recorded[], io: Io): Promise<number> {
  const model = await (await targetNamed("model"))();
  for (const { file, name, trace } of traces) {
    const fresh = printTrace(await rerecorded(trace, model));
    if (fresh === printTrace(trace)) continue;
    await writeFile(file, fresh);
    io.out(`rewritten  ${name}: write a dated decision that says why\n`);
  }
  return exit.held;
}
