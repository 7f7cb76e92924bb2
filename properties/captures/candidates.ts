/**
 * Stories that a capture allows: its moments in their order, with what may have happened unseen put in between, what was
 * concurrent moved, gates answered otherwise, and saves, mail and crashes wherever they could have been.
 */
import type { Answer, Gate, Path, Scope, Step, Verb } from "../../src/contract.ts";
import { equal } from "../compare.ts";
import { type Draft, draftMax } from "../dice.ts";
import { draw } from "../draw.ts";
import type { Next } from "../loop.ts";
import { registrars, roles, type Shape } from "../shape.ts";
import type { Capabilities } from "../target.ts";
import { answersOf } from "../words.ts";
import type { Capture } from "./capture.ts";
import { unknownRegistrars } from "./import.ts";
import { type Changed, late } from "./late.ts";
import type { Slice } from "./slices.ts";

type Item =
  | { readonly is: "moment"; readonly step: Step; readonly changed: Changed | null }
  /** What comes of it is said where it stands. */
  | { readonly is: "drawn"; readonly drafts: readonly Draft[]; readonly may: ReadonlySet<Verb> }
  | { readonly is: "step"; readonly step: Step };
export interface Candidate {
  readonly items: readonly Item[];
}

/** Random numbers below a bound, the same for the same seed. */
export type Roll = (below: number) => number;

export function rolling(seed: number, number: number): Roll {
  let state = (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(number + 1, 0xc2b2ae35)) | 0;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    const once = Math.imul(state ^ (state >>> 15), state | 1);
    const twice = once ^ (once + Math.imul(once ^ (once >>> 7), once | 61));
    return ((twice ^ (twice >>> 14)) >>> 0) % below;
  };
}

/** Whoever looks, saves, mails or dies leaves no trace in any capture that is not complete. */
const always: readonly Verb[] = ["save", "crash", "send", "execution"];
/** Steps put in between. */
const addedMax = 4;
const tries = 6;

const asRecorded = (step: Step): Item => ({ is: "moment", step, changed: null });

export const wholeOf = ({ moments }: Capture): Candidate => ({ items: moments.map(({ step }) => asRecorded(step)) });

export function plainOf({ moments }: Capture, { moments: indices }: Slice): Candidate {
  return { items: indices.flatMap((index) => stepsAt(moments[index]?.step)) };
}
const stepsAt = (step: Step | undefined): readonly Item[] => (step === undefined ? [] : [asRecorded(step)]);

/** One way in which it may have been otherwise. */
export function changedOf(capture: Capture, slice: Slice, roll: Roll): Candidate {
  const prefix = slice.moments.slice(0, slice.window);
  let window: readonly number[] = slice.moments.slice(slice.window);
  if (roll(3) === 0) window = moved(window, slice, roll);
  const items: Item[] = prefix.flatMap((index) => stepsAt(capture.moments[index]?.step));
  const added = 1 + roll(addedMax);
  const places = Array.from({ length: added }, () => roll(window.length + 1));
  for (const [place, index] of [...window, -1].entries()) {
    for (const at of places) if (at === place) items.push(...unseen(capture, index, roll));
    const step = capture.moments[index]?.step;
    if (step === undefined) continue;
    const told: Step = roll(12) === 0 ? { ...step, commit: "not_written" } : step;
    items.push({ is: "moment", step: told, changed: roll(6) === 0 ? otherwise(step, roll) : null });
  }
  return { items };
}

/** One of those that were concurrent elsewhere among them; the operation they were concurrent with begins where it began. */
function moved(window: readonly number[], { span }: Slice, roll: Roll): readonly number[] {
  if (span === null) return window;
  const isConcurrent = (index: number): boolean => index > span.from && (span.to === null || index <= span.to);
  const those = window.filter(isConcurrent);
  const first = window.findIndex(isConcurrent);
  const taken = those[roll(Math.max(1, those.length))];
  if (taken === undefined) return window;
  const rest = window.filter((index) => index !== taken);
  const to = first + roll(those.length);
  return [...rest.slice(0, to), taken, ...rest.slice(to)];
}

function otherwise(step: Step, roll: Roll): Changed | null {
  const gates: readonly Gate[] =
    step.do === "answer"
      ? [step.gate]
      : step.do === "spawn"
        ? ["prepare", "dispatch"]
        : step.do === "follow_up"
          ? ["prepare", "hydrate", "dispatch"]
          : [];
  const gate = gates[roll(Math.max(1, gates.length))];
  if (gate === undefined) return null;
  const answers: readonly Answer[] = answersOf[gate];
  const how = answers[roll(answers.length)];
  return how === undefined ? null : { gate, with: how };
}

function unseen({ gaps }: Capture, before: number, roll: Roll): readonly Item[] {
  const here = gaps.filter((each) => each.before === null || each.before === before);
  const may = new Set([...always, ...here.flatMap((each) => each.may)]);
  const number = (): number => roll(draftMax);
  const drafts = Array.from({ length: tries }, (): Draft => [number(), number(), number(), number()]);
  const item: Item = { is: "drawn", drafts, may };
  if (roll(5) > 0) return [item];
  // What is not saved is lost: a process that ends, and the next.
  const ended: Step = roll(3) === 0 ? { do: "close" } : { do: "crash" };
  return [
    { is: "step", step: ended },
    { is: "step", step: { do: "restore", mode: "write", answers: { hydrate: "ok" } } },
  ];
}

// ── Telling ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** What the generator of the checker needs to know to put something in between. */
export function shapeOf(capture: Capture): Shape {
  const names = new Set<string>();
  const add = (path: Path): void => {
    for (const part of path.split("/").slice(2)) names.add(part);
  };
  for (const { step } of capture.moments.slice(0, 2_000)) if (step.do === "spawn") add(`${step.by}/${step.name}`);
  const on = { mail: true, waits: true, blocks: true, reads: true, residency: true, handlers: false };
  return {
    names: names.size === 0 ? ["a", "b"] : [...names].slice(0, 4),
    on: { ...on, interrupts: true, host: false, damage: false, together: false },
    ...{ depth: 2, wild: 0, faulty: 25, unwritten: 10, favoured: null, ahead: 40, restless: 1, handles: false },
    ...{ unregistered: 0, wordy: 0, odd: 0, reads: false, scope: scopeOf(capture) },
  };
}
/** The capture's own, and what the generator speaks of beside. Of one that knows no tools the registrars are the generator's. */
export function scopeOf({ scope }: Capture): Scope {
  const own = equal(scope.registrars, unknownRegistrars) ? {} : scope.registrars;
  return { ...scope, roles: { ...roles, ...scope.roles }, registrars: { ...registrars, ...own } };
}

/** Step after step, each where the story stands; what would mean nothing there is left out. */
export function telling({ items }: Candidate, shape: Shape, capabilities: Capabilities): Next {
  let at = 0;
  return (world, index) => {
    for (; at < items.length; ) {
      const item = items[at++];
      if (item === undefined) break;
      if (item.is !== "drawn") {
        const told = registered(item.step, shape);
        const step = late(told, world, capabilities, item.is === "moment" ? item.changed : null);
        if (step !== null) return step;
        continue;
      }
      for (const draft of item.drafts) {
        const step = draw(draft, { index, world, shape, capabilities, unwritten: null });
        if (item.may.has(step.do)) return registered(step, shape);
      }
    }
    return null;
  };
}
/** A restore finds all registrars there are. */
function registered(step: Step, { scope }: Shape): Step {
  return step.do === "restore" ? { ...step, registrars: Object.keys(scope.registrars) } : step;
}
