/**
 * How far a story is from what was recorded: steps that the capture does not have, gates that it has answered otherwise, and
 * steps that stand in another order than there. What a story leaves out is counted apart: leaving out is what makes it short.
 */
import type { Path, Step } from "../../src/contract.ts";
import { pathOf, subjectOf } from "../about.ts";
import type { Capture } from "./capture.ts";

export interface Distance {
  /** `added + changed + moved`; 0 where the story is a part of the capture, in its order. */
  readonly total: number;
  /** Nothing recorded speaks of them. */
  readonly added: number;
  /** Recorded with another answer or outcome. */
  readonly changed: number;
  /** Recorded, and elsewhere in the order. */
  readonly moved: number;
  /** Steps that the capture has, known or assumed, and how many of them it only assumes. */
  readonly matched: number;
  readonly assumed: number;
  /** Known moments that the story does without. */
  readonly leftOut: number;
}

/** One thing that happens, without its names of operations and turns: what it is, to whom, and how it came out. */
interface Deed {
  readonly what: string;
  readonly path: Path | null;
  readonly how: string;
  /** Place in the capture of what is known; `null` where it is assumed or of the story. */
  readonly known: number | null;
}

/** A step with answers in advance is several deeds. Tasks that are accepted and conversations that are read go without saying. */
function deedsOf(step: Step, known: number | null): readonly Deed[] {
  const path = subjectOf(step);
  const deeds: Deed[] = [];
  if (step.do === "answer") {
    if (step.with !== "ok" || step.gate === "dispatch" || step.gate === "handler" || step.gate === "abort")
      deeds.push({ what: `answer ${step.gate}`, path: pathOf(step.op), how: step.with, known });
  } else
    deeds.push({
      what: step.do,
      path,
      how: step.do === "finish" ? step.outcome : step.do === "block" ? step.kind : "",
      known,
    });
  if (step.commit !== undefined && step.commit !== "ok")
    deeds.push({ what: "commit", path, how: step.commit, known: null });
  const riding = "answers" in step ? Object.entries(step.answers ?? {}) : [];
  for (const [gate, how] of riding)
    if (how !== "ok" || (gate === "dispatch" && step.do !== "restore"))
      deeds.push({ what: `answer ${gate}`, path: path ?? "/root", how, known });
  return deeds;
}

/** Names are not what a story is about, so it is laid over the capture by whichever agents it fits best; so many are tried. */
const layingsMax = 300;
/** Agents of a capture that are tried for each of the story's. */
const candidatesMax = 12;

export function distanceOf({ moments }: Capture, steps: readonly Step[]): Distance {
  const recorded = moments.flatMap(({ step, line }, index) => deedsOf(step, line === null ? null : index));
  const story = steps.flatMap((step) => deedsOf(step, null));
  const knownAll = new Set(recorded.flatMap(({ known }) => (known === null ? [] : [known])));
  const those = [...new Set(recorded.flatMap(({ path }) => (path === null || path === "/root" ? [] : [path])))];
  const these = [...new Set(story.flatMap(({ path }) => (path === null || path === "/root" ? [] : [path])))];
  let best: Distance | null = null;
  for (const names of layings(these, those.slice(0, candidatesMax))) {
    const found = laid(recorded, story, names, knownAll.size);
    if (best === null || found.total < best.total) best = found;
    if (best.total === 0) break;
  }
  return best ?? laid(recorded, story, new Map(), knownAll.size);
}

/** The story's own names first. */
function* layings(these: readonly Path[], those: readonly Path[]): Generator<ReadonlyMap<Path, Path>> {
  let left = layingsMax;
  const lay = function* (index: number, names: ReadonlyMap<Path, Path>): Generator<ReadonlyMap<Path, Path>> {
    const path = these[index];
    if (path === undefined) {
      left--;
      yield names;
      return;
    }
    const used = new Set(names.values());
    const order = those.includes(path) ? [path, ...those.filter((each) => each !== path)] : those;
    for (const other of order) {
      if (left <= 0) return;
      if (!used.has(other)) yield* lay(index + 1, new Map([...names, [path, other]]));
    }
    if (left > 0 && those.length <= used.size) yield* lay(index + 1, names);
  };
  yield* lay(0, new Map());
}

function laid(
  recorded: readonly Deed[],
  story: readonly Deed[],
  names: ReadonlyMap<Path, Path>,
  knownAll: number,
): Distance {
  const renamed = story.map((deed) => ({ ...deed, path: names.get(deed.path ?? "") ?? deed.path }));
  const key = ({ what, path, how }: Deed): string => `${what} ${path} ${how}`;
  const loose = ({ what, path }: Deed): string => `${what} ${path}`;
  const common = longestCommon(recorded.map(key), renamed.map(key));
  const taken = new Set(common.map(([index]) => index));
  const inStory = new Set(common.map(([, index]) => index));
  const left = recorded.filter((_, index) => !taken.has(index));
  let [added, changed, moved] = [0, 0, 0];
  for (const [index, deed] of renamed.entries()) {
    if (inStory.has(index)) continue;
    if (left.some((each) => key(each) === key(deed))) moved++;
    else if (deed.what !== "commit" && left.some((each) => loose(each) === loose(deed))) changed++;
    else added++;
  }
  const matched = common.map(([index]) => recorded[index]?.known ?? null);
  const known = new Set(matched.filter((index) => index !== null));
  return {
    ...{ total: added + changed + moved, added, changed, moved, matched: common.length },
    ...{ assumed: matched.filter((index) => index === null).length, leftOut: knownAll - known.size },
  };
}

/** Pairs of places of a longest common subsequence; a story is short, so a table of both is small. */
function longestCommon(one: readonly string[], other: readonly string[]): readonly (readonly [number, number])[] {
  const width = other.length + 1;
  const lengths = new Uint32Array((one.length + 1) * width);
  const at = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  for (let row = one.length - 1; row >= 0; row--)
    for (let column = other.length - 1; column >= 0; column--)
      lengths[row * width + column] =
        one[row] === other[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
  const pairs: (readonly [number, number])[] = [];
  for (let row = 0, column = 0; row < one.length && column < other.length; ) {
    if (one[row] === other[column]) pairs.push([row++, column++]);
    else if (at(row + 1, column) >= at(row, column + 1)) row++;
    else column++;
  }
  return pairs;
}
