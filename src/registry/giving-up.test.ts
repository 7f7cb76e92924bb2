// A signal aborted, or a session abandoned, while something else is under way: one answer, and it is what happened.
import { describe, expect, test } from "vitest";
import type { Store } from "../archive/archive.ts";
import { at, endOf, enter, openWorld, rest } from "./stage.ts";

const task = { name: "a", role: "r", text: "t" };
const reason = new Error("never mind");

describe("giving up", () => {
  test("while a record is looked at begins nothing", async () => {
    const world = openWorld();
    const first = await enter(world);
    await first.root.spawn(task);
    await first.finish("/root/a", 1, "completed", "R1");
    first.abandon();

    let look = () => {};
    const looking = new Promise<void>((resolve) => {
      look = resolve;
    });
    const store: Store = {
      open: async (request) => {
        const archive = await world.store.open(request);
        return { ...archive, rows: (paths) => looking.then(() => archive.rows(paths)) };
      },
    };
    const session = await enter({ ...world, store });
    const controller = new AbortController();
    const following = endOf(session.agent("/root/a").followUp("again", { signal: controller.signal }));
    await rest();
    controller.abort(reason);
    look();
    expect(await following).toBe(reason);
    expect(world.dispatched).toHaveLength(1);
    expect(session.view().agents?.["/root/a"]).toMatchObject({
      activity: "idle",
      result: ["completed", "R1", null, null],
    });
  });

  test("a wait that a mail is just ending is answered with the mail, and once", async () => {
    const world = openWorld();
    const session = await enter(world);
    const controller = new AbortController();
    const reasons: unknown[] = [];
    const onWake = (why: unknown) => reasons.push(why);
    const waiting = endOf(session.root.wait({ signal: controller.signal, onWake }));
    await rest();
    world.holdsCommits = true;
    const sent = session.root.send("m");
    await rest();
    controller.abort(reason);
    await rest();
    at(world.commits, "commit 1").resolve();
    await sent;
    expect([await waiting, reasons]).toEqual(["mailbox", ["mailbox"]]);
    expect(session.view().root?.waiting).toBeUndefined();
  });

  test("a wait that nothing ends is answered with the signal's reason", async () => {
    const session = await enter(openWorld());
    const controller = new AbortController();
    const waiting = endOf(session.root.wait({ signal: controller.signal }));
    await rest();
    controller.abort(reason);
    expect(await waiting).toBe(reason);
    expect(session.view().root?.waiting).toBeUndefined();
  });

  test("on a session whose archive does not answer: whoever asks afterwards is told that it is closed", async () => {
    const world = openWorld();
    const session = await enter(world);
    world.holdsCommits = true;
    const sent = endOf(session.root.send("m"));
    await rest();
    session.abandon();
    expect(await sent).toBe("session_closed");
    expect(await endOf(session.save())).toBe("session_closed");
    expect(await session.cancel("/root/a#1.1")).toBe("late");
  });

  test("a settlement that was not written is not offered to an archive that was closed", async () => {
    const world = openWorld();
    const session = await enter(world, {}, { keepSettlements: true });
    await session.root.spawn(task);
    world.holdsCommits = true;
    world.faults.push("disk_full", "disk_full", null, "disk_full", null, "disk_full", null);
    const calls = [session.finish("/root/a", 1, "completed", "R1"), session.save(), session.save(), session.close()];
    const ends = Promise.all(calls.map(endOf));
    for (let commit = 2; commit <= 20; commit += 1) {
      await rest();
      world.commits.get(`commit ${commit}`)?.resolve();
    }
    expect(await ends).toEqual(["disk_full", undefined, undefined, undefined]);
    expect([...world.commits.keys()]).toEqual([2, 3, 4, 5, 6, 7, 8].map((each) => `commit ${each}`));
  });
});
