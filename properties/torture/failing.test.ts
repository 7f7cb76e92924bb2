/**
 * Stores that fail at the system's own calls. False would be: a fault that changes something, one that does not work when it is
 * tried again, or a commit that was said not to be written and is there after a crash.
 */
import { spawnSync } from "node:child_process";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Planted, plant } from "../targets/planted.ts";
import { removeFolder } from "../targets/settled.ts";
import { fail } from "./failing.ts";
import { unfailing } from "./plants.ts";

const worker = "properties/targets/torture/worker.ts";
const traces = spawnSync("strace", ["-V"]).status === 0;

describe.skipIf(!traces)("with strace", () => {
  let copies: Planted | null = null;
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "rollcall-failing-"));
    copies = await plant(
      [{ name: "truth", edits: [] }, ...unfailing],
      ["model", "properties", "regressions"],
      [worker, "properties/targets/damaged/asker.ts"],
    );
  }, 120_000);
  afterAll(async () => {
    await copies?.remove();
    await removeFolder(folder);
  });
  const found = async (name: string, stories = { stories: 3, from: 6, seed: 1 }) => {
    if (copies === null) throw new Error("nothing was planted");
    const program = fileURLToPath(copies.url(name, worker));
    return await fail({ ...stories, program, folder });
  };

  test("nothing is wrong with the true registry", { timeout: 240_000 }, async () => {
    const { wrong, faults, reads, told } = await found("truth");
    expect(wrong).toBeNull();
    expect([...faults.values()].reduce((sum, each) => sum + each, 0)).toBeGreaterThan(0);
    expect([reads > 0, told > 0]).toEqual([true, true]);
  });
  // In the first a page stays unread in memory, in the second the log cannot be read when it is written back.
  test.each([2, 3])(
    "what could not be read is read again, and not taken for what it held: seed %d",
    { timeout: 240_000 },
    async (seed) => {
      const { wrong, reads } = await found("truth", { stories: 1, from: 5, seed });
      expect([wrong, reads > 0]).toEqual([null, true]);
    },
  );
  test.each(unfailing.map(({ name }) => name))("%s is found", { timeout: 240_000 }, async (name) => {
    expect((await found(name)).wrong).not.toBeNull();
  });
});
