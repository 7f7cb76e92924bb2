/**
 * Whether one build is slower than another, told from noise. A pair of processes has a speed of its own (where its memory
 * lies, what was compiled when), so one pair says little however long it runs: several are started, each says one
 * ratio, and they are judged together, by Student's t on the logarithms.
 */

export interface Verdict {
  readonly is: "slower" | "faster" | "alike" | "unclear";
  /** New against old. */
  readonly times: number;
  /** With 99 of 100 each, between these. */
  readonly low: number;
  readonly high: number;
  readonly pairs: number;
}

/** One-sided 99 % of Student's t, by degrees of freedom. */
const quantiles: readonly number[] = [Number.NaN, 31.8, 6.96, 4.54, 3.75, 3.36, 3.14, 3, 2.9, 2.82, 2.76];
/** What is smaller is nobody's business: two copies of one build differ by as much. */
const noticed = 1.02;
/** What has to be noticed. */
const planted = 1.1;

/** Ratios of pairs of processes, new against old; three at least. */
export function verdictOf(ratios: readonly number[]): Verdict {
  const pairs = ratios.length;
  const quantile = quantiles[Math.min(pairs - 1, quantiles.length - 1)] ?? Number.NaN;
  const logs = ratios.map(Math.log);
  const mean = logs.reduce((sum, each) => sum + each, 0) / pairs;
  const variance = logs.reduce((sum, each) => sum + (each - mean) ** 2, 0) / (pairs - 1);
  const margin = quantile * Math.sqrt(variance / pairs);
  const [low, high] = [Math.exp(mean - margin), Math.exp(mean + margin)];
  const is =
    low > noticed
      ? "slower"
      : high < 1 / noticed
        ? "faster"
        : high < planted && low > 1 / planted
          ? "alike"
          : "unclear";
  return { is, times: Math.exp(mean), low, high, pairs };
}

const percent = (times: number) => `${((times - 1) * 100).toFixed(1)} %`;
export function sentenceOf(what: string, { is, times, low, high, pairs }: Verdict): string {
  const range = `between ${percent(low)} and ${percent(high)}, from ${pairs} pairs of processes`;
  switch (is) {
    case "slower":
      return `${what}: SLOWER by ${percent(times)} (${range})`;
    case "faster":
      return `${what}: faster, ${percent(times)} (${range})`;
    case "alike":
      return `${what}: alike, ${percent(times)} (${range})`;
    case "unclear":
      return `${what}: not told from noise, ${percent(times)} (${range}); try again when nothing else runs`;
  }
}
