// How a turn begins, or comes to nothing: every answer of every gate, and the user giving up at any moment.
import { describe, expect, test } from "vitest";
import type { Session } from "./api.ts";
import { at, endOf, enter, openWorld, rest, type World } from "./stage.ts";

const task = { name: "a", role: "r", text: "t" };

/** An idle agent with a result, its conversation resident. */
async function idleAgent(world: World, session: Session): Promise<void> {
  const spawned = session.root.spawn(task);
  await rest();
  at(world.prepares, "/root/a#1.1").resolve(undefined);
  await rest();
  at(world.dispatches, "/root/a#1.1").resolve();
  await spawned;
  await session.finish("/root/a", 1, "completed", "R1");
  await session.root.sample();
}

describe("a spawn that comes to nothing leaves nothing", () => {
  const ends: readonly [
    name: string,
    code: unknown,
    end: (world: World, session: Session, abort: AbortController) => void,
  ][] = [
    ["refused by the host", "task_refused", (world) => at(world.prepares, "/root/a#1.1").resolve("refuse")],
    ["checked in error", "task_failed", (world) => at(world.prepares, "/root/a#1.1").reject(new Error("no"))],
    ["given up by the user", "enough", (_world, _session, abort) => abort.abort("enough")],
  ];
  test.each(ends)("%s", async (_name, code, end) => {
    const world = openWorld();
    const session = await enter(world, { prepare: true }, { limits: { agentsMax: 1 } });
    const abort = new AbortController();
    const spawned = endOf(session.root.spawn({ ...task, signal: abort.signal }));
    await rest();
    expect(session.view().active).toBe(1);
    expect(await session.roster()).toEqual([["/root", null, "running"]]);
    end(world, session, abort);
    expect(await spawned).toBe(code);
    expect(session.view()).toEqual({ mode: "write", capacity: 3, root: {}, agents: {} });
    expect(world.stopped).toEqual([]);
    // Name, slot and room are free again.
    void session.root.spawn(task);
    await rest();
    expect(session.view().open).toEqual([["/root/a#1.2", "prepare"]]);
    session.abandon();
  });

  test("at the dispatch gate, and the provider is told to stop unless it failed by itself", async () => {
    const world = openWorld();
    const session = await enter(world, { dispatch: true });
    const first = endOf(session.root.spawn(task));
    await rest();
    at(world.dispatches, "/root/a#1.1").reject(new Error("no"));
    expect(await first).toBe("provider_failed");
    expect(world.stopped).toEqual([]);

    const second = endOf(session.root.spawn(task));
    await rest();
    expect(await session.cancel("/root/a#1.2")).toBe("done");
    expect(await second).toMatchObject({ name: "AbortError" });
    expect(world.stopped).toEqual(["/root/a#1.2"]);
    expect(await session.cancel("/root/a#1.2")).toBe("late");

    world.faults.push("disk_full");
    const third = endOf(session.root.spawn(task));
    await rest();
    at(world.dispatches, "/root/a#1.3").resolve();
    expect(await third).toBe("disk_full");
    expect(world.stopped).toEqual(["/root/a#1.2", "/root/a#1.3"]);
    expect(session.view().agents).toEqual({});
  });

  test("a late answer to a cancelled start does not admit the one that replaced it", async () => {
    const world = openWorld();
    const session = await enter(world, { dispatch: true });
    void endOf(session.root.spawn(task));
    await rest();
    const late = at(world.dispatches, "/root/a#1.1");
    await session.cancel("/root/a#1.1");
    const second = session.root.spawn(task);
    await rest();
    late.resolve();
    await rest();
    expect(session.view().agents).toEqual({});
    at(world.dispatches, "/root/a#1.2").resolve();
    expect((await second).path).toBe("/root/a");
  });
});

describe("a follow-up that comes to nothing gives everything back", () => {
  test("the result is gone while it starts, and back whichever way it ends", async () => {
    const world = openWorld();
    const session = await enter(world, { prepare: true, dispatch: true });
    await idleAgent(world, session);
    const before = session.view();
    const agent = session.agent("/root/a");
    for (const [ordinal, end] of (["refuse", "error", "quit", "interrupt"] as const).entries()) {
      const op = `/root/a#1.${ordinal + 2}`;
      const abort = new AbortController();
      const ended = endOf(agent.followUp("u", { signal: abort.signal }));
      await rest();
      expect(await endOf(agent.readResult())).toBe("not_ready");
      expect(session.encode()).toMatchObject({ ok: { agents: { "/root/a": { activity: "starting" } } } });
      if (end === "refuse") at(world.prepares, op).resolve("refuse");
      if (end === "error") at(world.prepares, op).reject(new Error("no"));
      if (end === "quit") abort.abort("enough");
      if (end === "interrupt") expect(await agent.interrupt()).toBe("starting");
      await ended;
      expect(session.view()).toEqual(before);
    }
    expect(await agent.readResult()).toMatchObject({ text: "R1" });
  });

  test("mail that came meanwhile is kept, and a save between sees a record that encodes", async () => {
    const world = openWorld();
    const session = await enter(world, { prepare: true, dispatch: true });
    await idleAgent(world, session);
    const ended = endOf(session.agent("/root/a").followUp("u"));
    await rest();
    await session.execution("/root", "background");
    await session.agent("/root/a").send("hello");
    await session.save();
    at(world.prepares, "/root/a#1.2").reject(new Error("no"));
    expect(await ended).toBe("task_failed");
    expect(session.view().agents?.["/root/a"]).toMatchObject({
      activity: "idle",
      result: ["completed", "R1", null, null],
      mail: [["mail", "/root", "hello"]],
    });
  });
});

