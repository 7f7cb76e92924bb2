/**
 * Much of everything, over a real archive. False would be: a text, a mailbox or a tree that is cut, changed or refused within the
 * limits, or a limit that is passed.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { openSession, type Session, type SessionOptions, sqliteStore } from "../../src/index.ts";

const role = { instructions: "", model: "m", effort: null, tools: [], limits: {}, parameters: {} };
const options: SessionOptions = {
  roles: { r: role },
  registrars: [{ category: "core", names: () => [], load: () => {} }],
  provider: { dispatch: () => {} },
  capacity: 100,
};
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
function file(): string {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-"));
  folders.push(folder);
  return join(folder, "run.rollcall");
}
const open = (name: string, more: Partial<SessionOptions> = {}): Promise<Session> =>
  openSession(sqliteStore(name, { durability: "off" }), { ...options, ...more });
const spawn = { role: "r", text: "task" };

describe("of texts", () => {
  test("64 MiB come back as they were, NUL, combining and astral characters in them", {
    timeout: 120_000,
  }, async () => {
    const name = file();
    const text = `e\u0301\u0000\u{1f600}${"x".repeat(64 * 2 ** 20)}\u0000é`;
    const session = await open(name, { limits: { textMax: 65 * 2 ** 20 } });
    await session.root.spawn({ name: "a", ...spawn });
    await session.finish("/root/a", 1, "completed", text);
    session.abandon();
    const again = await open(name);
    // Not by way of a report that would print it.
    expect((await again.agent("/root/a").readResult()).text === text).toBe(true);
    await expect(again.agent("/root/a").send(text)).rejects.toMatchObject({ code: "text_too_long" });
    await again.close();
  });
});

describe("of mail", () => {
  test("10,000 unread are kept in order, the next is refused, and one sample takes all", {
    timeout: 120_000,
  }, async () => {
    const name = file();
    const session = await open(name);
    await session.root.spawn({ name: "a", ...spawn });
    await Promise.all(Array.from({ length: 10_000 }, (_, n) => session.agent("/root/a").send(`m${n}`)));
    await expect(session.agent("/root/a").send("more")).rejects.toMatchObject({ code: "mailbox_full" });
    session.abandon();
    const again = await open(name);
    await again.agent("/root/a").followUp("go on");
    const taken = await again.agent("/root/a").sample();
    expect(taken.map(({ text }) => text)).toEqual(Array.from({ length: 10_000 }, (_, n) => `m${n}`));
    await again.close();
  });
});

describe("of agents", () => {
  test("a tree of depth 32 comes back, and is no deeper", { timeout: 120_000 }, async () => {
    const name = file();
    const session = await open(name);
    const long = "z".repeat(64);
    let parent = session.root;
    // The root is none of the 32.
    for (let depth = 1; depth <= 32; depth++) parent = await parent.spawn({ name: long, ...spawn });
    await expect(parent.spawn({ name: "a", ...spawn })).rejects.toMatchObject({ code: "name_malformed" });
    session.abandon();
    const again = await open(name);
    expect((await again.roster()).length).toBe(33);
    await again.close();
  });
});

/** A file system of its own with so much room, where one may be mounted. */
function small(): string | null {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-small-"));
  const isMounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=512k", "tmpfs", folder]).status === 0;
  if (isMounted) return folder;
  rmSync(folder, { recursive: true });
  return null;
}
const disk = small();
describe.skipIf(disk === null)("of nothing: a small file system that is full", () => {
  test("says so, is as before, and works when there is room", async () => {
    const folder = disk ?? "";
    try {
      mkdirSync(join(folder, "in"));
      const session = await open(join(folder, "in", "run.rollcall"));
      await session.root.spawn({ name: "a", ...spawn });
      const rest = join(folder, "rest");
      // All there is, but for what the file system rounds up.
      for (let bytes = 512 * 1024; bytes >= 1_024; bytes = Math.floor(bytes / 2))
        try {
          writeFileSync(`${rest}-${bytes}`, Buffer.alloc(bytes));
        } catch {
          // That is how it becomes full.
        }
      const before = session.view();
      const big = "y".repeat(100_000);
      await expect(session.agent("/root/a").send(big)).rejects.toMatchObject({ code: "disk_full" });
      expect(session.view()).toEqual(before);
      for (let bytes = 512 * 1024; bytes >= 1_024; bytes = Math.floor(bytes / 2))
        rmSync(`${rest}-${bytes}`, { force: true });
      await session.agent("/root/a").send(big);
      session.abandon();
      const again = await open(join(folder, "in", "run.rollcall"), { mode: "read" });
      expect((await again.roster()).length).toBe(2);
      expect(again.view().agents?.["/root/a"]?.mail).toHaveLength(1);
      await again.close();
    } finally {
      spawnSync("umount", ["-l", folder]);
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
