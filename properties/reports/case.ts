/**
 * What was judged, one thing after another, for reports that programs read. Names are stable: they hold no seed, number or time,
 * so that whoever keeps results from run to run knows each again.
 */
import { laws } from "../../model/index.ts";
import type { Verdict } from "../../regressions/replay.ts";
import type { Checked } from "../check.ts";
import { reasons, unlike } from "../report.ts";
import type { Kept } from "../verbs/drafts.ts";

export interface Case {
  /** As `rollcall.check.memory`. */
  readonly suite: string;
  readonly name: string;
  readonly is: "passed" | "failed" | "skipped";
  /** What is wrong with it, or why it was skipped, in sentences. */
  readonly what: string;
  /** The trace that shows it, and the line of its step. */
  readonly at: Kept | null;
}

export const passed = (suite: string, name: string): Case => ({ suite, name, is: "passed", what: "", at: null });

const agrees = "agrees with the specification";
const twice = "is the same when it is told again";
const known = "every known divergence still occurs";

/** A law each, what is compared, whether it is the same twice. */
export function casesOf(found: Checked, name: string, kept: Kept | null, again: string): readonly Case[] {
  const suite = `rollcall.check.${name}`;
  const { failed, oracle, missing } = found;
  const broken = new Map(failed?.failure.broken.map(({ law, what }) => [law.number, what]));
  const isFickle = failed !== null && failed.fickle !== null;
  const red = (title: string, what: string): Case => ({
    ...{ suite, name: title, is: "failed", at: kept },
    what: `${what}\nagain: ${again}`,
  });
  const lawful = laws.map(({ number, sentence }) => {
    const title = `L${number} ${sentence}`;
    if (oracle === "comparison") return skipped(suite, title, "laws were not asked");
    const what = isFickle ? undefined : broken.get(number);
    return what === undefined ? passed(suite, title) : red(title, what);
  });
  const why = failed === null ? "" : reasons(failed.failure, name);
  const differs = failed !== null && !isFickle && (failed.failure.difference !== null || broken.size === 0);
  const [gone] = missing;
  return [
    ...lawful,
    oracle === "laws"
      ? skipped(suite, agrees, "nothing was compared")
      : differs
        ? red(agrees, why)
        : passed(suite, agrees),
    failed !== null && failed.fickle !== null
      ? red(twice, unlike(failed.fickle, failed.story, true).join("\n"))
      : passed(suite, twice),
    gone === undefined || failed !== null
      ? passed(suite, known)
      : { suite, name: known, is: "failed", what: `${gone} no longer occurs`, at: null },
  ];
}

const skipped = (suite: string, name: string, what: string): Case => ({ suite, name, is: "skipped", what, at: null });

export interface Replayed {
  readonly name: string;
  readonly file: string;
  /** Of the step at which it is decided. */
  readonly line: number;
  readonly target: string;
  readonly verdict: Verdict;
}

export function caseOfReplay({ name, file, line, target, verdict }: Replayed): Case {
  const suite = `rollcall.replay.${target}`;
  switch (verdict.is) {
    case "fixed":
      return passed(suite, name);
    case "not applicable":
      return skipped(suite, name, `not applicable at step ${verdict.step}: ${verdict.why}`);
    case "stale":
      return { suite, name, is: "failed", what: `stale at step ${verdict.step}: ${verdict.why}`, at: { file, line } };
    case "reproduces": {
      const what = `reproduces at step ${verdict.step}\n${reasons(verdict.failure, target)}`;
      return { suite, name, is: "failed", what, at: { file, line } };
    }
  }
}
