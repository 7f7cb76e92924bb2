/**
 * The import fences are real: a violation of each is planted in a scratch tree, the linter of this repository is run on it
 * with the configuration of this repository, and each must be reported with the fence's reason, and nothing else. A fence
 * whose pattern no longer matches is green for ever; this is the test that notices.
 */
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

type Plant = readonly [file: string, imports: string, reason: RegExp];

const root: string = fileURLToPath(new URL("..", import.meta.url));

const judges = ["model/state.ts", "properties/check.ts", "regressions/replay.ts", "bench/main.ts"];
const ourselves = ["rollcall", "rollcall/check"];
const tools = [
  "zod",
  "zod/mini",
  "fast-check",
  "fast-check/lib",
  "execa",
  "execa/lib",
  "picocolors",
  "picocolors/types",
];

/** One row a fence: the file that is behind it, what it may not import, the reason the linter must give. */
const fences: readonly (readonly [file: string, imports: readonly string[], reason: RegExp])[] = [
  ["model/state.ts", ["../src/registry/core.ts", "../src/index.ts"], /shares its faults/],
  ["model/laws/mail.ts", ["../../src/index.ts"], /shares its faults/],
  ["model/state.ts", ["properties/check.ts", "regressions/replay.ts", "bench/main.ts"], /never looks at them/],
  ["model/state.ts", ["node:crypto", "fast-check", ...ourselves], /no package and nothing of Node/],
  ["model/state.test.ts", ["../src/registry/core.ts", ...ourselves], /production is not asked/],
  ["model/state.test.ts", ["properties/check.ts", "regressions/replay.ts", "bench/main.ts"], /never looks at them/],
  ["src/open.ts", [...judges, ...ourselves], /never imports what judges it/],
  ["src/registry/core.ts", [...judges, ...ourselves], /never imports what judges it/],
  ["src/archive/codec.ts", [...judges, ...ourselves], /never imports what judges it/],
  ["src/open.ts", tools, /nothing but the archive's binding/],
  ["src/registry/core.ts", tools, /nothing but the archive's binding/],
  ["src/archive/codec.ts", tools, /nothing but the archive's binding/],
  ["src/open.ts", ["./cli/main.ts"], /never below/],
  ["src/registry/core.ts", ["../cli/main.ts"], /never below/],
  ["src/archive/codec.ts", ["../cli/main.ts"], /never below/],
  ["src/archive/codec.ts", ["../registry/core.ts"], /can not serve another host/],
  ["src/registry/core.test.ts", [...judges, ...ourselves], /belongs to properties/],
  ["src/registry/core.test.ts", ["../cli/main.ts"], /never below/],
  ["src/cli/check.ts", [...judges, ...ourselves], /judge\.ts alone/],
  ["src/cli/verbs/gate.ts", judges, /judge\.ts alone/],
  ["src/cli/gate.test.ts", judges, /judge\.ts alone/],
  ["properties/check.ts", ["../src/registry/core.ts", "../src/index.ts", ...ourselves], /through a target only/],
  ["properties/arbitraries/story.ts", ["../../src/index.ts"], /through a target only/],
  ["properties/agreement.test.ts", ["../src/index.ts"], /through a target only/],
  ["bench/restore.ts", ["../src/registry/core.ts", "../properties/check.ts"], /pays what a user pays/],
  ["bench/cases/hydrate.ts", ["../../src/archive/sqlite.ts"], /pays what a user pays/],
  ["bench/restore.ts", ["model/state.ts", "regressions/replay.ts", ...ourselves], /nothing behind it/],
];

/** `model/state.ts`, said at the top, as a file further down has to say it. */
function seenFrom(file: string, imports: string): string {
  const top = /^(model|properties|regressions|bench)\//.test(imports);
  return top ? "../".repeat(file.split("/").length - 1) + imports : imports;
}

const violations: readonly Plant[] = fences.flatMap(([file, imports, reason]) =>
  imports.map((of): Plant => [file, seenFrom(file, of), reason]),
);

const allowed: readonly (readonly [file: string, imports: string])[] = [
  ["model/state.ts", "../src/contract.ts"],
  ["model/laws/mail.ts", "../state.ts"],
  ["model/laws/mail.ts", "./turns.ts"],
  ["model/state.test.ts", "fast-check"],
  ["model/state.test.ts", "../src/contract.ts"],
  ["src/registry/core.ts", "../contract.ts"],
  ["src/registry/core.ts", "../archive/archive.ts"],
  ["src/registry/core.ts", "node:crypto"],
  ["src/registry/core.test.ts", "fast-check"],
  ["src/cli/check.ts", "picocolors"],
  ["src/cli/check.ts", "../index.ts"],
  ["src/cli/judge.ts", "../../properties/index.ts"],
  ["src/cli/judge.ts", "../../regressions/replay.ts"],
  ["properties/check.ts", "../src/contract.ts"],
  ["properties/check.ts", "../model/index.ts"],
  ["properties/targets/memory.ts", "../../src/index.ts"],
  ["regressions/replay.ts", "../properties/index.ts"],
  ["bench/restore.ts", "../src/index.ts"],
  ["bench/restore.ts", "../properties/index.ts"],
  ["bench/restore.ts", "../src/contract.ts"],
  ["bench/restore.ts", "tinybench"],
];

/** What else the house style forbids and the linter can see: the rule, and a file that breaks it. */
const habits: readonly (readonly [rule: string, file: string, text: string])[] = [
  ["noExplicitAny", "src/any.ts", "export const found: any = 1;\n"],
  ["noNonNullAssertion", "src/assured.ts", "export const first = (of: string[]): string => of[0]!;\n"],
  ["noDefaultExport", "src/nameless.ts", "export default function open(): void {}\n"],
  ["noBarrelFile", "src/registry/index.ts", 'export { core } from "./core.ts";\n'],
  ["useFilenamingConvention", "src/fooBar.ts", "export const found = 1;\n"],
  ["noUnusedVariables", "src/unused.ts", "const found = 1;\nexport const other = 2;\n"],
  ["noUnusedImports", "src/unasked.ts", 'import { found } from "./any.ts";\nexport const other = 2;\n'],
  [
    "useExhaustiveSwitchCases",
    "src/partial.ts",
    'export function tell(of: "a" | "b"): string {\n  switch (of) {\n    case "a":\n      return of;\n  }\n  return "";\n}\n',
  ],
  [
    "noFloatingPromises",
    "src/floating.ts",
    "async function save(): Promise<void> {}\nexport function close(): void {\n  save();\n}\n",
  ],
  ["noProcessEnv", "src/environment.ts", 'export const found = process.env["HOME"];\n'],
  ["noRestrictedGlobals", "model/clock.ts", "export const now = (): number => Date.now();\n"],
  ["noRestrictedGlobals", "model/later.ts", "export const done = (): Promise<void> => Promise.resolve();\n"],
  ["noFocusedTests", "model/only.test.ts", 'import { it } from "vitest";\nit.only("x", () => {});\n'],
  [
    "noUndeclaredDependencies",
    "properties/timed.ts",
    'import { Bench } from "tinybench";\nexport const found = Bench;\n',
  ],
];

/** Three ways to reach a module; a fence that misses one is no fence. */
const ways: Readonly<Record<string, (from: string) => string>> = {
  static: (from) => `import { it } from "${from}";\nexport const found: unknown = it;\n`,
  type: (from) => `import type { It } from "${from}";\nexport type Found = It;\n`,
  dynamic: (from) => `export const found: Promise<unknown> = import("${from}");\n`,
};

type Report = { readonly rule: string; readonly message: string };

let scratch = "";
const reports = new Map<string, Report[]>();

/** One file per plant, so that a report names its plant; only judge.ts is meant by its very name. */
function planted([file, from]: readonly [string, string, ...unknown[]], way: string): string {
  const mark = `${from.replaceAll(/[^a-z]+/g, "-")}-${way}-`.replace(/^-/, "");
  return file === "src/cli/judge.ts" ? file : file.replace(/[^/]+$/, (name) => mark + name);
}

async function plant(file: string, text: string): Promise<void> {
  await mkdir(dirname(join(scratch, file)), { recursive: true });
  await writeFile(join(scratch, file), text, { flag: "a" });
}

function lint(): Promise<string> {
  const args = [
    join(root, "node_modules/@biomejs/biome/bin/biome"),
    "lint",
    "--reporter=json",
    "--max-diagnostics=none",
  ];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { cwd: scratch, maxBuffer: 1 << 26 }, (failed, stdout, stderr) =>
      failed === null ? reject(new Error(`no violation reported\n${stderr}`)) : resolve(stdout),
    );
  });
}

