/** Who is there: paths, reservations, publication, and what an agent keeps from spawn to the end. */
import type { AgentView, Path, View } from "../../src/contract.ts";
import { ends, isPathValue, startPath } from "./acts.ts";
import type { Check, Ledger, Seen } from "./law.ts";
import { said, same } from "./same.ts";
import {
  type Act,
  agentIn,
  agentsOf,
  isOpen,
  parentOf,
  pathOf,
  type Scene,
  type Side,
  sceneOf,
  targetOf,
} from "./scene.ts";

const form = /^\/root(?:\/[a-z0-9_]{1,64}){1,32}$/;

/** L1. Only newcomers are looked at: a path never changes. */
export const paths: Check = (ledger, before, now) => {
  for (const side of sceneOf(ledger, before, now).sides) {
    for (const path of side.born) {
      if (!form.test(path) || path.endsWith("/root")) return `${path} is no path of an agent`;
      const above = parentOf(path);
      if (above !== "/root" && agentIn(side.now, above) === undefined) return `${path} has no parent ${above}`;
    }
    if (side.gone.length > 0)
      for (const path in agentsOf(side.now)) {
        const above = parentOf(path);
        if (above !== "/root" && agentIn(side.now, above) === undefined) return `${path} has lost its parent ${above}`;
      }
  }
  return null;
};

/** L2. Ids are not seen; numbers and paths are. */
export const unique: Check = (ledger, before, now) => {
  const scene = sceneOf(ledger, before, now);
  for (const side of scene.sides) {
    const wrong = shared(ledger, side);
    if (wrong !== null) return wrong;
    for (const path of [...side.born, ...side.changed]) {
      const turn = agentIn(side.now, path)?.turn;
      if (turn === undefined || turn === agentIn(side.before, path)?.turn) continue;
      const highest = ledger.admitted[path] ?? 0;
      if (turn <= highest) return `${path} admitted turn ${turn} after turn ${highest}`;
    }
  }
  return counted(before, now);
};

function shared(ledger: Ledger, side: Side): string | null {
  const { aside, open } = side.now;
  if (aside !== undefined)
    for (const path in aside) if (agentIn(side.now, path) !== undefined) return `${path} is there and set aside`;
  if (open === undefined || open === side.before.open) return null;
  const starts: Path[] = [];
  for (const [op, gate] of open) {
    const path = op.slice(0, op.lastIndexOf("#"));
    if (gate !== "prepare" && gate !== "dispatch") continue;
    if (starts.includes(path)) return `two starts are under way for ${path}`;
    starts.push(path);
    if (aside?.[path] !== undefined) return `${path} is being started though it is set aside`;
    const began = ledger.sessions[side.as]?.ops[op];
    if (began !== undefined && began.is === "spawn" && side.born.includes(path)) return `${path} was published twice`;
  }
  return null;
}

/** What a commit would write counts the turn under way, and never fewer than before. */
function counted(before: Seen | null, now: Seen): string | null {
  if (!("ok" in now.encoded) || now.view.mode === "closed") return null;
  const earlier =
    before !== null && before.view.mode === now.view.mode && "ok" in before.encoded ? before.encoded.ok : null;
  const { agents } = now.encoded.ok;
  if (agents === earlier?.agents) return null;
  for (const path in agents) {
    const agent = agents[path];
    const old = earlier?.agents[path];
    if (agent === undefined || agent === old) continue;
    const turns = agent.turns ?? 0;
    const turn = agentIn(now.view, path)?.turn;
    if (turn !== undefined && turn !== turns) return `${path} is in turn ${turn} and has counted ${turns}`;
    if (old !== undefined && turns < (old.turns ?? 0)) return `${path} counted ${old.turns} turns, now ${turns}`;
  }
  return null;
}

/** L5. A start that is not published is nobody: for a reader, for the archive, for a sender. */
export const reserved: Check = (ledger, before, now) => {
  const { sides } = sceneOf(ledger, before, now);
  for (const side of sides) {
    const session = ledger.sessions[side.as];
    if (session !== undefined && side.lasts)
      for (const op in session.ops)
        if (session.ops[op]?.is === "spawn" && isOpen(side.now, op)) {
          const wrong = revealed(ledger, side, session.ops[op].path, now);
          if (wrong !== null) return wrong;
        }
    for (const { step, outcome } of side.acts) {
      if (!("ok" in outcome)) continue;
      const to =
        step.do === "send" || step.do === "follow_up"
          ? targetOf(step.by, step.to)
          : step.do === "execution"
            ? step.owner
            : null;
      if (to !== null && to !== "/root" && nowhere(side, to))
        return `${step.do} to ${to}, which is nobody, was accepted`;
      if (step.do === "roster" && Array.isArray(outcome.ok))
        for (const row of outcome.ok)
          if (typeof row[0] === "string" && row[0] !== "/root" && nowhere(side, row[0]))
            return `roster lists ${row[0]}`;
    }
  }
  return null;
};
const nowhere = (side: Side, path: Path): boolean =>
  agentIn(side.before, path) === undefined && agentIn(side.now, path) === undefined;

