/** Runs Stryker over files, or over places in them, and reads what it reports. It is installed here, when it is first needed. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { home, root } from "./files.ts";
import type { Mutant, Verdict } from "./results.ts";

/** Who judges: stories in one process, or the unit tests, which take far longer. */
export type Judge = "stories" | "tests";

export const scratch: string = join(home, ".tmp");
/** Its own package, so that nobody else installs it. */
const own: string = join(home, "stryker");
const unitsShown = 120;

async function execute(command: string, args: readonly string[], folder: string): Promise<number> {
  const child = spawn(command, args, { cwd: folder, stdio: ["ignore", "inherit", "inherit"] });
  return await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => resolve(code ?? 1));
  });
}

export async function install(): Promise<void> {
  const folder = join(root, own);
  if (existsSync(join(folder, "node_modules", "@stryker-mutator", "vitest-runner"))) return;
  if ((await execute("npm", ["ci"], folder)) !== 0) throw new Error(`Stryker cannot be installed in ${own}`);
}

/** As Stryker wants to be asked, which counts columns from 0, for what it says with columns from 1. */
export function rangeOf(file: string, at: string): string {
  return `${file}:${at.replaceAll(/:(\d+)/g, (_, column: string) => `:${Number(column) - 1}`)}`;
}

/** Patterns as `--mutate` takes them: a file, or `file:line:column-line:column`. */
export async function stryker(judge: Judge, patterns: readonly string[]): Promise<ReadonlyMap<string, Mutant[]>> {
  await mkdir(join(root, scratch), { recursive: true });
  const report = join(scratch, `${judge}.json`);
  const config = join(scratch, `${judge}.config.json`);
  await writeFile(join(root, config), JSON.stringify(configuration(judge, patterns, report)));
  const bin = join(own, "node_modules", "@stryker-mutator", "core", "bin", "stryker.js");
  const code = await execute(process.execPath, [bin, "run", config], root);
  if (code !== 0) throw new Error(`Stryker ended with exit code ${code}`);
  return read(JSON.parse(await readFile(join(root, report), "utf8")));
}

function configuration(judge: Judge, mutate: readonly string[], fileName: string): object {
  const judges = {
    stories: {
      plugins: [`./dist/${home}/runner.js`],
      testRunner: "stories",
      buildCommand: `tsc -p ${home}/tsconfig.json`,
    },
    tests: {
      plugins: [`./${own}/node_modules/@stryker-mutator/vitest-runner/dist/src/index.js`],
      testRunner: "vitest",
      vitest: { configFile: ".config/vitest.mutants.ts", related: false },
    },
  };
  return {
    ...judges[judge],
    mutate,
    ignorePatterns: [".ci", ".rollcall", "bench", "coverage", "dist", `${home}/results`, `${home}/stryker`],
    coverageAnalysis: "perTest",
    reporters: ["json", "progress-append-only"],
    jsonReporter: { fileName },
    tempDirName: join(scratch, "sandboxes"),
    concurrency: 1,
    // A machine that does something else as well is not a mutant that hangs.
    timeoutMS: 90_000,
    timeoutFactor: 2,
    disableTypeChecks: false,
    // There is none: Stryker would rewrite ours, which it cannot read.
    tsconfigFile: `${home}/none.json`,
    allowConsoleColors: false,
  };
}

// ── What it reports: the parts of the mutation testing report schema that are read here ──────────────────────────────

interface Position {
  readonly line: number;
  readonly column: number;
}
interface ReportedMutant {
  readonly mutatorName: string;
  readonly replacement?: string;
  readonly location: { readonly start: Position; readonly end: Position };
  readonly status: "Killed" | "Survived" | "NoCoverage" | "Timeout" | "RuntimeError" | "CompileError" | "Ignored";
  readonly statusReason?: string;
  readonly killedBy?: readonly string[];
}
interface Report {
  readonly files: { readonly [file: string]: { readonly source: string; readonly mutants: readonly ReportedMutant[] } };
  readonly testFiles?: {
    readonly [file: string]: { readonly tests: readonly { readonly id: string; readonly name: string }[] };
  };
}

const verdicts: { readonly [status in ReportedMutant["status"]]: Verdict } = {
  Killed: "killed",
  Survived: "survived",
  NoCoverage: "uncovered",
  Timeout: "timeout",
  RuntimeError: "invalid",
  CompileError: "invalid",
  Ignored: "invalid",
};

function read({ files, testFiles = {} }: Report): ReadonlyMap<string, Mutant[]> {
  const names = new Map(Object.values(testFiles).flatMap(({ tests }) => tests.map(({ id, name }) => [id, name])));
  return new Map(
    Object.entries(files).map(([file, { source, mutants }]) => {
      const lines = source.split("\n");
      const sorted = mutants.toSorted((one, other) => before(one, other));
      return [file, sorted.map((each) => mutantOf(each, lines, names))];
    }),
  );
}
function before(one: ReportedMutant, other: ReportedMutant): number {
  const [a, b] = [one.location, other.location];
  return (
    a.start.line - b.start.line ||
    a.start.column - b.start.column ||
    a.end.line - b.end.line ||
    a.end.column - b.end.column
  );
}
function mutantOf(given: ReportedMutant, lines: readonly string[], names: ReadonlyMap<string, string>): Mutant {
  const { location, mutatorName, replacement = "", status, statusReason = "", killedBy = [] } = given;
  const { start, end } = location;
  const trial = killedBy.map((id) => names.get(id) ?? id).join(", ");
  const why = statusReason.split("\n")[0] ?? "";
  return {
    at: `${start.line}:${start.column}-${end.line}:${end.column}`,
    mutator: mutatorName,
    was: short(between(lines, start, end)),
    became: short(replacement),
    verdict: verdicts[status],
    by: status === "Killed" ? short(`${trial}: ${why}`) : "",
  };
}
/** Lines count from 1, and so do columns. */
function between(lines: readonly string[], start: Position, end: Position): string {
  const within = lines.slice(start.line - 1, end.line);
  const last = (within.at(-1) ?? "").slice(0, end.column - 1);
  return [...within.slice(0, -1), last].join("\n").slice(start.column - 1);
}
function short(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= unitsShown ? line : `${line.slice(0, unitsShown - 1)}…`.toWellFormed();
}
