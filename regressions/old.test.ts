/**
 * Stories that older versions of the specification would have recorded, made by hand: each is told from one that still means
 * something, with the step and the reason. False would be: a story that passes because it no longer says anything.
 */
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { everything, type Target } from "../properties/target.ts";
import { modelTarget } from "../properties/targets/model.ts";
import { targetNamed } from "../properties/targets/named.ts";
import { readTrace } from "./files.ts";
import { replay, type Verdict } from "./replay.ts";

const folder = new URL("old/", import.meta.url);

/** A target that does what the specification says, as far as it goes. */
const limited = (lacks: Partial<Target["capabilities"]>): Target => ({
  ...modelTarget("limited"),
  capabilities: { ...everything, ...lacks },
});

type Row = readonly [file: string, is: Verdict["is"], step: number | null, why: RegExp];
const rows: readonly Row[] = [
  [
    "command-renamed",
    "stale",
    3,
    /There is no command "resume"\. It was written for version 0 .*; since then version 1/,
  ],
  ["command-removed", "stale", 3, /There is no command "delete"/],
  ["field-added", "stale", 2, /The command finish at turn: /],
  ["field-removed", "stale", 1, /The command spawn: Unrecognized key: "request"/],
  ["field-renamed", "stale", 3, /The command follow_up/],
  ["field-of-another-type", "stale", 2, /The command wait at timeoutMs: .*expected number/],
  ["answer-removed", "stale", 3, /The command follow_up at answers\.prepare: /],
  ["scope-field-removed", "stale", 1, /its scope: Unrecognized key: "durability"/],
  [
    "refusal-order-changed",
    "stale",
    2,
    /refused with text_empty and now is with caller_unknown: another refusal comes first/,
  ],
  ["refusal-renamed", "stale", 2, /What was recorded, \{"refused":"no_such_agent"\}, is no answer any more/],
  ["refusal-lifted", "stale", 3, /It was refused with not_active and now succeeds/],
  ["refusal-new", "stale", 3, /It succeeded and now is refused with path_taken/],
  ["rule-changed", "stale", 3, /The answer is another one, at reply\.ok\.2/],
  ["gate-added", "stale", 4, /It stopped at prepare and now stops at hydrate/],
  ["gate-removed", "stale", 2, /It stopped at handler and now succeeds/],
  ["event-added", "stale", 2, /The answer is the same, but what happened on the way is not: reply\.events/],
  ["names-of-operations-changed", "stale", 3, /The answer is another one, at reply\.op/],
  ["value-changed", "stale", 3, /The answer is another one, at reply\.ok\.0/],
  ["rule-that-no-answer-shows", "stale", 3, /every answer is as recorded, but what .* at the end is not/],
  ["still-right", "fixed", null, /all 3 answers are as recorded, and model agrees/],
  ["still-red", "fixed", null, /all 3 answers are as recorded/],
  ["another-handle", "fixed", null, /all 3 answers are as recorded/],
  ["for-a-later-version", "not applicable", 1, /written for version 99 .*, and this is version \d+/],
];

async function verdictOn(file: string, target: Target): Promise<Verdict> {
  const { trace, rot } = await readTrace(fileURLToPath(new URL(`${file}.json`, folder)));
  return await replay(trace, target, rot);
}
const stepOf = (verdict: Verdict): number | null => ("step" in verdict ? verdict.step : null);

test("every old story is here", () => {
  const files = readdirSync(folder).map((name) => name.replace(/\.json$/, ""));
  expect(files.toSorted()).toEqual(rows.map(([file]) => file).toSorted());
});

test.each(rows)("%s is %s", async (file, is, step, why) => {
  const verdict = await verdictOn(file, modelTarget());
  expect({ is: verdict.is, step: stepOf(verdict) }).toEqual({ is, step });
  expect(verdict.why).toMatch(why);
});

test("an old story that still means something is still red on its fault, and one that does not is stale there, too", async () => {
  const twin = await (await targetNamed("twin:keeps_result_while_starting"))();
  const verdict = await verdictOn("still-red", twin);
  expect([verdict.is, stepOf(verdict)]).toEqual(["reproduces", 3]);
  expect(verdict.why).toMatch(/L8: .*starting/);
  expect((await verdictOn("command-renamed", twin)).is).toBe("stale");
});

test.each<[string, Partial<Target["capabilities"]>, number, RegExp]>([
  ["another-handle", { handles: false }, 3, /limited cannot be given this step: a second handle is not offered/],
  ["still-right", { verbs: ["spawn", "finish"] }, 3, /roster is not offered/],
  ["still-red", { passes: ["prepare"] }, 3, /it cannot stop at prepare/],
  ["still-right", { answers: { dispatch: ["error"] } }, 1, /dispatch cannot be answered ok/],
])("%s is not applicable where the target lacks what it needs: %o", async (file, lacks, step, why) => {
  const verdict = await verdictOn(file, limited(lacks));
  expect([verdict.is, stepOf(verdict)]).toEqual(["not applicable", step]);
  expect(verdict.why).toMatch(why);
});

test("a target that is known to differ is no green, and no failure", async () => {
  const { apply, ...rest } = modelTarget("differs");
  const diverges = [{ kind: "reply", why: "it lists nobody" }];
  const target: Target = {
    ...rest,
    capabilities: { ...everything, diverges },
    apply: (step) => (step.do === "roster" ? { ok: [] } : apply(step)),
  };
  expect(await verdictOn("still-right", target)).toMatchObject({ is: "not applicable", step: 3, known: true });
});
