// What happens when a commit is not written: nothing that it was for, and trying again works, once.
import { describe, expect, test } from "vitest";
import { at, endOf, enter, openWorld, rest } from "./stage.ts";

const task = { name: "a", role: "r", text: "t" };

describe("a commit that is not written", () => {
  test("wakes nobody and leaves the mailbox", async () => {
    const world = openWorld();
    const session = await enter(world);
    let why: unknown = "asleep";
    void session.root.wait().then((given) => {
      why = given;
    });
    await rest();
    world.faults.push("not_written");
    expect(await endOf(session.root.send("lost"))).toBe("not_written");
    await rest();
    expect(why).toBe("asleep");
    expect(session.view().root).toEqual({ waiting: true });
    await session.root.send("kept");
    await rest();
    expect(why).toBe("mailbox");
    expect((await session.root.sample()).map((each) => each.text)).toEqual(["kept"]);
  });

  test("keeps a settlement, which goes with the next that is", async () => {
    const world = openWorld();
    const session = await enter(world);
    await session.root.spawn(task);
    world.faults.push("disk_full");
    expect(await endOf(session.finish("/root/a", 1, "completed", "R1"))).toBe("disk_full");
    expect(session.view().agents?.["/root/a"]?.activity).toBe("running");
    await session.agent("/root/a").send("m");
    await rest();
    expect(session.view().agents?.["/root/a"]?.result).toEqual(["completed", "R1", null, null]);
    expect(session.view().root?.mail).toHaveLength(1);
    expect(await session.finish("/root/a", 1, "completed", "R1")).toBe("late");
  });

  test("offers it again at save, and at close", async () => {
    for (const end of ["save", "close"] as const) {
      const world = openWorld();
      const session = await enter(world);
      await session.root.spawn(task);
      world.faults.push("busy");
      await endOf(session.finish("/root/a", 1, "completed", "R1"));
      await session[end]();
      session.abandon();
      const reader = await enter(world, {}, { mode: "read" });
      await reader.verify();
      expect(reader.view().agents?.["/root/a"]?.result).toEqual(["completed", "R1", null, null]);
    }
  });

  test("keeps none where the host does that itself", async () => {
    const world = openWorld();
    const session = await enter(world, {}, { keepSettlements: false });
    await session.root.spawn(task);
    world.faults.push("disk_full");
    await endOf(session.finish("/root/a", 1, "completed", "R1"));
    await session.save();
    expect(session.view().agents?.["/root/a"]?.activity).toBe("running");
    expect(await session.finish("/root/a", 1, "completed", "R1")).toBe("settled");
  });

  test("ends an abort, and the turn may be interrupted again", async () => {
    const world = openWorld();
    const session = await enter(world);
    const agent = await session.root.spawn(task);
    await agent.say(1, "so far ");
    await agent.say(1, "so good");
    world.faults.push("io_failed");
    expect(await endOf(agent.interrupt())).toBe("io_failed");
    expect(await agent.interrupt()).toBe("running");
    expect(await agent.readResult()).toEqual({
      ...{ outcome: "interrupted", text: "", reason: "interrupted", partial: "so far so good" },
    });
  });
});

describe("result handlers", () => {
  test("take the result in the place of the parent, who sleeps on", async () => {
    const world = openWorld();
    const session = await enter(world);
    const taken: unknown[] = [];
    await session.root.spawn({
      ...task,
      handler: (settled) => {
        taken.push(settled);
      },
    });
    const { commits } = session.counters();
    expect(await session.finish("/root/a", 1, "completed", "R1")).toBe("settled");
    await rest();
    expect(taken).toEqual([{ op: "/root/a#1.2", path: "/root/a", turn: 1, outcome: "completed", text: "R1" }]);
    expect(session.counters().commits).toBe(commits + 2);
    expect(session.view()).toMatchObject({
      root: {},
      agents: { "/root/a": { result: ["completed", "R1", null, null] } },
    });
    expect(session.view().agents?.["/root/a"]?.owed).toBeUndefined();
    expect(world.events).toContainEqual(["handled", "/root/a", 1]);
  });

  test("that throw put it into the mailbox after all", async () => {
    const world = openWorld();
    const session = await enter(world);
    await session.root.spawn({ ...task, handler: () => Promise.reject(new Error("no")) });
    await session.finish("/root/a", 1, "completed", "R1");
    await rest();
    expect((await session.root.sample()).map(({ kind, from, text }) => [kind, from, text])).toEqual([
      ["result", "/root/a", "R1"],
    ]);
    expect(world.events).toContainEqual(["warned", "handler_failed", "/root/a"]);
  });

  test("that answered are not asked again, though the archive did not hear of it", async () => {
    const world = openWorld();
    const session = await enter(world);
    await session.root.spawn({ ...task, handler: () => {} });
    world.faults.push(null, "disk_full");
    await session.finish("/root/a", 1, "completed", "R1");
    await rest();
    expect(world.events).toContainEqual(["warned", "disk_full", "/root/a"]);
    expect(session.view().agents?.["/root/a"]?.owed).toBeUndefined();
    session.abandon();
    const restored = await enter(world);
    expect(restored.view().root?.mail).toHaveLength(1);
  });

  test("that throw while nothing can be written leave the result owed", async () => {
    const world = openWorld();
    const session = await enter(world);
    await session.root.spawn({ ...task, handler: () => Promise.reject(new Error("no")) });
    world.faults.push(null, "disk_full");
    await session.finish("/root/a", 1, "completed", "R1");
    await rest();
    expect(session.view()).toMatchObject({ root: {}, agents: { "/root/a": { owed: [[1, "completed", "R1"]] } } });
    expect(world.events).toContainEqual(["ended", "/root/a#1.2", { fault: "disk_full", at: "archive" }]);
  });
});

describe("concurrent callers", () => {
  test("are decided in the order in which they called, each on what was committed", async () => {
    const world = openWorld();
    const session = await enter(world);
    // The one commit of all, and then the first one's own.
    world.faults.push("disk_full", "not_written");
    const sent = ["first", "second", "third"].map((text) => endOf(session.root.send(text)));
    const sampled = session.root.sample();
    expect(await Promise.all(sent)).toEqual(["not_written", undefined, undefined]);
    expect((await sampled).map((each) => each.text)).toEqual(["second", "third"]);
  });

  test("an unwritten start tells its provider to stop and gives the result back", async () => {
    const world = openWorld();
    const session = await enter(world, { dispatch: true });
    void session.root.spawn(task);
    await rest();
    at(world.dispatches, "/root/a#1.1").resolve();
    await rest();
    await session.finish("/root/a", 1, "completed", "R1");
    const ended = endOf(session.agent("/root/a").followUp("u"));
    await rest();
    world.faults.push("not_written");
    at(world.dispatches, "/root/a#1.2").resolve();
    expect(await ended).toBe("not_written");
    expect(session.view().agents?.["/root/a"]).toMatchObject({
      activity: "idle",
      result: ["completed", "R1", null, null],
    });
  });
});
