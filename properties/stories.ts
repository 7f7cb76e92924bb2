/** Whole stories: a shape and abstract steps, which fast-check draws and shrinks together. */
import fc from "fast-check";
import { type Draft, draftMax } from "./dice.ts";
import { draw } from "./draw.ts";
import type { Next } from "./loop.ts";
import { type Shape, shape } from "./shape.ts";
import type { Capabilities } from "./target.ts";

export interface Story {
  readonly shape: Shape;
  readonly drafts: readonly Draft[];
}

/** Steps of a story; half as many on average. */
export const storyStepsMax = 60;

// Without bias: a bias to small numbers would be one to the first moves of every list.
const number = fc.noBias(fc.integer({ min: 0, max: draftMax - 1 }));
const draft: fc.Arbitrary<Draft> = fc.tuple(number, number, number, number);

export const story: fc.Arbitrary<Story> = fc.record(
  { shape, drafts: fc.array(draft, { minLength: 1, maxLength: storyStepsMax, size: "max" }) },
  { noNullPrototype: true },
);

/** The story's steps, each resolved where the story stands. */
export function telling({ shape, drafts }: Story, capabilities: Capabilities): Next {
  return (world, index) => {
    const drawn = drafts[index];
    return drawn === undefined ? null : draw(drawn, index, world, shape, capabilities);
  };
}
