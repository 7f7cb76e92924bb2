/**
 * Production agrees with the specification. False would be: a generated story, with any interleaving of steps, answers, faults,
 * crashes and restores, after which outcome, events, view, encoding or a law tells the two apart.
 */
import { describe, expect, test } from "vitest";
import { check } from "./check.ts";
import { story } from "./report.ts";
import { targetNamed } from "./targets/named.ts";

/** What a red test shows: the story, and nothing where all agreed. */
async function differing(name: string, runs: number): Promise<string | null> {
  const { failed } = await check({ runs, seed: 20_261_130, open: await targetNamed(name) });
  if (failed === null) return null;
  const { failure, shrunk } = failed;
  return `${failure.kinds.join(", ")}\n${story(shrunk.run.told, failure, name, { columns: 120, texts: true })}`;
}

describe("every generated story ends the same", () => {
  test("for the model, which breaks none of its own laws", async () => {
    expect(await differing("model", 400)).toBeNull();
  });
  test("for production in memory", async () => {
    expect(await differing("memory", 200)).toBeNull();
  });
  test("for production in a file", async () => {
    expect(await differing("sqlite", 20)).toBeNull();
  });
});

test("the same seed tells the same stories", async () => {
  const open = await targetNamed("model");
  const [one, other] = [await check({ runs: 50, seed: 7, open }), await check({ runs: 50, seed: 7, open })];
  expect({ ...other, ms: 0 }).toEqual({ ...one, ms: 0 });
});
