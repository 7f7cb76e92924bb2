// What commits and looks cost, counted in bytes, rows and query plans, never in time.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { Archive, OpenRequest } from "./archive.ts";
import { openDatabase, standBetween } from "./binding.ts";
import { memoryDisk, memoryStore } from "./memory.ts";
import { commit, config, mail, message, published, record, result } from "./samples.ts";
import { sqliteStore } from "./sqlite.ts";
import { openForWriting, walSize, withoutSync } from "./sqlite-file.ts";
import { conversationFrom, messagesFrom, urgentFrom } from "./sqlite-read.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
function file(): string {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-"));
  folders.push(folder);
  return join(folder, "run.rollcall");
}
const write: OpenRequest = { mode: "write", owner: "w1", takeover: false, create: { capacity: 3 } };
const existing: OpenRequest = { ...write, create: null };

async function bytesOf(archive: Archive, act: () => Promise<void>): Promise<number> {
  const before = archive.bytesWritten();
  await act();
  return archive.bytesWritten() - before;
}

describe("what a commit costs", () => {
  it("is what changed: one mail at 20,000 records as at 1,000, within 32 KB", async () => {
    const archive = await sqliteStore(file(), { durability: "off" }).open(write);
    const records = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, index) => record(`/root/a${from + index}`, { result }));
    const oneMail = (seq: number) =>
      bytesOf(archive, () => archive.commit(commit({ mailAdded: [mail(`/root/a${seq * 7}`, seq)] })));
    await archive.commit(commit({ records: records(0, 1_000) }));
    const few = await oneMail(1);
    await archive.commit(commit({ records: records(1_000, 20_000) }));
    const many = await oneMail(2);
    expect(few).toBeGreaterThan(0);
    expect(many).toBeLessThanOrEqual(32 * 1024);
    expect(Math.abs(many - few)).toBeLessThanOrEqual(32 * 1024);
    expect((await archive.head()).agents).toBe(20_000);
  });

  it("is not a long result again when only the activity changes", async () => {
    const archive = await sqliteStore(file(), { durability: "off" }).open(write);
    const long = { ...result, text: "x".repeat(1_000_000) };
    const owed = [{ turn: 1, result: long }];
    await archive.commit(published("/root/a", { owed, activity: "running" }));
    const change = commit({ records: [record("/root/a", { owed, activity: "permission_blocked" })] });
    expect(await bytesOf(archive, () => archive.commit(change))).toBeLessThan(32 * 1024);
  });

  it("is nothing where nothing changes: no byte, no log to be missed, whatever was written before", async () => {
    const name = file();
    const archive = await sqliteStore(name).open(write);
    const grown = walSize(name);
    expect(await bytesOf(archive, () => archive.commit(commit({})))).toBe(0);
    expect([walSize(name), existsSync(`${name}-log`)]).toEqual([grown, false]);
    await archive.commit(published("/root/a"));
    expect([walSize(name) > grown, existsSync(`${name}-log`)]).toEqual([true, true]);
    await archive.close();
  });

  it("counts what a long text takes, and cuts the log", async () => {
    const name = file();
    const archive = await sqliteStore(name, { durability: "off" }).open(write);
    const text = "x".repeat(3_000_000);
    for (let seq = 1; seq <= 4; seq++)
      expect(
        await bytesOf(archive, () => archive.commit(commit({ mailAdded: [mail("/root", seq, { text })] }))),
      ).toBeGreaterThan(text.length);
    expect(walSize(name)).toBeLessThan(8 * 1024 * 1024);
    await archive.close();
    expect(walSize(name)).toBe(0);
  });

  it("stores equal configurations once: 40 agents, two of them", async () => {
    const name = file();
    const disk = memoryDisk();
    for (const store of [memoryStore(disk), sqliteStore(name, { durability: "off" })]) {
      const archive = await store.open(write);
      for (let n = 0; n < 40; n++)
        await archive.commit(published(`/root/a${n}`, { config: { ...config, model: `m${n % 2}` } }));
      await archive.close();
    }
    expect(disk.configs.size).toBe(2);
    const db = openDatabase(name, "ro");
    expect(db.get("SELECT count(*) AS count FROM config")).toMatchObject({ count: 2 });
    db.close();
  });
});

