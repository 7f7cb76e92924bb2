/**
 * `rollcall/vitest`: an implementation of the target port judged as tests of its own project: one test for each law, one for what is
 * compared beside the laws, one for each recorded story. Names never change with what is found, so that shards, filters,
 * watch mode and reporters work as with any test.
 */
import { describe, test } from "vitest";
import { laws } from "../model/index.ts";
import { readTrace, traceFiles } from "../regressions/files.ts";
import { replay } from "../regressions/replay.ts";
import type { Level } from "../src/contract.ts";
import { check } from "./check.ts";
import { reasons, story } from "./report.ts";
import { taleOf } from "./tale.ts";
import type { OpenTarget, Target } from "./target.ts";
import { judgedBy } from "./targets/leveled.ts";

export interface ConformanceOptions {
  /** Generated stories that the laws are judged by [200]. */
  readonly runs?: number;
  /** The same seed tells the same stories [1]. */
  readonly seed?: number;
  /** Of agreement [the target's own]. */
  readonly level?: Level;
  /** Traces to replay beside those of this package: files. */
  readonly traces?: readonly string[];
  /** Of the block that all of this stands in [rollcall]. */
  readonly name?: string;
  /** Of one test, in milliseconds; the first one tells the generated stories [120,000]. */
  readonly timeout?: number;
}

const paper = { columns: 120, texts: true };
/** Executions to shrink a story with: a test is waited for. */
const shrinksMax = 400;

/** By the kind of what was wrong, the number of the first story in which it was, from 1. */
type Found = ReadonlyMap<string, number>;

async function told(open: OpenTarget, runs: number, seed: number): Promise<Found> {
  const first = new Map<string, number>();
  const target = await open();
  try {
    for (let index = 0; index < runs; index++) {
      const { wrong } = await taleOf(target, { seed, oracle: "both" }, index);
      // A story that failed for no kind was not the same when it was told again.
      const kinds = wrong === null ? [] : wrong.kinds.length === 0 ? ["twice"] : wrong.kinds;
      for (const kind of kinds) if (!first.has(kind)) first.set(kind, index + 1);
    }
  } finally {
    await target.close();
  }
  return first;
}

/** The story in the fewest steps, as an error that a reporter prints. */
async function fail(open: OpenTarget, seed: number, number: number): Promise<never> {
  const { failed, target } = await check({ runs: number, seed, open, story: number, shrinksMax });
  if (failed === null) throw new Error(`story ${number} of seed ${seed} failed, and held when it was told again`);
  const { failure, shrunk } = failed;
  throw new Error(`${reasons(failure, target)}\n\n${story(shrunk.run.told, failure, target, paper)}\n`);
}

const isLaw = (kind: string): boolean => /^L\d+$/.test(kind);

/** Declares the tests; to be called where `describe` may be. `open` gives a fresh target each time. */
export function conformance(open: OpenTarget, options: ConformanceOptions = {}): void {
  const { runs = 200, seed = 1, level, traces = [], name = "rollcall", timeout = 120_000 } = options;
  const judged = judgedBy(open, { level });
  // Told once, by whichever test comes first: a filter may leave any of them out.
  let telling: Promise<Found> | null = null;
  const found = (): Promise<Found> => {
    telling ??= told(judged, runs, seed);
    return telling;
  };

  describe(name, () => {
    describe("laws", () => {
      for (const { number, sentence } of laws)
        test(`L${number} ${sentence}`, { timeout }, async () => {
          const broken = (await found()).get(`L${number}`);
          if (broken !== undefined) await fail(judged, seed, broken);
        });
      test("agrees with the specification", { timeout }, async () => {
        const [other] = [...(await found())].filter(([kind]) => !isLaw(kind));
        if (other !== undefined) await fail(judged, seed, other[1]);
      });
    });

    describe("recorded stories", async () => {
      for (const file of [...(await traceFiles()), ...traces]) {
        const recorded = await readTrace(file);
        test(recorded.name, { timeout }, async (context) => {
          const target = await judged();
          try {
            const verdict = await replay(recorded.trace, target, recorded.rot);
            if (verdict.is === "not applicable") context.skip(`at step ${verdict.step}: ${verdict.why}`);
            else if (verdict.is !== "fixed") throw new Error(toldOf(verdict, recorded.trace.steps, target));
          } finally {
            await target.close();
          }
        });
      }
    });
  });
}

type Wrong = Exclude<Awaited<ReturnType<typeof replay>>, { is: "fixed" } | { is: "not applicable" }>;
type Steps = Awaited<ReturnType<typeof readTrace>>["trace"]["steps"];

function toldOf(verdict: Wrong, steps: Steps, target: Target): string {
  if (verdict.is === "stale") return `stale at step ${verdict.step}: ${verdict.why}`;
  const { failure, step } = verdict;
  return `${reasons(failure, target.name)}\n\n${story(steps.slice(0, step), failure, target.name, paper)}\n`;
}
