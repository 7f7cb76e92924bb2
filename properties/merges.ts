/**
 * Shorter ways to the same place: a crash that rides on the commit before it, a start that is quit in advance, an answer to the
 * first gate there is, a mail to the root in the place of what it takes to be mailed otherwise.
 */
import type { Path, Step } from "../src/contract.ts";
import type { Bound } from "./bind.ts";
import type { Held } from "./search.ts";
import { rebuilt, replaced } from "./simplify.ts";
import { unbound } from "./unbound.ts";

type Lists = Generator<readonly Bound[]>;

/** The end of a session comes with the commit of the step before it. */
export function* crashing({ list }: Pick<Held, "list">): Lists {
  for (let at = list.length - 1; at > 0; at--) {
    const [before, end] = [list[at - 1], list[at]];
    if (before === undefined || end === undefined || !["crash", "close"].includes(end.step.do)) continue;
    if (before.step.commit !== undefined || before.step.as !== end.step.as) continue;
    for (const commit of ["crash_after", "crash_before"]) {
      const [step] = rebuilt({ ...before.step, commit });
      const rest = list.filter((each) => each !== end);
      if (step !== undefined) yield replaced(rest, before, { ...before, step });
    }
  }
}

const targetOf = (step: Step): Path | null => {
  if (step.do === "spawn") return `${step.by}/${step.name}`;
  if (step.do !== "follow_up" && step.do !== "interrupt")
    return step.do === "inspect" || step.do === "read_history" ? step.path : null;
  return step.to.startsWith("/") ? step.to : `${step.by}/${step.to}`;
};

/** An interrupted start is one that is quit: in advance, one step fewer. */
export function* quitting({ list }: Pick<Held, "list">): Lists {
  for (const [at, bound] of list.entries()) {
    if (bound.step.do !== "interrupt") continue;
    const path = targetOf(bound.step);
    const start = list.slice(0, at).findLast(({ step }) => step.do === "follow_up" && targetOf(step) === path);
    if (start === undefined || !("answers" in start.step || start.step.do === "follow_up")) continue;
    const given = "answers" in start.step ? start.step.answers : {};
    const [step] = rebuilt({ ...start.step, answers: { ...given, prepare: "quit" } });
    const rest = list.filter((each) => each !== bound);
    if (step !== undefined) yield replaced(rest, start, { ...start, step });
  }
}

/** An answer that nobody waits for, at the first gate of the first operation on its path. */
export function* regated({ list, replies }: Held): Lists {
  const last = list.at(-1);
  if (last?.step.do !== "answer") return;
  const reply = replies.get(last);
  if (reply === undefined || !("ok" in reply) || reply.ok !== "late") return;
  const path = last.step.op.slice(0, last.step.op.lastIndexOf("#"));
  for (const [at, bound] of list.entries()) {
    if (targetOf(bound.step) !== path) continue;
    const gate = bound.step.do === "spawn" ? "prepare" : bound.step.do === "interrupt" ? "abort" : "hydrate";
    const { answers: _, ...bare }: { readonly [key: string]: unknown } = { ...bound.step };
    const [opening] = rebuilt(bare);
    const [answer] = rebuilt({ ...last.step, gate, with: "ok", op: `${path}#1.9` });
    if (opening !== undefined && answer !== undefined) yield [...list.slice(0, at), unbound(opening), unbound(answer)];
  }
}

const mailing: readonly Step["do"][] = ["follow_up", "execution", "send", "steer", "finish"];

/** What brings mail, as a mail from the root to itself: all of it, and nobody else there; all of it; one by one. */
export function* mailed({ list }: Pick<Held, "list">): Lists {
  const plain: Step = { do: "send", by: "/root", to: "/root", text: "t" };
  const bring = list.filter(
    ({ step }) => mailing.includes(step.do) && !(step.do === "send" && step.to === "/root" && step.by === "/root"),
  );
  const numbered = (bound: Bound): Bound =>
    unbound({
      ...plain,
      text: `t${list.indexOf(bound)}`,
      ...(bound.step.commit === undefined ? {} : { commit: bound.step.commit }),
    });
  const brought = list.map((each) => (bring.includes(each) ? numbered(each) : each));
  yield brought.filter(({ step }) => step.do !== "spawn");
  if (bring.length > 1) yield brought;
  for (const bound of bring)
    if (bound !== list.at(-1)) yield list.map((each) => (each === bound ? numbered(each) : each));
}
