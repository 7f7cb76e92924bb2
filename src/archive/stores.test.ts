// One suite for both stores: what the registry may rely on.
import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { RollcallError } from "../errors.ts";
import type { Archive, Commit, OpenRequest, Store } from "./archive.ts";
import { memoryStore } from "./memory.ts";
import { commit, config, mail, message, published, record, result } from "./samples.ts";
import { sqliteStore } from "./sqlite.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
function sqlite(): Store {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-"));
  folders.push(folder);
  return sqliteStore(join(folder, "run.rollcall"), { durability: "off" });
}

const write: OpenRequest = { mode: "write", owner: "w1", takeover: false, create: { capacity: 3 } };
const existing: OpenRequest = { ...write, create: null };
const read: OpenRequest = { ...existing, mode: "read" };

async function codeOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error instanceof RollcallError ? [error.code, error.at] : error;
  }
  return "nothing thrown";
}
async function everything(archive: Archive) {
  return { head: await archive.head(), rows: await archive.scan("/root", null, 1_000) };
}

for (const [kind, fresh] of [
  ["memory", () => memoryStore()],
  ["sqlite", sqlite],
] as const) {
  describe(`an archive in ${kind}`, () => {
    const opened = async (store = fresh()) => ({ store, archive: await store.open(write) });

    it("is missing until it is made", async () => {
      const store = fresh();
      expect(await codeOf(store.open(existing))).toEqual(["archive_missing", "archive"]);
      expect(await codeOf(store.open(read))).toEqual(["archive_missing", "archive"]);
      const archive = await store.open(write);
      expect(archive.epoch).toBe(1);
      expect(await archive.head()).toEqual({
        capacity: 3,
        agents: 0,
        rootMail: [],
        rootMessages: 0,
        seq: 0,
        urgent: [],
      });
      await archive.close();
      expect((await store.open(existing)).epoch).toBe(2);
    });

    it("gives back what was committed, after a close and after a crash", async () => {
      const { store, archive } = await opened();
      await archive.commit(published("/root/a", { result, owed: [{ turn: 1, result }] }));
      await archive.commit(published("/root/a/b", { activity: "running" }));
      await archive.commit(published("/root/c"));
      const box = [mail("/root", 1), mail("/root/a", 2), mail("/root/c", 3)];
      await archive.commit(commit({ mailAdded: box, capacity: 5 }));
      const before = await everything(archive);
      expect(before.head).toMatchObject({ capacity: 5, agents: 3, rootMail: [box[0]], seq: 3 });
      expect(before.head.urgent.map((row) => row.path)).toEqual(["/root/a", "/root/a/b"]);
      expect(before.rows).toEqual([
        {
          path: "/root/a",
          record: record("/root/a", { result, owed: [{ turn: 1, result }], mail: [mail("/root/a", 2)], messages: 1 }),
        },
        { path: "/root/a/b", record: record("/root/a/b", { activity: "running", messages: 1 }) },
        { path: "/root/c", record: record("/root/c", { mail: [mail("/root/c", 3)], messages: 1 }) },
      ]);
      archive.abandon();
      const again = await store.open(existing);
      expect(await everything(again)).toEqual(before);
      await again.close();
      expect(await everything(await store.open(existing))).toEqual(before);
    });

    it("writes a commit whole or not at all, and the next one works", async () => {
      const { archive } = await opened();
      await archive.commit(published("/root/a"));
      await archive.commit(commit({ mailAdded: [mail("/root/a", 1)] }));
      const before = await everything(archive);
      const bad: Readonly<Record<string, Commit>> = {
        record_invalid: { ...published("/root/b"), mailAdded: [mail("/root/a", 2, { text: "\ud800" })] },
        not_written: { ...published("/root/b"), mailAdded: [mail("/root/nobody", 2)] },
      };
      for (const [code, one] of Object.entries(bad)) {
        expect(await codeOf(archive.commit(one))).toContain(code);
        expect(await everything(archive)).toEqual(before);
      }
      expect(await codeOf(archive.commit(published("/root/x/y")))).toEqual(["not_written", "archive"]);
      expect(await codeOf(archive.commit(published("/root/b", { activity: "running", result })))).toEqual([
        "record_invalid",
        "/root/b",
      ]);
      expect(await codeOf(archive.commit(commit({ capacity: 0 })))).toEqual(["record_invalid", "session"]);
      const worse = { ...published("/root/b").messages[0], append: [message("x", { turn: -1 })] };
      expect(
        await codeOf(
          archive.commit({ ...published("/root/b"), messages: [{ path: "/root/b", location: "agents/b", ...worse }] }),
        ),
      ).toEqual(["record_invalid", "/root/b"]);
      expect(await everything(archive)).toEqual(before);
      await archive.commit(published("/root/b"));
      expect((await archive.head()).agents).toBe(2);
    });

    it("never lets an agent become another one (L2, L27)", async () => {
      const { archive } = await opened();
      await archive.commit(published("/root/a"));
      for (const change of [
        { id: "another" },
        { role: "other" },
        { location: "agents/z" },
        { config: { ...config, model: "n" } },
      ])
        expect(await codeOf(archive.commit(commit({ records: [record("/root/a", change)] })))).toEqual([
          "record_invalid",
          "/root/a",
        ]);
      expect(await archive.rows(["/root/a"])).toEqual([
        { path: "/root/a", record: record("/root/a", { messages: 1 }) },
      ]);
    });

    it("changes results with their record, and takes mail away by number", async () => {
      const { archive } = await opened();
      const owed = [1, 2].map((turn) => ({ turn, result: { ...result, text: `R${turn}` } }));
      await archive.commit(published("/root/a", { turns: 2, result, owed }));
      await archive.commit(commit({ mailAdded: [1, 2, 3].map((seq) => mail("/root/a", seq)) }));
      const then = record("/root/a", { turns: 2, activity: "starting", undo: result, owed: owed.slice(1) });
      await archive.commit(commit({ records: [then], mailRemoved: [{ to: "/root/a", seq: 2 }] }));
      const left = [mail("/root/a", 1), mail("/root/a", 3)];
      expect(await archive.rows(["/root/a"])).toEqual([
        { path: "/root/a", record: { ...then, mail: left, messages: 1 } },
      ]);
      await archive.commit(commit({ mailRemoved: [1, 3].map((seq) => ({ to: "/root/a", seq })) }));
      // A number that was given once is never given again.
      expect((await archive.head()).seq).toBe(3);
    });

    it("reads rows by path, by prefix and page by page, in the order of paths", async () => {
      const { archive } = await opened();
      const paths = ["/root/a", "/root/a/b", "/root/a/b/c", "/root/a0", "/root/a_b", "/root/b"];
      for (const path of paths) await archive.commit(published(path));
      const pathsOf = (rows: readonly { path: string }[]) => rows.map((row) => row.path);
      expect(pathsOf(await archive.scan("/root", null, 100))).toEqual(paths);
      expect(pathsOf(await archive.scan("/root", "/root/a/b", 2))).toEqual(["/root/a/b/c", "/root/a0"]);
      expect(pathsOf(await archive.scan("/root/a", null, 100))).toEqual(paths.slice(0, 3));
      expect(pathsOf(await archive.scan("/root/a", "/root/a", 1))).toEqual(["/root/a/b"]);
      expect(await archive.scan("/root/a", "/root/b", 100)).toEqual([]);
      expect(pathsOf(await archive.rows(["/root/b", "/root/none", "/root/a"]))).toEqual(["/root/b", "/root/a"]);
    });

    it("keeps conversations in order, reads the last of them, and compacts", async () => {
      const { archive } = await opened();
      const at = { path: "/root/a", location: "agents/a" };
      await archive.commit(published("/root/a"));
      const texts = ["two", "three\0\u{1F600}", "four", "five"].map((each) => message(each, { kind: "partial" }));
      await archive.commit(
        commit({
          messages: [
            { ...at, append: texts.slice(0, 1) },
            { ...at, append: texts.slice(1) },
          ],
        }),
      );
      const all = [message("task of /root/a"), ...texts];
      const ask = { ...at, intent: "history" } as const;
      expect(await archive.messages(ask)).toEqual(all);
      expect(await archive.messages({ ...ask, last: 2 })).toEqual(all.slice(-2));
      expect(await archive.messages({ ...ask, last: 0 })).toEqual([]);
      expect(await archive.messages({ ...ask, last: 9 })).toEqual(all);
      const note = message("earlier: two", { kind: "note" });
      await archive.commit(commit({ compact: { ...at, keep: 2, note } }));
      expect(await archive.messages(ask)).toEqual([note, ...all.slice(-2)]);
      await archive.commit(commit({ compact: { ...at, keep: 3, note } }));
      expect(await archive.messages(ask)).toHaveLength(3);
      await archive.commit(commit({ messages: [{ ...at, append: [message("six")] }] }));
      expect(await archive.messages(ask)).toEqual([note, ...all.slice(-2), message("six")]);
      expect(await archive.rows(["/root/a"])).toMatchObject([{ record: { messages: 4 } }]);
    });

    it("keeps the root's conversation beside the agents'", async () => {
      const { archive } = await opened();
      const root = { path: "/root", location: "root" };
      expect(await archive.messages({ ...root, intent: "history" })).toEqual([]);
      await archive.commit(commit({ messages: [{ ...root, append: [message("hello", { turn: 0 })] }] }));
      expect(await archive.messages({ ...root, intent: "history" })).toEqual([message("hello", { turn: 0 })]);
      expect((await archive.head()).rootMessages).toBe(1);
    });

    it("says what is wrong with a conversation", async () => {
      const { archive } = await opened();
      const ask = { path: "/root/a", intent: "writable" } as const;
      expect(await codeOf(archive.messages({ ...ask, location: "agents/a" }))).toEqual([
        "conversation_missing",
        "/root/a",
      ]);
      expect(await codeOf(archive.messages({ ...ask, location: "../a" }))).toEqual(["location_unsafe", "/root/a"]);
    });

    it("is owned by one, until it closes, dies or is taken over (L40)", async () => {
      const { store, archive } = await opened();
      expect(await codeOf(store.open({ ...existing, owner: "w2" }))).toEqual(["owned_elsewhere", "w1"]);
      await archive.commit(published("/root/a"));
      const second = await store.open({ ...existing, owner: "w2", takeover: true });
      expect(second.epoch).toBe(2);
      expect(await codeOf(archive.commit(published("/root/b")))).toEqual(["ownership_lost", "archive"]);
      // Nor does it read what is another's: what is missing there is no news either.
      const ask = { path: "/root/a", intent: "history" } as const;
      for (const location of ["agents/a", "agents/none"])
        expect(await codeOf(archive.messages({ ...ask, location }))).toEqual(["ownership_lost", "archive"]);
      expect(await codeOf(archive.rows(["/root/a"]))).toEqual(["ownership_lost", "archive"]);
      expect(await codeOf(archive.scan("/root", null, 10))).toEqual(["ownership_lost", "archive"]);
      expect(await codeOf(store.open(existing))).toEqual(["owned_elsewhere", "w2"]);
      // The end of one that lost it changes nothing for the one that has it.
      await archive.close();
      expect(await codeOf(store.open(existing))).toEqual(["owned_elsewhere", "w2"]);
      await second.commit(published("/root/c"));
      second.abandon();
      const third = await store.open(existing);
      expect(third.epoch).toBe(3);
      expect((await everything(third)).rows.map((row) => row.path)).toEqual(["/root/a", "/root/c"]);
      expect(await codeOf(second.commit(published("/root/d")))).toEqual(["ownership_lost", "archive"]);
    });

    it("shows a reader a snapshot beside a living writer, and takes nothing from it", async () => {
      const { store, archive } = await opened();
      await archive.commit(published("/root/a"));
      const reader = await store.open(read);
      await archive.commit(published("/root/b"));
      expect((await everything(reader)).rows.map((row) => row.path)).toEqual(["/root/a"]);
      expect(await codeOf(reader.commit(commit()))).toEqual(["read_only_file", "archive"]);
      await reader.close();
      const later = await store.open(read);
      expect((await later.head()).agents).toBe(2);
      later.abandon();
      await archive.commit(commit());
      expect(archive.bytesWritten()).toBeGreaterThan(0);
      expect(reader.bytesWritten()).toBe(0);
    });

    it("answers nothing once it is closed", async () => {
      const { archive } = await opened();
      await archive.close();
      archive.abandon();
      expect(await codeOf(archive.head())).toEqual(["io_failed", "archive"]);
      expect(await codeOf(archive.commit(commit()))).toEqual(["ownership_lost", "archive"]);
    });
  });
}

