/** Which files of the production code are judged, in order of weight, and where they lie. */
import { readFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { sha256 } from "../../../src/config.ts";
import { UsageError } from "./usage.ts";

const within = (folder: string, names: string): readonly string[] =>
  names.split(" ").map((name) => `${folder}/${name}.ts`);

/** Decisions of the registry, and the codec: what the floor is for. */
const core: readonly string[] = [
  ...within("src/registry", "start settle turn wait mail mailed recover rows hydrate reading guard draft look state"),
  ...within("src/registry", "decision"),
];
const codec: readonly string[] = within("src/archive", "codec flaws encoded");
const doors: readonly string[] = within("src", "conversation tools config paths");
const shell: readonly string[] = within("src/registry", "shell gates calls view open session");

/** Files of one group are compiled and told together, so that what they share is paid once. */
export const groups: readonly (readonly string[])[] = [core, codec, doors, shell];
/** Below this share of killed ones the command fails. */
export const floorFiles: readonly string[] = [...core, ...codec];

/** Where all this lies, in the package and in what is built of it. */
export const home: string = join("properties", "targets", "mutants");

/** The package's own folder, built or not. */
export const root: string = packageFolder();
function packageFolder(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  return here.endsWith(join("dist", home)) ? resolve(here, "../../../..") : resolve(here, "../../..");
}

/** Those of the list that were named, by file or by folder; all where none was. */
export function chosen(named: readonly string[]): readonly string[] {
  const all = groups.flat();
  const wanted = named.map((each) => relative(root, resolve(each)));
  for (const [index, each] of wanted.entries())
    if (!all.some((file) => file === each || file.startsWith(`${each}/`)))
      throw new UsageError(
        `${named[index]} names no file that is judged; properties/targets/mutants/files.ts lists them.`,
      );
  if (wanted.length === 0) return all;
  return all.filter((file) => wanted.some((each) => file === each || file.startsWith(`${each}/`)));
}

/** Of a file's text, by which it is known whether it has changed. */
export async function hashOf(file: string): Promise<string> {
  return sha256(await readFile(join(root, file), "utf8")).slice(0, 16);
}
