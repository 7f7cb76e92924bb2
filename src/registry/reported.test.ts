// Faults of running sessions that people report and that no trace can show: many agents, long times, many calls at once.
// The rows are those of regressions/REPORTS.md.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { memoryDisk, memoryStore } from "../archive/memory.ts";
import { sqliteStore } from "../archive/sqlite.ts";
import type { Store } from "../index.ts";
import type { Session } from "./api.ts";
import { core, endOf, enter, openWorld, rest, type World } from "./stage.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
function storeIn(kind: string): Store {
  if (kind === "memory") return memoryStore(memoryDisk());
  const folder = mkdtempSync(join(tmpdir(), "rollcall-"));
  folders.push(folder);
  return sqliteStore(join(folder, "run.rollcall"), { durability: "off" });
}
const spawn = (session: Session, name: string) => session.root.spawn({ name, role: "r", text: `task of ${name}` });
const over = (store: Store): World => ({ ...openWorld(), store });

describe.each(["memory", "sqlite"])("many agents, in %s", (kind) => {
  test("a thousand that were acknowledged are a thousand after a crash (B12)", async () => {
    const world = over(storeIn(kind));
    const first = await enter(world, {}, { capacity: 1_000 });
    const spawned = await Promise.all(Array.from({ length: 1_000 }, (_, n) => spawn(first, `a${n}`)));
    const acknowledged = spawned.map(({ path }) => path).sort();
    for (const path of acknowledged) await first.finish(path, 1, "completed", "R");
    first.abandon();
    const second = await enter(world);
    const rows = await second.roster();
    expect(rows.map(([path]) => path)).toEqual(["/root", ...acknowledged]);
    second.abandon();
  });

  test("fifty in their turns are all recovered by one restore, once, and every slot is free (D3)", async () => {
    const world = over(storeIn(kind));
    const first = await enter(world, {}, { capacity: 50 });
    for (let n = 0; n < 50; n++) await spawn(first, `a${n}`);
    expect(first.view().active).toBe(50);
    first.abandon();
    const second = await enter(world);
    expect(second.view().active ?? 0).toBe(0);
    const mail = await second.root.sample();
    const senders = mail.map(({ kind: is, from, outcome }) => `${is} ${outcome} ${from}`);
    expect(new Set(senders).size).toBe(50);
    expect(senders.every((each) => each.startsWith("result interrupted /root/a"))).toBe(true);
    second.abandon();
    const third = await enter(world);
    expect(await third.root.sample()).toEqual([]);
    for (let n = 0; n < 50; n++) await third.agent(`/root/a${n}`).followUp("go on");
    expect(third.view().active).toBe(50);
    third.abandon();
  });

  test("two hundred that are idle are restored without a look at any conversation (F4)", async () => {
    const world = over(storeIn(kind));
    const first = await enter(world);
    for (let n = 0; n < 200; n++) {
      const agent = await spawn(first, `a${n}`);
      await first.finish(agent.path, 1, "completed", "R");
    }
    await first.close();
    const second = await enter(world);
    expect((await second.roster()).length).toBe(201);
    expect(second.counters().conversationsHydrated).toBe(0);
    await second.agent("/root/a7").followUp("go on");
    expect(second.counters().conversationsHydrated).toBe(1);
    second.abandon();
  });
});

test("a turn that was cut off three days ago is interrupted, and nobody is called for it (D4)", async () => {
  const world = openWorld();
  const first = await enter(world);
  const agent = await spawn(first, "a");
  first.abandon();
  world.clock.elapse(3 * 24 * 3_600_000);
  const called = world.dispatched.length;
  const second = await enter(world);
  await rest();
  expect(world.dispatched.length).toBe(called);
  expect(await second.agent(agent.path).readResult()).toMatchObject({ outcome: "interrupted", reason: "abandoned" });
  expect(second.view().active ?? 0).toBe(0);
});

test("saves, mails and settlements that come at once are written in order, mails that stand together as one, and a restore rewrites none (G3)", async () => {
  const world = openWorld();
  const session = await enter(world);
  const agent = await spawn(session, "a");
  const before = session.counters().commits;
  const mails = Array.from({ length: 40 }, (_, n) => session.root.send(`${n}`));
  const saves = Array.from({ length: 40 }, () => session.save());
  await Promise.all([...mails, ...saves, session.finish(agent.path, 1, "completed", "R")]);
  expect(session.counters().commits).toBe(before + 1 + 40 + 1);
  session.abandon();
  const again = await enter(world);
  expect(again.counters().commits).toBe(0);
  const sampled = await again.root.sample();
  expect(sampled.map(({ text }) => text)).toEqual([...Array.from({ length: 40 }, (_, n) => `${n}`), "R"]);
});

test("in a fork nobody of its source can be followed up, read or interrupted, and the source goes on (A16)", async () => {
  const session = await enter(openWorld());
  const agent = await spawn(session, "a");
  await session.finish(agent.path, 1, "completed", "R");
  const before = session.view();
  const forked: Session[] = [];
  await session.fork(memoryStore(memoryDisk()), { onOpen: (child) => forked.push(child) });
  const [child] = forked;
  expect(child).toBeDefined();
  if (child === undefined) return;
  const theirs = child.agent("/root/a");
  expect([
    await endOf(theirs.followUp("u")),
    await endOf(theirs.readResult()),
    await endOf(theirs.interrupt()),
  ]).toEqual(Array(3).fill("agent_unknown"));
  await spawn(child, "a");
  expect(session.view()).toEqual(before);
  await child.close();
  expect(await agent.readResult()).toMatchObject({ text: "R" });
});

test("a tool that is gone is named as soon as a turn would need it (F7)", async () => {
  const world = openWorld();
  const session = await enter(world, {}, { registrars: [{ ...core, names: () => ["write"] }] });
  await expect(spawn(session, "a")).rejects.toMatchObject({ code: "tool_unknown", at: "core/read" });
});
