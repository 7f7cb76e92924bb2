// Sessions that live long, and many of them: what stays in memory, what is read twice, what is left behind. Counted, never timed.
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, describe, expect, test } from "vitest";
import { exportLines } from "../archive/export.ts";
import { sqliteStore } from "../archive/sqlite.ts";
import type { Session } from "./api.ts";
import { openSession } from "./open.ts";
import type { DispatchRequest } from "./ports.ts";
import { at, enter, openWorld, rest } from "./stage.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
function fresh(): string {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-"));
  folders.push(folder);
  return join(folder, "run.rollcall");
}
const residencies = (session: Session) =>
  Object.values(session.view().agents ?? {}).map(({ residency }) => residency ?? "cold");

async function turn(session: Session, name: string): Promise<void> {
  const agent = session.agent(`/root/${name}`);
  const isThere = session.view().agents?.[agent.path] !== undefined;
  if (isThere) await agent.followUp("again");
  else await session.root.spawn({ name, role: "r", text: "t" });
  const number = session.view().agents?.[agent.path]?.turn ?? 1;
  await session.finish(agent.path, number, "completed", "R");
}

describe("conversations in memory", () => {
  test("are as many as were asked for, the least recently used going first", async () => {
    const world = openWorld();
    const session = await enter(world, {}, { residentsMax: 2, capacity: 9 });
    for (const name of ["a", "b", "c"]) await turn(session, name);
    expect(residencies(session)).toEqual(["cold", "writable", "writable"]);
    // Reading uses it.
    await session.agent("/root/b").readHistory();
    await turn(session, "d");
    expect(residencies(session)).toEqual(["cold", "writable", "cold", "writable"]);
    const reads = world.requests.length;
    await session.agent("/root/b").followUp("more");
    expect(world.requests.length).toBe(reads);
    await session.agent("/root/a").followUp("more");
    expect(world.requests.length).toBe(reads + 1);
  });

  test("stay, whatever was asked for, while their agent is at work or what it said is not written", async () => {
    const world = openWorld();
    const session = await enter(world, {}, { residentsMax: 0, capacity: 9 });
    for (const name of ["a", "b"]) await session.root.spawn({ name, role: "r", text: "t" });
    expect(residencies(session)).toEqual(["writable", "writable"]);
    await session.agent("/root/a").say(1, "so far");
    await session.finish("/root/b", 1, "completed", "R");
    expect(residencies(session)).toEqual(["writable", "cold"]);
    await session.finish("/root/a", 1, "completed", "R");
    expect(residencies(session)).toEqual(["cold", "cold"]);
    expect((await session.agent("/root/a").readHistory()).map(({ text }) => text)).toEqual(["t", "so far"]);
  });

  test("are all kept unless it is told how many", async () => {
    const session = await enter(openWorld(), {}, { capacity: 9 });
    for (const name of ["a", "b", "c", "d"]) await turn(session, name);
    expect(new Set(residencies(session))).toEqual(new Set(["writable"]));
  });

  test("are read once for a hundred who ask at once", async () => {
    const world = openWorld();
    const session = await enter(world, {}, { residentsMax: 0 });
    await turn(session, "a");
    world.holdsReads = true;
    const asked = Array.from({ length: 100 }, (_, n) => {
      const agent = session.agent("/root/a");
      return n % 3 === 0 ? agent.inspect() : agent.readHistory({ last: 1 });
    });
    await rest();
    expect([world.requests.length, world.reads.size]).toEqual([1, 1]);
    for (const op of world.reads.keys()) at(world.reads, op).resolve();
    await Promise.all(asked);
    // An inspection came first, which needs no messages: one more look serves all the others.
    expect(world.requests.length).toBeLessThanOrEqual(2);
    expect(session.counters().conversationsHydrated).toBe(1);
  });
});

describe("an archive that lives long", () => {
  test("is within twice what is in it after many turns, its log included", async () => {
    const file = fresh();
    const running: DispatchRequest[] = [];
    const role = { instructions: "i", model: "m", effort: null, tools: [["c", "t"]], limits: {}, parameters: {} };
    const session = await openSession(sqliteStore(file, { durability: "off" }), {
      ...{ roles: { r: role }, registrars: [{ category: "c", names: () => ["t"], load: () => {} }] },
      provider: { dispatch: (request) => void running.push(request) },
      residentsMax: 2,
    });
    const text = "What an agent says in a turn, at some length. ".repeat(20);
    const turns = Number(process.env["ROLLCALL_TURNS"] ?? 400);
    for (const name of ["a", "b", "c", "d"])
      await session.root.spawn({ name, role: "r", text }).then(() => running.pop()?.finish("completed", text));
    for (let n = 0; n < turns; n++) {
      const agent = session.agent(`/root/${"abcd"[n % 4]}`);
      await agent.followUp(text);
      const request = running.pop();
      await request?.say(text);
      await request?.finish("completed", text);
      await session.root.sample();
      if (n % 40 === 39) await agent.compact({ last: 100 });
    }
    await session.close();
    const archive = await sqliteStore(file).open({ mode: "read", owner: "", takeover: false, create: null });
    let live = 0;
    for await (const line of exportLines(archive)) live += Buffer.byteLength(line) + 1;
    await archive.close();
    const size = statSync(file).size;
    expect(size / live).toBeLessThanOrEqual(2);
    expect(size / live).toBeGreaterThan(0.5);
  });
});

describe("sessions opened and closed", () => {
  test("leave no listener, timer, handle or memory behind", async () => {
    setFlagsFromString("--expose-gc");
    const collect: unknown = runInNewContext("gc");
    const signal = new AbortController().signal;
    const file = fresh();
    const count = Number(process.env["ROLLCALL_SESSIONS"] ?? 120);
    const left = async () => {
      // What libsql holds of a database that is closed goes with the garbage, some turns later.
      for (let n = 0; n < 5; n++) {
        if (typeof collect === "function") collect();
        await new Promise((resolve) => setImmediate(resolve));
      }
      const files = readdirSync("/proc/self/fd").length;
      const timers = process.getActiveResourcesInfo().filter((each) => each === "Timeout").length;
      const listeners = process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0);
      return { files, timers, listeners, heap: process.memoryUsage().heapUsed };
    };
    const lived = async (sessions: number) => {
      for (let n = 0; n < sessions; n++) {
        const options = { roles: {}, provider: { dispatch: () => {} }, signal };
        const session = await openSession(sqliteStore(file, { durability: "off" }), options);
        void session.root.wait({ signal });
        await session.root.send("m");
        await session.root.sample();
        if (n % 2 === 0) await session.close();
        else session.abandon();
      }
    };
    await lived(count / 2);
    const before = await left();
    await lived(count);
    const after = await left();
    expect(after.files).toBeLessThanOrEqual(before.files + 8);
    expect([after.timers, after.listeners]).toEqual([before.timers, before.listeners]);
    // A kilobyte a session would be a leak.
    expect(after.heap - before.heap).toBeLessThan(Math.max(count * 1_024, 1_000_000));
  });
});
