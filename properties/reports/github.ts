/** Annotations of GitHub Actions: one for each place at which something is wrong, on the line of the trace's step. */
import { isAbsolute, relative } from "node:path";
import type { Case } from "./case.ts";

const data = (text: string): string => text.replace(/%/g, "%25").replace(/\r/g, "%0D").replace(/\n/g, "%0A");
const property = (text: string): string => data(text).replace(/:/g, "%3A").replace(/,/g, "%2C");

/** GitHub knows files by their place in the repository, which is where a job runs. */
function fromHere(file: string, folder: string): string {
  const path = isAbsolute(file) ? relative(folder, file) : file;
  return path.replace(/\\/g, "/");
}

export function github(cases: readonly Case[], folder: string): string {
  const red = cases.filter(({ is }) => is === "failed");
  const places = new Map<string, readonly Case[]>();
  for (const each of red) {
    const key = each.at === null ? `${each.suite} ${each.name}` : `${each.suite} ${each.at.file}:${each.at.line}`;
    places.set(key, [...(places.get(key) ?? []), each]);
  }
  return [...places.values()].map((together) => `${annotation(together, folder)}\n`).join("");
}

function annotation(together: readonly Case[], folder: string): string {
  const [first] = together;
  if (first === undefined) return "";
  const { suite, at } = first;
  const names = together.map(({ name }) => name);
  const title = `title=${property(`${suite}: ${names.map((name) => name.split(" ")[0] ?? name).join(", ")}`)}`;
  const where = at === null ? [] : [`file=${property(fromHere(at.file, folder))}`, `line=${at.line}`];
  const body = together.map(({ name, what }) => `${name}\n${what}`).join("\n");
  return `::error ${[...where, title].join(",")}::${data(body)}`;
}
