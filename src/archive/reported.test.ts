// Faults of stored sessions that people report and that no trace can show: files, indexes, logs, spellings. The rows are
// those of regressions/REPORTS.md.
import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { RollcallError } from "../errors.ts";
import type { Archive, OpenRequest } from "./archive.ts";
import { openDatabase } from "./binding.ts";
import { exportLines } from "./export.ts";
import { commit, mail, message, published, record, result } from "./samples.ts";
import { sqliteStore } from "./sqlite.ts";
import { flawsOfFile } from "./sqlite-file.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
function file(name = "run.rollcall"): string {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-"));
  folders.push(folder);
  return join(folder, name);
}
const write: OpenRequest = { mode: "write", owner: "w1", takeover: false, create: { capacity: 3 } };
const existing: OpenRequest = { ...write, create: null };
const open = (name: string, request = write): Promise<Archive> =>
  sqliteStore(name, { durability: "off" }).open(request);

function within(name: string, ...sql: readonly string[]): void {
  const db = openDatabase(name, "rw");
  for (const each of sql) db.exec(each);
  db.close();
}

/** Some builds of SQLite let nobody edit the schema: there no index can be made to disagree by hand. */
function editsSchema(): boolean {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-"));
  const name = join(folder, "empty");
  writeFileSync(name, "");
  try {
    within(name, "PRAGMA writable_schema = ON", "UPDATE sqlite_schema SET sql = sql WHERE false");
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Two idle agents, one in its turn, and mail. */
async function aTree(name: string): Promise<void> {
  const archive = await open(name);
  await archive.commit(published("/root/a", { result }));
  await archive.commit(published("/root/a/b", { result }));
  await archive.commit(published("/root/c", { activity: "running" }));
  await archive.commit(commit({ mailAdded: [mail("/root/a/b", 1), mail("/root", 2)] }));
  await archive.close();
}

describe("the indexes of an archive are derived from its rows (A3)", () => {
  it("so that without them everybody is found as before", async () => {
    const [whole, bare] = [file(), file()];
    for (const name of [whole, bare]) await aTree(name);
    within(bare, "DROP INDEX agent_parent", "DROP INDEX agent_urgent", "DROP INDEX mail_owner");
    const [one, other] = [await open(whole, existing), await open(bare, existing)];
    expect(await other.scan("/root", null, 10)).toEqual(await one.scan("/root", null, 10));
    expect(await other.head()).toEqual(await one.head());
    expect((await other.head()).urgent.map(({ path }) => path)).toEqual(["/root/c"]);
  });

  it.skipIf(!editsSchema())("and one that says something else than the rows is reported", async () => {
    const name = file();
    await aTree(name);
    const was = "activity <> ''idle'' OR owes <> 0";
    const instead = (from: string, to: string) =>
      `UPDATE sqlite_schema SET sql = replace(sql, '${from}', '${to}') WHERE name = 'agent_urgent'`;
    within(name, "PRAGMA writable_schema = ON", instead(was, `activity = ''nobody''`));
    within(name, "REINDEX agent_urgent");
    within(name, "PRAGMA writable_schema = ON", instead(`activity = ''nobody''`, was));
    expect(flawsOfFile(name).join("\n")).toMatch(/missing from index agent_urgent/);
  });
});

describe("what is stored of an agent (A13)", () => {
  it("names no build, process or machine, so that the next build finds the same agent", async () => {
    const name = file();
    await aTree(name);
    const archive = await open(name, existing);
    const lines: string[] = [];
    for await (const line of exportLines(archive)) lines.push(line);
    await archive.close();
    const told = lines.join("\n");
    const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
    for (const word of [process.version, `"${version}"`, hostname(), `${process.pid}`, process.execPath])
      expect([word, told.includes(word)]).toEqual([word, false]);
    expect(told).toContain("/root/a/b");
  });
});

/** How many commits are there: each is one mail to the root. */
async function mailsIn(name: string): Promise<readonly string[]> {
  const archive = await open(name, existing);
  const { rootMail } = await archive.head();
  await archive.close();
  return rootMail.map(({ text }) => text);
}

describe("a log whose end is torn off (G1, G2)", () => {
  it("is cut at the last commit that is whole, however much is missing, and written on from there", async () => {
    const name = file();
    const archive = await open(name);
    const written: string[] = [];
    for (let seq = 1; seq <= 6; seq++) {
      await archive.commit(commit({ mailAdded: [mail("/root", seq)] }));
      written.push(`mail ${seq}`);
    }
    const [whole, log] = [readFileSync(name), readFileSync(`${name}-wal`)];
    await archive.close();
    const found: number[] = [];
    for (const missing of [1, 25, 4_000, 4_121, 9_000, log.length - 40, log.length]) {
      const torn = file();
      writeFileSync(torn, whole);
      writeFileSync(`${torn}-wal`, log);
      truncateSync(`${torn}-wal`, log.length - missing);
      const left = await mailsIn(torn).catch((error: unknown) => (error instanceof RollcallError ? error.code : error));
      // Nothing of the log is left: then the tables, which were made before it, are there and empty.
      expect([missing, left]).toEqual([missing, written.slice(0, Array.isArray(left) ? left.length : 0)]);
      found.push(Array.isArray(left) ? left.length : -1);
      const again = await open(torn, existing);
      await again.commit(commit({ mailAdded: [mail("/root", 7)] }));
      await again.close();
      expect(await mailsIn(torn)).toEqual([...written.slice(0, found.at(-1)), "mail 7"]);
    }
    // The more is missing the fewer are left, and never one in part.
    expect(found).toEqual(found.toSorted((one, other) => other - one));
    expect([found[0], found.at(-1)]).toEqual([5, 0]);
  });
});

describe("many turns of one agent (G10)", () => {
  it("leave as many rows as there are live records, results and unread mails", async () => {
    const name = file();
    const archive = await open(name);
    await archive.commit(published("/root/a", { result }));
    const rows = (): readonly number[] => {
      const db = openDatabase(name, "ro");
      const count = (table: string) => Number(db.get(`SELECT count(*) AS n FROM ${table}`)?.["n"]);
      const found = ["agent", "result", "mail", "config"].map(count);
      db.close();
      return found;
    };
    const after: (readonly number[])[] = [];
    for (let turn = 2; turn <= 402; turn++) {
      await archive.commit(commit({ records: [record("/root/a", { activity: "running", turns: turn })] }));
      const settled = commit({
        records: [record("/root/a", { result, turns: turn })],
        mailAdded: [mail("/root", turn)],
      });
      await archive.commit(settled);
      await archive.commit(commit({ mailRemoved: [{ to: "/root", seq: turn }] }));
      if (turn % 200 === 2) after.push(rows());
    }
    expect(after).toEqual([
      [1, 1, 0, 1],
      [1, 1, 0, 1],
      [1, 1, 0, 1],
    ]);
    await archive.close();
  });
});

describe("an archive behind a link, or under another spelling", () => {
  it("stays behind the link when it is written to (G20)", async () => {
    const name = file();
    await aTree(name);
    const link = join(dirname(name), "link.rollcall");
    symlinkSync(name, link);
    const archive = await open(link, existing);
    await archive.commit(commit({ mailAdded: [mail("/root", 3)] }));
    await archive.close();
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(await mailsIn(name)).toEqual(["mail 2", "mail 3"]);
    expect(readdirSync(dirname(name)).filter((each) => each.startsWith("link"))).toEqual(["link.rollcall"]);
  });

  it("is one archive where the file system folds two spellings, and two whole ones where it does not (G18)", async () => {
    const composed = file("r\u00e9sum\u00e9.rollcall".normalize("NFC"));
    const decomposed = join(dirname(composed), "r\u00e9sum\u00e9.rollcall".normalize("NFD"));
    await aTree(composed);
    const isOne = existsSync(decomposed);
    const archive = await open(composed, existing);
    if (isOne) await expect(open(decomposed)).rejects.toMatchObject({ code: "owned_elsewhere" });
    else {
      const other = await open(decomposed);
      expect((await other.head()).agents).toBe(0);
      await other.commit(published("/root/z"));
      await other.close();
    }
    expect((await archive.head()).agents).toBe(3);
    await archive.close();
  });
});

describe("a conversation of many messages (G12)", () => {
  it("costs what is appended, the thousandth message as the first", async () => {
    const archive = await open(file());
    await archive.commit(published("/root/a", { result }));
    const append = [message("x".repeat(1_024), { kind: "partial" })];
    const one = commit({ messages: [{ path: "/root/a", location: record("/root/a").location, append }] });
    const cost = async (): Promise<number> => {
      const before = archive.bytesWritten();
      for (let count = 0; count < 50; count++) await archive.commit(one);
      return archive.bytesWritten() - before;
    };
    const first = await cost();
    for (let count = 0; count < 900; count++) await archive.commit(one);
    const last = await cost();
    expect(first).toBeGreaterThan(50 * 1_024);
    expect(last).toBeLessThan(2 * first);
    await archive.close();
  });
});
