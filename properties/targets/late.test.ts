// Idle records that are looked at late: at the end of a story all handles look before any is compared, as a view shows the others, too.
import { expect, test } from "vitest";
import type { Scope, Step } from "../../src/contract.ts";
import { run } from "../loop.ts";
import { targetNamed } from "./named.ts";

const scope: Scope = {
  capacity: 3,
  roles: {
    r: {
      ...{ instructions: "i", model: "m", effort: null, limits: {}, parameters: {} },
      tools: [["core", "read"]],
    },
  },
  registrars: { core: { category: "core", tools: ["read"] } },
  archive: "memory",
  process: "same",
};
const steps: readonly Step[] = [
  {
    ...{ do: "spawn", by: "/root", name: "a", role: "r", text: "t", commit: "crash_after" },
    answers: { prepare: "ok", dispatch: "ok" },
  },
  { do: "restore", mode: "write", as: "w2", answers: { hydrate: "ok" } },
  { do: "restore", mode: "read" },
];

test("a reader beside a writer has looked at nothing when the story ends", async () => {
  const target = await (await targetNamed("memory"))();
  const { failure, told } = await run(target, scope, (_, index) => steps[index] ?? null);
  await target.close();
  expect([failure, told.length]).toEqual([null, steps.length]);
});
