/**
 * What a target showed while a story was told, moment by moment, and where two tellings of the same story part. Only what the
 * target promises is compared: a field that it hides may be another each time.
 */
import type { Seen } from "../model/index.ts";
import type { Counters, Encoded, Reply, StoredView, View } from "../src/contract.ts";
import { difference } from "./compare.ts";
import { reduction } from "./reduce.ts";
import type { Capabilities } from "./target.ts";

interface Shown {
  readonly reply: Reply | null;
  readonly view: View;
  readonly encode: Encoded;
  readonly stored: StoredView | null;
  readonly work: Counters | null;
}
/** Plain data, so that another process can be told of it. */
export type Sight = Shown | { readonly threw: string };

/** The first thing that was not the same twice. */
export interface Parting {
  /** Of the story; 0 is before its first step. */
  readonly step: number;
  /** As `view.agents./root/a.result`. */
  readonly at: string;
  readonly first: unknown;
  readonly second: unknown;
}

export function sightOf(found: Seen | null, thrown: unknown): Sight {
  if (found === null) return { threw: thrown instanceof Error ? thrown.message : String(thrown) };
  return {
    reply: found.reply,
    view: found.view,
    encode: found.encoded,
    stored: found.stored,
    work: found.counters,
  };
}

/** `null` where the two are alike to the end. */
export function parting(capabilities: Capabilities, one: readonly Sight[], other: readonly Sight[]): Parting | null {
  const reduced = reduction(capabilities);
  // What is thrown may name a time or a file; that something is thrown is what counts. Bytes are nobody's promise.
  const promised = (sight: Sight | undefined): object => {
    if (sight === undefined) return {};
    if ("threw" in sight) return { threw: true };
    const { reply, view, encode, stored, work } = sight;
    return {
      ...(reply === null ? {} : { reply: reduced.reply(reply) }),
      view: reduced.view(view),
      ...(reduced.sights.includes("encode") ? { encode } : {}),
      stored,
      work: work === null ? null : { ...work, bytesWritten: 0 },
    };
  };
  for (let step = 0; step < Math.max(one.length, other.length); step++) {
    const differs = difference(promised(one[step]), promised(other[step]), "");
    if (differs !== null)
      return { step, at: differs.at.replace(/^\./, ""), first: differs.model, second: differs.target };
  }
  return null;
}
