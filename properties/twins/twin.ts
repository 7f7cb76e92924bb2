/** A faulty twin: the specification with one rule replaced, so that it does what an implementation once did wrong. */
import type { Rules } from "../../model/rules.ts";

export interface Twin {
  /** What the faulty one does, in a few words. */
  readonly does: string;
  /** Laws it breaks, or `compared` where only comparing shows it. */
  readonly breaks: readonly number[];
  readonly faulty: Partial<Rules>;
}
