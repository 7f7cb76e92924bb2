// The verbs that look at an archive: what they print, and one sentence for whatever is no archive.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { damaged } from "../archive/raw.ts";
import { commit, mail, published, result } from "../archive/samples.ts";
import { sqliteStore } from "../archive/sqlite.ts";
import { rawSqlite } from "../archive/sqlite-raw.ts";
import { run } from "./main.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "rollcall-"));
  folders.push(made);
  return made;
}
async function ran(argv: readonly string[], color = false) {
  const told = { out: "", err: "" };
  const write = (to: "out" | "err") => (text: string) => {
    told[to] += text;
  };
  const io = { out: write("out"), err: write("err"), tty: color, color, columns: 80, env: {} };
  return { code: await run(argv, io), ...told };
}
async function filled(): Promise<string> {
  const file = join(folder(), "run.rollcall");
  const archive = await sqliteStore(file).open({
    mode: "write",
    owner: "w1",
    takeover: false,
    create: { capacity: 3 },
  });
  await archive.commit(published("/root/a", { result: { ...result, text: "first\n\u001b[2Jsecond" } }));
  await archive.commit(published("/root/a/b", { activity: "running" }));
  await archive.commit(commit({ mailAdded: [mail("/root", 1), mail("/root/a", 2)] }));
  await archive.close();
  return file;
}
function damage(file: string, path: string): void {
  const raw = rawSqlite(file);
  const rows = raw.record(path);
  if (rows !== null) raw.putRecord(path, damaged(rows, "checksum", { seq: 9, category: "core" }));
}

describe("an archive that is whole", () => {
  it("is listed, one agent a line, beside its owner", async () => {
    const file = await filled();
    await sqliteStore(file).open({ mode: "write", owner: "w1", takeover: false, create: null });
    expect(await ran(["list", file])).toEqual({
      code: 0,
      err: "",
      out: `PATH       ROLE      ACTIVITY  TURNS  MAIL  RESULT
/root                                 1
/root/a    reviewer  idle      1      1     completed
/root/a/b  reviewer  running   1      0

2 agents kept, 1 active, capacity 3
`,
    });
  });

  it("shows an agent with texts that cannot steer the terminal", async () => {
    const { code, out } = await ran(["show", await filled(), "/root/a"]);
    expect(code).toBe(0);
    expect(out).toContain("result: completed\n  first\n  \\u001b[2Jsecond\n");
    expect(out).toContain("unread mail from /root");
    expect(out).toContain("conversation: 1 message\ntask from /root, turn 1");
  });

  it("shows the root, and no more messages than asked for", async () => {
    const file = await filled();
    expect((await ran(["show", file, "/root"])).out).toContain("/root\n  capacity 3\nunread mail from /root");
    expect((await ran(["show", file, "/root/a", "--last", "0"])).out).toContain(
      "conversation: 1 message, the last 0\n",
    );
    expect(await ran(["show", file, "/root/none"])).toMatchObject({
      code: 4,
      out: "",
      err: expect.stringContaining("agent_unknown"),
    });
  });

  it("is verified, and has colours only where they are wanted", async () => {
    const file = await filled();
    expect(await ran(["verify", file])).toEqual({
      code: 0,
      err: "",
      out: "2 records and 2 messages read: no damage found\n",
    });
    const steering = "\u001b[";
    expect((await ran(["list", file])).out).not.toContain(steering);
    expect((await ran(["list", file], true)).out).toContain(steering);
  });
});