function revealed(ledger: Ledger, side: Side, path: Path, now: Seen): string | null {
  if (agentIn(side.now, path) !== undefined) return `${path} is listed and only reserved`;
  if (side.as === "w1" && "ok" in now.encoded && now.encoded.ok.agents[path] !== undefined)
    return `${path} would be written and is only reserved`;
  if (ledger.owner === side.as && now.stored?.agents[path] !== undefined) return `${path} is written and only reserved`;
  return null;
}

/** L6 */
export const publication: Check = (ledger, before, now) => {
  const scene = sceneOf(ledger, before, now);
  for (const side of scene.sides) {
    if (side.acts.length === 0) continue;
    for (const act of side.acts) {
      const wrong = promised(ledger, side, act, now) ?? (scene.only === null ? null : unjust(side, act));
      if (wrong !== null) return wrong;
    }
    if (scene.only === null || !side.lasts) continue;
    for (const [op, outcome] of ends(side, ledger)) {
      const began = ledger.sessions[side.as]?.ops[op];
      if (began?.is === "spawn" && !("ok" in outcome)) {
        const wrong = residue(ledger, side, began.path, now);
        if (wrong !== null) return wrong;
      }
    }
    const { step, outcome } = scene.only;
    if (step.do === "spawn" && !("ok" in outcome) && !("gate" in outcome)) {
      const path = `${step.by}/${step.name}`;
      if (!isHeld(side, path)) {
        const wrong = residue(ledger, side, path, now);
        if (wrong !== null) return wrong;
      }
    }
  }
  return born(ledger, scene);
};

/** A path that was returned is there, with its turn, and in the archive. */
function promised(ledger: Ledger, side: Side, act: Act, now: Seen): string | null {
  if (act.step.do === "follow_up" || !isPathValue(act.outcome) || !side.lasts) return null;
  const path = startPath(ledger, side, act);
  if (path === null) return null;
  if (act.outcome.ok !== path) return `the start of ${path} answered ${act.outcome.ok}`;
  if (agentIn(side.now, path) === undefined) return `${path} was returned and is not there`;
  if (now.stored !== null && (now.stored.agents[path]?.turns ?? 0) < 1)
    return `${path} was returned and is not written`;
  return null;
}

function residue(ledger: Ledger, side: Side, path: Path, now: Seen): string | null {
  if (agentIn(side.now, path) !== undefined) return `${path} is there though its spawn failed`;
  if (ledger.owner === side.as && now.stored?.agents[path] !== undefined)
    return `${path} is written though its spawn failed`;
  for (const [op] of side.now.open ?? [])
    if (op.startsWith(`${path}#`)) return `${op} is still open though the spawn failed`;
  return null;
}

/** A name is refused as taken only if somebody has it. */
function unjust(side: Side, { step, outcome }: Act): string | null {
  if (step.do !== "spawn" || !("refused" in outcome) || outcome.refused !== "path_taken") return null;
  const path = `${step.by}/${step.name}`;
  return isHeld(side, path) ? null : `${path} is free and was refused as taken`;
}

const isHeld = ({ before }: Side, path: Path): boolean =>
  agentIn(before, path) !== undefined ||
  before.aside?.[path] !== undefined ||
  (before.open ?? []).some(([op, gate]) => pathOf(op) === path && (gate === "prepare" || gate === "dispatch"));

/** Nobody appears but by a spawn: no half of a record, no name out of nothing. */
function born(ledger: Ledger, { only, sides }: Scene): string | null {
  if (only === null) return null;
  for (const side of sides) {
    if (!side.lasts) continue;
    for (const path of side.born) {
      const began = only.as === side.as && startPath(ledger, side, only) === path && "ok" in only.outcome;
      if (!began) return `${path} appeared by ${only.step.do}`;
      const agent = agentIn(side.now, path);
      if (agent?.activity !== "idle" && agent?.turn !== 1) return `${path} is published without its turn`;
      if (agent.messages !== 1) return `${path} is published with ${agent.messages ?? 0} messages, not its task`;
    }
  }
  return null;
}

