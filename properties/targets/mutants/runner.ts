/**
 * A test runner for Stryker that starts no process per mutant: it loads the compiled copy once, and for each mutant sets which
 * one is active and tells the trials of judge.ts, those that come across it, until one fails.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import type { Trial } from "./judge.ts";

/** How often each mutant was come across, by its number. */
interface Coverage {
  readonly static: { readonly [mutant: string]: number };
  readonly perTest: { readonly [trial: string]: { readonly [mutant: string]: number } };
}
/** What the mutated code looks at; Stryker's instrumenter fixes the name and the shape. */
interface Instrumented {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
  mutantCoverage?: Coverage;
}
const shared: object & { __stryker__?: Instrumented } = globalThis;
shared.__stryker__ ??= {};
const instrumented: Instrumented = shared.__stryker__;

interface MutantRun {
  readonly activeMutant: { readonly id: string };
  /** Trials that come across it; all when absent. */
  readonly testFilter?: readonly string[];
  readonly hitLimit?: number;
  /** `static`: of what runs at import, in a process of its own. */
  readonly mutantActivation: "static" | "runtime";
}

/** Imported late: a mutant of what runs at import has to be active before. */
async function trials(): Promise<readonly Trial[]> {
  const module = join(process.cwd(), "dist", "properties", "targets", "mutants", "judge.js");
  const judge: { readonly trials: () => readonly Trial[] } = await import(pathToFileURL(module).href);
  return judge.trials();
}
/** What failed, in words, or null. */
async function tell(trial: Trial): Promise<string | null> {
  try {
    return await trial.run();
  } catch (error) {
    return `threw: ${error instanceof Error ? error.message : String(error)}`;
  }
}

async function dryRun(): Promise<object> {
  const tests: object[] = [];
  for (const trial of await trials()) {
    instrumented.currentTestId = trial.name;
    const started = performance.now();
    const failureMessage = await tell(trial);
    const told = { id: trial.name, name: trial.name, timeSpentMs: performance.now() - started };
    tests.push(failureMessage === null ? { ...told, status: 0 } : { ...told, status: 1, failureMessage });
  }
  instrumented.currentTestId = undefined;
  return { status: "complete", tests, mutantCoverage: instrumented.mutantCoverage };
}

let watching: Worker | null = null;
function watchdog(): Worker {
  watching ??= new Worker(new URL("./watchdog.js", import.meta.url));
  watching.unref();
  return watching;
}

async function mutantRun({ activeMutant, testFilter, hitLimit, mutantActivation }: MutantRun): Promise<object> {
  const hung = join(process.cwd(), `hung-${activeMutant.id}`);
  if (existsSync(hung)) return { status: "timeout", reason: "a trial never ended" };
  Object.assign(instrumented, { activeMutant: activeMutant.id, hitCount: 0, hitLimit });
  let nrOfTests = 0;
  try {
    const all = await trials();
    for (const trial of testFilter === undefined ? all : all.filter(({ name }) => testFilter.includes(name))) {
      nrOfTests++;
      watchdog().postMessage(hung);
      const failureMessage = await tell(trial);
      if ((instrumented.hitCount ?? 0) > (hitLimit ?? Number.POSITIVE_INFINITY))
        return { status: "timeout", reason: "went round and round" };
      if (failureMessage === null) continue;
      if (mutantActivation === "runtime") await believe(trial);
      return { status: "killed", killedBy: [trial.name], failureMessage, nrOfTests };
    }
    return { status: "survived", nrOfTests };
  } finally {
    instrumented.activeMutant = undefined;
    watchdog().postMessage(null);
  }
}
/** A trial that fails without the mutant was spoilt by an earlier one: a new process is started, and this mutant tried again. */
async function believe(trial: Trial): Promise<void> {
  instrumented.activeMutant = undefined;
  const still = trial.isPure ? null : await tell(trial);
  if (still !== null) throw new Error(`${trial.name} fails without the mutant too: ${still}`);
}

export const strykerPlugins: readonly object[] = [
  {
    kind: "TestRunner",
    name: "stories",
    factory: () => ({ capabilities: () => ({ reloadEnvironment: false }), dryRun, mutantRun }),
  },
];
