/**
 * mevedel, a registry that lives in Emacs (github.com/FrauH0lle/mevedel), as a target: the command that starts Emacs with the
 * driver beside this file on the checkouts that were named, and what is known to differ there at the commit they stand at.
 */
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Divergence, OpenTarget } from "../target.ts";
import { Unusable } from "../unusable.ts";
import { beside } from "./beside.ts";
import { type ChildOptions, childTarget } from "./child.ts";
import { imageOf } from "./emacs/dump.ts";
import { judgedBy } from "./leveled.ts";
import { knownAt } from "./mevedel-known.ts";

/** Folders of checkouts, and how Emacs is to be started; plain data, so that another process can open the same. */
export interface EmacsOptions {
  readonly mevedel?: string | undefined;
  readonly gptel?: string | undefined;
  readonly gptelAgent?: string | undefined;
  readonly websocket?: string | undefined;
  /** The program [emacs]. */
  readonly emacs?: string | undefined;
  /** Names of shims that are left out. */
  readonly noShims?: readonly string[] | undefined;
  /** In a graphical frame on a display of its own. */
  readonly display?: boolean | undefined;
  /** Also what is known to differ is a failure. */
  readonly unknowing?: boolean | undefined;
  /** Only these of what is known to differ, by name, are no failures. */
  readonly knowing?: readonly string[] | undefined;
}

const folders = [
  ["mevedel", "--mevedel", "mevedel.el"],
  ["gptel", "--gptel", "gptel.el"],
  ["gptelAgent", "--gptel-agent", "gptel-agent.el"],
  ["websocket", "--websocket", "websocket.el"],
] as const;

/** Emacs starts from source, and a step may save several times. */
const timeoutUsualMs = 60_000;
/** An Emacs keeps a buffer and two timers of every story. */
const storiesMax = 100;

function checkouts(options: EmacsOptions): readonly string[] {
  return folders.map(([key, option, file]) => {
    const given = options[key];
    if (given === undefined)
      throw new Unusable(2, `--target mevedel needs ${option} DIR, a checkout with ${file} in it`);
    if (!existsSync(join(given, file)))
      throw new Unusable(4, `${option} ${given} is no such checkout: it has no ${file}`);
    return resolve(given);
  });
}

function divergences(own: string, { unknowing, knowing, noShims }: EmacsOptions): readonly Divergence[] {
  if (unknowing === true) return [];
  const all = knownAt(own, noShims);
  const wrong = knowing?.find((each) => !all.some(({ name }) => name === each));
  if (wrong === undefined) return knowing === undefined ? all : all.filter(({ name = "" }) => knowing.includes(name));
  const names = [...new Set(all.map(({ name }) => `"${name}"`))].join(", ");
  throw new Unusable(2, `--knowing "${wrong}" is nothing that is known to differ at this commit; there are ${names}`);
}

export function mevedelTarget(options: EmacsOptions, child: ChildOptions): OpenTarget {
  const paths = checkouts(options);
  const [own = ""] = paths;
  const load = [dirname(beside("emacs/rollcall-target.el")), ...paths.toReversed()].flatMap((path) => ["-L", path]);
  const without = (options.noShims ?? []).flatMap((name) => ["--no-shim", name]);
  const run = ["-f", "mev-main", "--", ...without];
  const from = ["-l", beside("mevedel.el")];
  const { emacs = "emacs", display = false } = options;
  const command = (): readonly string[] => {
    if (display) return [process.execPath, beside("emacs/display.mjs"), emacs, "-Q", ...load, ...from, ...run];
    const image = imageOf(emacs, [...load, ...from]);
    const how =
      image === null ? ["-Q", "--batch", ...load, ...from] : [`--dump-file=${image}`, "-Q", "--batch", ...load];
    return [emacs, ...how, ...run];
  };
  const open: OpenTarget = () =>
    childTarget("mevedel", command, {
      // A crash is a step: a new Emacs for each takes longer than all the rest of a story.
      ...{ timeoutMs: timeoutUsualMs, restartAfter: storiesMax },
      ...child,
    });
  // It has no limits: a story that met one would end there.
  return judgedBy(open, {
    diverges: divergences(own, options),
    scope: { limits: {} },
  });
}