describe("an archive with damage", () => {
  it("is listed and shown as far as it goes, and verify names all of it", async () => {
    const file = await filled();
    damage(file, "/root/a");
    const before = readFileSync(file);
    expect((await ran(["list", file])).out).toMatch(
      /\/root\/a +set aside +checksum\n\/root\/a\/b +set aside +parent_invalid\n/,
    );
    expect(await ran(["show", file, "/root/a"])).toMatchObject({
      code: 4,
      out: expect.stringContaining("set aside, checksum"),
    });
    const child = await ran(["show", file, "/root/a/b"]);
    expect(child).toMatchObject({ code: 4, out: expect.stringContaining("set aside, parent_invalid") });
    expect(child.out).toContain("activity running");
    const { code, out } = await ran(["verify", file]);
    expect(code).toBe(4);
    expect(out).toMatch(
      /^\/root\/a {2}checksum: .*\n\/root\/a\/b {2}parent_invalid: .*\n2 records and 0 messages read: 2 damaged/,
    );
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it("is verified down to the pages of its file", async () => {
    const file = await filled();
    const bytes = readFileSync(file);
    // The tree that finds agents by their parent: no record is read through it.
    const page = bytes.lastIndexOf("/root/a/root/a/b");
    expect(page).toBeGreaterThan(0);
    bytes.write("/root/x", page);
    writeFileSync(file, bytes);
    const { code, out } = await ran(["verify", file]);
    expect([code, out]).toEqual([4, expect.stringContaining("agent_parent")]);
  });
});

describe("an archive written to a new file", () => {
  it("is copied while a session is writing to it, salvaged when it is not, and told as JSON lines", async () => {
    const file = await filled();
    const owner = await sqliteStore(file).open({ mode: "write", owner: "w2", takeover: false, create: null });
    await owner.commit(published("/root/c"));
    const copy = `${file}.copy`;
    expect(await ran(["backup", file, copy])).toMatchObject({ code: 0, out: `${file} copied to ${copy}\n` });
    const lines = async (name: string) => (await ran(["export", name, "--as", "jsonl"])).out;
    expect(await lines(copy)).toBe(await lines(file));
    expect((await lines(copy)).split("\n").map((line) => Object.keys(JSON.parse(line || "{}"))[0])).toEqual([
      "session",
      "mail",
      "record",
      "message",
      "record",
      "message",
      "record",
      "message",
      undefined,
    ]);
    expect(await ran(["salvage", file, `${file}.new`])).toMatchObject({
      code: 4,
      err: expect.stringMatching(/owned_elsewhere/),
    });
    await owner.close();
    const whole = await ran(["salvage", file, `${file}.new`]);
    expect(whole).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^3 records, 2 mails and 3 messages written to .*: nothing is missing\n$/),
    });
    expect(await lines(`${file}.new`)).toBe(await lines(file));
    rawSqlite(copy).putRecord("/root/c", null);
    const lost = await ran(["salvage", copy, `${copy}.new`]);
    expect(lost).toMatchObject({ code: 4, out: expect.stringMatching(/^missing {2}1 of 3 records\n2 records/) });
  });

  it("is refused in one line where that cannot be", async () => {
    const file = await filled();
    for (const verb of ["backup", "salvage"]) {
      expect(await ran([verb, file])).toMatchObject({
        code: 2,
        err: expect.stringMatching(/name an archive and a new file/),
      });
      expect(await ran([verb, file, file])).toMatchObject({ code: 4, err: expect.stringMatching(/not_written/) });
      expect(await ran([verb, `${file}.none`, `${file}.x`])).toMatchObject({
        code: 4,
        err: expect.stringMatching(/archive_missing/),
      });
      expect(await ran([verb, "--help"])).toMatchObject({ code: 0, out: expect.stringMatching(/ARCHIVE NEW/) });
    }
    expect(await ran(["export", "--as", "jsonl"])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/name one archive/),
    });
    expect(await ran(["export", `${file}.none`, "--as", "jsonl"])).toMatchObject({
      code: 4,
      err: expect.stringMatching(/archive_missing/),
    });
    expect(await ran(["export", file, "--as", "nothing"])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/--as is vitest/),
    });
  });
});

describe("what is no archive", () => {
  const cases: Readonly<Record<string, (file: string) => void>> = {
    archive_missing: () => {},
    "archive_malformed: its end is missing": () => {},
    "archive_malformed: file is not a database": (file) => writeFileSync(file, "not an archive ".repeat(1_000)),
    "archive_malformed: .* is empty": (file) => writeFileSync(file, ""),
    "archive_malformed: .* is no archive": (file) => writeFileSync(file, "x"),
    "archive_malformed: .* is a folder": (file) => mkdirSync(file),
    "archive_malformed: file is not": (file) => {
      writeFileSync(file, "huge");
      truncateSync(file, 5_000_000_000);
    },
    "archive_version: its format is 999": () => {},
  };
  for (const [told, make] of Object.entries(cases)) {
    it(`is refused in one line, nothing written or changed: ${told}`, async () => {
      const file = join(folder(), "run.rollcall");
      make(file);
      if (told.includes("end is missing")) writeFileSync(file, readFileSync(await filled()).subarray(0, -100));
      if (told.includes("version")) {
        const bytes = readFileSync(await filled());
        bytes.writeUInt32BE(999, 60);
        writeFileSync(file, bytes);
      }
      const before = readdirSync(join(file, ".."));
      for (const argv of [
        ["list", file],
        ["show", file, "/root"],
        ["verify", file],
      ]) {
        const { code, out, err } = await ran(argv);
        expect([code, out]).toEqual([4, ""]);
        expect(err).toMatch(new RegExp(`^rollcall ${argv[0]}: ${file}: [^\n]+ \\(${told}[^\n]*\\)\n$`));
      }
      expect(readdirSync(join(file, ".."))).toEqual(before);
    });
  }
});
