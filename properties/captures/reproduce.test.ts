/**
 * The search would be wrong if it missed a race that its capture shows, if it found one where there is none, or if what it says of a
 * story's distance from the capture were not so.
 */
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import type { Step } from "../../src/contract.ts";
import { run } from "../loop.ts";
import { targetNamed } from "../targets/named.ts";
import { shortest } from "../twins/shortest.ts";
import { changedOf, rolling, scopeOf, shapeOf, telling } from "./candidates.ts";
import type { Capture } from "./capture.ts";
import { distanceOf } from "./distance.ts";
import { importCapture } from "./import.ts";
import { type Reproduced, reproduce } from "./reproduce.ts";
import { sliceOf, spansByCompany } from "./slices.ts";
import { synthetic } from "./synthetic.ts";

const captured = (races: boolean, seed = 1, events = 1_000): Capture =>
  importCapture([{ name: "telemetry-log.el", text: synthetic(events, seed, races) }], false);

async function on(name: string, capture: Capture, triesMax: number, seed = 1): Promise<Reproduced> {
  const target = await (await targetNamed(name))();
  try {
    const budgetMs = Number.POSITIVE_INFINITY;
    return await reproduce({ capture, target, seed, budgetMs, triesMax, shrinksMax: 500 });
  } finally {
    await target.close();
  }
}

const stepsOf = ({ moments }: Capture): readonly Step[] => moments.map(({ step }) => step);

describe("a story that a capture allows", () => {
  test("is found where an execution finishes during a start, and is within a step of the shortest there is", async () => {
    const { found, tries } = await on("twin:keeps_result_while_starting", captured(true), 10);
    expect(tries).toBe(1);
    expect(found?.way).toBe("as recorded");
    expect(found?.failure.kinds).toContain("L8");
    const least = shortest["keeps_result_while_starting"] ?? 0;
    expect(found?.shrunk.run.told.length).toBeLessThanOrEqual(least + 1);
    expect(found?.distance).toMatchObject({ total: 0, added: 0, changed: 0, moved: 0 });
  });

  test("is none where the registry is right", async () => {
    const { found, tries } = await on("memory", captured(true, 2, 120), 25);
    expect([found, tries]).toEqual([null, 25]);
  });

  test("is found as well where only what was not recorded shows the fault", async () => {
    const { found } = await on("twin:loses_result_on_error", captured(true), 300);
    expect(found?.way).toBe("changed");
    expect(found?.failure.kinds).toContain("L10");
    expect(found?.distance.total).toBeGreaterThan(0);
  });

  test("is the same again for the same seed", async () => {
    const capture = captured(true, 1, 150);
    const once = await on("twin:quit_leaves_starting", capture, 300, 7);
    const again = await on("twin:quit_leaves_starting", capture, 300, 7);
    expect(once.found?.shrunk.run.told).toEqual(again.found?.shrunk.run.told);
    expect(once.found?.story).toBe(again.found?.story);
  });

  test("always keeps the moments of its capture in their order where nothing was concurrent", async () => {
    const capture = captured(true);
    const target = await (await targetNamed("model"))();
    const [shape, scope] = [shapeOf(capture), scopeOf(capture)];
    for (let number = 0; number < 40; number++) {
      const [span] = spansByCompany(capture);
      if (span === undefined) throw new Error("nothing was concurrent");
      const candidate = changedOf(capture, sliceOf(capture, span), rolling(3, number));
      const told = await run(target, scope, telling(candidate, shape, target.capabilities));
      expect(told.failure).toBeNull();
      const own = capture.moments.map(({ step }) => step);
      const kept = candidate.items.flatMap((item) => (item.is === "moment" ? [own.indexOf(item.step)] : []));
      const known = kept.filter((index) => index >= 0);
      const apart = known.filter((index) => index < span.from || (span.to !== null && index > span.to));
      expect(apart).toEqual(apart.toSorted((one, other) => one - other));
    }
  });
});

describe("the distance of a story from a capture", () => {
  const capture = captured(true, 3, 60);
  const steps = stepsOf(capture);

  test("is nothing for what was recorded, and counts what was left out", () => {
    expect(distanceOf(capture, steps)).toMatchObject({ total: 0, leftOut: 0 });
    const part = distanceOf(capture, steps.slice(0, 9));
    expect(part.total).toBe(0);
    expect(part.leftOut).toBeGreaterThan(0);
  });

  test("counts what was added, answered otherwise and moved, each by itself", () => {
    expect(distanceOf(capture, [...steps, { do: "crash" }])).toMatchObject({ total: 1, added: 1 });
    const at = steps.findIndex((step) => step.do === "answer");
    const otherwise = steps.map((step, index) =>
      index === at && step.do === "answer" ? ({ ...step, with: "error" } as const) : step,
    );
    expect(distanceOf(capture, otherwise)).toMatchObject({ total: 1, changed: 1 });
    const finish = steps.findIndex((step) => step.do === "finish");
    const [moved] = steps.slice(finish, finish + 1);
    const rest = steps.filter((_, index) => index !== finish);
    const elsewhere = moved === undefined ? [] : [moved, ...rest];
    expect(distanceOf(capture, elsewhere)).toMatchObject({ added: 0, changed: 0, moved: 1 });
  });

  test("does not mind what agents are called", () => {
    const renamed: readonly Step[] = [
      { do: "spawn", by: "/root", name: "x", role: "r", text: "t", answers: { prepare: "ok", dispatch: "ok" } },
      { do: "finish", path: "/root/x", turn: 1, outcome: "completed", text: "t" },
    ];
    expect(distanceOf(capture, renamed).total).toBe(0);
  });
});

/**
 * Recorded on 2026-11-30 from mevedel c62ab21 in a graphical frame: three agents are spawned, followed up, mailed and waited for, with the
 * provider's answers made up; at the end a follow-up is set up, an execution finishes meanwhile, and C-g is pressed in the frame. Only
 * what an import reads was kept, under other names of sessions, agents and times. That the agent stays `starting` it does not say.
 */
describe("a capture of a real session", () => {
  const file = new URL("2026-11-30-a-follow-up-is-quit.el", import.meta.url);

  test("shows the start that never ended, and leads to the story of it", async () => {
    const capture = importCapture([{ name: "telemetry-log.el", text: await readFile(file, "utf8") }], false);
    const open = capture.spans.find(({ to }) => to === null);
    expect(capture.moments[open?.from ?? -1]?.step).toMatchObject({ do: "follow_up", to: "/root/rev" });
    const { found } = await on("twin:quit_leaves_starting", capture, 100);
    expect(found?.failure.kinds).toContain("L10");
    expect(found?.shrunk.run.told).toHaveLength(shortest["quit_leaves_starting"] ?? 0);
    expect(found?.distance).toMatchObject({ total: 1, changed: 1 });
  });
});
