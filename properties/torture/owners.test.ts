/**
 * Ownership between processes. False would be: a second writer beside a living one, one that was taken over and writes, one that is
 * dead and owns, one stopped inside a write that is overtaken, a reader that sees what was not committed; and a fault of that kind
 * that lives. How long all that takes is told by `rollcall torture --owners`, and decides nothing here.
 */
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Planted, plant } from "../targets/planted.ts";
import { removeFolder } from "../targets/settled.ts";
import { own } from "./owners.ts";
import { disowned } from "./plants.ts";

const worker = "properties/targets/torture/worker.ts";
let copies: Planted | null = null;
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "rollcall-owners-"));
  copies = await plant([{ name: "truth", edits: [] }, ...disowned], ["model", "properties", "regressions"], [worker]);
}, 120_000);
afterAll(async () => {
  await copies?.remove();
  await removeFolder(folder);
});

async function found(name: string) {
  if (copies === null) throw new Error("nothing was planted");
  return await own({ rounds: 1, program: fileURLToPath(copies.url(name, worker)), folder });
}

test("belongs to one of two processes at any time, and readers see what was committed", async () => {
  expect(await found("truth")).toMatchObject({ rounds: 1, staleBytes: 0, wrong: null, refused: { length: 3 } });
});
test.each(disowned.map(({ name }) => name))("%s is found", async (name) => {
  expect((await found(name)).wrong).not.toBeNull();
});
