// Conversations becoming resident: one read for all who ask, marks that survive the viewer, nothing half done.
import { describe, expect, test } from "vitest";
import { fault } from "../errors.ts";
import type { Session, SessionOptions } from "../index.ts";
import { at, endOf, enter, openWorld, rest, type World } from "./stage.ts";

/** A session restored with an idle, cold agent of four messages. */
async function coldAgent(world: World, options: Partial<SessionOptions> = {}): Promise<Session> {
  const first = await enter(world);
  const agent = await first.root.spawn({ name: "a", role: "r", text: "t1" });
  await agent.say(1, "said");
  await first.finish("/root/a", 1, "completed", "R1");
  await agent.followUp("t2");
  await agent.send("m");
  await agent.sample();
  await first.finish("/root/a", 2, "completed", "R2");
  await first.close();
  const session = await enter(world, {}, options);
  world.requests.length = 0;
  return session;
}

describe("reading", () => {
  test("restores without reading a conversation, and then only the one asked for", async () => {
    const world = openWorld();
    const session = await coldAgent(world);
    expect(await session.roster()).toHaveLength(2);
    expect(await session.agent("/root/a").readResult()).toMatchObject({ text: "R2" });
    expect(session.counters().conversationsHydrated).toBe(0);
    const last = await session.agent("/root/a").readHistory({ last: 2 });
    expect(last.map(({ kind, turn, text }) => [kind, turn, text])).toEqual([
      ["task", 2, "t2"],
      ["mail", 2, "m"],
    ]);
    expect(session.counters().conversationsHydrated).toBe(1);
    expect(world.requests).toEqual([
      { path: "/root/a", location: "agents/a", intent: "history", last: 2, op: "/root/a#2.1" },
    ]);
    expect(await session.agent("/root/a").inspect()).toEqual({ messages: 4, marks: ["read_only", "no_save"] });
    expect(await session.agent("/root/a").readHistory()).toHaveLength(4);
    expect(session.counters().conversationsHydrated).toBe(1);
  });

  test("marks survive a viewer whose mode set-up erases them", async () => {
    const world = openWorld();
    const shown: unknown[] = [];
    const viewer: SessionOptions["viewer"] = {
      show: (path, marks) => {
        shown.push([path, [...marks]]);
        marks.clear();
      },
    };
    const session = await coldAgent(world, { viewer });
    expect(await session.agent("/root/a").inspect()).toMatchObject({ marks: ["read_only", "no_save"] });
    await session.agent("/root/a").followUp("t3");
    expect(session.view().agents?.["/root/a"]).toMatchObject({ residency: "writable" });
    expect(session.view().agents?.["/root/a"]?.marks).toBeUndefined();
    expect(shown).toEqual([
      ["/root/a", ["read_only", "no_save"]],
      ["/root/a", []],
    ]);
  });

  test("a viewer that throws leaves nothing resident", async () => {
    const viewer: SessionOptions["viewer"] = {
      show: () => {
        throw new Error("no");
      },
    };
    const session = await coldAgent(openWorld(), { viewer });
    expect(await endOf(session.agent("/root/a").inspect())).toBe("conversation_failed");
    expect(session.view().agents?.["/root/a"]?.residency).toBeUndefined();
  });
});

