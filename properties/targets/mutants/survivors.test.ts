// Every mutant that survives is excused by a reason, and nothing else is; and the summary counts as it says.
import { describe, expect, it } from "vitest";
import { groups } from "./files.ts";
import { type Mutant, merged, type Results, readResults, type Verdict } from "./results.ts";
import { isReached, summary } from "./summary.ts";
import { readExcused, stale, unexcused } from "./survivors.ts";

const files = groups.flat();
const known = async (): Promise<readonly Results[]> =>
  (await Promise.all(files.map(readResults))).filter((each) => each !== null);
const mutant = (verdict: Verdict, change: Partial<Mutant> = {}): Mutant => ({
  ...{ at: "1:1-1:5", mutator: "BooleanLiteral", was: "true", became: "false", verdict, by: "" },
  ...change,
});

describe("survivors", () => {
  it("all have a reason", async () => {
    const excused = await readExcused();
    expect((await known()).flatMap((each) => unexcused(excused, each))).toEqual([]);
  });

  it("are not excused where they do not survive", async () => {
    expect(stale(await readExcused(), await known())).toEqual([]);
  });

  it("are told apart from those that have a reason, and from those that were killed", () => {
    const results = {
      file: "a.ts",
      hash: "",
      mutants: [mutant("survived"), mutant("killed", { was: "1", became: "2" })],
    };
    const excused = [{ file: "a.ts", why: "equivalent", mutants: ["true => false"] }];
    expect(unexcused(excused, results)).toEqual([]);
    expect(unexcused([], results)).toEqual(["a.ts:1:1 survived BooleanLiteral: true => false"]);
    expect(stale([{ file: "a.ts", why: "", mutants: ["1 => 2"] }], [results])).toEqual(["a.ts: 1 => 2"]);
  });
});

describe("what is known of a file", () => {
  const file = files[0] ?? "";
  const results = (...verdicts: readonly Verdict[]): Results => ({
    ...{ file, hash: "" },
    mutants: verdicts.map((each, index) => mutant(each, { at: `${index}` })),
  });

  it("counts what ran on and on as noticed, and leaves out what could not be run", () => {
    const told = results(...Array<Verdict>(8).fill("killed"), "timeout", "uncovered", "invalid");
    expect(summary([{ file, results: told }])).toMatch(/8 +1 +0 +1 +90\.0 %/);
    expect(isReached([{ file, results: told }])).toBe(true);
    expect(isReached([{ file, results: results("killed", "survived") }])).toBe(false);
  });

  it("says plainly what was not run, which is never enough", () => {
    expect(summary([{ file, results: null }])).toContain("not run");
    expect(isReached([{ file, results: null }])).toBe(false);
  });

  it("keeps a mutant killed when a later run of the survivors says nothing of it, or another thing", () => {
    const before = [
      mutant("killed", { by: "story 1: L8" }),
      mutant("survived", { at: "2" }),
      mutant("uncovered", { at: "3" }),
    ];
    const later = [mutant("survived"), mutant("killed", { at: "2", by: "story 2: L9" })];
    expect(merged(before, later).map(({ verdict }) => verdict)).toEqual(["killed", "killed", "uncovered"]);
  });
});
