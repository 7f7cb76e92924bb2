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
import { torture } from "./kills.ts";
import { disowned, killed, unfailing, unsynced } from "./plants.ts";

const worker = "properties/targets/torture/worker.ts";
/** Where a transaction ends: of a commit, and of a recovery's. */
const ends = ["commit", "recovery"].flatMap((each) => [`${each}: before commit`, `${each}: after commit`]);
let copies: Planted | null = null;
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "rollcall-kills-"));
  copies = await plant([...killed], ["model", "properties", "regressions"], [worker]);
}, 120_000);
afterAll(async () => {
  await copies?.remove();
  await removeFolder(folder);
});

async function wrongIn(name: string, kills: number): Promise<string | null> {
  if (copies === null) throw new Error("nothing was planted");
  const program = fileURLToPath(copies.url(name, worker));
  const { wrong } = await torture({ kills, seed: 4, workers: 2, program, folder, durability: "full", at: ends });
  return wrong === null ? null : wrong.what;
}

test.each([...killed, ...unsynced, ...disowned, ...unfailing])("$name applies exactly once", ({ edits }) => {
  for (const { file, from } of edits) {
    const source = readFileSync(new URL(`../../src/${file}`, import.meta.url), "utf8");
    expect(source.split(from).length - 1, `in src/${file}`).toBe(1);
  }
});
test.each(killed.map(({ name }) => name))("%s is found", { timeout: 240_000 }, async (name) => {
  expect(await wrongIn(name, 300)).not.toBeNull();
});