describe("giving up", () => {
  test("before the call, nothing begins", async () => {
    const world = openWorld();
    const session = await enter(world);
    expect(await endOf(session.root.spawn({ ...task, signal: AbortSignal.abort("before") }))).toBe("before");
    expect(session.view().agents).toEqual({});
  });

  test("while the admission is being written, comes too late", async () => {
    const world = openWorld();
    const session = await enter(world);
    world.holdsCommits = true;
    const abort = new AbortController();
    const spawned = session.root.spawn({ ...task, signal: abort.signal });
    await rest();
    abort.abort("too late");
    at(world.commits, "commit 1").resolve();
    expect((await spawned).path).toBe("/root/a");
    expect(session.view().agents?.["/root/a"]?.activity).toBe("running");
    expect(world.stopped).toEqual([]);
  });

  test("in the same turn of the loop in which the provider answers, decides by who came first", async () => {
    const world = openWorld();
    const session = await enter(world, { dispatch: true });
    const abort = new AbortController();
    const spawned = endOf(session.root.spawn({ ...task, signal: abort.signal }));
    await rest();
    abort.abort("first");
    at(world.dispatches, "/root/a#1.1").resolve();
    expect(await spawned).toBe("first");
    expect(session.view().agents).toEqual({});
  });
});

describe("a turn that ends inside its own dispatch", () => {
  test("is held, and settles with the admission in one commit", async () => {
    const world = openWorld();
    const session = await enter(world, { dispatch: true });
    const spawned = session.root.spawn(task);
    await rest();
    const [request] = world.dispatched;
    expect(await request?.finish("completed", "at once")).toBe("held");
    expect(await session.finishStart("/root/a#1.1", "completed", "again")).toBe("late");
    const { commits } = session.counters();
    at(world.dispatches, "/root/a#1.1").resolve();
    await spawned;
    expect(session.counters().commits).toBe(commits + 1);
    expect(session.view().agents?.["/root/a"]).toMatchObject({
      activity: "idle",
      result: ["completed", "at once", null, null],
    });
    expect(session.view().active).toBeUndefined();
    expect(await request?.finish("completed", "late")).toBe("late");
  });

  test("what a provider was given speaks for its own turn only", async () => {
    const world = openWorld();
    const session = await enter(world);
    const agent = await session.root.spawn(task);
    const [first] = world.dispatched;
    expect(await first?.say("some")).toBe("done");
    expect(await first?.block("permission_blocked")).toBe("/root/a@1.1");
    expect(await first?.finish("completed", "R1")).toBe("settled");
    await agent.followUp("u");
    expect(await first?.say("more")).toBe("late");
    expect(await first?.finish("completed", "R2")).toBe("late");
    expect(await endOf(first?.block("permission_blocked") ?? Promise.resolve())).toBe("not_active");
    expect(session.view().agents?.["/root/a"]?.activity).toBe("running");
  });
});

describe("deadlines", () => {
  test("a gate not answered in time counts as an error, and its answer comes too late", async () => {
    const world = openWorld();
    const deadlines = { prepareMs: 5, dispatchMs: 10, abortMs: 20 };
    const session = await enter(world, { dispatch: true, abort: true }, { deadlines });
    const spawned = endOf(session.root.spawn(task));
    await rest();
    world.clock.elapse(10);
    expect(await spawned).toBe("provider_failed");
    expect(world.dispatched[0]?.signal.aborted).toBe(true);
    at(world.dispatches, "/root/a#1.1").resolve();
    await rest();
    expect(session.view().agents).toEqual({});

    const agent = session.root.spawn(task);
    await rest();
    at(world.dispatches, "/root/a#1.2").resolve();
    const interrupted = endOf((await agent).interrupt());
    await rest();
    world.clock.elapse(20);
    expect(await interrupted).toBe("provider_failed");
    expect(session.view().agents?.["/root/a"]?.activity).toBe("running");
  });
});
