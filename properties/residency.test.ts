/**
 * What restoring and asking read, by counters. False would be: a restore that reads an idle conversation, an access that
 * reads more than the one asked for or reads it twice, a failed read that calls the provider. L31, L33, L34
 */
import { describe, expect, test } from "vitest";
import type { Counters, Reply, Scope, Step } from "../src/contract.ts";
import { registrars, roles } from "./shape.ts";
import type { Target } from "./target.ts";
import { targetNamed } from "./targets/named.ts";

const agents = Array.from({ length: 28 }, (_, index) => `a${index}`);
const scope = (archive: Scope["archive"]): Scope => ({ capacity: 3, roles, registrars, archive, process: "same" });
const go = { prepare: "ok", dispatch: "ok" } as const;

async function restored(target: Target, archive: Scope["archive"]): Promise<void> {
  await target.reset(scope(archive));
  for (const name of agents) {
    await target.apply({ do: "spawn", by: "/root", name, role: "r", text: "t", answers: go });
    await target.apply({ do: "finish", path: `/root/${name}`, turn: 1, outcome: "completed", text: "R" });
  }
  await target.apply({ do: "crash" });
  expect(await target.apply({ do: "restore", mode: "write" })).toEqual({ ok: "done" });
}

describe.each(["memory", "sqlite"] as const)("%s", (archive) => {
  const story = async (steps: readonly Step[]): Promise<{ replies: Reply[]; spent: Counters }> => {
    const target = await (await targetNamed(archive))();
    try {
      await restored(target, archive);
      const before = await target.counters();
      const replies: Reply[] = [];
      for (const step of steps) replies.push(await target.apply(step));
      const after = await target.counters();
      if (before === null || after === null) throw new Error("nothing was counted");
      const { conversationsHydrated, providerCalls } = after;
      const spent = { ...after, conversationsHydrated: conversationsHydrated - before.conversationsHydrated };
      expect(before.conversationsHydrated, "of 28 idle conversations, those read by the restore").toBe(0);
      return { replies, spent: { ...spent, providerCalls: providerCalls - before.providerCalls } };
    } finally {
      await target.close();
    }
  };

  test("looking at 28 restored agents reads no conversation", async () => {
    const looks: Step[] = agents.map((name) => ({ do: "read_result", path: `/root/${name}` }));
    const { replies, spent } = await story([{ do: "roster" }, { do: "verify" }, ...looks]);
    expect(replies[0]).toMatchObject({ ok: { length: 29 } });
    expect(spent.conversationsHydrated).toBe(0);
  });

  test("a follow-up reads its own, once, for all who ask", async () => {
    const path = "/root/a7";
    const { replies, spent } = await story([
      { do: "inspect", path },
      { do: "follow_up", by: "/root", to: path, text: "u" },
      { do: "read_history", path },
      { do: "answer", op: `${path}#2.2`, gate: "hydrate", with: "ok", answers: go },
      { do: "read_history", path },
    ]);
    expect(replies[3]).toMatchObject({ ok: path });
    expect(replies[4]).toMatchObject({ ok: { length: 2 } });
    expect(spent.conversationsHydrated).toBe(1);
  });

  test.each(["missing", "corrupt", "error"] as const)("a read that is %s calls no provider", async (how) => {
    const step = { do: "follow_up", by: "/root", to: "/root/a7", text: "u", answers: { hydrate: how, ...go } } as const;
    const { replies, spent } = await story([step, { do: "inspect", path: "/root/a8", answers: { hydrate: "ok" } }]);
    expect(replies[0]).toHaveProperty("fault");
    expect(replies[1]).toEqual({ ok: { messages: 1, marks: ["read_only", "no_save"] } });
    expect(spent.providerCalls).toBe(0);
  });
});
