/** Where recorded stories lie: beside this folder's package, built or not. */
import { existsSync } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Read, readStory, traceUnitsMax } from "../properties/trace.ts";
import { Unusable } from "../properties/unusable.ts";

/** The package's own folder of traces. */
function tracesFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json")) && folder !== dirname(folder)) folder = dirname(folder);
  return join(folder, "regressions");
}

export const traceFiles = (): Promise<readonly string[]> => tracesIn(tracesFolder());

export async function tracesIn(folder: string): Promise<readonly string[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".json")).sort();
  return names.map((name) => join(folder, name));
}

export interface Recorded extends Read {
  readonly file: string;
  readonly name: string;
}

/** Of whichever version of the specification, as far as it still can be told. */
export async function readTrace(file: string): Promise<Recorded> {
  const found = await stat(file).catch(() => null);
  if (found === null) throw new Unusable(2, `there is no trace ${file}`);
  if (!found.isFile()) throw new Unusable(2, `${file} is no file; name a trace`);
  if (found.size > 4 * traceUnitsMax) throw new Unusable(2, `${file} is larger than a trace may be`);
  return { file, name: basename(file, ".json"), ...readStory(await readFile(file, "utf8"), file) };
}

/** For whoever can only use a story that can be told to its end. */
export async function readWholeTrace(file: string): Promise<Recorded> {
  const recorded = await readTrace(file);
  const { rot } = recorded;
  if (rot === null) return recorded;
  throw new Unusable(3, `${file} is ${rot.is === "gone" ? "stale" : "not applicable"} at step ${rot.step}: ${rot.why}`);
}
