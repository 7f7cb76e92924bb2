/**
 * Other sources of production than today's as targets: copies with a planted fault, or those of an old commit, behind the
 * checker of today. For whoever says that a trace was red on one.
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { OpenTarget } from "../properties/target.ts";
import { type Plant, plant, root } from "../properties/targets/planted.ts";
import { plants } from "../properties/targets/plants.ts";
import { Unusable } from "../properties/unusable.ts";
import type { Scope } from "../src/contract.ts";

/** Copies that were built; what was opened stays usable until it is closed. */
export interface Sources {
  /** `source` is `plant:NAME` or `commit:REF`, one of those asked for. */
  target(source: string, archive: Scope["archive"]): Promise<OpenTarget>;
  remove(): Promise<void>;
}

/** All are built by one run of the compiler; each source once, however often it is named. */
export async function sources(names: readonly string[]): Promise<Sources> {
  const copies = await plant(await Promise.all([...new Set(names)].map(plantFor)), [
    "model",
    "properties",
    "regressions",
  ]);
  return {
    target: async (source, archive) => {
      try {
        const url = copies.url(folderOf(source), "properties/targets/named.ts");
        const { targetNamed }: typeof import("../properties/targets/named.ts") = await import(/* @vite-ignore */ url);
        return await targetNamed(archive);
      } catch (cause) {
        const why = cause instanceof Error ? cause.message.split("\n")[0] : String(cause);
        throw new Unusable(4, `the checker of today cannot judge the source of ${source}: ${why}`, { cause });
      }
    },
    remove: copies.remove,
  };
}

const folderOf = (source: string): string => source.replace(":", "-");

/** What is to be copied and built, or a sentence saying why it cannot be. */
async function plantFor(source: string): Promise<Plant> {
  if (!existsSync(join(root, "src", "index.ts")))
    throw new Unusable(4, `${source} needs the sources of rollcall; run it in a checkout of the repository`);
  const name = source.slice(source.indexOf(":") + 1);
  if (source.startsWith("commit:")) return { name: folderOf(source), edits: [], commit: await commitNamed(name) };
  const found = plants.find((each) => each.name === name);
  if (found === undefined)
    throw new Unusable(2, `there is no plant ${name}; there are ${plants.map((each) => each.name).join(", ")}`);
  return { ...found, name: folderOf(source) };
}

/** The full name of a commit, so that a branch which moves on is not what is recorded. */
export async function commitNamed(ref: string): Promise<string> {
  const revision = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`];
  try {
    const { stdout } = await promisify(execFile)("git", ["-C", root, ...revision]);
    return stdout.trim();
  } catch (cause) {
    throw new Unusable(2, `there is no commit ${ref} in this repository`, { cause });
  }
}
