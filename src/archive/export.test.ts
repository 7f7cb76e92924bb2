// Copies of archives that are in use, and their export as JSON lines.
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { RollcallError } from "../errors.ts";
import type { OpenRequest } from "./archive.ts";
import { copyArchive, exportLines } from "./export.ts";
import { memoryDisk, memoryStore } from "./memory.ts";
import { rawMemory } from "./memory-raw.ts";
import { damaged } from "./raw.ts";
import { commit, mail, message, published, record, result } from "./samples.ts";
import { sqliteStore } from "./sqlite.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "rollcall-"));
  folders.push(made);
  return made;
}
const write: OpenRequest = { mode: "write", owner: "w1", takeover: false, create: { capacity: 3 } };

describe("an export", () => {
  it("says everything that is in the archive, line by line", async () => {
    const disk = memoryDisk();
    const archive = await memoryStore(disk).open(write);
    await archive.commit(published("/root/a", { result }));
    await archive.commit(published("/root/b"));
    await archive.commit(commit({ mailAdded: [mail("/root", 1)] }));
    await archive.commit(
      commit({ messages: [{ path: "/root", location: "root", append: [message("hello", { turn: 0 })] }] }),
    );
    const raw = rawMemory(disk);
    const rows = raw.record("/root/b");
    if (rows !== null) raw.putRecord("/root/b", damaged(rows, "checksum", { seq: 9, category: "core" }));
    const lines: unknown[] = [];
    for await (const line of exportLines(archive)) lines.push(JSON.parse(line));
    expect(lines).toEqual([
      { session: { rollcall: 1, capacity: 3, agents: 2, seq: 1 } },
      { mail: mail("/root", 1) },
      { message: { path: "/root", ...message("hello", { turn: 0 }) } },
      { record: record("/root/a", { result, messages: 1 }) },
      { message: { path: "/root/a", ...message("task of /root/a") } },
      { aside: { path: "/root/b", aside: "checksum" } },
    ]);
  });
});

describe("a copy", () => {
  it("has what was committed when it was made, beside a living owner, and is an archive of its own", async () => {
    const at = folder();
    const [from, to] = [join(at, "run.rollcall"), join(at, "copy.rollcall")];
    const archive = await sqliteStore(from).open(write);
    await archive.commit(published("/root/a", { result }));
    copyArchive(from, to);
    await archive.commit(published("/root/b"));
    const copy = await sqliteStore(to).open({ ...write, create: null });
    expect(await copy.scan("/root", null, 10)).toEqual([
      { path: "/root/a", record: record("/root/a", { result, messages: 1 }) },
    ]);
    expect(statSync(to).mode & 0o777).toBe(0o600);
    await copy.commit(published("/root/c"));
    await archive.commit(published("/root/c"));
  });

  it("is never made over another file, nor of what is no archive", async () => {
    const at = folder();
    const [from, to] = [join(at, "run.rollcall"), join(at, "copy.rollcall")];
    const codeOf = (act: () => void) => {
      try {
        act();
      } catch (error) {
        return error instanceof RollcallError ? error.code : error;
      }
      return "nothing thrown";
    };
    expect(codeOf(() => copyArchive(from, to))).toBe("archive_missing");
    writeFileSync(from, "");
    expect(codeOf(() => copyArchive(from, to))).toBe("archive_malformed");
    rmSync(from);
    await (await sqliteStore(from).open(write)).close();
    writeFileSync(to, "mine");
    expect(codeOf(() => copyArchive(from, to))).toBe("not_written");
    expect(statSync(to).size).toBe(4);
  });
});
