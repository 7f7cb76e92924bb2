// Every kind of damage on both stores: found for what it is, reported, and never written over.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { ArchiveDamage, AsideCode, RecordDamage } from "../contract.ts";
import { RollcallError } from "../errors.ts";
import type { OpenRequest, Store } from "./archive.ts";
import { openDatabase } from "./binding.ts";
import type { RecordRows } from "./codec.ts";
import { copyDisk, memoryDisk, memoryStore } from "./memory.ts";
import { rawMemory } from "./memory-raw.ts";
import { damaged, damagedSession, type RawArchive } from "./raw.ts";
import { commit, mail, published, result } from "./samples.ts";
import { sqliteStore } from "./sqlite.ts";
import { rawSqlite } from "./sqlite-raw.ts";

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
const around = { seq: 100, category: "core" };

async function codeOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error instanceof RollcallError ? [error.code, error.at] : error;
  }
  return "nothing thrown";
}

function memory(): readonly [Store, RawArchive] {
  const disk = memoryDisk();
  return [memoryStore(disk), rawMemory(disk)];
}
function sqlite(): readonly [Store, RawArchive] {
  const name = file();
  return [sqliteStore(name, { durability: "off" }), rawSqlite(name)];
}
/** An idle agent with all that a record can have, a running one below it, and one beside. */
async function filled([store, raw]: readonly [Store, RawArchive]) {
  const archive = await store.open(write);
  await archive.commit(published("/root/a", { result, owed: [{ turn: 1, result }] }));
  await archive.commit(published("/root/a/b", { activity: "running" }));
  await archive.commit(published("/root/c", { result }));
  await archive.commit(commit({ mailAdded: [mail("/root/a", 1), mail("/root", 2)] }));
  const rows = await archive.scan("/root", null, 10);
  await archive.close();
  return { store, raw, rows };
}
function needed(rows: RecordRows | null): RecordRows {
  if (rows === null) throw new Error("there is no such record");
  return rows;
}

const found: Readonly<Record<RecordDamage, AsideCode | "valid">> = {
  malformed: "record_malformed",
  checksum: "checksum",
  config: "config_malformed",
  // Whether a tool is known is the registry's to say: the row is whole.
  tool: "valid",
  category: "valid",
  mail_sender: "record_malformed",
  active_with_result: "record_malformed",
  location: "record_malformed",
};
const kinds = Object.keys(found) as RecordDamage[]; // the keys of the table above

for (const [kind, fresh] of [
  ["memory", memory],
  ["sqlite", sqlite],
] as const) {
  describe(`a damaged archive in ${kind}`, () => {
    for (const how of kinds) {
      it(`sets aside a record with damage of kind ${how}, and only that, and takes it back when it is mended (L30)`, async () => {
        const { store, raw, rows } = await filled(fresh());
        for (const path of ["/root/a", "/root/a/b", "/root/c"]) {
          const before = needed(raw.record(path));
          const after = damaged(before, how, around);
          raw.putRecord(path, after);
          const archive = await store.open(existing);
          const again = await archive.scan("/root", null, 10);
          for (const [index, row] of again.entries()) {
            if (row.path !== path) expect(row).toEqual(rows[index]);
            else if (found[how] === "valid") expect(row).toHaveProperty("record.config.tools.length", 2);
            else expect(row).toEqual({ path, aside: found[how] });
          }
          // Others are written beside it; its own row stays exactly as it is.
          await archive.commit(commit({ mailAdded: [mail("/root", (await archive.head()).seq + 1)] }));
          await archive.close();
          expect(raw.record(path)).toEqual(after);
          raw.putRecord(path, before);
          const mended = await store.open(existing);
          expect(await mended.scan("/root", null, 10)).toEqual(rows);
          await mended.close();
        }
      });
    }

    it("shows urgent rows with their ancestors, damaged or not", async () => {
      const { store, raw } = await filled(fresh());
      raw.putRecord("/root/a/b", damaged(needed(raw.record("/root/a/b")), "malformed", around));
      raw.putRecord("/root/c", damaged(needed(raw.record("/root/c")), "active_with_result", around));
      const archive = await store.open(existing);
      expect((await archive.head()).urgent).toMatchObject([
        { path: "/root/a", record: {} },
        { path: "/root/a/b", aside: "record_malformed" },
        { path: "/root/c", aside: "record_malformed" },
      ]);
    });

    it("never writes over a row that it cannot read", async () => {
      const { store, raw } = await filled(fresh());
      const after = damaged(needed(raw.record("/root/c")), "location", around);
      raw.putRecord("/root/c", after);
      const archive = await store.open(existing);
      expect(await codeOf(archive.commit(published("/root/c")))).toEqual(["record_invalid", "/root/c"]);
      await archive.close();
      expect(raw.record("/root/c")).toEqual(after);
    });

    it("rejects a session whose own row is damaged, until it is mended", async () => {
      const { store, raw } = await filled(fresh());
      const before = raw.session();
      raw.putSession(damagedSession(before));
      const archive = await store.open(existing);
      expect(await codeOf(archive.head())).toEqual(["session_invalid", "session"]);
      await archive.close();
      raw.putSession(before);
      expect((await (await store.open(existing)).head()).capacity).toBe(3);
    });

    for (const how of ["missing", "malformed", "version"] satisfies ArchiveDamage[]) {
      it(`says that an archive is ${how}, changes nothing, and opens it when it is mended`, async () => {
        const { store, raw, rows } = await filled(fresh());
        raw.damageArchive(how);
        raw.damageArchive(how);
        for (const mode of ["write", "read"] as const)
          expect(await codeOf(store.open({ ...existing, mode }))).toEqual([`archive_${how}`, "archive"]);
        raw.mendArchive();
        const archive = await store.open(existing);
        expect(await archive.scan("/root", null, 10)).toEqual(rows);
      });
    }
  });
}

