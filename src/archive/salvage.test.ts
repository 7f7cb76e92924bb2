// What is left of a damaged archive, and what is said to be missing: page by page, with and without its trees.
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { RollcallError } from "../errors.ts";
import type { OpenRequest, StoredRecord } from "./archive.ts";
import { openDatabase } from "./binding.ts";
import { exportLines } from "./export.ts";
import { fillFormat } from "./formats/content.ts";
import { rowsInPages } from "./pages.ts";
import { salvageArchive } from "./salvage.ts";
import { commit, mail, published, record, result } from "./samples.ts";
import { sqliteStore } from "./sqlite.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
function fresh(): string {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-"));
  folders.push(folder);
  return join(folder, "run.rollcall");
}
const write: OpenRequest = { mode: "write", owner: "w1", takeover: false, create: { capacity: 3 } };
const read: OpenRequest = { ...write, mode: "read", create: null };
const pageBytes = 4_096;

async function linesOf(file: string): Promise<readonly string[]> {
  const archive = await sqliteStore(file).open(read);
  const lines: string[] = [];
  for await (const line of exportLines(archive)) lines.push(line);
  await archive.close();
  return lines.slice(1);
}
async function recordsOf(file: string): Promise<ReadonlyMap<string, StoredRecord>> {
  const archive = await sqliteStore(file).open(read);
  const rows = await archive.scan("/root", null, 10_000);
  await archive.close();
  return new Map(rows.flatMap((row) => ("record" in row ? [[row.path, row.record] as const] : [])));
}
function within(file: string, sql: string): void {
  const db = openDatabase(file, "rw");
  db.exec(`PRAGMA foreign_keys = OFF; ${sql}`);
  db.close();
}

describe("salvage", () => {
  it("of a whole archive is the same again, and nothing is missing", async () => {
    const [file, other] = [fresh(), fresh()];
    await fillFormat(sqliteStore(file));
    const before = readFileSync(file);
    expect(await salvageArchive(file, other)).toMatchObject({ records: 5, mails: 4, missing: [] });
    expect(await linesOf(other)).toEqual(await linesOf(file));
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it("takes what is in the log as well", async () => {
    const [file, copy, other] = [fresh(), fresh(), fresh()];
    const archive = await sqliteStore(file).open(write);
    await archive.commit(published("/root/a", { result }));
    for (const end of ["", "-wal"]) copyFileSync(`${file}${end}`, `${copy}${end}`);
    expect(await salvageArchive(copy, other)).toMatchObject({ records: 1, messages: 1, missing: [] });
    await expect(salvageArchive(file, fresh())).rejects.toMatchObject({ code: "owned_elsewhere" });
    await archive.close();
  });

  it("says what is missing, and keeps those below a parent that is lost", async () => {
    const [file, other] = [fresh(), fresh()];
    await fillFormat(sqliteStore(file));
    within(
      file,
      `DELETE FROM agent WHERE path = '/root/a/b'; UPDATE mail SET text = 'x' WHERE seq = 3;
       DELETE FROM message WHERE conversation = 2 AND n > 25; UPDATE agent SET turns = 9 WHERE path = '/root/d'`,
    );
    const { records, missing } = await salvageArchive(file, other);
    expect(records).toBe(3);
    expect(missing).toEqual([
      "/root/d: its record is damaged",
      "/root/a/b: its record is lost; one without a past stands in for it, for the sake of those below",
      "2 of 5 records",
      expect.stringMatching(/^\/root\/a: 1 of 2 mails$/),
      expect.stringMatching(/^\/root\/a: \d+ of \d+ messages$/),
      expect.stringMatching(/^\/root\/a\/b: how long its conversation was/),
    ]);
    const kept = await recordsOf(other);
    expect([...kept.keys()]).toEqual(["/root/a", "/root/a/b", "/root/a/b/c", "/root/e"]);
    expect(kept.get("/root/a/b")).toMatchObject({ role: "lost", turns: 0 });
  });

  it("keeps at least 999 of 1,000 records that lie in no damaged page, whichever page it is", async () => {
    const file = fresh();
    const archive = await sqliteStore(file, { durability: "off" }).open(write);
    for (let n = 0; n < 120; n++) {
      const parent = n % 3 === 0 ? "" : `/a${n - (n % 3)}`;
      await archive.commit(
        published(`/root${parent}/a${n}`, { result: { ...result, text: `result ${n} `.repeat(n) } }),
      );
    }
    await archive.commit(commit({ mailAdded: Array.from({ length: 60 }, (_, n) => mail(`/root/a${3}`, n + 1)) }));
    await archive.close();
    const bytes = readFileSync(file);
    const whole = await recordsOf(file);
    // In which pages a record and its results lie; all of them share one configuration.
    const places = new Map<string, Set<number>>();
    for (const { values, pages } of rowsInPages(bytes)) {
      const [path] = values;
      if (typeof path !== "string" || !whole.has(path) || (values.length !== 10 && values.length !== 8)) continue;
      places.set(path, new Set([...(places.get(path) ?? []), ...pages]));
    }
    expect(places.size).toBe(120);
    const config = [...rowsInPages(bytes)].find(({ values }) => values.length === 2 && String(values[0]).length === 64);
    let [undamaged, kept] = [0, 0];
    for (let page = 1; page <= bytes.length / pageBytes; page += 1) {
      if (config?.pages.includes(page) === true) continue;
      const [damaged, other] = [fresh(), fresh()];
      writeFileSync(damaged, Buffer.from(bytes).fill(0x5a, (page - 1) * pageBytes, page * pageBytes));
      await salvageArchive(damaged, other);
      const found = await recordsOf(other);
      for (const [path, pages] of places) {
        if (pages.has(page)) continue;
        undamaged++;
        const one = found.get(path);
        if (one !== undefined && one.id === record(path).id && one.result?.text === whole.get(path)?.result?.text)
          kept++;
      }
    }
    expect(undamaged).toBeGreaterThan(1_000);
    expect(kept / undamaged).toBeGreaterThanOrEqual(0.999);
  });

  it("is refused where there is nothing, or something already", async () => {
    const code = (error: unknown) => (error instanceof RollcallError ? error.code : error);
    const file = fresh();
    expect(await salvageArchive(file, fresh()).catch(code)).toBe("archive_missing");
    await fillFormat(sqliteStore(file));
    const other = fresh();
    writeFileSync(other, "mine");
    expect(await salvageArchive(file, other).catch(code)).toBe("not_written");
    expect(readFileSync(other, "utf8")).toBe("mine");
    // Of what never was an archive nothing is left.
    const junk = fresh();
    writeFileSync(junk, "junk".repeat(5_000));
    const { records, missing } = await salvageArchive(junk, `${junk}.new`);
    expect([records, missing.length, existsSync(`${junk}.new`)]).toEqual([0, 1, true]);
  });
});
