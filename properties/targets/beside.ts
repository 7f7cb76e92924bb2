/** Files beside this one that are no modules: drivers in other languages, and data. What is built does not hold them. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** In the sources where they are; of what is built, in the package around it. */
export function beside(name: string): string {
  const places = [`./${name}`, `../../../properties/targets/${name}`];
  const found = places.map((each) => fileURLToPath(new URL(each, import.meta.url))).find((each) => existsSync(each));
  if (found === undefined) throw new Error(`properties/targets/${name} is not installed with the package`);
  return found;
}
