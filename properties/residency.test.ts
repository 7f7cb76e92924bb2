/**
 * Conversations are read when somebody asks, and only those. False would be: a restore that reads an idle conversation, a
 * read that makes another resident, an inspection that a follow-up goes on with, or that is saved (L31, L33, L34).
 */
import { expect, test } from "vitest";
import type { Answers, Scope, Step } from "../src/contract.ts";
import { run } from "./loop.ts";
import { registrars, roles } from "./shape.ts";
import type { Target } from "./target.ts";
import { targetNamed } from "./targets/named.ts";

const through: Answers = { hydrate: "ok", prepare: "ok", dispatch: "ok" };
const scope: Scope = { capacity: 1, roles, registrars, archive: "memory", process: "same" };
const idle: readonly Step[] = Array.from({ length: 28 }, (_, index) => `a${index}`).flatMap((name): readonly Step[] => [
  { do: "spawn", by: "/root", name, role: "r", text: `task of ${name}`, answers: through },
  { do: "finish", path: `/root/${name}`, turn: 1, outcome: "completed", text: `result of ${name}` },
]);
const reopened: readonly Step[] = [{ do: "crash" }, { do: "restore", mode: "write" }];

/** Tells the steps, which must be as specified, and answers what each of the last ones read. */
async function reads(name: string, steps: readonly Step[], last: number): Promise<readonly number[]> {
  const target: Target = await (await targetNamed(name))();
  const read: number[] = [];
  try {
    const count = async (): Promise<number> => (await target.counters())?.conversationsHydrated ?? Number.NaN;
    let before = 0;
    for (const length of Array.from({ length: last }, (_, index) => steps.length - last + index + 1)) {
      const { failure } = await run(target, scope, (_, index) => steps.slice(0, length)[index] ?? null);
      expect(failure?.kinds).toBeUndefined();
      const after = await count();
      read.push(after - before);
      before = after;
    }
    return read.slice(1);
  } finally {
    await target.close();
  }
}

test.each(["memory", "sqlite"])("of 28 idle agents a restore reads none, and each access one: %s", async (name) => {
  const steps: readonly Step[] = [
    ...idle,
    ...reopened,
    { do: "roster" },
    { do: "read_result", path: "/root/a3" },
    { do: "send", by: "/root", to: "/root/a4", text: "m" },
    { do: "inspect", path: "/root/a5", answers: { hydrate: "ok" } },
    { do: "inspect", path: "/root/a5" },
    { do: "follow_up", by: "/root", to: "/root/a5", text: "u", answers: through },
    { do: "read_history", path: "/root/a6", answers: { hydrate: "missing" } },
    { do: "read_history", path: "/root/a6", answers: { hydrate: "ok" } },
  ];
  expect(await reads(name, steps, 10)).toEqual([0, 0, 0, 0, 1, 0, 1, 1, 1]);
});
