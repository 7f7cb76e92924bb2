/**
 * How an abstract step makes its choices: whole numbers drawn beforehand, each choice taking what it needs from one of them.
 * A number that is used up answers 0, the first and simplest choice, so smaller numbers are simpler stories.
 */
export type Draft = readonly [move: number, what: number, fault: number, more: number];

/** Numbers of a draft are below this. */
export const draftMax: number = 2 ** 28;

export interface Dice {
  /** Below `count`; for positions and words. */
  pick(count: number): number;
  /** True in so many of a hundred; for faults. */
  chance(percent: number): boolean;
  from<const Choice>(choices: readonly [Choice, ...Choice[]]): Choice;
  /** `null` for an empty list. */
  some<Choice>(choices: readonly Choice[]): Choice | null;
}

/** One number after another, all of them from the first. */
function mixed(number: number): number {
  const once = Math.imul(number ^ (number >>> 15), 0x2c1b3c6d);
  return (Math.imul(once ^ (once >>> 12), 0x297a2d39) ^ 0x1b56c4e9) >>> 0;
}

/** Choices come from `what`, then from `more`; chances from `fault`. */
export function dice([, first, fault, second]: Draft): Dice {
  let what = first;
  let more = second;
  let luck = fault;
  const pick = (count: number): number => {
    if (count <= 1) return 0;
    if (what > 0) {
      const picked = what % count;
      what = Math.floor(what / count);
      return picked;
    }
    const picked = more % count;
    more = Math.floor(more / count);
    return picked;
  };
  const some = <Choice>(choices: readonly Choice[]): Choice | null => choices[pick(choices.length)] ?? null;
  return {
    pick,
    chance: (percent) => {
      // A step takes many chances, more than one number holds; 0 stays 0, which is never anything wrong.
      luck = mixed(luck);
      return fault !== 0 && luck % 100 >= 100 - percent;
    },
    from: (choices) => some(choices) ?? choices[0],
    some,
  };
}
