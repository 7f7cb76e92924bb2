/**
 * A count and a digest of a set of rows, kept up with each change of the set: a row that is gone, doubled or exchanged shows,
 * though every row that is left is whole. Not for a set that somebody counterfeits: damage does not choose.
 */
import { sha256 } from "../config.ts";
import type { Path } from "../contract.ts";

export interface Tally {
  readonly count: number;
  /** Sum of the members' checksums modulo 2^64, in 16 hex digits: in no order, and a member can be taken out again. */
  readonly digest: string;
}
export const emptyTally: Tally = { count: 0, digest: "0".repeat(16) };

const whole = /^[0-9a-f]{16}$/;
/** What is no checksum counts as none: the row it stands in is damaged and says so itself. */
function numberOf(sum: unknown): bigint {
  return typeof sum === "string" && whole.test(sum) ? BigInt(`0x${sum}`) : 0n;
}

export function changedTally(tally: Tally, added: readonly unknown[], removed: readonly unknown[] = []): Tally {
  let value = numberOf(tally.digest);
  for (const each of added) value += numberOf(each);
  for (const each of removed) value -= numberOf(each);
  return {
    count: tally.count + added.length - removed.length,
    digest: BigInt.asUintN(64, value).toString(16).padStart(16, "0"),
  };
}
export function tallyOf(sums: readonly unknown[]): Tally {
  return changedTally(emptyTally, sums);
}
export function isSameTally(one: Tally, other: Tally): boolean {
  return one.count === other.count && one.digest === other.digest;
}
/** A path as a member of a set of paths. */
export function sumOfPath(path: Path): string {
  return sha256(path).slice(0, 16);
}
