// What hosts, strangers and disks put where an archive should be, and beside one: refused by code, and nothing of theirs is touched.
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
import { published, result } from "./samples.ts";
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
/** The code of a fault and its place; whatever else came of it as it is. */
async function toldOf(act: Promise<unknown>): Promise<unknown> {
  try {
    return await act;
  } catch (error) {
    return error instanceof RollcallError ? [error.code, error.at] : error;
  }
}
async function codeOf(name: string, request: OpenRequest = write): Promise<string> {
  const opening = sqliteStore(name, { durability: "off" }).open(request);
  const told = await toldOf(opening.then((archive) => archive.close()).then(() => ["opened"]));
  return String(Array.isArray(told) ? told[0] : told);
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

describe("a damaged file", () => {
  it("is refused or read in part, whichever page of it is overwritten, and never taken for whole", async () => {
    const name = file();
    const archive = await sqliteStore(name, { durability: "off" }).open(write);
    for (let n = 0; n < 40; n++) await archive.commit(published(`/root/a${n}`, { result }));
    const rows = await archive.scan("/root", null, 100);
    await archive.close();
    const whole = readFileSync(name);
    const pageBytes = 4_096;
    for (let page = 0; page < whole.length / pageBytes; page++) {
      const bytes = Buffer.from(whole).fill(0x5a, page * pageBytes, (page + 1) * pageBytes);
      const damagedFile = file();
      writeFileSync(damagedFile, bytes);
      const told = await sqliteStore(damagedFile)
        .open(read)
        .then((reader) => reader.scan("/root", null, 100))
        .catch((error: unknown) => (error instanceof RollcallError ? error.code : error));
      if (Array.isArray(told))
        for (const row of told)
          expect("aside" in row ? row.aside : rows.find(({ path }) => path === row.path)).toBeTruthy();
      else expect(told).toBe("archive_malformed");
      expect(readFileSync(damagedFile).equals(bytes)).toBe(true);
    }
  });

  it("is not listed again and again where its tree leads back", async () => {
    const name = file();
    const archive = await sqliteStore(name, { durability: "off" }).open(write);
    for (const each of ["a", "b", "c", "d", "e", "f"]) await archive.commit(published(`/root/${each}`));
    await archive.close();
    const whole = readFileSync(name);
    for (let at = whole.indexOf("/root/d"); at >= 0; at = whole.indexOf("/root/d", at + 1)) whole.write("/root/0", at);
    writeFileSync(name, whole);
    const reader = await sqliteStore(name).open(read);
    const list = async (): Promise<number> => {
      let rows = 0;
      for (let after: string | null = null; rows < 100; rows++) {
        after = (await reader.scan("/root", after, 2, () => {})).at(-1)?.path ?? null;
        if (after === null) break;
      }
      return rows;
    };
    expect(await toldOf(list())).toEqual(["archive_malformed", "/root/0"]);
    await reader.close();
  });

  it("is refused however much of its end is missing", async () => {
    const name = file();
    const archive = await sqliteStore(name, { durability: "off" }).open(write);
    await archive.close();
    const whole = readFileSync(name);
    for (const length of [1, 15, 16, 100, 4_095, 4_096, whole.length - 1, whole.length - 4_096]) {
      const cut = file();
      writeFileSync(cut, whole.subarray(0, length));
      for (const request of [write, { ...write, create: null }, read])
        expect([length, await toldOf(sqliteStore(cut).open(request))]).toEqual([
          length,
          ["archive_malformed", "archive"],
        ]);
      expect(readFileSync(cut).equals(whole.subarray(0, length))).toBe(true);
      expect(readdirSync(dirname(cut))).toEqual(["run.rollcall"]);
    }
  });
});
