/** A target judged by another level of agreement than its own: `--level`, or what a configuration asks for. */
import type { Level } from "../../src/contract.ts";
import type { Divergence, OpenTarget, Target } from "../target.ts";

/** What is asked of a target beside what it says of itself. */
export interface Judged {
  readonly level?: Level | undefined;
  /** Known divergences, beside those that it names. */
  readonly diverges?: readonly Divergence[] | undefined;
}

export function judgedBy(open: OpenTarget, { level, diverges = [] }: Judged): OpenTarget {
  if (level === undefined && diverges.length === 0) return open;
  return async (pinned) => {
    const target = await open(pinned);
    const { capabilities } = target;
    const known = [...(capabilities.diverges ?? []), ...diverges];
    return rejudged(target, {
      ...capabilities,
      level: level ?? capabilities.level,
      ...(known.length === 0 ? {} : { diverges: known }),
    });
  };
}

/** Not by a spread: a user's target may be an instance of a class. */
function rejudged(target: Target, capabilities: Target["capabilities"]): Target {
  return {
    name: target.name,
    capabilities,
    reset: (scope) => target.reset(scope),
    apply: (step) => target.apply(step),
    view: () => target.view(),
    encode: () => target.encode(),
    stored: () => target.stored(),
    counters: () => target.counters(),
    close: () => target.close(),
  };
}
