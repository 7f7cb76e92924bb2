/** Stories leave no files behind. False would be: a folder that grows with every story of a long check. */
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Scope, Step } from "../../src/contract.ts";
import { sqlitePlaces } from "./places.ts";
import { productionTarget } from "./production.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "rollcall-places-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const config = { instructions: "i", model: "m", effort: null, tools: [], limits: {}, parameters: {} };
const scope: Scope = {
  capacity: 2,
  roles: { r: config },
  registrars: { core: { category: "core", tools: ["read"] } },
  archive: "sqlite",
  process: "same",
};
const restore: Step = { do: "restore", mode: "write" };
const crash: Step = { do: "crash" };
/** Crashes, a takeover, damage that is never mended, a fork, a second handle that stays open. */
const litter: readonly Step[] = [
  { do: "spawn", by: "/root", name: "a", role: "r", text: "t", answers: { prepare: "ok", dispatch: "ok" } },
  { do: "fork" },
  crash,
  { ...restore, answers: { hydrate: "ok" } },
  { ...restore, as: "w2", takeover: true, answers: { hydrate: "ok" } },
  crash,
  { do: "crash", as: "w2" },
  { do: "damage", what: "record", path: "/root/a", how: "checksum" },
  restore,
  crash,
  { do: "damage", what: "archive", how: "malformed" },
];

test("nothing of a story is left when the next one begins, or when there is none", async () => {
  const target = productionTarget("sqlite", sqlitePlaces(folder));
  const names: (readonly string[])[] = [];
  for (const steps of [[], litter, [], litter.slice(0, 5), []]) {
    await target.reset(scope);
    if (steps.length === 0) names.push((await readdir(folder)).sort());
    for (const step of steps) await target.apply(step);
  }
  const [fresh = [], ...later] = names.map((each) => each.map((name) => name.replace(/^\d+/, "N")));
  expect(fresh).toContain("N.rollcall");
  expect(later).toEqual([fresh, fresh]);
  await target.reset(scope);
  for (const step of litter) await target.apply(step);
  await target.close();
  expect(await readdir(folder)).toEqual([]);
});
