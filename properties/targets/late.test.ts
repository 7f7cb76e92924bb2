// Idle records that are looked at late: at the end of a story all handles look before any is compared, as a view shows the others, too.
import { expect, test } from "vitest";
import type { Step } from "../../src/contract.ts";
import { run } from "../loop.ts";
import { targetNamed } from "./named.ts";
import { smallScope } from "./small.ts";

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
  const { failure, told } = await run(target, smallScope, (_, index) => steps[index] ?? null);
  await target.close();
  expect([failure, told.length]).toEqual([null, steps.length]);
});
