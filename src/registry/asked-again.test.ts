// A damaged archive that is asked again and again in one session: what one answer has found does not make the next one wrong.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { openDatabase } from "../archive/binding.ts";
import { sqliteStore } from "../archive/sqlite.ts";
import type { Session } from "./api.ts";
import { core, endOf, enter, openWorld } from "./stage.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** Three agents below the root and one below the first of them, all idle, in a file that was closed; then `sql` is done to it. */
async function damagedBy(sql: string): Promise<() => Promise<Session>> {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-"));
  folders.push(folder);
  const file = join(folder, "run.rollcall");
  const world = { ...openWorld(), store: sqliteStore(file, { durability: "off" }) };
  const session = await enter(world);
  for (const name of ["a", "b", "c"]) await session.root.spawn({ name, role: "r", text: "t" });
  await session
    .agent("/root/a")
    .spawn({ name: "d", role: "r", text: "t" })
    .catch(() => {});
  for (const path of ["/root/a", "/root/b", "/root/c"]) await session.finish(path, 1, "completed", "R");
  await session.agent("/root/a").followUp("more");
  await session.agent("/root/a").spawn({ name: "d", role: "r", text: "t" });
  for (const [path, turn] of [
    ["/root/a/d", 1],
    ["/root/a", 2],
  ] as const)
    await session.finish(path, turn, "completed", "R");
  await session.close();
  const db = openDatabase(file, "rw");
  db.exec(`PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON; ${sql}`);
  db.close();
  return () => enter(world, {}, { mode: "read", create: false, registrars: [core] });
}

/** By what is done to the rows; who is called by another name then. */
const cases: readonly (readonly [string, string, readonly string[]])[] = [
  ["a row that is called like nobody", "UPDATE agent SET path = '/root/bx' WHERE path = '/root/b'", ["/root/bx"]],
  ["a row that is gone", "DELETE FROM agent WHERE path = '/root/b'", []],
  [
    "a row that is gone, and another that nobody wrote",
    `CREATE TEMP TABLE copy AS SELECT * FROM agent WHERE path = '/root/b';
     UPDATE copy SET path = '/root/bx', id = 'x', location = 'agents/x';
     DELETE FROM agent WHERE path = '/root/b'; INSERT INTO agent SELECT * FROM copy`,
    ["/root/bx"],
  ],
  [
    "two that nobody wrote beside one that is gone",
    `CREATE TEMP TABLE copy AS SELECT * FROM agent WHERE path = '/root/b';
     DELETE FROM agent WHERE path = '/root/b';
     UPDATE copy SET path = '/root/bx', id = 'x', location = 'agents/x'; INSERT INTO agent SELECT * FROM copy;
     UPDATE copy SET path = '/root/by', id = 'y', location = 'agents/y'; INSERT INTO agent SELECT * FROM copy`,
    ["/root/bx", "/root/by"],
  ],
];

describe.each(cases)("%s", (_, sql, phantoms) => {
  test("is missed each time, whatever was asked before", async () => {
    const open = await damagedBy(sql);
    const lists = (session: Session) => [endOf(session.roster()), endOf(session.roster(""))];
    // In either order: a list before anybody was looked at, and after all were whom the rows name.
    for (const asksFirst of [false, true]) {
      const session = await open();
      if (asksFirst) for (const path of phantoms) await endOf(session.agent(path).readResult());
      for (let round = 0; round < 3; round++) {
        expect(await Promise.all(lists(session))).toEqual(["archive_malformed", "archive_malformed"]);
        expect(await endOf(session.verify())).toBe("archive_malformed");
        expect(await endOf(session.agent("/root/b").readResult())).toBe("archive_malformed");
        expect(await endOf(session.agent("/root/never").readResult())).toBe("archive_malformed");
        for (const path of phantoms) expect(await endOf(session.agent(path).readResult())).toBe("agent_invalid");
        expect(await endOf(session.agent("/root/a/d").readResult())).toMatchObject({ text: "R" });
        // Nobody is missing here.
        expect(await session.roster("/root/a")).toHaveLength(2);
        for (const path of ["/root/a", "/root/c"])
          expect(await endOf(session.agent(path).readResult())).toMatchObject({ text: "R" });
      }
      session.abandon();
    }
  });
});