describe("a record that is gone", () => {
  it("is missed by whoever lists or asks for it, at its parent, and nowhere else", async () => {
    for (const [gone, parent] of [
      ["/root/c", "/root"],
      ["/root/a/b", "/root/a"],
    ] as const) {
      const { store, raw, rows } = await filled(sqlite());
      // Whether it was under way is known, too.
      const isUrgent = gone === "/root/a/b";
      raw.putRecord(gone, null);
      const archive = await store.open(existing);
      if (isUrgent) expect(await codeOf(archive.head())).toEqual(["archive_malformed", "archive"]);
      else expect((await archive.head()).agents).toBe(3);
      expect(await codeOf(archive.scan("/root", null, 10))).toEqual(["archive_malformed", parent]);
      expect(await codeOf(archive.rows([gone]))).toEqual(["archive_malformed", parent]);
      // Another that never was is not known not to be there, either.
      expect(await codeOf(archive.rows([`${parent}/never`]))).toEqual(["archive_malformed", parent]);
      expect(await archive.rows(["/root/a"])).toEqual(rows.slice(0, 1));
      const lost: string[] = [];
      const left = await archive.scan("/root", null, 10, (at) => lost.push(at));
      expect([lost, left]).toEqual([[parent], rows.filter(({ path }) => path !== gone)]);
      await archive.close();
    }
  });
  it("is known not to have been there, where it never was", async () => {
    const { store } = await filled(sqlite());
    const archive = await store.open(existing);
    expect(await archive.rows(["/root/never", "/root/a/never", "/root/c/never"])).toEqual([]);
    expect(await archive.scan("/root/never", null, 10)).toEqual([]);
    await archive.commit(published("/root/never"));
    expect(await archive.rows(["/root/never", "/root/other"])).toHaveLength(1);
  });
});

describe("sets whose rows are all whole", () => {
  const each = { path: "/root/a", location: "agents/a", intent: "history" } as const;
  const cases: readonly (readonly [string, string, string])[] = [
    ["a mail that is gone", "DELETE FROM mail WHERE seq = 1", "checksum"],
    ["a count of mail that is gone", "DELETE FROM tally WHERE whose = '/root/a' AND kind = 'mail'", "checksum"],
    [
      "a count of mail that is edited",
      "UPDATE tally SET count = 2 WHERE whose = '/root/a' AND kind = 'mail'",
      "checksum",
    ],
    ["a root's mail that is gone", "DELETE FROM mail WHERE seq = 2", "session_invalid"],
    ["an owner that is edited", "UPDATE meta SET owner = 'somebody'", "archive_malformed"],
    ["an epoch that is edited", "UPDATE meta SET epoch = 9", "archive_malformed"],
    [
      "a session's counts that are edited",
      "UPDATE meta SET session = replace(session, '[3,3,', '[3,2,')",
      "session_invalid",
    ],
    ["a count of the urgent that is gone", "DELETE FROM tally WHERE kind = 'urgent'", "archive_malformed"],
    ["a message that is gone", "DELETE FROM message WHERE conversation = 2 AND n = 2", "conversation_corrupt"],
    ["the last message that is gone", "DELETE FROM message WHERE conversation = 2 AND n = 3", "conversation_corrupt"],
    [
      "messages exchanged between conversations",
      "UPDATE message SET (kind, turn, sender, text, at, sum) = (SELECT kind, turn, sender, text, at, sum FROM message WHERE conversation = 4 AND n = 1) WHERE conversation = 2 AND n = 1",
      "conversation_corrupt",
    ],
    [
      "a conversation's count that is edited",
      "UPDATE conversation SET count = 2 WHERE number = 2",
      "conversation_corrupt",
    ],
    ["a conversation that is gone", "DELETE FROM conversation WHERE number = 2", "conversation_missing"],
  ];
  it.each(cases)("%s is found", async (_, sql, code) => {
    const name = file();
    const { store } = await filled([sqliteStore(name), rawSqlite(name)]);
    const writer = await store.open(existing);
    await writer.commit(commit({ messages: [{ ...each, append: published("/root/a").messages[0]?.append ?? [] }] }));
    await writer.commit(commit({ messages: [{ ...each, append: published("/root/a").messages[0]?.append ?? [] }] }));
    await writer.close();
    const db = openDatabase(name, "rw");
    db.exec(`PRAGMA foreign_keys = OFF; ${sql}`);
    db.close();
    const told: unknown[] = [];
    const ask = async (act: () => Promise<unknown>) => told.push(await codeOf(act()));
    const archive = await store.open({ ...existing, mode: "read" }).catch((error: unknown) => error);
    if (archive instanceof RollcallError) expect([archive.code, archive.at]).toEqual([code, "archive"]);
    else {
      const reader = archive as Awaited<ReturnType<typeof store.open>>; // opened, or thrown above
      await ask(() => reader.head());
      await ask(() => reader.messages(each));
      const rows = await reader.scan("/root", null, 10).catch((error: unknown) => [{ path: "", aside: String(error) }]);
      const aside = rows.flatMap((row) => ("aside" in row ? [row.aside] : []));
      expect([...told.flatMap((one) => (Array.isArray(one) ? [one[0]] : [])), ...aside]).toEqual([code]);
    }
  });
  it("is a log that is gone", async () => {
    const name = file();
    const archive = await sqliteStore(name).open(write);
    await archive.commit(published("/root/a"));
    const [main, log, mark] = ["", "-wal", "-log"].map((end) => readFileSync(`${name}${end}`));
    for (const [isThere, code] of [
      [true, "done"],
      [false, "archive_malformed"],
    ] as const) {
      const copy = file();
      writeFileSync(copy, main ?? "");
      writeFileSync(`${copy}-log`, mark ?? "");
      if (isThere) writeFileSync(`${copy}-wal`, log ?? "");
      for (const mode of ["read", "write"] as const) {
        const told = await codeOf(
          sqliteStore(copy)
            .open({ ...existing, mode })
            .then((one) => one.close()),
        );
        expect(told).toEqual(code === "done" ? "nothing thrown" : [code, "archive"]);
      }
    }
    await archive.close();
    expect(readdirSync(dirname(name))).not.toContain("run.rollcall-log");
    await (await sqliteStore(name).open(existing)).close();
  });
});

