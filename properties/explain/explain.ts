/**
 * Explains a story: tells it to a target as it is, then otherwise, and gathers what was found out. Deterministic for a
 * deterministic target; spends no more executions than it is given.
 */
import type { Scope, Step } from "../../src/contract.ts";
import { type Failure, run } from "../loop.ts";
import { reduction } from "../reduce.ts";
import type { OpenTarget } from "../target.ts";
import { modelTarget } from "../targets/model.ts";
import { Unusable } from "../unusable.ts";
import type { Explanation, Failing, Frame } from "./explanation.ts";
import { framesOf, recording, unlikeOf } from "./frames.ts";
import { laboratory, plain } from "./laboratory.ts";
import { partingOf } from "./parting.ts";
import { reasons, untried } from "./reasons.ts";
import { redacted } from "./redact.ts";

export interface ExplainOptions {
  readonly scope: Scope;
  readonly steps: readonly Step[];
  /** Opened once, reset for every telling, closed at the end. */
  readonly open: OpenTarget;
  /** What the story is called; a name or a sentence. */
  readonly title?: string;
  /** Texts stand as lengths and hashes unless they are `shown`: a story may come from a user's session. */
  readonly texts?: "shown" | "hashed";
  /** Stories told at most, the first one counted [400]. */
  readonly executionsMax?: number;
}

const executionsUsual = 400;

/** Rejects with `Unusable` where nothing can be told at all; a story that holds is explained too, as one that does. */
export async function explain(options: ExplainOptions): Promise<Explanation> {
  const { scope, steps, open, title, texts = "hashed", executionsMax = executionsUsual } = options;
  const { target, sides } = recording(await open());
  try {
    const lab = laboratory(target, scope, Math.max(1, executionsMax));
    const first = await lab.tell(steps.map(plain));
    if (first === null) throw new Unusable(2, "an explanation needs at least one execution");
    const { capabilities } = target;
    const told = first.run.told.map(([step]) => step);
    const frames = framesOf(scope, told, [...sides]);
    const { failure } = first.run;
    const kinds = failure?.kinds ?? [];
    const because = failure === null ? untried(first.bound) : await reasons({ lab, scope, first, kinds });
    const parting = failure === null ? null : await partingOf(lab, { scope, steps: told, frames, capabilities });
    const explanation: Explanation = {
      title: title ?? "",
      target: target.name,
      capacity: scope.capacity,
      archive: scope.archive,
      told: because,
      frames,
      failing:
        failure === null
          ? null
          : {
              ...failingOf(failure, frames, told.length - 1, reduction(capabilities)),
              both: failure.difference === null && (await modelBreaks(scope, told, kinds)),
            },
      parting,
      hidden: capabilities.hides?.fields ?? [],
      executions: lab.executions(),
      complete: lab.complete(),
      hashed: false,
    };
    return texts === "shown" ? explanation : redacted(explanation);
  } finally {
    await target.close();
  }
}

function failingOf(
  failure: Failure,
  frames: readonly Frame[],
  step: number,
  reduced: ReturnType<typeof reduction>,
): Omit<Failing, "both"> {
  const last = frames.at(-1);
  const unlike = last === undefined || failure.difference === null ? [] : unlikeOf(last, reduced);
  return {
    kinds: failure.kinds,
    laws: failure.broken.map(({ law, what }) => ({ number: law.number, sentence: law.sentence, what })),
    unlike,
    thrown: failure.kinds.includes("threw") ? String(failure.thrown) : null,
    step,
  };
}

/** Without a difference it may be the specification that is wrong, or only the work that the target did. */
async function modelBreaks(scope: Scope, steps: readonly Step[], kinds: readonly string[]): Promise<boolean> {
  const { failure } = await run(modelTarget(), scope, (_, index) => steps[index] ?? null);
  return failure?.kinds.some((kind) => kinds.includes(kind)) === true;
}
