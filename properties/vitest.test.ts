/**
 * The tests that somebody else's project gets from `conformance`: green for the specification, red for a twin in just the laws and
 * stories that its fault breaks, under the same names, and filtered and sharded as any others.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
let folder = "";

interface Result {
  readonly fullName: string;
  readonly status: string;
  readonly failureMessages: readonly string[];
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "rollcall-conformance-"));
  for (const name of ["model", "twin:keeps_result_while_starting"])
    writeFileSync(
      join(folder, `${name.replace(":", "-")}.test.ts`),
      `import { conformance } from ${JSON.stringify(join(root, "properties/vitest.ts"))};
       import { targetNamed } from ${JSON.stringify(join(root, "properties/index.ts"))};
       const open = await targetNamed(${JSON.stringify(name)});
       conformance(open, { runs: 40, name: "mine" });\n`,
    );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function results(...args: readonly string[]): Promise<readonly Result[]> {
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const given = ["run", "--root", folder, "--reporter=json", "--outputFile=out.json", ...args];
  // Not of the run around it: a worker's environment says so.
  const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => !/VITEST|^TEST$|NODE_ENV/.test(key)));
  const out = await new Promise<string>((resolve) => {
    execFile(process.execPath, [vitest, ...given], { env }, (_, stdout, stderr) => resolve(`${stdout}${stderr}`));
  });
  try {
    const read: { testResults: { assertionResults: Result[] }[] } = JSON.parse(
      readFileSync(join(folder, "out.json"), "utf8"),
    );
    return read.testResults.flatMap(({ assertionResults }) => assertionResults);
  } catch (cause) {
    throw new Error(out, { cause });
  }
}
const passing = (all: readonly Result[], is: string) => all.filter(({ status }) => status === is);

describe("conformance", () => {
  let green: readonly Result[] = [];
  beforeAll(async () => {
    green = await results("model.test.ts");
  }, 120_000);
  const names = (of: readonly Result[]) => of.map(({ fullName }) => fullName);

  test("is green for the specification, and has a test for each law and story", () => {
    expect(names(passing(green, "passed"))).toEqual(names(green));
    expect(names(green).filter((name) => /^mine laws L\d+ /.test(name))).toHaveLength(41);
    expect(names(green).some((name) => name.includes("2026-09-23-execution-during-a-follow-ups-start"))).toBe(true);
  });

  test("is red for a twin where its fault shows, under the same names", async () => {
    const all = await results("twin-keeps");
    expect(names(all)).toEqual(names(green));
    const red = passing(all, "failed");
    expect(names(red).some((name) => name.startsWith("mine laws L8 "))).toBe(true);
    expect(names(red).some((name) => name.includes("2026-09-23"))).toBe(true);
    expect(names(red).some((name) => name.startsWith("mine laws L20 "))).toBe(false);
    const l8 = red.find(({ fullName }) => fullName.startsWith("mine laws L8 "));
    expect(l8?.failureMessages.join("")).toMatch(/L8 {2}An active record has no result[\s\S]*"do":"follow_up"/);
  }, 120_000);

  test("can be filtered to one law, and a shard is whole files", async () => {
    const one = await results("--shard=1/2", "-t", "L8 An active");
    expect(one).toHaveLength(green.length);
    const told = one.filter(({ status }) => status === "passed" || status === "failed");
    expect(names(told)).toEqual([expect.stringMatching(/^mine laws L8 An active record has no result/)]);
  }, 120_000);
});
