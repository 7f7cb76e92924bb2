/** What the bench is asked to do, read from the command line; anything it does not understand is a usage error. */
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { wrapped } from "./table.ts";

export class UsageError extends Error {}

export interface Asked {
  /** Measure, judge what CI can, compare two builds, or measure all and write it down. */
  readonly mode: "measure" | "gate" | "against" | "report";
  /** Subjects, in the order in which they run. */
  readonly names: readonly string[];
  readonly isQuick: boolean;
  /** Peers beside ours. */
  readonly peers: readonly string[];
  /** The one size of which peers are measured; all of them unless told. */
  readonly at: { readonly agents: number; readonly conversation: number } | null;
  /** As it was typed, but where it is kept. */
  readonly typed: string;
  /** Where to write everything measured, too. */
  readonly json: string | null;
  /** The `dist` of another checkout. */
  readonly against: string | null;
  /** So many planted slow-downs and unchanged pairs in the place of another build. */
  readonly trials: number;
}
export interface Known {
  readonly subjects: readonly string[];
  /** What the gate runs. */
  readonly gated: readonly string[];
  readonly peers: readonly string[];
  /** Those that need no package. */
  readonly plain: readonly string[];
  /** Those that are not measured here, each with its reason. */
  readonly leftOut: readonly string[];
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
/** A checkout, or its `dist`. */
function buildIn(folder: string): string {
  const surface = join("src", "index.js");
  const found = [resolve(folder), resolve(folder, "dist")].find((each) => existsSync(join(each, surface)));
  if (found === undefined)
    throw new UsageError(`There is no build in ${folder}: run \`npm ci && npm run build\` there, and name its folder.`);
  return found;
}
const trialsMax = 1_000;
function trialsIn(text: string): number {
  const count = Number(text);
  if (!Number.isSafeInteger(count) || count < 1 || count > trialsMax)
    throw new UsageError(`--trials takes a whole number from 1 to ${trialsMax}, not "${text}".`);
  return count;
}
function sizeIn(text: string): { readonly agents: number; readonly conversation: number } {
  const [, agents, conversation] = /^(\d+)x(\d+)$/.exec(text) ?? [];
  if (agents === undefined || conversation === undefined)
    throw new UsageError(`--at takes agents and bytes of each conversation, as in 1000x50000, not "${text}".`);
  // A lead alone has no worker whom mail could be sent to.
  if (Number(agents) < 2) throw new UsageError(`--at needs two agents or more, not ${Number(agents)}.`);
  return { agents: Number(agents), conversation: Number(conversation) };
}
function parsed(argv: readonly string[]) {
  const options = {
    quick: { type: "boolean" },
    gate: { type: "boolean" },
    report: { type: "boolean" },
    alone: { type: "boolean" },
    only: { type: "string" },
    at: { type: "string" },
    against: { type: "string" },
    trials: { type: "string" },
    json: { type: "string" },
    help: { type: "boolean", short: "h" },
  } as const;
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(message(error));
  }
}
function listed(what: string, text: string, known: readonly string[], leftOut: readonly string[] = []) {
  const names = text.split(",").filter((name) => name !== "");
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return names;
  const without = leftOut.map((each) => ` Left out: ${each}.`).join("");
  throw new UsageError(`There is no ${what} "${unknown}"; choose from ${known.join(", ")}.${without}`);
}

export function parse(argv: readonly string[], known: Known): Asked | "help" {
  const { values, positionals } = parsed(argv);
  if (values.help === true) return "help";
  const modes = [
    values.gate === true ? ["gate" as const] : [],
    values.report === true ? ["report" as const] : [],
    values.against !== undefined || values.trials !== undefined ? ["against" as const] : [],
  ].flat();
  const [mode = "measure", another] = modes;
  if (another !== undefined)
    throw new UsageError("--gate, --report and --against (or --trials) are different runs; choose one.");
  const subjects = mode === "gate" ? known.gated : known.subjects;
  listed("subject", positionals.join(","), known.subjects);
  const names = positionals.length === 0 ? subjects : known.subjects.filter((name) => positionals.includes(name));
  if (mode === "against" && positionals.length > 0)
    throw new UsageError("--against compares reading and saving; it takes no subjects.");
  const isQuick = values.quick === true || mode === "gate";
  const isAlone = values.alone === true || isQuick;
  const asked =
    values.only === undefined
      ? isAlone
        ? known.plain
        : known.peers
      : listed("peer", values.only, known.peers, known.leftOut);
  return {
    ...{ mode, names, isQuick },
    // Ours is what the others are compared with.
    peers: ["rollcall", ...asked.filter((name) => name !== "rollcall")],
    typed: argv.filter((each, at) => !each.startsWith("--json") && argv[at - 1] !== "--json").join(" "),
    at: values.at === undefined ? null : sizeIn(values.at),
    json: values.json === undefined ? null : writable(values.json),
    against: values.against === undefined ? null : buildIn(values.against),
    trials: values.trials === undefined ? 0 : trialsIn(values.trials),
  };
}

export function helpOf({ subjects, peers, leftOut }: Known): string {
  return `Usage: npm run bench -- [SUBJECT…] [OPTIONS]

What restoring, opening, reading and saving cost, beside what people use
instead, and how fast the checker steps. Times are medians of interleaved
samples and compare within one run. What has to hold is checked at the end,
with the work counted behind each time.

Subjects: ${subjects.join(", ")}
  (all of them unless told)
Peers: ${peers.join(", ")}
  (those that need packages are installed into bench/peers when first needed)
${leftOut.map((each) => `${wrapped(`(left out: ${each})`, "  ").join("\n")}\n`).join("")}
  --quick        smaller archives, fewer samples, no packages: about a minute
  --alone        no peers that need anything installed
  --only A,B     these peers, beside ours
  --at 1000x500  peers at this size only: agents, and bytes of each conversation
  --gate         what CI judges: all counters, and ratios with wide margins
  --against DIR  is this build slower than that of another checkout, in reading
                 and in saving? Exit 1 if it is
  --trials N     how often that verdict is right: N planted slow-downs of a
                 tenth and N unchanged pairs, of this build
  --report       everything, written to bench/charts and README
  --json FILE    also write everything measured to FILE
  --help         this

Exit codes: 0 everything held, 1 something did not, 2 usage, 4 a peer cannot be
installed or loaded, 70 a bug of the bench`;
}
