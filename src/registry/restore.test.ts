// What a session finds after the one before it died: what was committed, starts rolled back, turns settled once.
import { describe, expect, test } from "vitest";
import type { Archive, Store } from "../archive/archive.ts";
import { rawMemory } from "../archive/memory-raw.ts";
import { damaged } from "../archive/raw.ts";
import type { RecordDamage } from "../contract.ts";
import { fault } from "../errors.ts";
import { at, core, endOf, enter, openWorld, rest, type World } from "./stage.ts";

const task = { name: "a", role: "r", text: "t" };

/** A running agent that said something and has an execution of its own, and a running child of it; then a crash. */
async function abandonedTree(world: World): Promise<void> {
  const session = await enter(world);
  const agent = await session.root.spawn(task);
  await agent.spawn({ ...task, name: "b" });
  await agent.say(1, "so ");
  await agent.say(1, "far");
  await session.execution("/root/a", "mine");
  await session.execution("/root/a/b", "the child's");
  session.abandon();
}
function damage(world: World, path: string, how: RecordDamage): void {
  const raw = rawMemory(world.disk);
  const rows = raw.record(path);
  if (rows === null) throw new Error(`no row at ${path}`);
  raw.putRecord(path, damaged(rows, how, { seq: raw.unusedSeq(), category: "core" }));
}

describe("recovery", () => {
  test("settles abandoned turns once, with what they said, and hands their executions over", async () => {
    const world = openWorld();
    await abandonedTree(world);
    const session = await enter(world);
    const { agents, root, active } = session.view();
    expect(active).toBeUndefined();
    expect(agents?.["/root/a"]?.result).toEqual(["interrupted", "", "abandoned", "so far"]);
    expect(agents?.["/root/a/b"]?.result).toEqual(["interrupted", "", "abandoned", null]);
    expect(agents?.["/root/a"]?.residency).toBeUndefined();
    expect(root?.mail?.map((mail) => mail.slice(0, 2))).toEqual([
      ["result", "/root/a"],
      ["execution", "/root/a"],
    ]);
    expect(agents?.["/root/a"]?.mail?.map((mail) => mail.slice(0, 2))).toEqual([
      ["result", "/root/a/b"],
      ["execution", "/root/a/b"],
    ]);
    expect(session.counters()).toMatchObject({ providerCalls: 0, conversationsHydrated: 2, commits: 1 });
    const before = session.view();
    session.abandon();
    const again = await enter(world);
    await again.verify();
    expect(again.view()).toEqual(before);
    expect(again.counters().commits).toBe(0);
  });

  test("says so where a conversation cannot be read", async () => {
    const world = openWorld();
    await abandonedTree(world);
    world.holdsReads = true;
    const restoring = enter(world);
    await rest();
    at(world.reads, "/root/a#2.1").reject(fault("conversation_missing", "/root/a"));
    await rest();
    at(world.reads, "/root/a/b#2.1").resolve();
    const session = await restoring;
    expect(session.view().agents?.["/root/a"]?.result).toEqual(["interrupted", "", "conversation_missing", null]);
    expect(session.view().agents?.["/root/a/b"]?.result).toEqual(["interrupted", "", "abandoned", null]);
    const start = endOf(session.agent("/root/a").followUp("u"));
    await rest();
    expect(session.view().open).toEqual([["/root/a#2.2", "hydrate"]]);
    session.abandon();
    await start;
  });

  test("given up, or not written: nothing but the epoch was, and the archive is free", async () => {
    const world = openWorld();
    await abandonedTree(world);
    world.holdsReads = true;
    const abort = new AbortController();
    const restoring = endOf(enter(world, {}, { signal: abort.signal }));
    await rest();
    abort.abort("enough");
    expect(await restoring).toBe("enough");
    world.holdsReads = false;
    world.faults.push("disk_full");
    expect(await endOf(enter(world))).toBe("disk_full");
    expect((await enter(world)).view().root?.mail).toHaveLength(2);
  });

  test("given up by the very read that it makes", async () => {
    const world = openWorld();
    await abandonedTree(world);
    const abort = new AbortController();
    const store: Store = {
      open: async (request) => {
        const archive = await world.store.open(request);
        const messages: Archive["messages"] = () => {
          abort.abort("enough");
          return new Promise(() => {});
        };
        return { ...archive, messages };
      },
    };
    expect(await endOf(enter({ ...world, store }, {}, { signal: abort.signal }))).toBe("enough");
  });

  test("a crash during a start equals a roll-back", async () => {
    const world = openWorld();
    const first = await enter(world);
    const agent = await first.root.spawn(task);
    await first.finish("/root/a", 1, "completed", "R1");
    first.abandon();
    const session = await enter(world, { prepare: true });
    const started = endOf(session.agent(agent.path).followUp("u"));
    await rest();
    await session.save();
    session.abandon();
    await started;
    const again = await enter(world);
    expect(again.view().agents?.["/root/a"]).toMatchObject({
      activity: "idle",
      result: ["completed", "R1", null, null],
    });
    expect(again.view().root?.mail).toHaveLength(1);
    expect(again.counters().conversationsHydrated).toBe(0);
  });

  test("what is owed becomes mail", async () => {
    const world = openWorld();
    const first = await enter(world);
    await first.root.spawn({ ...task, handler: () => new Promise(() => {}) });
    await first.finish("/root/a", 1, "completed", "R1");
    first.abandon();
    const session = await enter(world);
    expect((await session.root.sample()).map(({ kind, text }) => [kind, text])).toEqual([["result", "R1"]]);
    expect(session.view().agents?.["/root/a"]?.owed).toBeUndefined();
  });
});

