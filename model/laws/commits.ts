/** What is written and what is not: a commit happens whole or not at all, and whoever was told `ok` can rely on it. */
import type { AgentView, Path, StoredAgentView, StoredView } from "../../src/contract.ts";
import { isCommitFault, isQuiet, serves, wrote } from "./acts.ts";
import type { Check, Ledger, Seen } from "./law.ts";
import { said, same } from "./same.ts";
import {
  type Act,
  agentIn,
  agentsOf,
  alike,
  isOpen,
  none,
  pathOf,
  type Scene,
  type Side,
  sceneOf,
  targetOf,
} from "./scene.ts";

/** L9, in every state; and nobody is told that a record does not. */
export const encodes: Check = (ledger, before, now) => {
  const { encoded, view } = now;
  if ("fault" in encoded)
    return `${encoded.at} does not encode, it is ${agentIn(view, encoded.at)?.activity ?? "not there"}`;
  for (const { step, outcome } of sceneOf(ledger, before, now).acts)
    if ("fault" in outcome && outcome.fault === "record_invalid")
      return `${step.do} found that ${outcome.at} does not encode`;
  return null;
};

/** L28, in every state: what would be written is what is seen; and what a roll-back gives back, where that is shown. */
export const agrees =
  (undoes: boolean): Check =>
  (ledger, before, now) => {
    if (now.view.mode === "closed" || !("ok" in now.encoded)) return null;
    const { agents, capacity, root } = now.encoded.ok;
    const seen = agentsOf(now.view);
    const was = before !== null && before.view.mode === now.view.mode && "ok" in before.encoded ? before : null;
    const old = was !== null && "ok" in was.encoded ? was.encoded.ok : null;
    if (capacity !== now.view.capacity) return `the capacity is ${now.view.capacity}, ${capacity} would be written`;
    if (root !== old?.root || now.view.root !== was?.view.root) {
      if (!same(root.mail, now.view.root?.mail)) return "the root's mail would be written otherwise";
      if (root.messages !== now.view.root?.messages) return "the root's conversation would be written otherwise";
    }
    if (agents === old?.agents && seen === was?.view.agents) return null;
    for (const path in seen) {
      const agent = seen[path];
      const kept = agents[path];
      if (kept === undefined || agent === undefined) return `${path} would not be written`;
      if (agent === was?.view.agents?.[path] && kept === old?.agents[path]) continue;
      const field = differs(agent, kept);
      if (field !== null) return `${path} would be written with another ${field}: ${said(kept)}`;
      const wrong = undoes && agent.activity === "starting" ? givesBack(ledger, path, kept) : null;
      if (wrong !== null) return wrong;
    }
    for (const path in agents) if (seen[path] === undefined) return `${path} would be written and is not there`;
    return null;
  };

function differs(agent: AgentView, kept: StoredAgentView): string | null {
  if (agent.role !== kept.role) return "role";
  if (agent.config !== kept.config) return "config";
  if (agent.activity !== kept.activity) return "activity";
  if (agent.messages !== kept.messages) return "conversation";
  if (!same(agent.result, kept.result)) return "result";
  if (!same(agent.mail, kept.mail)) return "mail";
  return same(agent.owed, kept.owed) ? null : "debt";
}

/** Of a start: beside `starting` stands what a roll-back gives back. */
function givesBack(ledger: Ledger, path: Path, kept: StoredAgentView): string | null {
  const ops = ledger.sessions["w1"]?.ops ?? {};
  for (const op in ops) {
    const began = ops[op];
    if (began?.is !== "follow_up" || began.path !== path || began.was === null) continue;
    if (!same(began.was.result, kept.undo ?? null))
      return `${path} had the result ${said(began.was.result)}, a roll-back would give back ${said(kept.undo ?? null)}`;
  }
  return null;
}

/** L19 */
export const failed: Check = (ledger, before, now) => {
  const { only, sides } = sceneOf(ledger, before, now);
  if (only === null || before === null || !isCommitFault(only.outcome) || only.step.do === "restore") return null;
  if (!same(before.stored, now.stored)) return `${only.step.do} was not written and the archive has changed`;
  for (const side of sides) {
    if (side.as !== only.as || side.before.mode === "closed") continue;
    const wrong = untouched(side, only);
    if (wrong !== null) return wrong;
  }
  return null;
};

/** Whose conversation the step may have read, or failed to, since the archive was lost. */
function readBy(step: Act["step"]): Path | null {
  if (step.do === "answer") return pathOf(step.op);
  if (step.do === "follow_up") return targetOf(step.by, step.to);
  return step.do === "read_history" || step.do === "inspect" ? step.path : null;
}