describe("several who ask", () => {
  test("are served by one read, a follow-up among them makes it writable", async () => {
    const world = openWorld();
    const session = await coldAgent(world);
    world.holdsReads = true;
    const agent = session.agent("/root/a");
    const inspected = agent.inspect();
    const read = agent.readHistory({ last: 1 });
    const followed = agent.followUp("t3");
    await rest();
    expect(session.view().open).toEqual([
      ["/root/a#2.1", "hydrate"],
      ["/root/a#2.2", "hydrate"],
      ["/root/a#2.3", "hydrate"],
    ]);
    at(world.reads, "/root/a#2.1").resolve();
    expect(await inspected).toEqual({ messages: 4, marks: [] });
    expect(await read).toMatchObject([{ text: "m" }]);
    expect(await followed).toEqual({ started: "/root/a" });
    expect(session.counters().conversationsHydrated).toBe(1);
    expect(world.dispatched.at(-1)?.conversation).toHaveLength(4);
  });

  test("one who quits leaves the read to the others, who get an inspection", async () => {
    const world = openWorld();
    const session = await coldAgent(world);
    world.holdsReads = true;
    const agent = session.agent("/root/a");
    const abort = new AbortController();
    const followed = endOf(agent.followUp("t3", { signal: abort.signal }));
    const inspected = agent.inspect();
    await rest();
    abort.abort("enough");
    expect(await followed).toBe("enough");
    at(world.reads, "/root/a#2.1").resolve();
    expect(await inspected).toEqual({ messages: 4, marks: ["read_only", "no_save"] });
    expect(session.view().agents?.["/root/a"]).toMatchObject({ activity: "idle", residency: "inspection" });
  });

  test("with the last who quits the read is dropped; its answer comes too late", async () => {
    const world = openWorld();
    const session = await coldAgent(world);
    world.holdsReads = true;
    const inspected = endOf(session.agent("/root/a").inspect());
    await rest();
    await session.cancel("/root/a#2.1");
    await inspected;
    const again = session.agent("/root/a").inspect();
    await rest();
    at(world.reads, "/root/a#2.1").resolve();
    await rest();
    expect(session.view().open).toEqual([["/root/a#2.2", "hydrate"]]);
    at(world.reads, "/root/a#2.2").resolve();
    expect(await again).toMatchObject({ messages: 4 });
  });

  test("all fail together, call no provider, leave what was there, and may try again", async () => {
    const world = openWorld();
    const session = await coldAgent(world);
    const agent = session.agent("/root/a");
    await agent.inspect();
    world.holdsReads = true;
    const { providerCalls } = session.counters();
    for (const [ordinal, error, code] of [
      [2, fault("conversation_corrupt", "/root/a"), "conversation_corrupt"],
      [3, new Error("no"), "conversation_failed"],
    ] as const) {
      const followed = endOf(agent.followUp("t3"));
      await rest();
      at(world.reads, `/root/a#2.${ordinal}`).reject(error);
      expect(await followed).toBe(code);
    }
    expect(session.view().agents?.["/root/a"]).toMatchObject({ activity: "idle", residency: "inspection" });
    expect(session.counters().providerCalls).toBe(providerCalls);
    world.holdsReads = false;
    expect(await agent.followUp("t3")).toEqual({ started: "/root/a" });
  });

  test("keep the conversation as it is while it is read", async () => {
    const world = openWorld();
    const session = await coldAgent(world);
    world.holdsReads = true;
    const agent = session.agent("/root/a");
    const read = agent.readHistory();
    expect(await endOf(agent.compact({ last: 1 }))).toBe("in_use");
    expect(await endOf(agent.evict())).toBe("in_use");
    at(world.reads, "/root/a#2.1").resolve();
    expect(await read).toHaveLength(4);
    await agent.compact({ last: 1 });
    expect((await agent.readHistory()).map((each) => each.text)).toEqual(["3 messages compacted", "m"]);
  });

  test("go on when whoever began the read has quit, and read again what was not asked for then", async () => {
    const world = openWorld();
    const session = await coldAgent(world);
    world.holdsReads = true;
    const abort = new AbortController();
    const read = endOf(session.agent("/root/a").readHistory({ last: 1, signal: abort.signal }));
    const followed = session.agent("/root/a").followUp("t3");
    await rest();
    abort.abort("enough");
    expect(await read).toBe("enough");
    at(world.reads, "/root/a#2.1").resolve();
    expect(await followed).toEqual({ started: "/root/a" });
    expect(world.dispatched.at(-1)?.conversation).toHaveLength(4);
  });
});

describe("evicting and compacting", () => {
  test("change nobody's address, and only an idle agent's residency", async () => {
    const session = await coldAgent(openWorld());
    const agent = session.agent("/root/a");
    await agent.followUp("t3");
    expect(await endOf(agent.evict())).toBe("in_use");
    expect(await endOf(agent.compact())).toBe("in_use");
    await session.finish("/root/a", 3, "completed", "R3");
    await agent.compact({ last: 1 });
    expect((await agent.readHistory()).map((each) => each.text)).toEqual(["4 messages compacted", "t3"]);
    const { commits } = session.counters();
    await agent.compact({ last: 2 });
    expect(session.counters().commits).toBe(commits);
    await agent.evict();
    expect(session.view().agents?.["/root/a"]?.residency).toBeUndefined();
    expect((await agent.readHistory()).map((each) => each.text)).toEqual(["4 messages compacted", "t3"]);
  });
});
