/**
 * The house rules that no linter checks: what may lie at the top level, how long a file may get, that a file says what it
 * is for and a cast why it is safe, that the contract is types and the model has no back door, and that the lock file
 * records what is installed and not where it was downloaded.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root: string = fileURLToPath(new URL("..", import.meta.url));

const folders: readonly string[] = ["src", "model", "properties", "regressions", "bench"];
const topFiles: readonly string[] = ["package.json", "package-lock.json", "tsconfig.json", "README.md", "LICENSE"];
/** Ignored by git: made by tools, gone with a fresh clone. */
const made: readonly string[] = ["node_modules", "dist", "coverage"];

const linesMax = 400;

type Source = { readonly file: string; readonly lines: readonly string[] };

function sourcesIn(folder: string): readonly Source[] {
  if (statSync(join(root, folder), { throwIfNoEntry: false }) === undefined) return [];
  return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.(ts|js|py|sh)$/.test(entry.name))
    .filter((entry) => !/[/\\](node_modules|\.tmp)([/\\]|$)/.test(entry.parentPath))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({ file: relative(root, file), lines: readFileSync(file, "utf8").trimEnd().split("\n") }));
}

const sources: readonly Source[] = folders.flatMap(sourcesIn);
const production: readonly Source[] = sources.filter(({ file }) => !/\.test\.ts$|(^|\/)test_\w+\.py$/.test(file));

/** The places, as `file:line`, whose line is not as it should be. */
function lines(of: readonly Source[], wrong: (line: string) => boolean): readonly string[] {
  return of.flatMap(({ file, lines: text }) =>
    text.flatMap((line, at) => (wrong(line) ? [`${file}:${at + 1}: ${line.trim()}`] : [])),
  );
}

/** A line without what it quotes and, when it is nothing but comment, without anything. */
function code(line: string): string {
  return /^\s*(\/\/|\/?\*)/.test(line) ? "" : line.replaceAll(/"(\\.|[^"\\])*"|'(\\.|[^'\\])*'|`(\\.|[^`\\])*`/g, '""');
}

function unexplainedCast(line: string): boolean {
  const [before = "", ...comment] = code(line).split("//");
  if (/^\s*(import|export)\b.*\bfrom\b/.test(before) || /\* as \w/.test(before)) return false;
  // What follows is a type: the names of other things begin small, as do words of prose and aliases of imports.
  const cast = /[\w)\]}"] as (?:[A-Z({[]|(?:readonly|unknown|never|string|number|object)\b)/;
  return cast.test(before) && comment.join("").trim() === "";
}

describe("the house", () => {
  it("keeps its top level to what architecture allows", () => {
    const allowed = new Set([...folders, ...topFiles, ...made]);
    const found = readdirSync(root).filter(
      (name) => !(allowed.has(name) || name.startsWith(".") || name.endsWith(".tgz")),
    );
    expect(found).toEqual([]);
  });

  it("keeps every source file short enough to be read in one go", () => {
    const long = production.filter((source) => source.lines.length > linesMax);
    expect(long.map((source) => `${source.file}: ${source.lines.length} lines`)).toEqual([]);
  });

  it("opens every source file with what it is for", () => {
    const opening = ({ lines: [first = "", second = ""] }: Source): string => (first.startsWith("#!") ? second : first);
    expect(
      sources.filter((source) => !/^(\/\*|\/\/|#|"""|'use|---)/.test(opening(source))).map(({ file }) => file),
    ).toEqual([]);
  });

  it("gives every cast its reason on its line", () => {
    expect(unexplainedCast("const found = row as Row;")).toBe(true);
    expect(unexplainedCast("const found = row as Row; // the schema was checked above")).toBe(false);
    expect(unexplainedCast('const kinds = ["a"] as const; import * as fc from "fast-check"; // "x as y"')).toBe(false);
    const typed = production.filter(({ file }) => file.endsWith(".ts"));
    expect(lines(typed, unexplainedCast)).toEqual([]);
  });

  it("keeps the contract to types", () => {
    const contract = sources.filter(({ file }) => file === "src/contract.ts");
    expect(contract).toHaveLength(1);
    expect(lines(contract, (line) => /^\s*(export )?(const|let|var|function|class|enum)\b/.test(line))).toEqual([]);
  });

  it("leaves no way into the model that the import fence does not see", () => {
    const model = production.filter(({ file }) => file.startsWith("model/"));
    const way = /\bimport\(|\brequire\(|\bglobalThis\b|\bimport\.meta\b|\beval\(/;
    expect(lines(model, (line) => way.test(code(line)))).toEqual([]);
  });

  it("has no word for work left undone", () => {
    const marker = /\b(TO(?:DO)|FIX(?:ME))\b/; // in parts, or this line would find itself
    expect(lines(sources, (line) => marker.test(line))).toEqual([]);
  });
});

describe("the package", () => {
  const lock = readFileSync(join(root, "package-lock.json"), "utf8");
  const manifest: { readonly [section: string]: unknown } = JSON.parse(
    readFileSync(join(root, "package.json"), "utf8"),
  );

  it("locks versions and not the place they were downloaded from", () => {
    expect(lock).not.toMatch(/"resolved": "https?:/);
  });

  it.each(["dependencies", "optionalDependencies", "devDependencies", "overrides"])("pins %s exactly", (section) => {
    const versions = Object.entries(manifest[section] ?? {}).map(([name, version]) => `${name}@${version}`);
    expect(versions.filter((of) => !/@\d+\.\d+\.\d+$/.test(of))).toEqual([]);
    expect(versions.length).toBeGreaterThan(0);
  });
});