/** L7. Who was published stays: listed, or set aside. */
export const kept: Check = (ledger, before, now) => {
  const { sides, only } = sceneOf(ledger, before, now);
  for (const side of sides) {
    if (side.now.mode === "closed") continue;
    if (!side.lasts || side.gone.length > 0 || side.now.aside !== side.before.aside)
      for (const path in ledger.published)
        if (missing(side.now, path) && (ledger.owner === side.as || !side.lasts || side.gone.includes(path)))
          return `${path} was published and is gone`;
    if (only === null) continue;
    const { step, outcome } = only;
    if ("refused" in outcome && outcome.refused === "agent_unknown" && step.do === "send") {
      const to = targetOf(step.by, step.to);
      if (agentIn(side.before, to) !== undefined && side.as === only.as) return `${to} is there and not known`;
    }
  }
  return null;
};
const missing = (view: View, path: Path): boolean =>
  agentIn(view, path) === undefined && view.aside?.[path] === undefined;

/** L27. Equal from spawn to the end; who shares a config may share its bytes and never see another's change. */
export const frozen: Check = (ledger, before, now) => {
  const scene = sceneOf(ledger, before, now);
  for (const side of scene.sides) {
    for (const path of side.born) {
      const wrong = side.lasts ? given(ledger, scene, side, path) : constant(ledger, path, agentIn(side.now, path));
      if (wrong !== null) return wrong;
    }
    for (const path of side.changed) {
      const wrong = constant(ledger, path, agentIn(side.now, path));
      if (wrong !== null) return wrong;
    }
  }
  return written(ledger, before, now);
};

function constant(ledger: Ledger, path: Path, agent: Pick<AgentView, "role" | "config"> | undefined): string | null {
  const first = ledger.published[path];
  if (first === undefined || agent === undefined) return null;
  if (agent.role !== first.role) return `${path} was spawned as ${first.role}, is ${agent.role}`;
  if (agent.config !== first.config && ledger.tampered[path] === undefined)
    return `the config of ${path} was ${said(first.config)}, is ${said(agent.config)}`;
  return null;
}

function given(ledger: Ledger, scene: Scene, side: Side, path: Path): string | null {
  const agent = agentIn(side.now, path);
  for (const { step, outcome } of scene.acts)
    if (step.do === "spawn" && isPathValue(outcome) && outcome.ok === path && agent?.role !== step.role)
      return `${path} was spawned as ${step.role}, is ${agent?.role}`;
  return ledger.published[path] === undefined ? null : constant(ledger, path, agent);
}

function written(ledger: Ledger, before: Seen | null, now: Seen): string | null {
  const agents = now.stored?.agents;
  if (agents === undefined || agents === before?.stored?.agents) return null;
  for (const path in agents)
    if (agents[path] !== before?.stored?.agents[path] && !same(agents[path], before?.stored?.agents[path])) {
      const wrong = constant(ledger, path, agents[path]);
      if (wrong !== null) return `in the archive, ${wrong}`;
    }
  return null;
}

/** L35: what a provider is started with, and what is set aside for its tools. */
export const references: Check = (ledger, before, now) => {
  const { sides } = sceneOf(ledger, before, now);
  for (const side of sides) {
    for (const { events } of side.acts)
      for (const event of events) {
        if (event[0] !== "provider" || event[2] === "stopped") continue;
        // A start of a name that is not there yet says nothing of who had it in an archive that was lost.
        if (agentIn(side.now, event[1]) === undefined) continue;
        const first = ledger.published[event[1]]?.tools ?? null;
        if (first !== null && ledger.tampered[event[1]] === undefined && !same(first, event[2].started))
          return `${event[1]} was given ${said(first)}, is started with ${said(event[2].started)}`;
      }
    if (!side.opens || side.now.aside === undefined) continue;
    const key = registrarsOf(ledger, side);
    for (const path in side.now.aside) {
      const code = side.now.aside[path];
      if (code !== "tool_unknown" && code !== "category_foreign") continue;
      if (ledger.tampered[path] === undefined && ledger.resolved[path] === key)
        return `${path} is set aside as ${code}, and its tools resolved under the same registrars before`;
    }
  }
  return null;
};

function registrarsOf(ledger: Ledger, side: Side): string {
  for (const { step } of side.acts) if (step.do === "restore") return step.registrars?.join(" ") ?? "*";
  return ledger.sessions[side.as]?.registrars ?? "*";
}
