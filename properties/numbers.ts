/** Which stories of a run are told: all of them, every n-th, or one. */
import { Unusable } from "./unusable.ts";

/** An arithmetic progression, so that shards of a run are runs themselves. */
export interface Numbers {
  /** From 0. */
  readonly first: number;
  readonly apart: number;
  readonly count: number;
}

export const indexAt = ({ first, apart }: Numbers, place: number): number => first + place * apart;

/** The i-th of n shards, counted from 1: each n-th story. All shards together are the run, each story in one of them. */
export interface Shard {
  readonly which: number;
  readonly of: number;
}

export function numbersOf(runs: number, { which, of }: Shard = { which: 1, of: 1 }): Numbers {
  return { first: which - 1, apart: of, count: Math.max(0, Math.ceil((runs - which + 1) / of)) };
}

/** `2/4` as an option has it. */
export function shardOf(given: string): Shard {
  const [, which, of] = /^(\d{1,6})\/(\d{1,6})$/.exec(given) ?? [];
  const shard = { which: Number(which), of: Number(of) };
  if (which !== undefined && shard.which >= 1 && shard.which <= shard.of) return shard;
  throw new Unusable(2, `--shard takes i/n, as 1/4 to 4/4, not ${JSON.stringify(given)}`);
}