function untouched(side: Side, { step, outcome }: Act): string | null {
  const what = `${step.do} was not written`;
  if (side.now.mode === "closed") return `${what} and the session is closed`;
  if (side.now.capacity !== side.before.capacity) return `${what} and the capacity has changed`;
  if (!same(side.before.root, side.now.root)) return `${what} and the root has changed: ${said(side.now.root)}`;
  if (side.born.length + side.gone.length > 0)
    return `${what}, and ${[...side.born, ...side.gone].join(", ")} came or went`;
  const target = readBy(step);
  for (const path of side.changed) {
    const was = agentIn(side.before, path);
    const is = agentIn(side.now, path);
    if (was === undefined || is === undefined) continue;
    const start = path === target && (was.activity === "starting" || was.activity === "idle");
    if (!same(was.mail, is.mail)) return `${what} and the mail of ${path} is ${said(is.mail)}`;
    if (!same(was.owed, is.owed)) return `${what} and ${path} owes ${said(is.owed)}`;
    if (was.turn !== is.turn) return `${what} and ${path} went from turn ${was.turn} to ${is.turn}`;
    if (was.messages !== is.messages) return `${what} and the conversation of ${path} has changed`;
    if (!start && !same(was.result, is.result)) return `${what} and ${path} has the result ${said(is.result)}`;
    if (!start && was.activity !== is.activity) return `${what} and ${path} is ${is.activity}`;
  }
  for (const [op, gate] of side.before.open ?? none) {
    // A read that the step itself answered, in advance or not, ends for all who asked.
    const own = (step.do === "answer" && step.op === op) || (gate === "hydrate" && pathOf(op) === target);
    if (!isOpen(side.now, op) && !own) return `${what} and ${op} is over, with the fault ${said(outcome)}`;
  }
  return null;
}

/** L20 */
export const justified: Check = (ledger, before, now) => {
  const { only, sides, acts } = sceneOf(ledger, before, now);
  for (const { step, outcome, events } of acts) {
    if (!isCommitFault(outcome) && !("crashed" in outcome)) continue;
    for (const event of events)
      if (event[0] === "woke" || event[0] === "settled" || (event[0] === "handled" && !("crashed" in outcome)))
        return `${step.do} was not written, and yet ${said(event)}`;
  }
  if (only === null) return null;
  for (const side of sides) {
    if (side.as !== only.as || !side.lasts) continue;
    if (isCommitFault(only.outcome)) {
      if (side.before.root?.waiting === true && side.now.root?.waiting !== true)
        return "the root's wait ended by nothing";
      for (const path of side.changed)
        if (agentIn(side.before, path)?.waiting === true && agentIn(side.now, path)?.waiting !== true)
          return `the wait of ${path} ended by a commit that was not written`;
      for (const [op, gate] of side.now.open ?? none)
        if (gate === "handler" && !isOpen(side.before, op)) return `${op} was called by a commit that was not written`;
    } else if (now.stored !== null) {
      for (const event of only.events) {
        if (event[0] !== "woke" || event[2] === "timeout") continue;
        const path = event[1];
        const written = path === "/root" ? now.stored.root.mail : now.stored.agents[path]?.mail;
        const mail = path === "/root" ? side.now.root?.mail : agentIn(side.now, path)?.mail;
        if (!same(written, mail)) return `${path} was woken for mail that is not written: ${said(mail)}`;
      }
    }
  }
  return null;
};

/** Whether a step may leave another archive behind. */
const mayWrite = (ledger: Ledger, side: Side, act: Act): boolean =>
  wrote(act) ||
  "crashed" in act.outcome ||
  act.step.do === "restore" ||
  act.step.do === "damage" ||
  act.step.do === "mend" ||
  (act.step.do === "compact" && "ok" in act.outcome) ||
  (ledger.sessions[side.as]?.mode === "write" && serves(ledger, side, act)) ||
  (act.step.do === "answer" && act.step.gate === "hydrate" && "ok" in act.outcome && act.outcome.ok === "done");

const reads: { readonly [verb: string]: true } = {
  roster: true,
  read_result: true,
  read_history: true,
  inspect: true,
  verify: true,
  fork: true,
  evict: true,
  change_role: true,
};
function isRead(ledger: Ledger, side: Side, act: Act): boolean {
  const { step } = act;
  if (side.before.mode === "read") return true;
  if (serves(ledger, side, act)) return false;
  return reads[step.do] === true || (step.do === "answer" && ledger.sessions[side.as]?.ops[step.op]?.is === "reader");
}

/** An operation that is over, or waits at another gate, is answered in vain. */
function vain(side: Side, { step, outcome }: Act): string | null {
  if (step.do !== "answer" || !("ok" in outcome || "gate" in outcome)) return null;
  if ("ok" in outcome && outcome.ok === "late") return null;
  const waits = (side.before.open ?? none).some(([op, gate]) => op === step.op && gate === step.gate);
  return waits ? null : `${step.op} does not wait at ${step.gate}, the answer was taken: ${said(outcome)}`;
}

