/**
 * The second implementation, in Python, over the protocol: false would be that it differs from the specification in anything
 * at level house, or that one of the faults it can be given is not found. Skipped where there is no python3.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { readTrace, traceFiles } from "../../regressions/files.ts";
import { replay } from "../../regressions/replay.ts";
import { type Checked, check } from "../check.ts";
import { targetNamed } from "./named.ts";

const folder = fileURLToPath(new URL("./python", import.meta.url));
const command = (...faults: readonly string[]): string =>
  ["python3", `"${folder}/rollcall_target.py"`, ...faults.map((fault) => `--fault ${fault}`)].join(" ");
const hasPython = spawnSync("python3", ["-c", "import sys; sys.exit(sys.version_info < (3, 9))"]).status === 0;

const seed = 20261130;
/** For a machine with other work: many lines go to and fro. */
const patience = 240_000;
async function checked(name: string, runs: number, fresh: boolean): Promise<Checked> {
  return await check({ runs, seed, open: await targetNamed(name, { fresh, timeoutMs: 30_000 }), shrinksMax: 0 });
}
/** What it was that failed, if anything did. */
const failureOf = ({ failed }: Checked) => failed?.failure.kinds ?? null;

describe.skipIf(!hasPython)("the registry in Python", () => {
  test(
    "passes its own tests",
    () => {
      const ran = spawnSync("python3", ["-m", "unittest", "discover", "-s", folder, "-p", "test_*.py"]);
      expect(`${ran.stderr}`).toMatch(/^OK$/m);
      expect(ran.status).toBe(0);
    },
    patience,
  );

  test(
    "agrees with the specification at level house, a crash being a step",
    async () => {
      const found = await checked(command(), 200, false);
      expect(failureOf(found)).toBeNull();
      expect(found.stories).toBe(200);
    },
    patience,
  );

  test(
    "agrees with the specification at level house, a crash being a kill",
    async () => {
      expect(failureOf(await checked(command(), 12, true))).toBeNull();
    },
    patience,
  );

  test(
    "the least that is a target passes core, and no more is asked of it than it offers",
    async () => {
      const minimal = `python3 "${fileURLToPath(new URL("./minimal.py", import.meta.url))}"`;
      const found = await checked(minimal, 150, false);
      expect(failureOf(found)).toBeNull();
      expect([...found.beyond.keys()]).toContain("refused role_bad and not role_unknown");
    },
    patience,
  );

  test("plays every recorded story as recorded", async () => {
    const target = await (await targetNamed(command(), { timeoutMs: 30_000 }))();
    try {
      for (const file of await traceFiles())
        expect([file, await replay((await readTrace(file)).trace, target)]).toMatchObject([file, { is: "fixed" }]);
    } finally {
      await target.close();
    }
  });

  const faults: readonly string[] = hasPython
    ? execFileSync("python3", ["-c", "from faults import FAULTS; print(' '.join(FAULTS))"], { cwd: folder })
        .toString()
        .trim()
        .split(" ")
    : [];
  // In one process the table of tools is warm, and the fault cannot be seen.
  const cold = "cold_tool_table";
  test.each(faults.filter((fault) => fault !== cold))(
    "%s is found",
    async (fault) => {
      expect(failureOf(await checked(command(fault), 300, false))).not.toBeNull();
    },
    patience,
  );
  test(`${cold} is found in another process, and not in the same one`, async () => {
    const { trace } = await readTrace((await traceFiles()).find((file) => file.includes("cold-tool")) ?? "");
    const verdictIn = async (fresh: boolean) => {
      const target = await (await targetNamed(command(cold), { fresh, timeoutMs: 30_000 }))();
      try {
        return await replay(trace, target);
      } finally {
        await target.close();
      }
    };
    expect(await verdictIn(true)).toMatchObject({ is: "reproduces" });
    expect(await verdictIn(false)).toMatchObject({ is: "fixed" });
  });
});
