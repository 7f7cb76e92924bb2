/** Text that looks like what agents write, the same in every run: words of a fixed list, drawn by a fixed generator. */

const words =
  "the reviewer reads every file of this change and writes down what it found: a test that never ran, one limit without a " +
  "name, two callers who still pass the old option. It asks for smaller steps, runs them again, compares both outputs line by " +
  "line, keeps a note of each difference, with numbers, and hands the list to its parent before the turn ends";
const vocabulary: readonly string[] = words.split(" ");

/** Mulberry32: small, fast, and the same everywhere. Answers whole numbers below `below`. */
export function generator(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const pageLength = 1 << 20;
function page(): string {
  const draw = generator(1);
  const drawn: string[] = [];
  for (let length = 0; length < pageLength; length += drawn.at(-1)?.length ?? 0)
    drawn.push(`${vocabulary[draw(vocabulary.length)] ?? ""} `);
  return drawn.join("");
}
/** Cut from, since drawing every word of 140 MB would take longer than writing them. */
const source = page();

/** Exactly so many UTF-16 units; every tenth text is not plain ASCII, as with people. */
export function prose(seed: number, length: number): string {
  const draw = generator(seed);
  let text = "";
  while (text.length < length) {
    const from = draw(source.length - 1);
    text += source.slice(from, from + length - text.length);
  }
  return seed % 10 === 9 && length > 0 ? `${text.slice(0, -1)}—` : text;
}
