// What a provider was given with a turn speaks for this turn and for no other, before its admission and after its end.
import { describe, expect, test } from "vitest";
import { memoryStore } from "../archive/memory.ts";
import { openSession } from "./open.ts";
import type { DispatchRequest } from "./ports.ts";

const role = { instructions: "", model: "m", effort: null, tools: [], limits: {}, parameters: {} };
const task = { name: "a", role: "r", text: "t" };

async function begun() {
  const given: DispatchRequest[] = [];
  const fails = { next: false };
  const session = await openSession(memoryStore(), {
    roles: { r: role },
    registrars: [{ category: "core", names: () => [], load: () => {} }],
    provider: {
      dispatch: (request) => {
        given.push(request);
        if (fails.next) throw new Error("no");
      },
    },
  });
  return { session, given, fails };
}

describe("what a provider was given", () => {
  test("says, blocks and ends its own turn", async () => {
    const { session, given } = await begun();
    const agent = await session.root.spawn(task);
    expect(await given[0]?.say("half ")).toBe("done");
    expect(await given[0]?.block("permission_blocked")).toBe("/root/a@1.1");
    expect(await session.roster("/root/a")).toEqual([["/root/a", "r", "permission_blocked"]]);
    expect(await given[0]?.finish("completed", "R1")).toBe("settled");
    expect(await agent.readResult()).toMatchObject({ outcome: "completed", text: "R1" });
  });

  test("is late once its turn is over, and in the next one", async () => {
    const { session, given } = await begun();
    const agent = await session.root.spawn(task);
    await session.finish("/root/a", 1, "completed", "R1");
    const late = async (): Promise<void> => {
      expect(await given[0]?.say("more")).toBe("late");
      expect(await given[0]?.finish("errored", "R")).toBe("late");
      await expect(given[0]?.block("interaction_blocked")).rejects.toMatchObject({ code: "not_active" });
    };
    await late();
    expect(await agent.readResult()).toMatchObject({ text: "R1" });
    await agent.followUp("u");
    await late();
    expect(await session.roster("/root/a")).toEqual([["/root/a", "r", "running"]]);
    expect((await agent.readHistory()).map(({ kind }) => kind)).toEqual(["task", "task"]);
  });

  test("is late where its start came to nothing", async () => {
    const { session, given, fails } = await begun();
    fails.next = true;
    await expect(session.root.spawn(task)).rejects.toMatchObject({ code: "provider_failed" });
    expect(await given[0]?.say("more")).toBe("late");
    expect(await given[0]?.finish("errored", "R")).toBe("late");
    await expect(given[0]?.block("interaction_blocked")).rejects.toMatchObject({ code: "not_active" });
    expect(await session.roster()).toEqual([["/root", null, "running"]]);
  });
});