describe("what a look costs", () => {
  it("is never the whole archive: each step is one in an index", async () => {
    const name = file();
    const archive = await sqliteStore(name).open(write);
    await archive.commit(published("/root/a"));
    const db = openDatabase(name, "ro");
    const plan = (sql: string, ...values: readonly number[]) =>
      db.all(`EXPLAIN QUERY PLAN ${sql}`, ...values).map((each) => String(each["detail"]));
    expect(plan(urgentFrom)).toEqual([expect.stringContaining("INDEX agent_urgent")]);
    expect(plan(conversationFrom, 1)).toEqual([expect.stringMatching(/^SEARCH conversation USING INDEX/)]);
    expect(plan(messagesFrom, 1, 20)).toEqual([expect.stringMatching(/^SEARCH message USING INDEX/)]);
    db.close();
  });

  it("is a fixed number of statements a page, however many rows stand on it", async () => {
    const name = file();
    const archive = await sqliteStore(name, { durability: "off" }).open(write);
    const records = Array.from({ length: 300 }, (_, index) => record(`/root/a${100 + index}`, { result }));
    await archive.commit(commit({ records }));
    await archive.close();
    let asked = 0;
    standBetween((_, open) => {
      const db = open();
      return {
        ...db,
        get: (sql, ...values) => {
          asked++;
          return db.get(sql, ...values);
        },
        all: (sql, ...values) => {
          asked++;
          return db.all(sql, ...values);
        },
      };
    });
    try {
      const reader = await sqliteStore(name).open({ ...existing, mode: "read" });
      await reader.scan("/root", null, 1);
      const counts: number[] = [];
      for (const count of [10, 250]) {
        asked = 0;
        expect(await reader.scan("/root", "/root/a100", count)).toHaveLength(count);
        counts.push(asked);
      }
      expect(counts[0]).toBeGreaterThan(0);
      expect(counts[1]).toBe(counts[0]);
      await reader.close();
    } finally {
      standBetween(null);
    }
  });

  it("hands over the last messages of a long conversation without the rest", async () => {
    const archive = await sqliteStore(file(), { durability: "off" }).open(write);
    await archive.commit(published("/root/a"));
    const at = { path: "/root/a", location: "agents/a" };
    const append = Array.from({ length: 5_000 }, (_, n) => message(`message ${n}`));
    await archive.commit(commit({ messages: [{ ...at, append }] }));
    expect(await archive.messages({ ...at, intent: "history", last: 3 })).toEqual(append.slice(-3));
    expect(await archive.rows(["/root/a"])).toMatchObject([{ record: { messages: 5_001 } }]);
  });
});

describe("durability", () => {
  it("is full again at every opening of an archive that has a log", async () => {
    const name = file();
    const archive = await sqliteStore(name, { durability: "off" }).open(write);
    await archive.commit(published("/root/a"));
    archive.abandon();
    for (const [durability, value] of [
      ["full", 2],
      ["normal", 1],
      ["off", 0],
      ["full", 2],
    ] as const) {
      const db = openForWriting(name, durability, null);
      expect(db.get("PRAGMA synchronous")).toMatchObject({ synchronous: value });
      expect(db.get("PRAGMA journal_mode")).toMatchObject({ journal_mode: "wal" });
      expect(db.get("PRAGMA foreign_keys")).toMatchObject({ foreign_keys: 1 });
      db.close();
    }
    expect((await (await sqliteStore(name).open(existing)).head()).agents).toBe(1);
  });

  it("is left off for what need not wait for the disk, and is back afterwards, whatever that came to", async () => {
    const name = file();
    (await sqliteStore(name).open(write)).abandon();
    const db = openForWriting(name, "full", null);
    const synchronous = () => db.get("PRAGMA synchronous")?.["synchronous"];
    expect([withoutSync(db, "full", synchronous), synchronous()]).toEqual([0, 2]);
    const failing = () => {
      throw new Error("busy");
    };
    expect(() => withoutSync(db, "full", failing)).toThrow("busy");
    expect(synchronous()).toBe(2);
    db.close();
  });
});

describe("handles", () => {
  it("leave nothing open behind them: many in a row", async () => {
    const store = sqliteStore(file(), { durability: "off" });
    for (let n = 0; n < 150; n++) {
      const archive = await store.open(write);
      await archive.commit(commit());
      if (n % 2 === 0) await archive.close();
      else archive.abandon();
    }
    expect((await store.open(existing)).epoch).toBe(151);
  });
});