const imports = (file: string): readonly string[] =>
  (reports.get(file) ?? []).filter(({ rule }) => rule === "noRestrictedImports").map(({ message }) => message);

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "rollcall-fences-"));
  for (const file of [".biome.jsonc", ".gitignore", "package.json"]) await cp(join(root, file), join(scratch, file));
  for (const of of [...violations, ...allowed])
    for (const [way, text] of Object.entries(ways)) await plant(planted(of, way), text(of[1]));
  for (const [, file, text] of habits) await plant(file, text);
  const found: {
    readonly diagnostics: readonly {
      readonly category: string;
      readonly message: string;
      readonly location: { path: string };
    }[];
  } = JSON.parse(await lint());
  for (const { category, message, location } of found.diagnostics) {
    const report = { rule: category.replace(/^.*\//, ""), message };
    reports.set(location.path, [...(reports.get(location.path) ?? []), report]);
  }
});

afterAll(() => rm(scratch, { recursive: true, force: true }));

describe("import fences", () => {
  it.each(violations)("%s may not import %s", (file, from, reason) => {
    for (const way of Object.keys(ways))
      expect(imports(planted([file, from], way)), way).toEqual([expect.stringMatching(reason)]);
  });

  it.each(allowed)("%s may import %s", (file, from) => {
    for (const way of Object.keys(ways)) expect(imports(planted([file, from], way)), way).toEqual([]);
  });
});

describe("habits", () => {
  it.each(habits)("%s is on: %s", (rule, file) => {
    expect((reports.get(file) ?? []).map((report) => report.rule)).toContain(rule);
  });
});
