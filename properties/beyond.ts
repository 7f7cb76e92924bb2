/**
 * What differs only above the level of agreement that a target promises: it is told, and is no failure. Below house that is by which
 * code something is refused, and which limits there are; at core, also the events.
 */
import type { Seen } from "../model/index.ts";
import type { Level, RefusalCode, Reply, Step } from "../src/contract.ts";
import { equal } from "./compare.ts";

const limits: readonly RefusalCode[] = [
  "agents_full",
  "too_many_operations",
  "too_many_blockers",
  "mailbox_full",
  "text_too_long",
];

/** A reply, those within it, and those of what woken waiters did. */
function repliesIn(step: Step, reply: Reply): readonly Reply[] {
  const inner =
    step.do === "together" && "ok" in reply && Array.isArray(reply.ok)
      ? step.steps.flatMap((one, index) => {
          const found = (reply.ok as readonly Reply[])[index]; // the value of a together
          return found === undefined ? [] : repliesIn(one, found);
        })
      : [];
  const then = (reply.events ?? []).flatMap((event) => (event[0] === "then" ? [event[1]] : []));
  return [reply, ...inner, ...then];
}

const limitsIn = (step: Step, reply: Reply): readonly RefusalCode[] =>
  repliesIn(step, reply).flatMap((each) => ("refused" in each && limits.includes(each.refused) ? [each.refused] : []));

/** Where one side kept to a limit that the other does not have, they part; nothing behind it can be compared. */
export function limited(level: Level, { step, reply: expected }: Seen, { reply: found }: Seen): string | null {
  if (level === "house" || step === null || expected === null || found === null) return null;
  const [ours, theirs] = [limitsIn(step, expected), limitsIn(step, found)];
  if (ours.length === theirs.length) return null;
  return ours.length > theirs.length
    ? `${step.do} is not ${ours[0]}, and the specification says so`
    : `${step.do} is ${theirs[0]}, and the specification goes on`;
}

/** What else differs above the level, after a step at which nothing was wrong. */
export function above(level: Level, { step, reply: expected }: Seen, { reply: found }: Seen): readonly string[] {
  if (level === "house" || step === null || expected === null || found === null) return [];
  const theirs = repliesIn(step, found);
  const codes = repliesIn(step, expected).flatMap((reply, index) => {
    const other = theirs[index];
    const both = "refused" in reply && other !== undefined && "refused" in other;
    return both && reply.refused !== other.refused ? [`refused ${other.refused} and not ${reply.refused}`] : [];
  });
  const events = level === "core" && !equal(kindsOf(expected), kindsOf(found));
  return events ? [...codes, `other events after ${step.do}`] : codes;
}

const kindsOf = ({ events = [] }: Reply): readonly string[] => events.map(([kind]) => kind);
