/** How a start ends before admission: as if it had never begun, but for what arrived meanwhile. */
import type { AgentView, Path, ResultView } from "../../src/contract.ts";
import { ends } from "./acts.ts";
import type { Check } from "./law.ts";
import { said, same } from "./same.ts";
import { type Act, agentIn, isOpen, type Side, sceneOf, targetOf } from "./scene.ts";

/** L10, L8: what a roll-back must give back, from the moment when the start began. */
export const rolledBack: Check = (ledger, before, now) => {
  const { only, sides } = sceneOf(ledger, before, now);
  if (only === null) return null;
  for (const side of sides) {
    if (!side.lasts || side.acts.length === 0) continue;
    for (const [op, outcome] of ends(side, ledger)) {
      const began = ledger.sessions[side.as]?.ops[op];
      if (began?.is !== "follow_up" || "ok" in outcome) continue;
      if (isOpen(side.now, op)) return `${op} ended and is still open`;
      const was = began.was;
      const wrong = was === null ? null : asBefore(agentIn(side.now, began.path), began.path, was.result, was.messages);
      if (wrong !== null) return wrong;
    }
    const wrong = atOnce(side, only);
    if (wrong !== null) return wrong;
  }
  return null;
};

function asBefore(is: AgentView | undefined, path: Path, result: ResultView | null, messages: number): string | null {
  if (is === undefined) return `${path} is gone with its start`;
  if (is.activity !== "idle") return `${path} is ${is.activity} after its start ended`;
  if (!same(is.result ?? null, result)) return `${path} had the result ${said(result)}, has ${said(is.result ?? null)}`;
  if ((is.messages ?? 0) !== messages) return `${path} had ${messages} messages, has ${is.messages ?? 0}`;
  return null;
}

/** A follow-up whose answers came in advance began and ended in one step. */
function atOnce(side: Side, { as, step, outcome }: Act): string | null {
  if (step.do !== "follow_up" || as !== side.as || "ok" in outcome || "gate" in outcome) return null;
  const path = targetOf(step.by, step.to);
  const was = agentIn(side.before, path);
  return was?.activity === "idle"
    ? asBefore(agentIn(side.now, path), path, was.result ?? null, was.messages ?? 0)
    : null;
}

/** L11: however it ends, the mail that came stays; only a settlement that was held moves executions on. */
export const undisturbed: Check = (ledger, before, now) => {
  const { only, sides } = sceneOf(ledger, before, now);
  if (only === null) return null;
  for (const side of sides) {
    if (!side.lasts || side.acts.length === 0) continue;
    for (const [op, outcome] of ends(side, ledger)) {
      const began = ledger.sessions[side.as]?.ops[op];
      if (began?.is !== "follow_up" || ("ok" in outcome && began.held !== null)) continue;
      const was = agentIn(side.before, began.path)?.mail;
      const is = agentIn(side.now, began.path)?.mail;
      if (!same(was, is)) return `the mail of ${began.path} was ${said(was)}, is ${said(is)} when ${op} ended`;
    }
  }
  return null;
};
