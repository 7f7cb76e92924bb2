/**
 * What a process has acknowledged and what a fresh one finds, against the specification. Several worlds are possible after a
 * kill; each that says otherwise than what was seen is out, and when none is left something was lost, doubled or made up.
 */
import { step as decide, encode, view, type World } from "../../model/index.ts";
import type { Encoded, Reply, Step, View } from "../../src/contract.ts";
import { difference, equal } from "../compare.ts";
import { cutAfter, cutDuring, distinct, told } from "./cuts.ts";

export interface Judged {
  /** That agree with what was seen; none: it is wrong. */
  readonly worlds: readonly World[];
  /** Of the world that agreed longest, where it did not any more. */
  readonly what: string | null;
}

/** The worlds in which these steps are answered so, in order; the process went on, or was killed behind the last answer. */
export function answered(
  worlds: readonly World[],
  steps: readonly Step[],
  replies: readonly Reply[],
  isKilled: boolean,
): Judged {
  const left: World[] = [];
  let [what, longest]: [string | null, number] = [null, -1];
  for (const world of worlds) {
    let now = world;
    let at = 0;
    for (; at < replies.length; at++) {
      const [step, reply] = [steps[at], replies[at]];
      if (step === undefined || reply === undefined) break;
      const next = decide(now, step);
      const differs = difference(told(next.reply), told(reply), "reply");
      if (differs !== null) {
        if (at > longest) [what, longest] = [`${JSON.stringify(step)} differs at ${said(differs)}`, at];
        break;
      }
      now = next.world;
    }
    if (at < replies.length) continue;
    const under = steps[at];
    if (!isKilled) left.push(now);
    else left.push(...(under === undefined ? [cutAfter(now)] : cutDuring(now, under)));
  }
  return { worlds: isKilled ? distinct(left) : left, what: left.length > 0 ? null : what };
}

/** The worlds that look so. */
export function seen(worlds: readonly World[], found: View, encoded: Encoded | null): Judged {
  const left = worlds.filter(
    (world) => equal(view(world), found) && (encoded === null || equal(encode(world), encoded)),
  );
  if (left.length > 0) return { worlds: left, what: null };
  const whats = worlds.map((world) => {
    const differs = difference(view(world), found, "view") ?? difference(encode(world), encoded, "encode");
    return differs === null ? "" : said(differs);
  });
  return { worlds: [], what: whats.length === 0 ? "nothing is possible" : whats.join("; or ") };
}

function said({
  at,
  model,
  target,
}: {
  readonly at: string;
  readonly model: unknown;
  readonly target: unknown;
}): string {
  const short = (value: unknown): string => {
    const text = value === undefined ? "nothing" : JSON.stringify(value);
    return text.length <= 200 ? text : `${text.slice(0, 200)}…`;
  };
  return `${at}: expected ${short(model)}, found ${short(target)}`;
}

/** Something is wrong with what was judged: the story is over. */
export class Found extends Error {}

export function possible({ worlds, what }: Judged): readonly World[] {
  if (worlds.length === 0) throw new Found(what ?? "nothing is possible");
  return worlds;
}
