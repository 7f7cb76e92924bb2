/**
 * A recording would be wrong if the specification, told what it says, came to another end than the session did; if anything had to be
 * assumed or was left out; or if a text of the session stood in it that nobody asked for.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { StoredView } from "../../src/contract.ts";
import { importCapture } from "../captures/import.ts";
import { type Run, run } from "../loop.ts";
import { type Story, storyAt, telling } from "../stories.ts";
import type { Target } from "../target.ts";
import { modelTarget } from "./model.ts";
import { memoryPlaces } from "./places.ts";
import { productionTarget, usual } from "./production.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "rollcall-recorded-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** What a session does not do itself, and who works beside it, no recording of it can know. */
function recordable(seed: number, index: number): Story {
  const { shape, drafts } = storyAt(seed, index);
  const favoured = shape.favoured === "aside" ? null : shape.favoured;
  return { shape: { ...shape, favoured, handles: false, reads: true, on: { ...shape.on, damage: false } }, drafts };
}

interface Recorded {
  readonly done: Run;
  readonly stored: StoredView | null;
  readonly text: string;
}
async function recorded(story: Story, texts: boolean, name: string): Promise<Recorded> {
  const file = join(folder, name);
  const target = productionTarget("memory", memoryPlaces(), { ...usual, record: { file, texts } });
  const done = await run(target, story.shape.scope, telling(story, target.capabilities));
  const stored = await target.stored();
  await target.close();
  return { done, stored, text: await readFile(file, "utf8") };
}

/** Told step by step as it was imported; what the archive means in the end. */
async function retold(
  target: Target,
  text: string,
): Promise<{ readonly done: Run; readonly stored: StoredView | null }> {
  const capture = importCapture([{ name: "session.jsonl", text }], false);
  expect(capture.gaps).toEqual([]);
  expect(capture.skipped).toEqual([]);
  const done = await run(target, capture.scope, (_, index) => capture.moments[index]?.step ?? null);
  expect(done.told).toHaveLength(capture.moments.length);
  return { done, stored: await target.stored() };
}

/** An idle agent's row is read by no opening, so that nobody knows whether the process that died had written this. */
const unknowable = ({ told }: Run): boolean =>
  told.some(([step, reply]) => step.do === "compact" && "crashed" in reply);

/** Number of a story in which something is refused. */
const refusesAt = 33;

describe("the recording of a session", () => {
  test("always imports without gaps, and what it says comes to the same end", async () => {
    for (let index = 0; index < 40; index++) {
      const { done, stored, text } = await recorded(recordable(21, index), true, `${index}.jsonl`);
      if (unknowable(done)) continue;
      expect(done.failure).toBeNull();
      const again = await retold(modelTarget(), text);
      expect([index, again.done.failure]).toEqual([index, null]);
      expect([index, again.stored]).toEqual([index, stored]);
    }
  });

  test("always says the same to production, with nothing in it of a text", async () => {
    const target = productionTarget("memory", memoryPlaces(), usual);
    for (let index = 100; index < 115; index++) {
      const { done, text } = await recorded(recordable(21, index), false, `${index}.jsonl`);
      if (unknowable(done)) continue;
      const again = await retold(target, text);
      expect([index, again.done.failure]).toEqual([index, null]);
      for (const said of textsOf(done)) expect(text).not.toContain(JSON.stringify(said).slice(1, -1));
    }
    await target.close();
  });

  test("shows where the registry was not what the specification says", async () => {
    const { text } = await recorded(recordable(21, refusesAt), true, "wrong.jsonl");
    const wrong = text.replace(/"reply":\{"refused":"\w+"\}/, '"reply":{"ok":null}');
    expect(wrong).not.toBe(text);
    const { gaps } = importCapture([{ name: "session.jsonl", text: wrong }], false);
    expect(gaps[0]?.why).toContain('was answered {"ok":null}, and the specification says {"refused"');
  });

  test("survives a process that died while it wrote a line", async () => {
    const { text } = await recorded(recordable(21, 1), true, "torn.jsonl");
    const lines = text.trimEnd().split("\n");
    const torn = `${lines.slice(0, -1).join("\n")}\n${lines.at(-1)?.slice(0, 8)}`;
    const { gaps, moments } = importCapture([{ name: "session.jsonl", text: torn }], false);
    expect(gaps).toEqual([
      { before: moments.length, may: [], why: expect.stringContaining("the process died while it wrote this line") },
    ]);
  });
});

/** Long enough not to be found by chance. */
function textsOf({ told }: Run): readonly string[] {
  return told.flatMap(([step]) => ("text" in step && step.text.length > 24 ? [step.text.slice(0, 2_000)] : []));
}
