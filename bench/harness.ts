/**
 * How fast the checker steps: generated stories against production, every outcome, event, view, encoding and archive
 * compared and every law checked after each step. With a calibration loop between them, since rates depend on the machine.
 */
import { checkTarget, exploreModel, type OpenTarget, targetNamed } from "../properties/index.ts";
import { atLeast, exactly } from "./claims.ts";
import { type Case, interleave, type Laps, medianOf, stopwatch } from "./measure.ts";
import { calibrationLoop, type Findings, type Setting } from "./setting.ts";
import type { Claim, Row } from "./table.ts";

interface Harness {
  readonly target: "model" | "memory" | "sqlite";
  readonly label: string;
  /** Stories a sample; each of about 30 steps. */
  readonly stories: number;
  /** Asked for; 0 where nothing is. */
  readonly perSecondMin: number;
}
const harnesses: readonly Harness[] = [
  { target: "model", label: "the specification against itself", stories: 150, perSecondMin: 0 },
  { target: "memory", label: "production in memory", stories: 150, perSecondMin: 20_000 },
  { target: "sqlite", label: "production over SQLite, without fsync", stories: 30, perSecondMin: 1_000 },
];

/** Stories that held, sample by sample: a story that failed ends its sample, and its rate says nothing. */
interface Told {
  readonly held: number[];
}
async function sample(open: OpenTarget, { stories }: Harness, seed: number, { held }: Told): Promise<Laps> {
  const { steps, ms, failed, stories: told } = await checkTarget({ runs: stories, seed, open, shrinksMax: 0 });
  held.push(failed === null ? told : told - 1);
  return { step: ms / steps };
}

/** Two agents and whatever they may do, so many steps deep: some thousand states. */
const small = { agents: 2, depth: 4, capacity: 2 } as const;
function sampleExploration(states: number[]): Laps {
  const elapsed = stopwatch();
  const { states: seen, transitions, broken } = exploreModel(small);
  if (broken !== null) throw new Error(`the specification breaks ${broken.law.sentence}`);
  states.push(seen);
  return { step: elapsed() / transitions };
}
const twin = "twin:keeps_result_while_starting";
/** The time from the story that fails to the shortest that does, by how often it was told on the way. */
async function sampleShrinking(open: OpenTarget, lengths: number[]): Promise<Laps> {
  const elapsed = stopwatch();
  const { failed } = await checkTarget({ runs: 100, seed: 1, open });
  if (failed === null) throw new Error(`${twin} was not told from the truth`);
  lengths.push(failed.shrunk.run.told.length);
  return { all: elapsed(), step: elapsed() / Math.max(1, failed.executions) };
}

export async function harness({ isQuick }: Setting): Promise<Findings> {
  const told = new Map<string, Told>();
  const cases: Case[] = [{ name: "calibration", sample: async () => ({ step: calibrationLoop() }) }];
  for (const each of harnesses) {
    const open = await targetNamed(each.target);
    const of: Told = { held: [] };
    told.set(each.target, of);
    // Other stories in every sample, and the same ones in every run.
    cases.push({ name: each.target, sample: () => sample(open, each, of.held.length + 1, of) });
  }
  const [states, lengths]: [number[], number[]] = [[], []];
  const openTwin = await targetNamed(twin);
  cases.push({ name: "exploration", sample: async () => sampleExploration(states) });
  cases.push({ name: "shrinking", sample: () => sampleShrinking(openTwin, lengths) });
  const timings = await interleave(cases, { roundsMin: isQuick ? 3 : 7, budgetMs: 0 });
  const rate = (name: string) => 1_000 / medianOf(timings, name, "step");
  const row = (label: string, name: string): Row => ({ label, unit: "per_second", values: [rate(name)] });
  const claims = harnesses.flatMap(({ target, label, stories, perSecondMin }): readonly Claim[] => [
    exactly(`stories that held against ${label}`, stories, told.get(target)?.held ?? []),
    ...(perSecondMin === 0 ? [] : [atLeast(`steps against ${label}`, perSecondMin, rate(target), "per_second")]),
  ]);
  const section = {
    title: "Steps of the checker, all compared and every law checked",
    columns: ["median"],
    rows: [...harnesses.map(({ label, target }) => row(label, target)), row("calibration loop", "calibration")],
    notes: [],
  };
  const around = {
    title: "Around it",
    columns: ["median"],
    rows: [
      row("exploration of the specification: transitions, every law", "exploration"),
      row(`shrinking ${twin}: stories told`, "shrinking"),
      { label: "  found and shrunk", unit: "ms", values: [medianOf(timings, "shrinking", "all")] } satisfies Row,
    ],
    notes: [],
  };
  claims.push(
    exactly(`states of ${small.agents} agents, ${small.depth} steps deep`, states[0] ?? Number.NaN, states),
    exactly(`steps of ${twin}, shrunk`, 3, lengths),
  );
  return { sections: [section, around], claims };
}
