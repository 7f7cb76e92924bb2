/** What is in memory: little, on demand, whole, and without any say in what an agent is. */
import type { AgentView, Path } from "../../src/contract.ts";
import { serves } from "./acts.ts";
import type { Check, Ledger, Seen } from "./law.ts";
import { said, same } from "./same.ts";
import { type Act, agentIn, agentsOf, alike, isOpen, none, pathOf, type Side, sceneOf, targetOf } from "./scene.ts";

/** The path whose conversation a step may make resident. */
function read(ledger: Ledger, side: Side, { step }: Act): Path | null {
  switch (step.do) {
    case "inspect":
    case "read_history":
      return step.path;
    case "follow_up":
      return targetOf(step.by, step.to);
    case "answer":
      return step.gate === "hydrate" || ledger.sessions[side.as]?.ops[step.op] !== undefined ? pathOf(step.op) : null;
    default:
      return null;
  }
}

/** L31 */
export const lazy: Check = (ledger, before, now) => {
  const { only, sides } = sceneOf(ledger, before, now);
  for (const side of sides) {
    if (side.opens) {
      const agents = agentsOf(side.now);
      for (const path in agents)
        if (agents[path]?.residency !== undefined) return `${path} is ${agents[path].residency} after a restore`;
    }
    if (only === null || only.as !== side.as || !side.lasts) continue;
    const path = read(ledger, side, only);
    for (const changed of side.changed)
      if (changed !== path && comes(side, changed)) return `${only.step.do} made ${changed} resident`;
    const { step, outcome } = only;
    if (step.do !== "answer" || step.gate !== "hydrate" || !("ok" in outcome || "gate" in outcome)) continue;
    if ("ok" in outcome && outcome.ok === "late") continue;
    for (const [op, gate] of side.now.open ?? none)
      if (gate === "hydrate" && pathOf(op) === pathOf(step.op))
        return `${op} still waits for a conversation that was read`;
  }
  return only === null || before === null ? null : counted(ledger, before, now, only);
};

const comes = (side: Side, path: Path): boolean => {
  const was = agentIn(side.before, path)?.residency;
  const is = agentIn(side.now, path)?.residency;
  return is !== undefined && was !== is && !(was === "writable" && is === "inspection");
};

/** One read a step; of a restore, and of an answer to it, one for each turn that was abandoned. */
function counted(ledger: Ledger, before: Seen, { counters }: Seen, { as, step }: Act): string | null {
  if (before.counters === null || counters === null) return null;
  const read = counters.conversationsHydrated - before.counters.conversationsHydrated;
  const recovers =
    step.do === "restore" || (step.do === "answer" && ledger.sessions[as]?.ops[step.op]?.is === "recover");
  if (!recovers) return read <= 1 ? null : `${step.do} hydrated ${read} conversations`;
  // Another may own the archive by now, and have recovered what this restore still reads.
  if (before.stored === null || (step.do === "answer" && ledger.owner !== as)) return null;
  const abandoned = Object.values(before.stored.agents).filter(
    ({ activity }) => activity !== "idle" && activity !== "starting",
  );
  return read > abandoned.length ? `the restore hydrated ${read} conversations for ${abandoned.length} turns` : null;
}

/** L32 */
export const independent: Check = (ledger, before, now) => {
  const { only, sides } = sceneOf(ledger, before, now);
  if (only === null) return null;
  for (const side of sides) {
    if (side.as !== only.as || !side.lasts || !isAside(ledger, side, only)) continue;
    if (side.born.length + side.gone.length > 0) return `${only.step.do} changed who is there`;
    if (!same(side.before.root?.mail, side.now.root?.mail)) return `${only.step.do} changed the root's mail`;
    for (const path of side.changed) {
      const field = differs(agentIn(side.before, path), agentIn(side.now, path));
      if (field !== null) return `${only.step.do} changed the ${field} of ${path}`;
    }
    if (only.step.do === "evict" && "ok" in only.outcome && agentIn(side.now, only.step.path)?.residency !== undefined)
      return `${only.step.path} was evicted and is ${agentIn(side.now, only.step.path)?.residency}`;
  }
  return null;
};

