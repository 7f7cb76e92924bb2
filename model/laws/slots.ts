/** Capacity: who counts, when the count may rise, and what happens when there is no room. */
import type { Path, View } from "../../src/contract.ts";
import { isActive, startOf } from "./acts.ts";
import type { Check, Ledger } from "./law.ts";
import { same } from "./same.ts";
import { type Act, agentIn, agentsOf, isOpen, pathOf, type Side, sceneOf, targetOf } from "./scene.ts";

/** Active agents, and reservations: starts of somebody who is not there yet. */
function count(view: View): number {
  let active = 0;
  const agents = agentsOf(view);
  for (const path in agents) if (isActive(agents[path])) active += 1;
  if (view.open !== undefined)
    for (const [op, gate] of view.open)
      if ((gate === "prepare" || gate === "dispatch") && agents[pathOf(op)] === undefined) active += 1;
  return active;
}

/** L3. Lowering the capacity ends nobody; what it forbids is another start. */
export const room: Check = (ledger, before, now) => {
  for (const { now: view, before: earlier, lasts, acts } of sceneOf(ledger, before, now).sides) {
    const active = view.active ?? 0;
    if (view.capacity === undefined || active <= view.capacity) continue;
    if (acts.length > 1 && acts.some(({ step }) => step.do === "set_capacity")) continue;
    if (!lasts || active > (earlier.active ?? 0)) return `${active} are active with a capacity of ${view.capacity}`;
  }
  return null;
};

/** L4 */
export const slots: Check = (ledger, before, now) => {
  const { sides, only } = sceneOf(ledger, before, now);
  for (const side of sides) {
    const { now: view } = side;
    if (view.mode === "closed" || view === side.before) continue;
    const counted = count(view);
    if ((view.active ?? 0) !== counted) return `${view.active ?? 0} count as active, ${counted} are`;
    if (side.opens && counted > 0) return `${counted} are active in a session just restored`;
    const wrong = starting(ledger, side) ?? (side.lasts ? moved(ledger, side, only) : null);
    if (wrong !== null) return wrong;
  }
  return null;
};

/** Starting means that a start is under way: one that has ended in whatever way has let go. */
function starting(ledger: Ledger, side: Side): string | null {
  const agents = agentsOf(side.now);
  for (const path in agents) {
    if (agents[path]?.activity !== "starting") continue;
    if (!(side.now.open ?? []).some(([op, gate]) => pathOf(op) === path && gate !== "abort" && gate !== "handler"))
      return `${path} is starting and nothing is under way for it`;
  }
  const ops = ledger.sessions[side.as]?.ops;
  if (ops !== undefined)
    for (const op in ops)
      if (ops[op]?.is === "follow_up" && isOpen(side.now, op) && agents[ops[op].path]?.activity !== "starting")
        return `${op} is under way and its agent is ${agents[ops[op].path]?.activity}`;
  return null;
}

/** Idle to active by a follow-up of one's own; active to idle by its end or a settlement. */
function moved(ledger: Ledger, side: Side, only: Act | null): string | null {
  for (const path of side.changed) {
    const was = isActive(agentIn(side.before, path));
    const is = isActive(agentIn(side.now, path));
    if (was === is) continue;
    if (is) {
      if (!side.acts.some(({ step }) => step.do === "follow_up" && targetOf(step.by, step.to) === path))
        return `${path} became active by ${side.acts.map(({ step }) => step.do).join(", ")}`;
      continue;
    }
    const settled = side.acts.some(({ events }) => events.some((each) => each[0] === "settled" && each[1] === path));
    const ops = ledger.sessions[side.as]?.ops ?? {};
    const rolledBack = Object.values(ops).some(
      (op) => startOf(op) !== null && op.path === path && !isOpen(side.now, op.op),
    );
    if (!settled && !rolledBack) return `${path} became idle and neither settled nor rolled back`;
  }
  if (only === null) return null;
  const rise = (side.now.active ?? 0) - (side.before.active ?? 0);
  if (rise > 1) return `one step made ${rise} more active`;
  if (rise === 1 && only.step.do !== "spawn" && only.step.do !== "follow_up") return `${only.step.do} took a slot`;
  return null;
}

/** L12 */
export const capacity: Check = (ledger, before, now) => {
  const { only, sides } = sceneOf(ledger, before, now);
  if (only === null || only.step.do !== "follow_up") return null;
  const side = sides.find((each) => each.as === only.as);
  if (side === undefined) return null;
  const path = targetOf(only.step.by, only.step.to);
  return refused(side, only, path) ?? steered(side, only, path);
};

function refused(side: Side, { outcome }: Act, path: Path): string | null {
  if (!("refused" in outcome) || outcome.refused !== "at_capacity") return null;
  if ((side.before.active ?? 0) < (side.before.capacity ?? 0)) return `${path} was refused though there is room`;
  if (isActive(agentIn(side.before, path))) return `steering ${path} was refused for want of a slot`;
  return same(agentIn(side.before, path), agentIn(side.now, path)) ? null : `a refused follow-up changed ${path}`;
}

function steered(side: Side, { outcome }: Act, path: Path): string | null {
  const was = agentIn(side.before, path);
  const is = agentIn(side.now, path);
  if (was === undefined || is === undefined || was.activity === "idle" || !side.lasts) return null;
  if ("gate" in outcome) return `${path} was ${was.activity} and is being started again`;
  if ((side.now.active ?? 0) !== (side.before.active ?? 0)) return `steering ${path} took a slot`;
  if (is.turn !== was.turn) return `steering ${path} led from turn ${was.turn} to ${is.turn}`;
  const more = (is.mail ?? []).length - (was.mail ?? []).length;
  if ("ok" in outcome && more !== 1) return `steering ${path} added ${more} mails`;
  return null;
}
