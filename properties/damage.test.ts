/**
 * What is damaged is set aside, and nothing else. False would be: a valid record that is dropped with a bad one, a bad one that is
 * taken for good, changed or not reported, or one that does not come back once it is mended (L28, L30).
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Answers, RecordDamage, Scope, Step } from "../src/contract.ts";
import { run } from "./loop.ts";
import { registrars, roles } from "./shape.ts";
import { targetNamed } from "./targets/named.ts";
import { recordDamages } from "./words.ts";

const scope: Scope = { capacity: 9, roles, registrars, archive: "memory", process: "same" };
const through: Answers = { hydrate: "ok", prepare: "ok", dispatch: "ok" };
const tree = ["/root/a", "/root/a/b", "/root/a/b/c", "/root/d", "/root/d/e"];

/** An agent with mail, a past turn or one under way, and perhaps damage. */
interface Row {
  readonly path: string;
  readonly idle: boolean;
  readonly mail: number;
  readonly how: RecordDamage | null;
}
const how = fc.option(fc.constantFrom(...recordDamages));
const row = (path: string) => fc.record({ path: fc.constant(path), idle: fc.boolean(), mail: fc.nat({ max: 2 }), how });
const rows: fc.Arbitrary<readonly Row[]> = fc.tuple(...tree.map(row));

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf("/"));
const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

function made({ path, idle, mail }: Row): readonly Step[] {
  const sent = Array.from({ length: mail }, (_, at): Step => ({ do: "send", by: "/root", to: path, text: `m${at}` }));
  const finish: Step = { do: "finish", path, turn: 1, outcome: "completed", text: `R of ${path}` };
  return [
    { do: "spawn", by: parentOf(path), name: nameOf(path), role: "q", text: "t", answers: through },
    { do: "execution", owner: path, text: "x" },
    ...(idle ? [finish] : []),
    ...sent,
  ];
}

function told(all: readonly Row[]): readonly Step[] {
  const bad = all.flatMap(({ path, how }) => (how === null ? [] : [{ path, how }]));
  const restore: Step = { do: "restore", mode: "write", answers: { hydrate: "ok" } };
  return [
    ...all.flatMap(made),
    { do: "crash" },
    ...bad.map(({ path, how }): Step => ({ do: "damage", what: "record", path, how })),
    restore,
    { do: "verify" },
    ...bad.map(({ path }): Step => ({ do: "send", by: "/root", to: path, text: "to whom" })),
    ...bad.map(({ path }): Step => ({ do: "spawn", by: parentOf(path), name: nameOf(path), role: "r", text: "t" })),
    { do: "crash" },
    ...bad.map(({ path }): Step => ({ do: "mend", what: "record", path })),
    restore,
    { do: "verify" },
  ];
}

describe.each([
  ["memory", 120],
  ["sqlite", 25],
] as const)("in %s", (name, numRuns) => {
  test("exactly the damaged records and their descendants are set aside, and come back mended", async () => {
    const target = await (await targetNamed(name))();
    const agrees = fc.asyncProperty(rows, async (all) => {
      const steps = told(all);
      expect((await run(target, scope, (_, index) => steps[index] ?? null)).failure?.kinds).toBeUndefined();
    });
    await fc.assert(agrees, { numRuns, seed: 20_261_130 }).finally(() => target.close());
  });
});
