/**
 * The stories that judge mutants: every recorded one, and of many generated ones those that reach what the others before
 * them did not often reach. Chosen once a run, with the model, so that the judge has nothing to generate.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { readTrace, traceFiles } from "../../../regressions/files.ts";
import type { Scope, Step } from "../../../src/contract.ts";
import { run } from "../../loop.ts";
import { story, telling } from "../../stories.ts";
import { modelTarget } from "../model.ts";

export interface Told {
  readonly name: string;
  readonly scope: Scope;
  readonly steps: readonly Step[];
}

const seed = 1;
const drawn = 1_500;
/** A goal is told by so many stories. */
const oftenEnough = 3;

/** Where the judge finds them, in each process that it is started in. */
export async function writeTales(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "tales.json"), JSON.stringify(await tales()));
}

async function tales(): Promise<readonly Told[]> {
  const recorded = await Promise.all((await traceFiles()).map(readTrace));
  const traces = recorded.map(({ name, trace: { scope, steps } }) => ({
    name,
    scope,
    steps: steps.map(([one]) => one),
  }));
  return [...traces, ...(await generated())];
}

async function generated(): Promise<readonly Told[]> {
  const target = modelTarget();
  const reached = new Map<string, number>();
  const chosen: Told[] = [];
  for (const [index, told] of fc.sample(story, { numRuns: drawn, seed }).entries()) {
    const goals = new Set<string>();
    const watch = { met: (goal: string) => goals.add(goal) };
    const { told: steps, failure } = await run(target, told.shape.scope, telling(told, target.capabilities), watch);
    if (failure !== null) throw new Error(`story ${index} breaks the specification itself`);
    const rare = [...goals].filter((goal) => (reached.get(goal) ?? 0) < oftenEnough);
    if (rare.length === 0) continue;
    for (const goal of goals) reached.set(goal, (reached.get(goal) ?? 0) + 1);
    chosen.push({ name: `story ${index}`, scope: told.shape.scope, steps: steps.map(([one]) => one) });
  }
  return chosen;
}