describe("idle records", () => {
  test("are looked at when they are first needed, each with its ancestors", async () => {
    const world = openWorld();
    const first = await enter(world);
    const agent = await first.root.spawn(task);
    await agent.spawn({ ...task, name: "b" });
    await first.finish("/root/a/b", 1, "completed", "Rb");
    await first.finish("/root/a", 1, "completed", "Ra");
    await first.close();
    const session = await enter(world);
    expect(session.view().agents).toEqual({});
    expect(await session.agent("/root/a/b").readResult()).toMatchObject({ text: "Rb" });
    expect(Object.keys(session.view().agents ?? {})).toEqual(["/root/a", "/root/a/b"]);
    expect(await endOf(session.root.spawn(task))).toBe("path_taken");
    expect(await endOf(session.agent("/root/a/c").readResult())).toBe("agent_unknown");
  });
});

describe("records that are invalid", () => {
  test("are set aside with what lies below, reported, left as they are, and taken back when mended", async () => {
    const world = openWorld();
    await abandonedTree(world);
    const whole = rawMemory(world.disk).record("/root/a");
    damage(world, "/root/a", "category");
    const session = await enter(world);
    expect(await session.verify()).toEqual([
      ["/root/a", "category_foreign"],
      ["/root/a/b", "parent_invalid"],
    ]);
    expect(world.events.filter(([what]) => what === "set_aside")).toEqual([
      ["set_aside", "/root/a", "category_foreign"],
      ["set_aside", "/root/a/b", "parent_invalid"],
    ]);
    expect(session.view()).toMatchObject({ agents: {}, root: {} });
    expect(await endOf(session.agent("/root/a").send("m"))).toBe("agent_invalid");
    expect(await endOf(session.root.send("m", { by: "/root/a" }))).toBe("caller_unknown");
    expect(await endOf(session.root.spawn(task))).toBe("path_taken");
    await session.close();
    rawMemory(world.disk).putRecord("/root/a", whole);
    const mended = await enter(world);
    expect(mended.view().root?.mail).toHaveLength(2);
  });

  test("a host without registrars checks no tools, and starts nothing", async () => {
    const world = openWorld();
    await abandonedTree(world);
    const session = await enter(world, {}, { registrars: [] });
    expect(await session.verify()).toEqual([]);
    expect(await endOf(session.agent("/root/a").followUp("u"))).toBe("tools_unavailable");
    await session.agent("/root/a").send("m");
  });

  test("a host that lists other tools sets them aside, cold tables or warm", async () => {
    const world = openWorld();
    await abandonedTree(world);
    const other = { ...core, names: () => ["write"] };
    const session = await enter(world, {}, { registrars: [other] });
    expect(await session.verify()).toEqual([
      ["/root/a", "tool_unknown"],
      ["/root/a/b", "parent_invalid"],
    ]);
  });
});

describe("a session for reading", () => {
  test("shows turns at rest beside a live writer, and writes and sends nothing", async () => {
    const world = openWorld();
    const writer = await enter(world, { prepare: true });
    const reading = await enter(world, {}, { mode: "read" });
    const spawned = writer.root.spawn(task);
    await rest();
    at(world.prepares, "/root/a#1.1").resolve(undefined);
    await spawned;
    const reader = await enter(world, {}, { mode: "read" });
    expect(await reader.roster()).toEqual([
      ["/root", null, "running"],
      ["/root/a", "r", "idle"],
    ]);
    expect(await reading.roster()).toHaveLength(1);
    expect(await endOf(reader.agent("/root/a").readResult())).toBe("not_ready");
    expect(await reader.agent("/root/a").readHistory()).toMatchObject([{ kind: "task", text: "t" }]);
    const refused = [
      reader.root.spawn({ ...task, name: "b" }),
      reader.agent("/root/a").followUp("u"),
      reader.root.send("m"),
      reader.root.wait(),
      reader.root.sample(),
      reader.save(),
      reader.release("/root/a@1.1"),
      reader.setCapacity(1),
    ];
    expect(await Promise.all(refused.map(endOf))).toEqual(refused.map(() => "read_only"));
    expect(reader.counters()).toMatchObject({ commits: 0, bytesWritten: 0 });
    await reader.close();
    expect(await endOf(enter(openWorld(), {}, { mode: "read" }))).toBe("archive_missing");
  });
});
