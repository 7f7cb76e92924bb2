/** The work behind each measured time, counted and without a clock: what the bench shows, tests keep. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { sqliteStore } from "../src/index.ts";
import { type Content, messageCount, pathOf, strides } from "./content.ts";
import { fill } from "./fixtures.ts";
import { hosted } from "./hosting.ts";
import { kernelBytes } from "./kernel.ts";
import { linesOfTurn, working } from "./record.ts";
import { bytesMax } from "./save.ts";
import { type CountedStore, counted, eager, workSince } from "./work.ts";

const folder = mkdtempSync(join(tmpdir(), "rollcall-bench-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let archives = 0;
/** An archive of its own for every test. */
async function filled(content: Content): Promise<CountedStore> {
  const store = sqliteStore(join(folder, `${++archives}.rollcall`), { durability: "off" });
  await fill(store, content);
  return counted(store);
}

describe("restoring 28 agents with 500 KB each", () => {
  const content = { agents: 28, conversation: 500_000 };

  it.each(["read", "write"] as const)("reads no conversation until one is asked for, mode %s", async (mode) => {
    const store = await filled(content);
    const before = { ...store.work };
    const { session, leave } = await hosted(store, mode);
    expect(await session.roster()).toHaveLength(29);
    expect(workSince(store.work, before)).toMatchObject({ conversations: 0, messages: 0, rows: 28, commits: 0 });
    expect(session.counters().conversationsHydrated).toBe(0);
    const agent = session.agent(pathOf(5));
    if (mode === "write") await agent.followUp("And the tests?");
    else await agent.readHistory({ last: messageCount(content) });
    expect(workSince(store.work, before)).toMatchObject({ conversations: 1, messages: 250 });
    await leave();
  });

  it("reads all of them first when it is eager, and none of them again", async () => {
    const store = await filled(content);
    const before = { ...store.work };
    const { session, leave } = await hosted(eager(store), "read");
    expect(workSince(store.work, before)).toMatchObject({ conversations: 28, messages: 28 * 250 });
    expect(await session.agent(pathOf(5)).readHistory({ last: 250 })).toHaveLength(250);
    expect(workSince(store.work, before)).toMatchObject({ conversations: 28 });
    await leave();
  });

  it("reads the last messages of a conversation without the rest", async () => {
    const store = await filled(content);
    const before = { ...store.work };
    const { session, leave } = await hosted(store, "read");
    const whole = await session.agent(pathOf(7)).readHistory({ last: 250 });
    expect(workSince(store.work, before).messages).toBe(250);
    expect(await session.agent(pathOf(8)).readHistory({ last: 20 })).toHaveLength(20);
    expect(workSince(store.work, before).messages).toBe(270);
    expect(await session.agent(pathOf(7)).readHistory({ last: 20 })).toEqual(whole.slice(-20));
    await leave();
  });
});

describe("an archive of many agents", () => {
  it("is opened, and one of them asked for, with as many rows read at 2,000 as at 28", async () => {
    const found: unknown[] = [];
    for (const agents of [28, 2_000]) {
      const store = await filled({ agents, conversation: 0 });
      const { session, leave } = await hosted(store, "write");
      const opened = { ...store.work };
      await session.agent(pathOf(7)).readResult();
      found.push([opened, { ...store.work }]);
      await leave();
    }
    const nothing = { conversations: 0, messages: 0, rows: 0, commits: 0, bytes: 0 };
    // The one asked for and its parent.
    expect(found).toEqual([
      [nothing, { ...nothing, rows: 2 }],
      [nothing, { ...nothing, rows: 2 }],
    ]);
  });

  it("takes one mail at 20,000 for at most 32 KB, its share of writing the log back included", async () => {
    const agents = 20_000;
    const store = await filled({ agents, conversation: 0 });
    const { session, leave } = await hosted(store, "write");
    const next = strides(agents);
    const mails = 600;
    const [before, kernelBefore] = [{ ...store.work }, kernelBytes()];
    for (let sent = 0; sent < mails; sent++) {
      const each = { ...store.work };
      await session.agent(next()).send("The tests passed.");
      expect(workSince(store.work, each)).toMatchObject({ commits: 1, conversations: 0 });
    }
    const { bytes } = workSince(store.work, before);
    expect(bytes).toBeGreaterThan(0);
    expect(bytes / mails).toBeLessThanOrEqual(bytesMax);
    // Where the system does not count, the archive's own count has to do.
    expect(((kernelBytes() ?? 0) - (kernelBefore ?? 0)) / mails).toBeLessThanOrEqual(bytesMax);
    await leave();
  });
});

describe("fixtures", () => {
  it("are the same whenever they are written, and name every agent once before any again", async () => {
    const next = strides(100);
    expect(new Set(Array.from({ length: 100 }, next)).size).toBe(100);
    const histories: unknown[] = [];
    for (const name of ["one", "two"]) {
      const store = sqliteStore(join(folder, `${name}.rollcall`), { durability: "off" });
      await fill(store, { agents: 3, conversation: 5_000 });
      const { session, leave } = await hosted(store, "read");
      expect(await session.verify()).toEqual([]);
      histories.push([session.view(), await session.agent(pathOf(2)).readHistory()]);
      await leave();
    }
    expect(histories[0]).toEqual(histories[1]);
  });
});

describe("a session that records itself", () => {
  it("makes no commit more for it, and writes a line for each thing decided", async () => {
    const file = join(folder, "recorded.jsonl");
    const lines = (): number => readFileSync(file, "utf8").trimEnd().split("\n").length;
    const plain = await working("plain", sqliteStore(join(folder, "plain.rollcall"), { durability: "off" }), null);
    const recorded = await working("recorded", sqliteStore(join(folder, "kept.rollcall"), { durability: "off" }), file);
    for (const each of [plain, recorded]) {
      const work = { ...each.work };
      await each.turn();
      expect(workSince(each.work, work)).toMatchObject({ commits: 3, conversations: 0 });
      await each.leave();
    }
    // Two turns, the first of which is a spawn; two lines at the beginning and one at the end.
    expect(lines()).toBe(2 * linesOfTurn + 3);
    expect(recorded.work).toEqual(plain.work);
  });
});
