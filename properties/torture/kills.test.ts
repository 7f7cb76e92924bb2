/**
 * The crash campaign finds what it is there for. False would be: a planted fault of writing, recovering or owning that lives
 * through the kills that the true registry passes (`.ci/run` tells those).
 */
import { readFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Planted, plant } from "../targets/planted.ts";
import { removeFolder } from "../targets/settled.ts";
import { Found } from "./judge.ts";
import { torture } from "./kills.ts";
import { migrations } from "./migrations.ts";
import { disowned, halfMigrated, killed, unfailing, unsynced } from "./plants.ts";
import { lineOf, startProcess } from "./process.ts";

const worker = "properties/targets/torture/worker.ts";
/** Where a transaction ends: of a commit, and of a recovery's. */
const ends = ["commit", "recovery"].flatMap((each) => [`${each}: before commit`, `${each}: after commit`]);
let copies: Planted | null = null;
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "rollcall-kills-"));
  copies = await plant([...killed, ...halfMigrated], ["model", "properties", "regressions"], [worker]);
}, 120_000);
afterAll(async () => {
  await copies?.remove();
  await removeFolder(folder);
});

/** What is found wrong when so many migrations are killed. */
async function wrongMigration(name: string, count: number): Promise<string | null> {
  if (copies === null) throw new Error("nothing was planted");
  const program = fileURLToPath(copies.url(name, worker));
  const fresh = async () => {
    const process = startProcess(program);
    await lineOf(process);
    return process;
  };
  const kills = new Map<string, number>();
  const migrated = migrations({ seed: 4, folder, fresh, killed: (point) => kills.get(point) ?? 0 });
  try {
    for (let number = 0; number < count; number++)
      for (const point of await migrated.kill(number))
        if (point !== null) kills.set(point, (kills.get(point) ?? 0) + 1);
  } catch (error) {
    if (error instanceof Found) return error.message;
    throw error;
  }
  return null;
}

async function wrongIn(name: string, kills: number): Promise<string | null> {
  if (copies === null) throw new Error("nothing was planted");
  const program = fileURLToPath(copies.url(name, worker));
  const { wrong } = await torture({ kills, seed: 4, workers: 2, program, folder, durability: "full", at: ends });
  return wrong === null ? null : wrong.what;
}

test.each([...killed, ...halfMigrated, ...unsynced, ...disowned, ...unfailing])(
  "$name applies exactly once",
  ({ edits }) => {
    for (const { file, from } of edits) {
      const source = readFileSync(new URL(`../../src/${file}`, import.meta.url), "utf8");
      expect(source.split(from).length - 1, `in src/${file}`).toBe(1);
    }
  },
);
test.each(killed.map(({ name }) => name))("%s is found", { timeout: 240_000 }, async (name) => {
  expect(await wrongIn(name, 300)).not.toBeNull();
});
test.each(halfMigrated.map(({ name }) => name))("%s is found", { timeout: 240_000 }, async (name) => {
  expect(await wrongMigration(name, 40)).toMatch(/half of it is migrated|does not hold|threw/);
});
