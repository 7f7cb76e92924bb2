/**
 * From a draft to a recorded story: in readable names, seen red on the fault that it is said to show and green on the
 * specification and production, and not yet told by another story of the folder.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Failure, type Run, run } from "../properties/loop.ts";
import { nameless, readable } from "../properties/readable.ts";
import { shrink } from "../properties/shrink.ts";
import { specification } from "../properties/specification.ts";
import type { OpenTarget, Target } from "../properties/target.ts";
import { targetNamed } from "../properties/targets/named.ts";
import { printTrace, type Trace } from "../properties/trace.ts";
import { Unusable } from "../properties/unusable.ts";
import type { Scope, Step } from "../src/contract.ts";
import { type Recorded, readTrace, tracesIn } from "./files.ts";
import { replay, rerecorded } from "./replay.ts";
import { sources } from "./sources.ts";

export interface Promotion {
  readonly draft: Recorded;
  readonly why: string;
  /** `twin:NAME`, `plant:NAME`, `commit:REF`, `child:NAME`. */
  readonly fault: string;
  readonly folder: string;
  /** Of the file: the day and what it shows. */
  readonly name: string;
}
export type Promoted =
  | { readonly is: "recorded"; readonly file: string; readonly trace: Trace; readonly step: number }
  /** Another story shows the same. */
  | { readonly is: "known"; readonly as: string }
  | { readonly is: "not red"; readonly why: string }
  | { readonly is: "not green"; readonly target: string; readonly why: string };

/** What a recorded story has to be, so that it can be read aloud. */
export const stepsMax = 15;
export const wordsMin = 12;
/** Executions spent on reducing one story, to tell it from another. */
const executionsMax = 600;

interface Story {
  readonly scope: Scope;
  readonly steps: readonly Step[];
}
const storyOf = ({ scope, steps }: Trace): Story => ({ scope, steps: steps.map(([step]) => step) });
const told = (target: Target, { scope, steps }: Story): Promise<Run> =>
  run(target, scope, (_, index) => steps[index] ?? null);
const alike = (one: Failure, other: Failure | null): boolean =>
  other?.kinds.some((kind) => one.kinds.includes(kind)) === true;

export async function promote(promotion: Promotion): Promise<Promoted> {
  const { draft, fault } = promotion;
  const faulty = await openFault(fault, draft.trace.scope.archive);
  try {
    const target = await faulty.open();
    try {
      return await promoted(promotion, target);
    } finally {
      await target.close();
    }
  } finally {
    await faulty.remove();
  }
}

async function openFault(
  fault: string,
  archive: Scope["archive"],
): Promise<{ open: OpenTarget; remove(): Promise<void> }> {
  if (!/^(plant|commit):/.test(fault)) return { open: await targetNamed(fault), remove: async () => {} };
  const copies = await sources([fault]);
  try {
    return { open: await copies.target(fault, archive), remove: copies.remove };
  } catch (error) {
    await copies.remove();
    throw error;
  }
}

async function promoted({ draft, why, fault, folder, name }: Promotion, faulty: Target): Promise<Promoted> {
  const given = storyOf(draft.trace);
  const first = await told(faulty, given);
  const { failure } = first;
  if (failure === null) return { is: "not red", why: `it does not fail on ${fault}` };
  const worded = readable(given);
  const inWords = await told(faulty, worded);
  // Names may matter: a story about the order of paths is told in its own.
  const isSame = alike(failure, inWords.failure) && inWords.told.length === first.told.length;
  const story = isSame ? worded : given;
  if (story.steps.length > stepsMax)
    throw new Unusable(
      2,
      `${draft.file} has ${story.steps.length} steps, and a story to be read has ${stepsMax}; rollcall shrink it`,
    );

  const laws = [...new Set(failure.broken.map(({ law }) => law.number))].sort((one, other) => one - other);
  const head = { trace: 2, spec: specification, why, laws, found: draft.trace.found, fault, ends: unknownEnd } as const;
  const steps = story.steps.map((step) => [step, { ok: "done" }] as const);
  const trace = await rerecorded({ ...head, scope: story.scope, steps }, await (await targetNamed("model"))());
  for (const production of ["model", "memory", "sqlite"]) {
    const target = await (await targetNamed(production))();
    const verdict = await replay(trace, target);
    await target.close();
    if (verdict.is !== "fixed") return { is: "not green", target: production, why: verdict.why };
  }
  const known = await sameAs(trace, inWords.failure === null || !isSame ? first : inWords, faulty, folder);
  if (known !== null) return { is: "known", as: known };
  const file = join(folder, `${name}.json`);
  await create(file, printTrace(trace));
  return { is: "recorded", file, trace, step: first.told.length };
}

/** Stands in for what only the telling finds out. */
const unknownEnd = "0000000000000000";

/** Another story of the folder that fails alike on this fault and, reduced, is the same but for names. */
async function sameAs(trace: Trace, failed: Run, faulty: Target, folder: string): Promise<string | null> {
  const { failure } = failed;
  if (failure === null) return null;
  const reduced = await reducedStory(faulty, trace.scope, failed);
  const others = await Promise.all((await tracesIn(folder)).map(readTrace));
  // The one that was recorded for this very fault is named rather than one that happens to show it, too.
  const isOwn = (other: Recorded): boolean => other.trace.fault === trace.fault;
  for (const other of [...others.filter(isOwn), ...others.filter((each) => !isOwn(each))]) {
    if (other.rot !== null) continue;
    const done = await told(faulty, storyOf(other.trace));
    if (!alike(failure, done.failure) || done.failure === null) continue;
    if (lawsOf(done.failure) !== lawsOf(failure)) continue;
    if ((await reducedStory(faulty, other.trace.scope, done)) === reduced) return other.name;
  }
  return null;
}
const lawsOf = ({ broken }: Failure): string => [...new Set(broken.map(({ law }) => law.number))].sort().join();

async function reducedStory(target: Target, scope: Scope, failed: Run): Promise<string> {
  const shrunk = await shrink(target, scope, failed, executionsMax);
  return nameless({ scope: shrunk.scope, steps: shrunk.run.told.map(([step]) => step) });
}

async function create(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { flag: "wx" });
  } catch (cause) {
    const isThere = cause instanceof Error && "code" in cause && cause.code === "EEXIST";
    const why = isThere ? "there is one of that name; choose another with --name" : String(cause);
    throw new Unusable(2, `${file} cannot be written: ${why}`, { cause });
  }
}
