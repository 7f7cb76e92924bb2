/** Our registry in a process of its own, a new one after every crash. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { OpenTarget } from "../target.ts";
import { Unusable } from "../unusable.ts";
import { childTarget } from "./child.ts";

/** Beside this file where it was built, else in `dist/`: Node 20 runs no TypeScript. */
function program(): string {
  const places = ["./serve.js", "../../dist/properties/targets/serve.js"];
  const found = places.map((each) => fileURLToPath(new URL(each, import.meta.url))).find((file) => existsSync(file));
  if (found === undefined) throw new Unusable(4, "the target in a process of its own is not built: npm run build");
  return found;
}

export function ownChild(name: string, ...args: readonly string[]): OpenTarget {
  return () => childTarget(name, [process.execPath, program(), "sqlite", ...args], { fresh: true });
}
