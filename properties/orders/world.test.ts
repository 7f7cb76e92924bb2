/**
 * A small world is told to a target whole. False would be a transition of the specification that no story takes, a production
 * that is wrong in a small world, or a fault there that is not told by a shortest story.
 */
import { expect, test } from "vitest";
import { explore, frame } from "../../model/explore.ts";
import { begin, step as decide } from "../../model/index.ts";
import { digest } from "../digest.ts";
import { targetNamed } from "../targets/named.ts";
import { tellWorld, worldStories } from "./world.ts";

const small = { agents: 1, verbs: ["spawn", "follow_up", "finish", "answer", "crash", "restore"], depth: 6 } as const;

test("every step from every state is told once, or on the way", async () => {
  const { capabilities, close } = await (await targetNamed("model"))();
  await close();
  const { scope, keyOf } = frame(small);
  const taken = new Set<string>();
  let counts = { states: 0, transitions: 0 };
  for (const { story, way: _, ...so } of worldStories(small, capabilities)) {
    let world = begin(digest, scope);
    for (const step of story) {
      taken.add(`${keyOf(world)} ${JSON.stringify(step)}`);
      ({ world } = decide(world, step));
    }
    counts = so;
  }
  const whole = explore(small);
  expect(counts).toEqual({ states: whole.states, transitions: whole.transitions });
  // States that are one but for numbers are left by steps that name other turns or operations.
  expect(taken.size).toBeGreaterThanOrEqual(whole.transitions);
});

test("production holds there, and says how much it was told", async () => {
  const target = await (await targetNamed("memory"))();
  const told = await tellWorld(target, { ...small, depth: 4 });
  await target.close();
  expect(told.failed).toBeNull();
  expect(told.stories).toBeGreaterThan(told.states - 1);
});

test("a fault there is told by a shortest story", async () => {
  const target = await (await targetNamed("twin:keeps_result_while_starting"))();
  const { failed } = await tellWorld(target, small);
  await target.close();
  expect(failed?.failure.kinds).toContain("L8");
  // A spawn through its two gates, its end, and a follow-up.
  expect(failed?.told).toHaveLength(5);
});
