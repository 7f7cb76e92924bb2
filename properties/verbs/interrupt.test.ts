/**
 * Ctrl-C ends a check with what there was. False would be: a process that dies without a word, that goes on, or that leaves
 * others behind; most easily where a target answers at once and leaves no room for a signal.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const at = (path: string): string => fileURLToPath(new URL(`../../dist/${path}`, import.meta.url));
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "rollcall-interrupt-"));
  // Says when it has told some stories, and who tells them.
  await writeFile(
    join(folder, "target.mjs"),
    `import { targetNamed } from ${JSON.stringify(pathToFileURL(at("properties/index.js")).href)};
     export const openTarget = async () => {
       const target = await (await targetNamed("model"))();
       let resets = 0;
       const reset = (scope) => {
         if (++resets === 20) console.error("telling " + process.pid);
         return target.reset(scope);
       };
       return { ...target, reset };
     };`,
  );
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Whether a process is still there. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe("Ctrl-C", () => {
  test.each(["1", "2"])("with --workers %s", { timeout: 120_000 }, async (workers) => {
    const args = ["check", "--target", join(folder, "target.mjs"), "--runs", "1000000", "--workers", workers];
    const child = execa(process.execPath, [at("src/cli/main.js"), ...args], { reject: false, buffer: true });
    const pids = new Set<number>();
    child.stderr.on("data", (chunk) => {
      for (const [, pid] of String(chunk).matchAll(/telling (\d+)/g)) pids.add(Number(pid));
      if (pids.size === Number(workers)) child.kill("SIGINT");
    });
    const { exitCode, signal, stdout } = await child;
    expect([exitCode, signal]).toEqual([0, undefined]);
    expect(stdout).toMatch(/^held .*: \d+ stories, [\d,]+ steps/);
    expect(stdout).toMatch(/interrupted; this is what there was/);
    expect([...pids].filter(isAlive)).toEqual([]);
  });
});
