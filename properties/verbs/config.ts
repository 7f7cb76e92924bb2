/**
 * `rollcall.config.json` (data), or `.mjs` or `.js` (a module whose default export is that): what a project says once of the
 * registry it gates, in the place of the options of every call. What the command line says wins.
 */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import type { Level } from "../../src/contract.ts";
import { limits } from "../schema.ts";
import type { Divergence, Target } from "../target.ts";
import type { Judged } from "../targets/leveled.ts";
import { divergence } from "../targets/sights.ts";
import { Unusable } from "../unusable.ts";
import type { TargetValues } from "./on-target.ts";

/** Looked for where the command was called, the first that is there. */
const usualFiles = ["rollcall.config.json", "rollcall.config.mjs", "rollcall.config.js"];
const bytesMax = 1_000_000;

interface Configuration {
  /** As `--target`. A module's path is relative to where the command is called. */
  readonly target?: string;
  readonly level?: Level;
  readonly targetTimeoutMs?: number;
  readonly targetRestart?: number;
  readonly targetProcess?: "fresh" | "same";
  readonly seed?: number;
  readonly runs?: number;
  readonly workers?: number;
  /** A module whose export `laws` is judged beside the specification's. */
  readonly laws?: string;
  /** Of every story, whatever was drawn. */
  readonly scope?: NonNullable<Target["scope"]>;
  /** Known divergences by the kind that a failure names (`L8`, `view.agents.result`), each with its reason. */
  readonly diverges?: readonly Divergence[];
}
const count = z.number().int().min(1);
const configuration: z.ZodType<Configuration> = z.strictObject({
  target: z.string().min(1).exactOptional(),
  level: z.enum(["core", "strict", "house"]).exactOptional(),
  targetTimeoutMs: count.exactOptional(),
  targetRestart: count.exactOptional(),
  targetProcess: z.enum(["fresh", "same"]).exactOptional(),
  seed: z.number().int().min(0).exactOptional(),
  runs: count.exactOptional(),
  workers: count.exactOptional(),
  laws: z.string().min(1).exactOptional(),
  scope: z.strictObject({ capacity: count.exactOptional(), limits: limits.exactOptional() }).exactOptional(),
  diverges: z.array(divergence).exactOptional(),
});

/** For the help of a verb. */
export const configHelp: string = `  --config FILE   what this project always asks for: target, level, targetTimeoutMs, targetRestart, targetProcess, seed, runs,
                  workers, and diverges, a list of { kind, why } with or without { name, step } [${usualFiles.join(", ")}, the first that is there]`;

/** Options of a call, those of the configuration in the place of those that were not given. */
interface Configured<Values> {
  readonly values: Values;
  readonly judged: Pick<Judged, "diverges" | "laws" | "scope">;
}
type Options = TargetValues & {
  readonly seed?: string | undefined;
  readonly runs?: string | undefined;
  readonly workers?: string | undefined;
  readonly config?: string | undefined;
};

export async function configured<Values extends Options>(values: Values): Promise<Configured<Values>> {
  const file = values.config ?? usualFiles.find((each) => existsSync(each));
  if (file === undefined) return { values, judged: {} };
  const read = checked(file, await loaded(file));
  const said = {
    target: read.target,
    level: read.level,
    "target-timeout": read.targetTimeoutMs?.toString(),
    "target-restart": read.targetRestart?.toString(),
    "target-process": read.targetProcess,
    seed: read.seed?.toString(),
    runs: read.runs?.toString(),
    workers: read.workers?.toString(),
  };
  const given = Object.fromEntries(Object.entries(values).filter(([, each]) => each !== undefined));
  // A level, a timeout and divergences are those of the configuration's target: they say nothing of another one.
  const isOther = values.target !== undefined && values.target !== read.target;
  const kept = isOther ? { seed: said.seed, runs: said.runs, workers: said.workers } : said;
  return { values: { ...values, ...kept, ...given }, judged: isOther ? {} : judgedBy(read) };
}

const judgedBy = ({ diverges, laws, scope }: Configuration): Configured<unknown>["judged"] => ({
  ...(diverges === undefined ? {} : { diverges }),
  ...(laws === undefined ? {} : { laws }),
  ...(scope === undefined ? {} : { scope }),
});

async function loaded(file: string): Promise<unknown> {
  if (!existsSync(file)) throw new Unusable(2, `there is no configuration ${file}`);
  try {
    if (/\.m?js$/.test(file)) {
      const module: unknown = await import(pathToFileURL(resolve(file)).href);
      if (typeof module === "object" && module !== null && "default" in module) return module.default;
      throw new Error("it exports nothing as default");
    }
    const text = await readFile(file, "utf8");
    if (text.length > bytesMax) throw new Error(`it is longer than ${bytesMax} characters`);
    return JSON.parse(text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.split("\n")[0] : String(cause);
    throw new Unusable(2, `${file} cannot be read as a configuration: ${why}`, { cause });
  }
}

function checked(file: string, given: unknown): Configuration {
  const { success, data, error } = configuration.safeParse(given);
  if (success) return data;
  const [issue] = error.issues;
  const at = issue === undefined || issue.path.length === 0 ? "" : ` at ${issue.path.join(".")}`;
  throw new Unusable(
    2,
    `${file} is no configuration${at}: ${issue?.message ?? "it is malformed"}; see rollcall check --help`,
  );
}
