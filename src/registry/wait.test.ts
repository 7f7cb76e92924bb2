// Waiting: why it ends, in which order, and what those who are called back may do.
import { describe, expect, test } from "vitest";
import { endOf, enter, openWorld, rest } from "./stage.ts";

const task = { name: "a", role: "r", text: "t" };

describe("a wait ends", () => {
  test("at once, when there is something to read", async () => {
    const session = await enter(openWorld());
    await session.root.send("m");
    expect(await session.root.wait()).toBe("mailbox");
    expect(session.view().root?.waiting).toBeUndefined();
  });

  test("with steering, and with the user's mail", async () => {
    const session = await enter(openWorld());
    const agent = await session.root.spawn(task);
    const waiting = agent.wait();
    await rest();
    expect(session.view().agents?.["/root/a"]).toMatchObject({
      activity: "waiting",
      blockers: ["waiting"],
      waiting: true,
    });
    expect(await agent.followUp("look left")).toEqual({ steered: "waiting" });
    expect(await waiting).toBe("steering");
    const user = session.root.wait();
    await session.steer("hello");
    expect(await user).toBe("user");
    expect(await endOf(session.steer("nobody waits"))).toBe("not_waiting");
  });

  test("once its mail is written: the archive has it waiting until the next commit", async () => {
    const world = openWorld();
    const session = await enter(world);
    const agent = await session.root.spawn(task);
    const waiting = agent.wait();
    const activity = (): unknown => JSON.parse(world.disk.agents.get("/root/a") ?? "[]")[5];
    await agent.send("m");
    expect(await waiting).toBe("mailbox");
    expect(activity()).toBe("waiting");
    await session.save();
    expect(activity()).toBe("running");
  });

  test("in time: no sooner than the shortest, no later than the longest, a number that is none is the default", async () => {
    for (const [timeoutMs, ms] of [
      [50, 10_000],
      [Number.NaN, 30_000],
      [undefined, 30_000],
      [Number.POSITIVE_INFINITY, 3_600_000],
    ] as const) {
      const world = openWorld();
      const session = await enter(world);
      let why: unknown = null;
      void session.root.wait({ timeoutMs }).then((given) => {
        why = given;
      });
      await rest();
      world.clock.elapse(ms - 1);
      await rest();
      expect(why).toBe(null);
      world.clock.elapse(1);
      await rest();
      expect(why).toBe("timeout");
    }
  });

  test("those due at the same time by deadline, then by path, all before anybody is called back", async () => {
    const world = openWorld();
    const session = await enter(world);
    const names = ["b", "a", "c"];
    for (const name of names) await session.root.spawn({ ...task, name });
    const seen: unknown[] = [];
    for (const name of names) {
      const path = `/root/${name}`;
      const timeoutMs = name === "c" ? 10_000 : 20_000;
      const onWake = () => seen.push([name, Object.values(session.view().agents ?? {}).filter((each) => each.waiting)]);
      void session.agent(path).wait({ timeoutMs, onWake });
    }
    await rest();
    world.clock.elapse(20_000);
    await rest();
    expect(seen).toEqual([
      ["c", []],
      ["a", []],
      ["b", []],
    ]);
  });

  test("without a reason when the turn settles or the wait is cancelled", async () => {
    const session = await enter(openWorld());
    const agent = await session.root.spawn(task);
    const settled = agent.wait();
    await session.finish("/root/a", 1, "completed", "R1");
    expect(await settled).toBe(null);
    await session.root.sample();
    const cancelled = session.root.wait();
    await session.root.cancelWait();
    expect(await cancelled).toBe(null);
    expect(await endOf(session.root.cancelWait())).toBe("not_waiting");
  });

  test("with the reason of a signal, and only for whoever gave up", async () => {
    const session = await enter(openWorld());
    const abort = new AbortController();
    const given = endOf(session.root.wait({ signal: abort.signal }));
    await rest();
    expect(await endOf(session.root.wait())).toBe("already_waiting");
    abort.abort("enough");
    expect(await given).toBe("enough");
    await rest();
    expect(session.view().root?.waiting).toBeUndefined();
    const next = session.root.wait({ signal: new AbortController().signal });
    await session.root.send("m");
    expect(await next).toBe("mailbox");
  });
});

describe("whoever is called back", () => {
  test("may call back: that is decided after everything issued before", async () => {
    const world = openWorld();
    const session = await enter(world);
    const later: Promise<unknown>[] = [];
    void session.root.wait({
      onWake: () => {
        later.push(session.root.send("third"), session.root.sample());
      },
    });
    await Promise.all([session.root.send("first"), session.root.send("second")]);
    await rest();
    const [, sampled] = await Promise.all(later);
    expect(sampled).toMatchObject([{ text: "first" }, { text: "second" }, { text: "third" }]);
  });

  test("may throw: that is warned about and undoes nothing", async () => {
    const world = openWorld();
    const session = await enter(world);
    const waiting = session.root.wait({
      onWake: () => {
        throw new Error("no");
      },
    });
    await session.root.send("m");
    expect(await waiting).toBe("mailbox");
    expect(world.events).toEqual([
      ["woke", "/root", "mailbox"],
      ["warned", "callback_failed", "/root"],
    ]);
    expect(session.view().root?.mail).toHaveLength(1);
  });
});

describe("a command that stood in the queue", () => {
  test("counts time from when it was issued, and comes after the waits that were due by then", async () => {
    const world = openWorld();
    const session = await enter(world);
    const waiting = session.root.wait({ timeoutMs: 10_000 });
    world.clock.elapse(10_000);
    const sent = session.root.send("m");
    expect(await waiting).toBe("timeout");
    await sent;
    const alone = session.agent("/root").wait();
    expect(await alone).toBe("mailbox");
    await session.root.sample();
    const last = session.root.wait({ timeoutMs: 10_000 });
    world.clock.elapse(10_000);
    expect(await last).toBe("timeout");
  });
});
