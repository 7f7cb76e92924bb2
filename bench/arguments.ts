/** What the bench is asked to do, read from the command line; anything it does not understand is a usage error. */
import { accessSync, constants, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { parseArgs } from "node:util";

export class UsageError extends Error {}

export interface Asked {
  /** Subjects, in the order in which they run. */
  readonly names: readonly string[];
  readonly isQuick: boolean;
  /** Where to write everything measured, too. */
  readonly json: string | null;
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
/** Found out now and not after minutes of measuring. */
function writable(file: string): string {
  if (file === "") throw new UsageError("--json needs the name of a file.");
  const path = resolve(file);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true)
    throw new UsageError(`${file} is a folder; name a file for --json.`);
  try {
    accessSync(dirname(path), constants.W_OK);
  } catch {
    throw new UsageError(`${file} cannot be written: its folder is missing or may not be written to.`);
  }
  return path;
}
function parsed(argv: readonly string[]) {
  const options = {
    quick: { type: "boolean" },
    json: { type: "string" },
    help: { type: "boolean", short: "h" },
  } as const;
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(message(error));
  }
}

export function parse(argv: readonly string[], subjects: readonly string[]): Asked | "help" {
  const { values, positionals } = parsed(argv);
  if (values.help === true) return "help";
  const unknown = positionals.find((name) => !subjects.includes(name));
  if (unknown !== undefined)
    throw new UsageError(`There is no subject "${unknown}"; choose from ${subjects.join(", ")}.`);
  const names = positionals.length === 0 ? subjects : subjects.filter((name) => positionals.includes(name));
  return { names, isQuick: values.quick === true, json: values.json === undefined ? null : writable(values.json) };
}

export function helpOf(subjects: readonly string[]): string {
  return `Usage: npm run bench -- [SUBJECT…] [--quick] [--json FILE]

What restoring, opening, reading and saving cost, and how fast the checker steps.
Times are medians of interleaved samples and compare within one run. What has to
hold is checked at the end, with the work counted behind each time.

Subjects: ${subjects.join(", ")} (all of them unless told)

  --quick      smaller archives, fewer samples: under 30 seconds
  --json FILE  also write everything measured to FILE
  --help       this

Exit codes: 0 everything held, 1 something did not, 2 usage, 70 a bug of the bench`;
}
