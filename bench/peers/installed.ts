/** The packages of peers, which nobody installs but the bench: found in bench/peers of the checkout that was built. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** From `dist/bench/peers`, or from the sources themselves. */
export const checkout: string = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "../../" : "../../../", import.meta.url),
);
const folder: string = join(checkout, "bench", "peers");

export class NotInstalled extends Error {
  override readonly name = "NotInstalled";
}

/** Installs what is not there yet; takes two minutes, once, most of them to compile a binding of SQLite. */
export function install(): void {
  if (existsSync(join(folder, "node_modules", "xstate"))) return;
  console.error("installing the peers into bench/peers (once, about two minutes)");
  const { status } = spawnSync("npm", ["ci"], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  if (status !== 0)
    throw new NotInstalled(
      "the peers cannot be installed in bench/peers: npm ci failed there; --alone does without them, or try again online",
    );
}
/** A package's exports, in the shape that whoever asks has read in its documentation. */
export async function installed<Shape>(name: string): Promise<Shape> {
  const file = createRequire(join(folder, "package.json")).resolve(name);
  return (await import(pathToFileURL(file).href)) as Shape; // documented by the package
}
/** Of every package that is named in bench/peers. */
export function versions(): { readonly [name: string]: string } {
  const { devDependencies }: { devDependencies: { [name: string]: string } } = JSON.parse(
    readFileSync(join(folder, "package.json"), "utf8"),
  );
  return devDependencies;
}
