/** What every verb that judges a target takes on the command line: which one, and how it is started and judged. */
import type { Level } from "../../src/contract.ts";
import { whole } from "../io.ts";
import type { OpenTarget } from "../target.ts";
import { type TargetOptions, targetNamed, targetNames } from "../targets/named.ts";
import { Unusable } from "../unusable.ts";

/** For `parseArgs`. */
export const targetOptions = {
  target: { type: "string" },
  level: { type: "string" },
  "target-timeout": { type: "string" },
  "target-restart": { type: "string" },
  "target-process": { type: "string" },
  config: { type: "string" },
  mevedel: { type: "string" },
  gptel: { type: "string" },
  "gptel-agent": { type: "string" },
  websocket: { type: "string" },
  emacs: { type: "string" },
  "no-shim": { type: "string", multiple: true },
  display: { type: "boolean" },
  unknowing: { type: "boolean" },
  knowing: { type: "string", multiple: true },
} as const;

/** What a project's configuration says of how its target is judged. */
type ProjectJudging = Pick<TargetOptions, "diverges" | "laws" | "scope">;

export interface TargetValues {
  readonly target?: string | undefined;
  readonly level?: string | undefined;
  readonly "target-timeout"?: string | undefined;
  readonly "target-restart"?: string | undefined;
  readonly "target-process"?: string | undefined;
  readonly mevedel?: string | undefined;
  readonly gptel?: string | undefined;
  readonly "gptel-agent"?: string | undefined;
  readonly websocket?: string | undefined;
  readonly emacs?: string | undefined;
  readonly "no-shim"?: readonly string[] | undefined;
  readonly display?: boolean | undefined;
  readonly unknowing?: boolean | undefined;
  readonly knowing?: readonly string[] | undefined;
}

/** Options of the target mevedel, in the words of the command line. */
const ofEmacs = [
  ["mevedel", "mevedel"],
  ["gptel", "gptel"],
  ["gptel-agent", "gptelAgent"],
  ["websocket", "websocket"],
  ["emacs", "emacs"],
  ["no-shim", "noShims"],
  ["display", "display"],
  ["unknowing", "unknowing"],
  ["knowing", "knowing"],
] as const;

function emacsOf(values: TargetValues, target: string): Pick<TargetOptions, "mevedel"> {
  const given = ofEmacs.filter(([option]) => values[option] !== undefined);
  const [first] = given;
  if (first === undefined) return {};
  if (target !== "mevedel") throw new Unusable(2, `--${first[0]} belongs to --target mevedel`);
  return { mevedel: Object.fromEntries(given.map(([option, key]) => [key, values[option]])) };
}

const own: string = targetNames()
  .filter((name) => !name.includes(":"))
  .join(", ");

/** For the help of a verb. */
export const targetHelp = (usual: string): string => `  --target TARGET what is judged [${usual}]:
                  ${own}: ours; twin:NAME: a faulty one; fickle:NAME: one that is not the same twice
                  ./my-target.js: a module that exports openTarget
                  "COMMAND ARGUMENTS…" or a file that may be executed: speaks the line protocol (properties/PROTOCOL.md);
                  no shell is asked, and a single program is written ./program or "env program"
  --level LEVEL   core (what happens), strict (also laws and events) or house (also codes and limits) [the target's own]
  --target-timeout MS, --target-restart N, --target-process fresh|same
                  of a command: how long one answer may take [10000]; a new process after N stories [never]; whether a
                  crash is a kill and what comes after it a new process [fresh], or a step like any other
  --target mevedel --mevedel DIR --gptel DIR --gptel-agent DIR --websocket DIR [--emacs PATH] [--no-shim NAME]
      [--display] [--unknowing | --knowing NAME…]
                  a registry in Emacs, on the checkouts named; without a shim (its offer names them); in a graphical
                  frame (Xvfb, xdotool and ImageMagick); with what is known to differ there taken for a failure, too, or all but
                  what is named (properties/targets/mevedel-known.json)`;

const levels: readonly Level[] = ["core", "strict", "house"];

/** A target as it was asked for: plain data, which another process can open as well. */
export interface Chosen {
  readonly name: string;
  readonly options: TargetOptions;
}

/** Options that were given, and no others; a name is not looked up yet. */
export function chosen(values: TargetValues, usual: string, more: ProjectJudging = {}): Chosen {
  const { target = usual, level, "target-process": process } = values;
  const timeout = values["target-timeout"];
  const restart = values["target-restart"];
  const known = levels.find((each) => each === level);
  if (level !== undefined && known === undefined)
    throw new Unusable(2, `--level is ${levels.join(", ")}, not ${JSON.stringify(level)}`);
  if (process !== undefined && process !== "fresh" && process !== "same")
    throw new Unusable(2, `--target-process is fresh or same, not ${JSON.stringify(process)}`);
  return {
    name: target,
    options: {
      ...(known === undefined ? {} : { level: known }),
      ...more,
      ...(timeout === undefined ? {} : { timeoutMs: whole(timeout, 0, "--target-timeout", 1) }),
      ...(restart === undefined ? {} : { restartAfter: whole(restart, 0, "--target-restart", 1) }),
      ...(process === undefined ? {} : { fresh: process === "fresh" }),
      ...emacsOf(values, target),
    },
  };
}

export const opened = ({ name, options }: Chosen): Promise<OpenTarget> => targetNamed(name, options);

/** How it is asked for again. */
export function asked({ name, options }: Chosen): string {
  const { level, timeoutMs, restartAfter, fresh, mevedel = {} } = options;
  const emacs = ofEmacs.flatMap(([option, key]) => {
    const given = mevedel[key];
    if (given === undefined || given === false) return [];
    if (given === true) return [`--${option}`];
    return (typeof given === "string" ? [given] : given).map((each) => `--${option} ${quoted(each)}`);
  });
  return [
    `--target ${quoted(name)}`,
    ...(level === undefined ? [] : [`--level ${level}`]),
    ...(timeoutMs === undefined ? [] : [`--target-timeout ${timeoutMs}`]),
    ...(restartAfter === undefined ? [] : [`--target-restart ${restartAfter}`]),
    ...(fresh === undefined ? [] : [`--target-process ${fresh ? "fresh" : "same"}`]),
    ...emacs,
  ].join(" ");
}

/** As one word for a shell. */
const quoted = (word: string): string =>
  /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