function isAside(ledger: Ledger, side: Side, act: Act): boolean {
  const { step } = act;
  if (step.do === "evict" || step.do === "compact") return true;
  const reads =
    step.do === "inspect" ||
    step.do === "read_history" ||
    (step.do === "answer" && ledger.sessions[side.as]?.ops[step.op]?.is === "reader");
  return reads && !serves(ledger, side, act);
}

function differs(was: AgentView | undefined, is: AgentView | undefined): string | null {
  if (was === undefined || is === undefined) return "place";
  if (was.role !== is.role) return "role";
  if (was.config !== is.config) return "config";
  if (was.activity !== is.activity) return "activity";
  if (was.turn !== is.turn) return "turn";
  if (!same(was.result, is.result)) return "result";
  if (!same(was.mail, is.mail)) return "mail";
  return same(was.owed, is.owed) ? null : "debt";
}

/** L33 */
export const harmless: Check = (ledger, before, now) => {
  const { only, sides } = sceneOf(ledger, before, now);
  if (only === null || !isFailure(only)) return null;
  for (const side of sides) {
    if (side.as !== only.as || !side.lasts) continue;
    const path = read(ledger, side, only);
    for (const event of only.events) if (event[0] === "provider") return `no conversation, and yet ${said(event)}`;
    for (const changed of side.changed) {
      if (changed !== path) return `a failed read of ${path} changed ${changed}`;
      const was = agentIn(side.before, changed);
      const is = agentIn(side.now, changed);
      if (was?.residency !== is?.residency || !same(was?.marks, is?.marks))
        return `a failed read left ${changed} ${is?.residency ?? "cold"} ${said(is?.marks ?? [])}`;
    }
    if (path !== null)
      for (const [op] of side.before.open ?? none)
        if (pathOf(op) !== path && !isOpen(side.now, op)) return `a failed read of ${path} ended ${op}`;
  }
  return null;
};

const isFailure = ({ outcome }: Act): boolean =>
  "fault" in outcome &&
  (outcome.fault === "conversation_missing" ||
    outcome.fault === "conversation_corrupt" ||
    outcome.fault === "conversation_failed" ||
    outcome.fault === "location_unsafe");

/** L34 */
export const marked: Check = (ledger, before, now) => {
  for (const side of sceneOf(ledger, before, now).sides) {
    for (const paths of [side.born, side.changed])
      for (const path of paths) {
        const agent = agentIn(side.now, path);
        if (agent === undefined) continue;
        const { residency, marks, turn } = agent;
        if (turn !== undefined && residency !== "writable")
          return `${path} is in turn ${turn} and ${residency ?? "cold"}`;
        if (residency !== "inspection" && marks !== undefined)
          return `${path} is ${residency ?? "cold"}, marked ${said(marks)}`;
        if (residency === "inspection" && !(marks?.includes("read_only") === true && marks.includes("no_save")))
          return `${path} is inspected and marked ${said(marks ?? [])}`;
      }
    for (const [op, gate] of side.now.open ?? none)
      if ((gate === "prepare" || gate === "dispatch") && !isOpen(side.before, op)) {
        const agent = agentIn(side.now, pathOf(op));
        if (agent !== undefined && agent.residency !== "writable")
          return `${op} starts with a conversation that is ${agent.residency ?? "cold"}`;
      }
  }
  return null;
};

/** L38 */
export const forked: Check = (ledger, before, now) => {
  const { only, sides } = sceneOf(ledger, before, now);
  if (only === null || only.step.do !== "fork" || !("ok" in only.outcome)) return null;
  const child = only.outcome.ok;
  const side = sides.find((each) => each.as === only.as);
  if (side === undefined || typeof child !== "object" || !("mode" in child)) return `a fork answered ${said(child)}`;
  if (Object.keys(child.agents ?? {}).length > 0)
    return `a fork starts with ${Object.keys(child.agents ?? {}).join(", ")}`;
  if (child.capacity !== side.now.capacity) return `a fork has the capacity ${child.capacity}`;
  if ((child.root?.mail ?? none).length > 0 || (child.root?.messages ?? 0) > 0)
    return "a fork has the mail of its source";
  return alike(side.before, side.now) ? null : "a fork changed its source";
};
