/**
 * The power-loss campaign finds what it is there for. False would be: a commit that is acknowledged and not synced, and lives
 * through the disks that the true registry passes (`.ci/run` tells those).
 */
import { spawnSync } from "node:child_process";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Planted, plant } from "../targets/planted.ts";
import { removeFolder } from "../targets/settled.ts";
import { chanceOf } from "./chance.ts";
import { diskAfter } from "./disks.ts";
import { unsynced } from "./plants.ts";
import { losePower } from "./power.ts";
import type { Act } from "./tape.ts";

const worker = "properties/targets/torture/worker.ts";
const traces = spawnSync("strace", ["-V"]).status === 0;

describe.skipIf(!traces)("with strace", () => {
  let copies: Planted | null = null;
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "rollcall-power-"));
    copies = await plant([...unsynced], ["model", "properties", "regressions"], [worker]);
  }, 120_000);
  afterAll(async () => {
    await copies?.remove();
    await removeFolder(folder);
  });

  async function wrongIn(name: string, states: number): Promise<string | null> {
    if (copies === null) throw new Error("nothing was planted");
    const program = fileURLToPath(copies.url(name, worker));
    const { wrong } = await losePower({ states, seed: 5, program, folder, durability: "full" });
    return wrong === null ? null : wrong.what;
  }

  test.each(unsynced.map(({ name }) => name))("%s is found", { timeout: 240_000 }, async (name) => {
    expect(await wrongIn(name, 200)).not.toBeNull();
  });
});

describe("a disk that loses what was not synced", () => {
  const data = (text: string, at = 0): Act => ({ is: "write", file: "a", at, data: Buffer.from(text) });
  const tape: readonly Act[] = [
    { is: "create", file: "a" },
    data("one"),
    { is: "sync", file: "a" },
    { is: "sync folder" },
    data("two"),
    { is: "size", file: "a", size: 2 },
    { is: "remove", file: "a" },
  ];
  const left = (acts: number, loss: "dropped" | "kept"): string | undefined =>
    diskAfter(tape, acts, loss, chanceOf(1, 1)).get("a")?.toString();

  test("has a name once its folder was synced, and bytes once the file was", () => {
    expect([2, 3, 4, 5, 6, 7].map((acts) => left(acts, "dropped"))).toEqual([
      ...[undefined, undefined, "one", "one", "one", "one"],
    ]);
  });
  test("has everything where only the process died", () => {
    expect([2, 3, 4, 5, 6, 7].map((acts) => left(acts, "kept"))).toEqual(["one", "one", "one", "two", "tw", undefined]);
  });
  test("has sectors, each whole or as before, where a write was torn", () => {
    const before = Buffer.alloc(2_048, 1);
    const long: readonly Act[] = [
      { is: "create", file: "a" },
      { is: "write", file: "a", at: 0, data: before },
      { is: "sync", file: "a" },
      { is: "sync folder" },
      { is: "write", file: "a", at: 0, data: Buffer.alloc(2_048, 2) },
    ];
    const seen = new Set<string>();
    for (let seed = 0; seed < 200; seed++) {
      const bytes = diskAfter(long, 5, "torn", chanceOf(seed, 1)).get("a") ?? Buffer.alloc(0);
      const sectors = [0, 1, 2, 3].map((at) => [...new Set(bytes.subarray(at * 512, (at + 1) * 512))].join());
      seen.add(sectors.join(" "));
    }
    expect([...seen].every((each) => /^[12]( [12]){3}$/.test(each))).toBe(true);
    expect(seen.size).toBe(16);
  });
});
