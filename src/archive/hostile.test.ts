// What hosts and strangers put where an archive should be, and beside one: refused by code, and nothing of theirs is touched.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { RollcallError } from "../errors.ts";
import type { OpenRequest } from "./archive.ts";
import { openDatabase } from "./binding.ts";
import { createFile } from "./ownership.ts";
import { published } from "./samples.ts";
import { sqliteStore } from "./sqlite.ts";
import { networkOf } from "./sqlite-file.ts";

const write: OpenRequest = { mode: "write", owner: "w1", takeover: false, create: { capacity: 3 } };
const read: OpenRequest = { ...write, mode: "read", create: null };

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "rollcall-"));
  folders.push(made);
  return made;
}
const file = (): string => join(folder(), "run.rollcall");
async function codeOf(name: string, request: OpenRequest = write): Promise<string> {
  try {
    const archive = await sqliteStore(name, { durability: "off" }).open(request);
    await archive.close();
    return "opened";
  } catch (error) {
    return error instanceof RollcallError ? error.code : String(error);
  }
}
async function archiveAt(name: string): Promise<void> {
  const archive = await sqliteStore(name, { durability: "off" }).open(write);
  await archive.commit(published("/root/a"));
  await archive.close();
}
/** Everything in a folder, by name. */
const contents = (of: string): object =>
  Object.fromEntries(readdirSync(of).map((each) => [each, readFileSync(join(of, each)).toString("hex")]));

describe("what is no archive", () => {
  const others: readonly (readonly [string, (name: string) => void, string])[] = [
    ["a folder", (name) => mkdirSync(name), "archive_malformed"],
    ["a device", (name) => symlinkSync("/dev/zero", name), "archive_malformed"],
    ["a pipe", (name) => execFileSync("mkfifo", [name]), "archive_malformed"],
    ["a link to a folder", (name) => symlinkSync(dirname(name), name), "archive_malformed"],
    ["a link in a circle", (name) => symlinkSync(name, name), "io_failed"],
    [
      "a text",
      (name) => writeFileSync(name, "not a database, and long enough to be taken for one. ".repeat(40)),
      "archive_malformed",
    ],
    ["half a head", (name) => writeFileSync(name, "SQLite format 3\0"), "archive_malformed"],
    [
      "somebody else's database",
      (name) => {
        createFile(name);
        const db = openDatabase(name, "rw");
        db.exec("CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1)");
        db.close();
      },
      "archive_malformed",
    ],
  ];
  it.each(others)("%s is refused by whoever writes and whoever reads, and left as it is", async (_, make, code) => {
    const name = file();
    make(name);
    const isFile = lstatSync(name).isFile();
    const before = isFile ? contents(dirname(name)) : readdirSync(dirname(name));
    expect([await codeOf(name), await codeOf(name, read)]).toEqual([code, code]);
    expect(isFile ? contents(dirname(name)) : readdirSync(dirname(name))).toEqual(before);
  });

  it("a socket is refused", async () => {
    const name = file();
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(name, resolve));
    expect(await codeOf(name)).toBe("archive_malformed");
    await new Promise((resolve) => server.close(resolve));
  });

  it("an empty file is made one by whoever may make one, and is none for a reader", async () => {
    const name = file();
    writeFileSync(name, "");
    expect(await codeOf(name, read)).toBe("archive_malformed");
    expect(await codeOf(name, { ...write, create: null })).toBe("archive_malformed");
    expect(await codeOf(name)).toBe("opened");
  });
});

describe("links", () => {
  it("a second name of an archive (hard link) is refused under both, until one of them is gone", async () => {
    const name = file();
    await archiveAt(name);
    const other = join(dirname(name), "other.rollcall");
    linkSync(name, other);
    for (const each of [name, other])
      expect([await codeOf(each), await codeOf(each, read)]).toEqual(["archive_malformed", "archive_malformed"]);
    rmSync(name);
    expect(await codeOf(other)).toBe("opened");
  });

  it.each(["-wal", "-shm", "-journal", "-log", "-owner-2"])("beside an archive, %s is never followed", async (end) => {
    const name = file();
    await archiveAt(name);
    const theirs = join(folder(), "theirs");
    writeFileSync(theirs, "theirs");
    rmSync(`${name}${end}`, { force: true });
    for (const link of [symlinkSync, linkSync]) {
      // A lock is never written into, and under another name it is still a lock.
      if (end === "-owner-2" && link === linkSync) continue;
      link(theirs, `${name}${end}`);
      expect(await codeOf(name)).toBe("archive_malformed");
      expect(readFileSync(theirs, "utf8")).toBe("theirs");
      rmSync(`${name}${end}`);
    }
    expect(await codeOf(name)).toBe("opened");
  });

  it("nor where there is no archive yet", async () => {
    const name = file();
    const theirs = join(folder(), "theirs");
    writeFileSync(theirs, "theirs");
    symlinkSync(theirs, `${name}-wal`);
    expect(await codeOf(name)).toBe("archive_malformed");
    expect([readFileSync(theirs, "utf8"), readdirSync(dirname(name))]).toEqual(["theirs", ["run.rollcall-wal"]]);
  });
});

describe("who may", () => {
  it("files are their owner's alone, also under a loose umask", async () => {
    const name = file();
    const before = process.umask(0);
    try {
      const archive = await sqliteStore(name).open(write);
      await archive.commit(published("/root/a"));
      const modes = readdirSync(dirname(name)).map((each) => [each, statSync(join(dirname(name), each)).mode & 0o777]);
      expect(modes.length).toBeGreaterThan(2);
      for (const [each, mode] of modes) expect([each, mode]).toEqual([each, 0o600]);
      await archive.close();
    } finally {
      process.umask(before);
    }
  });

  it("a folder that may not be written to is said to be so", async () => {
    const name = file();
    await archiveAt(name);
    const inside = dirname(name);
    chmodSync(inside, 0o500);
    try {
      // The superuser may write anywhere.
      const isRoot = process.getuid?.() === 0;
      expect(await codeOf(join(inside, "new.rollcall"))).toBe(isRoot ? "opened" : "read_only_file");
      expect(await codeOf(name)).toBe(isRoot ? "opened" : "read_only_file");
      expect(await codeOf(name, read)).toBe("opened");
    } finally {
      chmodSync(inside, 0o700);
    }
  });
});

describe("where it lies", () => {
  it("network file systems are known by their numbers, local ones are none", () => {
    // As linux/magic.h has them.
    const numbers = [0x6969, 0x517b, 0xfe534d42, 0xff534d42, 0x5346414f, 0x00c36400, 0x0bd00bd0];
    expect(numbers.map(networkOf)).toEqual(["nfs", "smb", "smb2", "cifs", "afs", "ceph", "lustre"]);
    for (const local of [0xef53, 0x01021994, 0x9123683e, 0x58465342, 0x794c7630]) expect(networkOf(local)).toBeNull();
  });

  it("it may be moved when it is closed, with all its names", async () => {
    const name = file();
    await archiveAt(name);
    const moved = join(folder(), basename(name));
    renameSync(name, moved);
    const archive = await sqliteStore(moved).open({ ...write, create: null });
    expect(await archive.rows(["/root/a"])).toHaveLength(1);
    await archive.close();
  });
});
