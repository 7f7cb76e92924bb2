/** A target judged otherwise than it says of itself: what an option, or a project's configuration, asks for. */
import type { Level, Scope } from "../../src/contract.ts";
import type { Divergence, OpenTarget, Target } from "../target.ts";
import { lawsFrom } from "./own-laws.ts";

/** What is asked of a target beside what it says of itself. Plain data. */
export interface Judged {
  readonly level?: Level | undefined;
  /** Known divergences, beside those that it names. */
  readonly diverges?: readonly Divergence[] | undefined;
  /** A module of laws beside those of the specification. */
  readonly laws?: string | undefined;
  /** Of every story. */
  readonly scope?: Target["scope"] | undefined;
}

export function judgedBy(open: OpenTarget, { level, diverges = [], laws, scope }: Judged): OpenTarget {
  if (level === undefined && diverges.length === 0 && laws === undefined && scope === undefined) return open;
  return async (pinned) => {
    const own = laws === undefined ? [] : await lawsFrom(laws);
    const target = await open(pinned);
    const { capabilities } = target;
    const known = [...(capabilities.diverges ?? []), ...diverges];
    return rejudged(target, {
      capabilities: {
        ...capabilities,
        level: level ?? capabilities.level,
        ...(known.length === 0 ? {} : { diverges: known }),
      },
      laws: [...(target.laws ?? []), ...own],
      ...within(target.scope, scope),
    });
  };
}

const within = (its: Target["scope"], asked: Partial<Scope> | undefined): Pick<Target, "scope"> =>
  its === undefined && asked === undefined ? {} : { scope: { ...its, ...asked } };

/** Not by a spread: a user's target may be an instance of a class. */
function rejudged(target: Target, judged: Pick<Target, "capabilities" | "laws" | "scope">): Target {
  return {
    name: target.name,
    ...judged,
    reset: (scope) => target.reset(scope),
    apply: (step) => target.apply(step),
    view: () => target.view(),
    encode: () => target.encode(),
    stored: () => target.stored(),
    counters: () => target.counters(),
    ...(target.picture === undefined ? {} : { picture: (file) => target.picture?.(file) }),
    close: () => target.close(),
  };
}
