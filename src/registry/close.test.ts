// Ways to end a session, and what those who were waiting for it are told.
import { describe, expect, test } from "vitest";
import { at, endOf, enter, openWorld, rest } from "./stage.ts";

const task = { name: "a", role: "r", text: "t" };

describe("closing in the middle", () => {
  test("answers every promise with session_closed, and sends no further event", async () => {
    const world = openWorld();
    const session = await enter(world, { dispatch: true, abort: true });
    const first = session.root.spawn(task);
    await rest();
    at(world.dispatches, "/root/a#1.1").resolve();
    const agent = await first;
    const pending = [
      endOf(session.root.wait()),
      endOf(session.root.spawn({ ...task, name: "b" })),
      endOf(agent.interrupt()),
      endOf(agent.wait()),
    ];
    await rest();
    const before = world.events.length;
    await session.close();
    expect(await Promise.all(pending)).toEqual(Array(4).fill("session_closed"));
    expect(world.events.slice(before)).toEqual([]);
    expect(session.view()).toEqual({ mode: "closed" });
    expect(world.dispatched[1]?.signal.aborted).toBe(true);
    at(world.dispatches, "/root/b#1.1").resolve();
    await rest();
    expect(await session.cancel("/root/b#1.1")).toBe("late");
    expect(await session.release("/root/a@1.1")).toBe("late");
    expect(await endOf(session.roster())).toBe("session_closed");
    expect(await endOf(session.close())).toBe("session_closed");
    session.abandon();
    await session[Symbol.asyncDispose]();
  });

  test("a promise nobody listens to ends no process", async () => {
    const session = await enter(openWorld(), { dispatch: true });
    void session.root.spawn(task);
    void session.root.wait();
    void session.agent("/root").sample();
    await rest();
    await session.close();
    await rest();
  });

  test("not written: it stays open, and can be closed again", async () => {
    const world = openWorld();
    const session = await enter(world);
    world.faults.push("disk_full");
    expect(await endOf(session.close())).toBe("disk_full");
    expect(session.view().mode).toBe("write");
    await session.close();
    expect(session.view()).toEqual({ mode: "closed" });
  });

  test("a flush that takes too long is abandoned", async () => {
    const world = openWorld();
    const session = await enter(world);
    world.holdsCommits = true;
    const closed = endOf(session.close({ timeoutMs: 2_000 }));
    await rest();
    world.clock.elapse(2_000);
    expect(await closed).toBe("busy");
    expect(session.view()).toEqual({ mode: "closed" });
    world.holdsCommits = false;
    await (await enter(world)).close();
  });

  test("when ownership is lost only abandoning ends it, and nothing was written", async () => {
    const world = openWorld();
    const first = await enter(world, {}, { owner: "first" });
    await first.root.send("kept");
    expect(await endOf(enter(world))).toBe("owned_elsewhere");
    const second = await enter(world, {}, { owner: "second", takeover: true });
    expect(await endOf(first.root.send("lost"))).toBe("ownership_lost");
    expect(await endOf(first.root.readHistory())).toBe("ownership_lost");
    expect(await endOf(first.verify())).toBe("ownership_lost");
    expect(await first.roster()).toHaveLength(1);
    expect(await endOf(first.close())).toBe("ownership_lost");
    first.abandon();
    expect((await second.root.sample()).map((each) => each.text)).toEqual(["kept"]);
  });
});

describe("abandoning", () => {
  test("during a commit: nobody is told that it succeeded", async () => {
    const world = openWorld();
    const session = await enter(world);
    let why: unknown = "asleep";
    const onWake = (given: unknown) => {
      why = given;
    };
    const waiting = endOf(session.root.wait({ onWake }));
    await rest();
    world.holdsCommits = true;
    const sent = endOf(session.root.send("m"));
    await rest();
    session.abandon();
    at(world.commits, "commit 1").resolve();
    expect(await Promise.all([sent, waiting])).toEqual(["session_closed", "session_closed"]);
    await rest();
    expect(why).toBe("asleep");
    expect(world.events).toEqual([]);
  });

  test("right after a commit was written: nobody is told, and the next session finds it", async () => {
    const world = openWorld();
    const session = await enter(world);
    const waiting = endOf(session.root.wait());
    await rest();
    world.written = () => session.abandon();
    expect(await endOf(session.root.send("m"))).toBe("session_closed");
    expect(await waiting).toBe("session_closed");
    expect(world.events).toEqual([]);
    world.written = () => {};
    expect((await enter(world)).view().root?.mail).toEqual([["mail", "/root", "m"]]);
  });

  test("from a callback: nobody is called after that", async () => {
    const world = openWorld();
    const session = await enter(world);
    await session.root.spawn(task);
    const asked = endOf(session.root.wait({ onWake: () => session.abandon() }));
    await session.agent("/root/a").send("m");
    const finished = endOf(session.finish("/root/a", 1, "completed", "R1"));
    expect(await asked).toBe("mailbox");
    expect(await finished).toBe("settled");
    expect(session.view()).toEqual({ mode: "closed" });
  });
});

describe("any number of sessions", () => {
  test("live side by side and share nothing", async () => {
    const worlds = [openWorld(), openWorld()];
    const sessions = await Promise.all(worlds.map((world) => enter(world)));
    await Promise.all(sessions.map((session, index) => session.root.spawn({ ...task, name: `n${index}` })));
    expect(sessions.map((session) => Object.keys(session.view().agents ?? {}))).toEqual([["/root/n0"], ["/root/n1"]]);
  });

  test("a fork has the capacity and nothing else, and is refused a place that is taken", async () => {
    const world = openWorld();
    const session = await enter(world);
    await session.root.spawn(task);
    await session.setCapacity(7);
    await session.changeRole("late", { nothing: true });
    const place = openWorld();
    expect(await session.fork(place.store)).toEqual({ mode: "write", capacity: 7, root: {}, agents: {} });
    expect(await endOf(session.fork(world.store))).toBe("owned_elsewhere");
    const other = await enter(openWorld());
    await other.root.send("m");
    await session.fork(openWorld().store, {
      onOpen: (child) => {
        expect(child.view().capacity).toBe(7);
        child.abandon();
      },
    });
    const taken = openWorld();
    const owner = await enter(taken);
    await owner.root.send("m");
    await owner.close();
    expect(await endOf(session.fork(taken.store))).toBe("path_taken");
    expect(Object.keys(session.view().agents ?? {})).toEqual(["/root/a"]);
  });
});
