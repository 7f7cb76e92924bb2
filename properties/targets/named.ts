/**
 * Targets by name, opened when they are asked for; also a user's own: a module that exports `openTarget`, or a command that
 * speaks the line protocol.
 */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { rules } from "../../model/index.ts";
import type { OpenTarget } from "../target.ts";
import { twins } from "../twins/all.ts";
import { reported } from "../twins/reported/all.ts";
import { Unusable } from "../unusable.ts";
import { type ChildOptions, childTarget } from "./child.ts";
import { coldToolDropped } from "./cold-tools.ts";
import { isCommand, isScript, wordsOf } from "./command.ts";
import { fickle, fickleTarget } from "./fickle.ts";
import { type Judged, judgedBy } from "./leveled.ts";
import { type EmacsOptions, mevedelTarget } from "./mevedel.ts";
import { modelTarget } from "./model.ts";
import { ownChild } from "./own-child.ts";
import { pinnable } from "./pinned.ts";
import { memoryPlaces, sqlitePlaces } from "./places.ts";
import { productionTarget, usual } from "./production.ts";
import { tightTarget } from "./tight.ts";
import { wrapped } from "./wrapped.ts";

const known: { readonly [name: string]: OpenTarget } = {
  model: () => modelTarget(),
  memory: pinnable((ports) => productionTarget("memory", memoryPlaces(), ports), usual),
  sqlite: pinnable((ports) => productionTarget("sqlite", sqlitePlaces(), ports), usual),
  child: ownChild("child"),
  tight: () => tightTarget(),
};

/** Of the specification: those of this kind of registry, and those that public reports suggest. */
const ofModel = { ...twins, ...reported };
const twinNames: readonly string[] = [...Object.keys(ofModel), ...Object.keys(wrapped)];

/** The fault of 2026-10-06, in one process, which does not notice it, and in a new one. */
const cold: { readonly [name: string]: OpenTarget } = {
  "memory:cold_tool_dropped": () => coldToolDropped(),
  "child:cold_tool_dropped": ownChild("child:cold_tool_dropped", "--fault", "cold_tool_dropped"),
};

export function targetNames(): readonly string[] {
  return [...Object.keys(known), ...Object.keys(cold), ...twinNames.map((name) => `twin:${name}`)];
}

/** Plain data, so that it can be handed to another process. What is left out is as the target has it. */
export interface TargetOptions extends ChildOptions, Judged {
  /** Of the target mevedel. */
  readonly mevedel?: EmacsOptions | undefined;
}

/** `options` about processes say nothing to a target that is none. */
export async function targetNamed(name: string, options: TargetOptions = {}): Promise<OpenTarget> {
  return judgedBy(await unjudged(name, options), options);
}

async function unjudged(name: string, { mevedel, ...options }: TargetOptions): Promise<OpenTarget> {
  if (name === "mevedel") return mevedelTarget(mevedel ?? {}, options);
  const found = [known, cold].find((each) => Object.hasOwn(each, name))?.[name];
  if (found !== undefined) return found;
  if (name.startsWith("fickle:")) return fickleNamed(name, name.slice("fickle:".length));
  if (name.startsWith("twin:")) return twin(name, name.slice("twin:".length));
  if (isCommand(name)) {
    const words = wordsOf(name);
    return () => childTarget(name, words, { fresh: true, ...options });
  }
  if (isScript(name) || /[./\\]/.test(name)) return await moduleTarget(name);
  throw new Unusable(
    2,
    `there is no target ${name}; there are ${Object.keys(known).join(", ")}, twin:NAME, modules such as ./my-target.js, and commands such as "python3 my-target.py"`,
  );
}

function fickleNamed(name: string, of: string): OpenTarget {
  const found = Object.hasOwn(fickle, of) ? fickle[of] : undefined;
  if (found !== undefined) return fickleTarget(name, found);
  throw new Unusable(2, `there is no fickle target ${of}; there are ${Object.keys(fickle).toSorted().join(", ")}`);
}

function twin(name: string, of: string): OpenTarget {
  const port = Object.hasOwn(wrapped, of) ? wrapped[of] : undefined;
  if (port !== undefined) return () => port.open(name);
  const found = Object.hasOwn(ofModel, of) ? ofModel[of] : undefined;
  if (found === undefined)
    throw new Unusable(2, `there is no twin ${of}; there are ${twinNames.toSorted().join(", ")}`);
  return () => modelTarget(name, { ...rules, ...found.faulty });
}

async function moduleTarget(file: string): Promise<OpenTarget> {
  const path = resolve(file);
  if (!existsSync(path)) throw new Unusable(4, `there is no module ${file}`);
  if (!isScript(file))
    throw new Unusable(4, `${file} is no module (.js, .mjs) and may not be executed; as a command it needs chmod +x`);
  let found: unknown;
  try {
    found = await import(pathToFileURL(path).href);
  } catch (cause) {
    throw new Unusable(
      4,
      `${file} cannot be loaded: ${cause instanceof Error ? cause.message.split("\n")[0] : cause}`,
      { cause },
    );
  }
  if (typeof found === "object" && found !== null && "openTarget" in found && typeof found.openTarget === "function") {
    return found.openTarget as OpenTarget; // what a user's module exports can only be tried
  }
  throw new Unusable(4, `${file} exports no function openTarget; see TargetModule`);
}
