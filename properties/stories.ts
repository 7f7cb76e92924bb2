/** Whole stories: a shape and abstract steps, which fast-check draws. */
import fc from "fast-check";
import type { World } from "../model/index.ts";
import type { Reply, Step } from "../src/contract.ts";
import { type Draft, draftMax } from "./dice.ts";
import { draw } from "./draw.ts";
import { opened } from "./late.ts";
import type { Next } from "./loop.ts";
import { reading } from "./reading.ts";
import { type Shape, shape } from "./shape.ts";
import type { Capabilities } from "./target.ts";

export interface Story {
  readonly shape: Shape;
  readonly drafts: readonly Draft[];
}

/** Steps of a story; half as many on average. */
const storyStepsMax = 80;

// Without bias: a bias to small numbers would be one to the first moves of every list.
const number = fc.noBias(fc.integer({ min: 0, max: draftMax - 1 }));
const draft: fc.Arbitrary<Draft> = fc.tuple(number, number, number, number);

export const story: fc.Arbitrary<Story> = fc.record(
  { shape, drafts: fc.array(draft, { minLength: 1, maxLength: storyStepsMax, size: "max" }) },
  { noNullPrototype: true },
);

/**
 * A run of stories is a list of numbers: each story comes from the run's seed and its own number alone, so that it is the same
 * whoever tells it, in whatever order, and can be told alone.
 */
function seedOf(seed: number, index: number): number {
  const mixed = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35);
  const once = Math.imul(mixed ^ (mixed >>> 16), 0x7feb352d);
  const twice = Math.imul(once ^ (once >>> 15), 0x846ca68b);
  return (twice ^ (twice >>> 16)) | 0;
}

/** How fast-check is to draw this story: the first of its own seed, and of any size. */
function drawing(seed: number, index: number): { readonly [option in "seed" | "numRuns"]: number } & Unbiased {
  return { seed: seedOf(seed, index), numRuns: 1, unbiased: true };
}
interface Unbiased {
  readonly unbiased: true;
}

export function storyAt(seed: number, index: number): Story {
  const [drawn] = fc.sample(story, drawing(seed, index));
  if (drawn === undefined) throw new Error("fast-check drew no story");
  return drawn;
}

/** Steps within which what was not written is tried again. */
const triesMax = 16;
const isRetry = (told: Step, unwritten: Step): boolean =>
  told.do === unwritten.do && (told.do !== "answer" || unwritten.do !== "answer" || told.gate === unwritten.gate);
/** A handler's answer stands although clearing what is owed was not written; then the host is warned. */
const isUnwritten = ({ commit }: Step, reply: Reply): boolean =>
  commit !== undefined &&
  ("fault" in reply || "crashed" in reply || reply.events?.some(([event]) => event === "warned") === true);

/** Drafts, by their place, that are not told; and who is to know which one a step comes from, if it comes from one. */
export interface Detours {
  readonly skipped: ReadonlySet<number>;
  readonly drew: (draft: number | null) => void;
}

/** The story's steps, each resolved where the story stands. */
export function telling({ shape, drafts }: Story, capabilities: Capabilities, detours?: Detours): Next {
  let told: Step | null = null;
  let unwritten: Step | null = null;
  let tries = 0;
  const end = shape.reads ? reading(capabilities) : () => null;
  let index = -1;
  // Half of the stories go on with a session that has looked at nothing yet; in the others all is looked at after a restore.
  const looks = capabilities.checksLate && drafts.length % 2 === 0;
  let before: World | null = null;
  return (world, _, last) => {
    const as = looks && before !== null ? opened(before, world)[0] : undefined;
    before = world;
    if (as !== undefined) {
      detours?.drew(null);
      told = null;
      return as === "w1" ? { do: "verify" } : { do: "verify", as };
    }
    do index++;
    while (detours?.skipped.has(index) === true);
    const drawn = drafts[index];
    detours?.drew(drawn === undefined ? null : index);
    if (drawn === undefined) return end(world);
    if (told !== null && last != null && isUnwritten(told, last)) [unwritten, tries] = [told, 0];
    told = draw(drawn, { index, world, shape, capabilities, unwritten });
    if (unwritten !== null && (isRetry(told, unwritten) || ++tries > triesMax)) unwritten = null;
    return told;
  };
}
