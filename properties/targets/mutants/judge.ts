/**
 * What judges a mutant of the production code, in a few seconds and in one process: recorded and generated stories told to
 * the registry in memory, compared with the specification at each step; and the archive's records against a second opinion.
 */
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { formLaws } from "../../formatting.ts";
import { type Oracle, run } from "../../loop.ts";
import type { Target } from "../../target.ts";
import { memoryPlaces } from "../places.ts";
import { productionTarget } from "../production.ts";
import { type RecordLaw, recordLaws } from "../records/laws.ts";
import type { Told } from "./tales.ts";

export interface Trial {
  readonly name: string;
  /** Keeps nothing that a mutant could spoil. */
  readonly isPure: boolean;
  /** Null when it held, else what was wrong. */
  run(): Promise<string | null>;
}

/** By laws and counters too: the rest is only compared, equal values having equal verdicts. */
const judgedWhole = 20;

export function trials(): readonly Trial[] {
  const tales: readonly Told[] = JSON.parse(readFileSync("properties/targets/mutants/.tmp/tales.json", "utf8"));
  const stories = tales.map((tale, index) => ({
    name: tale.name,
    isPure: false,
    run: () => tell(tale, index < judgedWhole ? "both" : "comparison"),
  }));
  // Laws first: what comes across them is the archive, of whose checks most stories know nothing.
  return [...[...recordLaws, ...formLaws].map(lawTrial), ...stories];
}

const recordsTried = 400;
function lawTrial({ name, property }: RecordLaw): Trial {
  return {
    name,
    isPure: true,
    // Not shrunk: that it fails is enough.
    run: async () => {
      const { failed, errorInstance } = fc.check(property(), { numRuns: recordsTried, seed: 1, endOnFailure: true });
      return failed ? String(errorInstance).split(":").slice(0, 2).join(":") : null;
    },
  };
}

let target: Target | null = null;

async function tell({ scope, steps }: Told, oracle: Oracle): Promise<string | null> {
  target ??= productionTarget("memory", memoryPlaces());
  const { failure } = await run(target, scope, (_, index) => steps[index] ?? null, {}, oracle);
  if (failure === null) return null;
  // What it left behind ends with it.
  target = null;
  const thrown = failure.thrown instanceof Error ? `: ${failure.thrown.message}` : "";
  return `${failure.kinds.join(" ")}${thrown}`;
}