describe("a copy of a disk in memory", () => {
  it("goes its own way and is owned by nobody", async () => {
    const disk = memoryDisk();
    const archive = await memoryStore(disk).open(write);
    await archive.commit(published("/root/a"));
    const copy = copyDisk(disk);
    await archive.commit(commit({ mailAdded: [mail("/root/a", 1)] }));
    await archive.commit({ ...commit(), messages: published("/root/a").messages });
    const other = await memoryStore(copy).open(existing);
    expect(await other.rows(["/root/a"])).toMatchObject([{ record: { mail: [], messages: 1 } }]);
  });
});

describe("a damaged conversation", () => {
  const ask = { path: "/root/a", location: "agents/a", intent: "history" } as const;
  it("is corrupt, the newest messages still being read, in memory", async () => {
    const disk = memoryDisk();
    const archive = await memoryStore(disk).open(write);
    await archive.commit(published("/root/a"));
    await archive.commit({ ...commit(), messages: published("/root/a").messages });
    disk.conversations.get("agents/a")?.rows.splice(0, 1, "[]");
    expect(await codeOf(archive.messages(ask))).toEqual(["conversation_corrupt", "/root/a"]);
    expect(await archive.messages({ ...ask, last: 1 })).toHaveLength(1);
  });
  it("is corrupt, the newest messages still being read, in sqlite", async () => {
    const name = file();
    const archive = await sqliteStore(name).open(write);
    await archive.commit(published("/root/a"));
    await archive.commit({ ...commit(), messages: published("/root/a").messages });
    const db = openDatabase(name, "rw");
    // Bytes that are no UTF-8 must not end the process.
    db.exec("UPDATE message SET text = CAST(x'61ff62' AS TEXT) WHERE n = 1");
    db.close();
    expect(await codeOf(archive.messages(ask))).toEqual(["conversation_corrupt", "/root/a"]);
    expect(await archive.messages({ ...ask, last: 1 })).toHaveLength(1);
  });
  it("does not hide that a record has bytes that are no UTF-8", async () => {
    const name = file();
    const archive = await sqliteStore(name).open(write);
    await archive.commit(published("/root/a", { result }));
    const db = openDatabase(name, "rw");
    db.exec("UPDATE agent SET role = CAST(x'61ff62' AS TEXT)");
    db.close();
    expect(await archive.rows(["/root/a"])).toEqual([{ path: "/root/a", aside: "checksum" }]);
  });
});

describe("the root's own mail, damaged", () => {
  it("rejects the session, in memory and in sqlite", async () => {
    const disk = memoryDisk();
    const name = file();
    for (const [store, damage] of [
      [memoryStore(disk), () => disk.mail.get("/root")?.set(1, "[]")],
      [sqliteStore(name), () => within(name, "UPDATE mail SET text = 'another'")],
    ] as const) {
      const archive = await store.open(write);
      await archive.commit(commit({ mailAdded: [mail("/root", 1)] }));
      damage();
      expect(await codeOf(archive.head())).toEqual(["session_invalid", "session"]);
    }
  });
});

function within(name: string, sql: string): void {
  const db = openDatabase(name, "rw");
  db.exec(sql);
  db.close();
}
