/**
 * Stories told to other sources of production than today's: copies with a planted fault, or those of an old commit, judged by
 * the checker of today. For whoever says that a trace was red on one.
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Plant, plant, root } from "../properties/targets/planted.ts";
import { plants } from "../properties/targets/plants.ts";
import type { Trace } from "../properties/trace.ts";
import { Unusable } from "../properties/unusable.ts";
import type { Verdict } from "./replay.ts";

interface Asked {
  readonly trace: Trace;
  /** `plant:NAME` or `commit:REF`. */
  readonly source: string;
}

/** In the order asked; sources that several ask for are built once. */
export async function verdictsOnSources(asked: readonly Asked[]): Promise<readonly Verdict[]> {
  const names = [...new Set(asked.map(({ source }) => source))];
  const copies = await plant(await Promise.all(names.map(plantFor)), ["model", "properties", "regressions"]);
  try {
    const verdicts: Verdict[] = [];
    for (const { trace, source } of asked) verdicts.push(await verdictOn(copies.url, trace, source));
    return verdicts;
  } finally {
    await copies.remove();
  }
}

const folderOf = (source: string): string => source.replace(":", "-");

async function verdictOn(
  url: (name: string, module: string) => string,
  trace: Trace,
  source: string,
): Promise<Verdict> {
  let replay: typeof import("./replay.ts").replay;
  let targetNamed: typeof import("../properties/targets/named.ts").targetNamed;
  try {
    ({ replay } = await import(/* @vite-ignore */ url(folderOf(source), "regressions/replay.ts")));
    ({ targetNamed } = await import(/* @vite-ignore */ url(folderOf(source), "properties/targets/named.ts")));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.split("\n")[0] : String(cause);
    throw new Unusable(4, `the checker of today cannot judge the source of ${source}: ${why}`, { cause });
  }
  const target = await (await targetNamed(trace.scope.archive))();
  try {
    return await replay(trace, target);
  } finally {
    await target.close();
  }
}

/** What is to be copied and built, or a sentence saying why it cannot be. */
async function plantFor(source: string): Promise<Plant> {
  if (!existsSync(join(root, "src", "index.ts")))
    throw new Unusable(4, `${source} needs the sources of rollcall; run it in a checkout of the repository`);
  const name = source.slice(source.indexOf(":") + 1);
  if (source.startsWith("commit:")) {
    const commit = await commitNamed(name);
    return { name: folderOf(source), edits: [], commit };
  }
  const found = plants.find((each) => each.name === name);
  if (found === undefined)
    throw new Unusable(2, `there is no plant ${name}; there are ${plants.map((each) => each.name).join(", ")}`);
  return { ...found, name: folderOf(source) };
}

/** The full name of a commit, so that a branch which moves on is not what is recorded. */
async function commitNamed(ref: string): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)("git", [
      "-C",
      root,
      "rev-parse",
      "--verify",
      "--end-of-options",
      `${ref}^{commit}`,
    ]);
    return stdout.trim();
  } catch (cause) {
    throw new Unusable(2, `there is no commit ${ref} in this repository`, { cause });
  }
}
