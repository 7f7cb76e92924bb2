/** The options by which the judging verbs are told how much to tell, which part of it, and in how many processes. */
import { availableParallelism } from "node:os";
import { counted, exit, seconds, whole } from "../io.ts";
import { type Shard, shardOf } from "../numbers.ts";
import { Unusable } from "../unusable.ts";

const workersUsualMax = 4;
/** Fewer stories than this are told before another process has read its program. */
const runsOfOne = 300;
const workersMax = 256;

/** `60s`, `5m`, `1.5h`, `500ms`. */
export function budgetOf(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const [, count = "", unit = ""] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(given) ?? [];
  const ms = Number(count) * ({ ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }[unit] ?? Number.NaN);
  if (ms > 0) return ms;
  throw new Unusable(exit.usage, `--budget takes a time such as 60s or 5m, not ${JSON.stringify(given)}`);
}

export function workersOf(given: string | undefined, runs: number): number {
  const usual = runs < runsOfOne ? 1 : Math.min(availableParallelism(), workersUsualMax);
  const count = whole(given, usual, "--workers", 1);
  if (count <= workersMax) return count;
  throw new Unusable(exit.usage, `--workers takes at most ${workersMax}, not ${count}`);
}

export function partOf(shard: string | undefined, story: string | undefined): { shard?: Shard; story?: number } {
  if (shard !== undefined && story !== undefined)
    throw new Unusable(exit.usage, "--shard tells part of a run and --story one story: give one of them");
  if (shard !== undefined) return { shard: shardOf(shard) };
  return story === undefined ? {} : { story: whole(story, 1, "--story", 1) };
}

/** What was left out, for a summary. */
export function leftOut(asked: number, stories: number, budgetMs: number | undefined): string {
  const spent = budgetMs === undefined ? "the budget is spent" : `the budget of ${seconds(budgetMs)} is spent`;
  return Number.isFinite(asked) && asked < Number.MAX_SAFE_INTEGER
    ? `${spent}: ${counted(stories, "story", "stories")} of ${asked.toLocaleString("en-US")} told`
    : `${spent}: ${counted(stories, "story", "stories")} told`;
}
