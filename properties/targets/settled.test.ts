// What fails beside others that still work is told after they have ended, and hides nothing.
import { existsSync } from "node:fs";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { plant } from "./planted.ts";
import { removeFolder, settled } from "./settled.ts";

test("the others have ended when the first failure is told", async () => {
  const ended: string[] = [];
  const slow = async () => {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    ended.push("slow");
  };
  const failing = async () => {
    throw new Error("this one");
  };
  await expect(settled([failing(), slow(), slow()])).rejects.toThrow("this one");
  expect(ended).toEqual(["slow", "slow"]);
  expect(await settled([Promise.resolve(1), Promise.resolve(2)])).toEqual([1, 2]);
});

test("a folder is gone with what is in it, and one that is none is no error", async () => {
  const folder = await mkdtemp(join(tmpdir(), "rollcall-settled-"));
  await writeFile(join(folder, "file"), "x");
  for (const _ of [1, 2]) await removeFolder(folder);
  expect(existsSync(folder)).toBe(false);
});

test("a plant that no longer applies says so, though the other copies are still being made", async () => {
  const stale = { name: "stale", edits: [{ file: "paths.ts", from: "there is no such text", to: "" }] };
  const others = ["one", "two", "three"].map((name) => ({ name, edits: [] }));
  await expect(plant([stale, ...others], ["model", "properties", "regressions"])).rejects.toThrow(
    "stale no longer applies",
  );
});
