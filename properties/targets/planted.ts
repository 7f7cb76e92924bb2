/**
 * Faults in the production code: copies of the source tree, each with a small textual edit, transpiled beside it. An edit that
 * does not apply exactly once says so, so that a plant never goes stale in silence.
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { removeFolder, settled } from "./settled.ts";

export interface Edit {
  /** Below `src/`. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}
export interface Plant {
  /** Also the name of a folder. */
  readonly name: string;
  readonly edits: readonly Edit[];
  /** The commit whose `src` it is; what lies in this tree unless told. */
  readonly commit?: string;
}
export interface Planted {
  /** Of a module of the copy; `src/index.ts` unless told. */
  url(name: string, module?: string): string;
  /** Modules that were imported stay usable. */
  remove(): Promise<void>;
}

function rootFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json")) && folder !== dirname(folder)) folder = dirname(folder);
  return folder;
}
/** Of the repository, not of what was built in it. */
export const root: string = rootFolder();

/**
 * All copies are transpiled by one run of the compiler, unchecked: most of what it costs is its start. `besides` are folders
 * copied beside `src`, for whoever wants the checker that judges the copy; `modules` are all that is transpiled, with what they
 * import, where that is not everything.
 */
export async function plant(
  plants: readonly Plant[],
  besides: readonly string[] = [],
  modules: readonly string[] | null = null,
): Promise<Planted> {
  const folder = await mkdtemp(join(tmpdir(), "rollcall-planted-"));
  const remove = () => removeFolder(folder);
  try {
    await settled(plants.map((each) => copy(folder, each, besides)));
    await symlink(join(root, "node_modules"), join(folder, "node_modules"), "dir");
    await writeFile(join(folder, "package.json"), '{ "type": "module" }');
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify(tsconfigOf(modules)));
    await transpile(folder);
  } catch (error) {
    await remove();
    throw error;
  }
  const url = (name: string, module = "src/index.ts") =>
    pathToFileURL(join(folder, "out", name, module.replace(/\.ts$/, ".js"))).href;
  return { url, remove };
}

function tsconfigOf(modules: readonly string[] | null): object {
  return {
    extends: join(root, "tsconfig.json"),
    compilerOptions: {
      ...{ noCheck: true, noEmit: false, declaration: false, isolatedDeclarations: false, types: [] },
      ...{ rootDir: "in", outDir: "out" },
    },
    include: modules === null ? ["in"] : modules.map((module) => `in/*/${module}`),
  };
}

async function copy(folder: string, { name, edits, commit }: Plant, besides: readonly string[]): Promise<void> {
  const filter = (file: string) => !/\.test\.ts$|\.json$|\.py$|__pycache__/.test(file);
  for (const each of commit === undefined ? ["src", ...besides] : besides)
    await cp(join(root, each), join(folder, "in", name, each), { recursive: true, filter });
  if (commit !== undefined) await checkOut(commit, join(folder, "in", name));
  const to = join(folder, "in", name, "src");
  for (const { file, from, to: instead } of edits) {
    const text = await readFile(join(to, file), "utf8");
    const found = text.split(from).length - 1;
    if (found !== 1)
      throw new Error(`${name} no longer applies: in src/${file} its text stands ${found} times, not once`);
    await writeFile(
      join(to, file),
      text.replace(from, () => instead),
    );
  }
}

/** The production source of a commit; tests and all, which nobody imports. */
async function checkOut(commit: string, into: string): Promise<void> {
  const tar = join(into, "src.tar");
  await promisify(execFile)("git", ["-C", root, "archive", "--format=tar", "-o", tar, commit, "src"]);
  await promisify(execFile)("tar", ["-xf", tar, "-C", into]);
  await rm(tar);
}

async function transpile(folder: string): Promise<void> {
  const compiler = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "lib", "tsc.js");
  try {
    await promisify(execFile)(process.execPath, [compiler, "-p", folder]);
  } catch (error) {
    throw new Error(`the planted sources do not compile: ${String(error)}`, { cause: error });
  }
}