/** L37. `task_refused` is how a start ends, not a refusal of a step. */
export const idleSteps: Check = (ledger, before, now) => {
  const { only, sides } = sceneOf(ledger, before, now);
  if (only === null || before === null) return null;
  const { step, outcome } = only;
  if (isQuiet(outcome) && !("refused" in outcome && outcome.refused === "task_refused")) {
    if (only.events.length > 0) return `${step.do} answered ${said(outcome)}, and ${said(only.events)}`;
    for (const side of sides)
      if (!alike(side.before, side.now)) return `${step.do} answered ${said(outcome)} and changed ${changes(side)}`;
    if (!same(before.encoded, now.encoded))
      return `${step.do} answered ${said(outcome)}, other things would be written`;
  }
  const side = sides.find((each) => each.as === only.as);
  const taken = side === undefined ? null : vain(side, only);
  if (taken !== null) return taken;
  if (side === undefined || mayWrite(ledger, side, only) || isCommitFault(outcome) || isRead(ledger, side, only))
    return null;
  return same(before.stored, now.stored) ? null : `${step.do} answered ${said(outcome)} and the archive has changed`;
};

function changes(side: Side): string {
  const paths = [...side.born, ...side.changed, ...side.gone, ...(side.rootChanged ? ["/root"] : [])];
  return paths.length === 0 ? `the session of ${side.as}` : paths.join(", ");
}

/** L36 */
export const readsOnly: Check = (ledger, before, now) => {
  const { only, sides } = sceneOf(ledger, before, now);
  if (only === null || before === null) return null;
  const side = sides.find((each) => each.as === only.as);
  if (side === undefined) return null;
  const { step, outcome } = only;
  if (side.opens && side.now.mode === "read")
    return same(before.stored, now.stored) ? null : "a read-only restore wrote";
  if (!isRead(ledger, side, only) || "crashed" in outcome) return null;
  if (!same(before.stored, now.stored)) return `${step.do} changed the archive`;
  if (!side.lasts) return null;
  if (!same(side.before.root?.mail, side.now.root?.mail)) return `${step.do} changed the root's mail`;
  for (const path of side.changed)
    if (!same(agentIn(side.before, path)?.mail, agentIn(side.now, path)?.mail))
      return `${step.do} changed the mail of ${path}`;
  return null;
};

/** L39: what was acknowledged is in the archive, all of it; a crash takes nothing from there. */
export const durable: Check = (ledger, before, now) => {
  const { only } = sceneOf(ledger, before, now);
  const { stored } = now;
  if (only === null || before === null || stored === null) return null;
  const { step, outcome } = only;
  if (step.do === "crash" || ("crashed" in outcome && step.commit === "crash_before"))
    return same(before.stored, stored) ? null : `${step.do} changed the archive`;
  if (!wrote(only) || only.as !== "w1" || step.do === "restore") return null;
  if (step.do === "close")
    return before.view.mode === "write" && "ok" in before.encoded
      ? behind(before.encoded.ok, before, stored, only)
      : null;
  return now.view.mode === "write" && "ok" in now.encoded ? behind(now.encoded.ok, now, stored, only) : null;
};

/** Where the archive is behind the session. What was set aside stands there besides; waking comes after the commit. */
function behind(session: StoredView, { view }: Seen, archive: StoredView, act: Act): string | null {
  if (session.capacity !== archive.capacity) return `the capacity ${session.capacity} is acknowledged and not written`;
  if (!same(session.root, archive.root))
    return `the root is ${said(session.root)}, in the archive ${said(archive.root)}`;
  for (const path in session.agents) {
    const own = session.agents[path];
    const kept = archive.agents[path];
    if (own === undefined || same(own, kept)) continue;
    const woken = kept?.activity === "waiting" && act.events.some((event) => event[0] === "woke" && event[1] === path);
    if (!woken || !same(own, { ...kept, activity: own.activity }))
      return `${path} is ${said(own)}, in the archive ${said(kept)}`;
  }
  for (const path in archive.agents)
    if (session.agents[path] === undefined && view.aside?.[path] === undefined) return `${path} is only in the archive`;
  return null;
}

/** L40 */
export const owned: Check = (ledger, before, now) => {
  const scene = sceneOf(ledger, before, now);
  const { only, sides } = scene;
  if (before === null) return null;
  for (const side of sides)
    if (side.acts.length === 0 && scene.acts.length > 0 && !alike(side.before, side.now))
      return `a step of ${scene.acts[0]?.as} changed ${changes(side)} of ${side.as}`;
  if (only === null) return null;
  const { as, step, outcome } = only;
  if (step.do === "restore") return taken(ledger, scene);
  const side = sides.find((each) => each.as === as);
  if (side?.before.mode === "write" && ledger.owner !== as && wrote(only))
    return `${as} has lost the archive, and ${step.do} answered ${said(outcome)}`;
  if (side?.before.mode === "write" && ledger.owner !== as && !same(before.stored, now.stored))
    return `${as} has lost the archive, and ${step.do} changed it`;
  return null;
};

function taken(ledger: Ledger, { only }: Scene): string | null {
  if (only === null || only.step.do !== "restore" || only.step.mode !== "write") return null;
  const { as, step, outcome } = only;
  const free = ledger.owner === null || ledger.owner === as || step.takeover === true;
  if (!free && ("ok" in outcome || "gate" in outcome)) return `${as} opened what ${ledger.owner} owns`;
  if (free && "fault" in outcome && outcome.fault === "owned_elsewhere") return `${as} was refused, and nobody owns it`;
  return null;
}
