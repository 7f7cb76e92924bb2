// What would have to be false: that what is kept in memory is what a file would keep, so that tests over the one speak for
// the other. Commits are drawn, valid and invalid ones; both stores must take or refuse them alike, and hold the same.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { RollcallError } from "../errors.ts";
import type { Archive, Commit, OpenRequest } from "./archive.ts";
import { memoryStore } from "./memory.ts";
import { commit, mail, message, record, result } from "./samples.ts";
import { sqliteStore } from "./sqlite.ts";

const paths = ["/root/a", "/root/a/b", "/root/c"];
const path = fc.constantFrom(...paths);
const text = fc.string({ unit: "binary", maxLength: 8 });
const results = fc.record({
  outcome: fc.constantFrom("completed" as const, "errored" as const),
  text,
  reason: fc.option(text),
  partial: fc.option(text),
});
const change = fc.record(
  {
    activity: fc.constantFrom("idle" as const, "running" as const, "starting" as const),
    result: fc.option(results),
    undo: fc.option(results),
    owed: fc
      .array(results, { maxLength: 2 })
      .map((all) => all.map((each, index) => ({ turn: index + 1, result: each }))),
    turns: fc.nat({ max: 3 }),
    role: fc.constantFrom("reviewer", "reviewer", "reviewer", "other"),
  },
  { requiredKeys: [] },
);
const appended = fc.array(
  text.map((each) => message(each)),
  { maxLength: 3 },
);
const at = (given: string) => ({ path: given, location: given === "/root" ? "root" : `agents/${given.slice(6)}` });
const commits: fc.Arbitrary<Commit> = fc.oneof(
  fc.tuple(path, change).map(([given, changed]) => commit({ records: [record(given, changed)] })),
  fc.tuple(path, path, change, appended).map(([one, other, changed, append]) => {
    const records = [record(one, { ...changed, activity: "idle", undo: null, turns: 3 }), record(other, { result })];
    return commit({ records, messages: [{ ...at(one), append }], mailAdded: [mail(other, 1)] });
  }),
  fc
    .tuple(fc.constantFrom("/root", ...paths), text)
    .map(([to, said]) => commit({ mailAdded: [mail(to, 1, { text: said })], mailRemoved: [{ to, seq: 0 }] })),
  fc.tuple(fc.constantFrom("/root", ...paths), appended, fc.nat({ max: 2 })).map(([given, append, keep]) =>
    commit({
      messages: [{ ...at(given), append }],
      compact: { ...at(given), keep, note: message("earlier", { kind: "note" }) },
    }),
  ),
  fc.integer({ min: 0, max: 4 }).map((capacity) => commit({ capacity })),
);
/** What is added has the number of the commit, what is taken away that of the commit before. */
function numbered(given: Commit, n: number): Commit {
  return {
    ...given,
    mailAdded: given.mailAdded.map((each) => ({ ...each, seq: each.seq + n })),
    mailRemoved: given.mailRemoved.map((each) => ({ ...each, seq: each.seq + n })),
  };
}

const write: OpenRequest = { mode: "write", owner: "w1", takeover: false, create: { capacity: 3 } };
async function codeOf(promise: Promise<unknown>): Promise<unknown> {
  return await promise.then(
    () => "done",
    (error: unknown) => (error instanceof RollcallError ? [error.code, error.at] : error),
  );
}
async function everything(archive: Archive) {
  const messages: unknown[] = [];
  for (const given of ["/root", ...paths]) {
    const asked = archive.messages({ ...at(given), intent: "history" });
    messages.push(await asked.catch((error: unknown) => error instanceof RollcallError && error.code));
  }
  return { head: await archive.head(), rows: await archive.scan("/root", null, 10), messages };
}

it("memory and sqlite always agree about what was committed and what was refused", async () => {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-"));
  let files = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(commits, { minLength: 1, maxLength: 12 }), async (all) => {
      files++;
      const stores = [memoryStore(), sqliteStore(join(folder, `${files}.rollcall`), { durability: "off" })];
      const told = await Promise.all(
        stores.map(async (store) => {
          const archive = await store.open(write);
          const codes: unknown[] = [];
          for (const [index, one] of all.entries()) codes.push(await codeOf(archive.commit(numbered(one, index))));
          const before = await everything(archive);
          archive.abandon();
          const again = await store.open({ ...write, create: null });
          const after = await everything(again);
          await again.close();
          return { codes, before, after };
        }),
      );
      expect(told[1]).toEqual(told[0]);
      expect(told[0]?.after).toEqual(told[0]?.before);
    }),
    { numRuns: 60 },
  );
  rmSync(folder, { recursive: true, force: true });
});