/** Root may write everywhere: for a while we are nobody. */
async function withoutRights<Value>(act: () => Promise<Value>): Promise<Value> {
  const nobody = 65_534;
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(nobody);
  try {
    return await act();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

describe("an archive where nothing may be written", () => {
  it("can be read, and not be written to", async () => {
    const folder = mkdtempSync(join(tmpdir(), "rollcall-"));
    folders.push(folder);
    const file = join(folder, "run.rollcall");
    const archive = await sqliteStore(file).open(write);
    await archive.commit(published("/root/a"));
    await archive.close();
    for (const end of ["-wal", "-shm"]) rmSync(`${file}${end}`, { force: true });
    chmodSync(file, 0o444);
    chmodSync(folder, 0o555);
    await withoutRights(async () => {
      const reader = await sqliteStore(file).open(read);
      expect((await reader.head()).agents).toBe(1);
      await reader.close();
      expect(await codeOf(sqliteStore(file).open(existing))).toEqual(["read_only_file", "archive"]);
      expect(await codeOf(sqliteStore(join(folder, "new.rollcall")).open(write))).toEqual([
        "read_only_file",
        "archive",
      ]);
    });
    expect(readdirSync(folder)).toEqual(["run.rollcall"]);
    chmodSync(folder, 0o755);
  });
});
