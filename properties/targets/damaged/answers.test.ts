// The judge of damaged archives, judged: what nobody can see from the file alone it still calls a wrong answer, and what is said
// in so many words it does not.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openDatabase } from "../../../src/archive/binding.ts";
import { type Answers, answersOf, silent } from "./answers.ts";
import { baseOf } from "./archives.ts";

const folder = mkdtempSync(join(tmpdir(), "rollcall-damaged-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("an answer that changed is silent, unless it says which code and where", async () => {
  const base = await baseOf(folder, 7);
  const asked = async (name: string, sql: string): Promise<Answers> => {
    const file = join(folder, name);
    writeFileSync(file, base.closed);
    const db = openDatabase(file, "rw");
    db.exec(`PRAGMA foreign_keys = OFF; ${sql}`);
    db.close();
    return await answersOf(file, base.paths);
  };
  const whole = await asked("whole", "SELECT 1");
  expect(silent(whole, await asked("again", "SELECT 1"))).toEqual({ wrong: null, reported: 0 });
  const edited = silent(whole, await asked("edited", "UPDATE agent SET turns = turns + 1 WHERE path = '/root/bob'"));
  expect(edited).toMatchObject({ wrong: null });
  expect(edited.reported).toBeGreaterThan(0);
  // As if nobody checked: the list is short of one, and says nothing.
  const { given } = whole;
  const roster = given["roster"];
  const short = Array.isArray(roster) ? roster.slice(1) : [];
  expect(silent(whole, { ...whole, given: { ...given, roster: short } }).wrong).toMatch(/^roster: /);
  const unknown = { ...given, "/root/bob result": { code: "agent_unknown", at: "/root/bob" } };
  expect(silent(whole, { ...whole, given: unknown }).wrong).toBe("/root/bob result: agent_unknown");
  expect(silent(whole, { ...whole, given: { ...given, more: 1 } }).wrong).toBe("more: nobody was there");
  expect(silent(whole, { ...whole, again: { ...whole.again, roster: short } }).wrong).toMatch(/^asked again, roster: /);
  const told = { ...given, "/root/bob result": { code: "agent_invalid", at: "/root/bob" } };
  expect(silent(whole, { ...whole, given: told })).toEqual({ wrong: null, reported: 1 });
});
