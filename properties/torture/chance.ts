/** Numbers by chance that a seed gives again. */

export interface Chance {
  /** A whole number from 0, below `count`. */
  below(count: number): number;
  /** True in so many of a hundred. */
  in100(percent: number): boolean;
  of<Item>(items: readonly Item[]): Item | undefined;
}

/** The same for the same two numbers. */
export function chanceOf(seed: number, index: number): Chance {
  let state = (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35)) | 0;
  const below = (count: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    const once = Math.imul(state ^ (state >>> 15), state | 1);
    const twice = once ^ (once + Math.imul(once ^ (once >>> 7), once | 61));
    return Math.floor((((twice ^ (twice >>> 14)) >>> 0) / 2 ** 32) * count);
  };
  return { below, in100: (percent) => below(100) < percent, of: (items) => items[below(items.length)] };
}
