/** What the laws remember of a story: written down after each step, from what could be seen, and only when it changed. */
import type { AgentView, Path, StoredView, View } from "../../src/contract.ts";
import { acknowledged } from "./acknowledged.ts";
import { handlerOf, startOf, wrote } from "./acts.ts";
import type { Begun, Blocked, Ledger, Published, Seen, Session, Turn, Wait } from "./law.ts";
import { type Act, agentIn, agentsOf, isOpen, pathOf, type Scene, type Side, sceneOf, viewOf } from "./scene.ts";
import { failed, signs } from "./signs.ts";

const fresh: Session = { mode: "write", clock: 0, ops: {}, waits: {}, stacks: {}, turns: {}, registrars: "*" };

/** Before the first moment: the archive belongs to `w1`, which opened it. */
export const emptyLedger: Ledger = {
  published: {},
  admitted: {},
  settled: {},
  sessions: {},
  owner: "w1",
  damaged: {},
  tampered: {},
  resolved: {},
  cutOff: {},
  failed: {},
  signs: {},
  acknowledged: null,
};

export function remember(ledger: Ledger, before: Seen | null, now: Seen): Ledger {
  const scene = sceneOf(ledger, before, now);
  const next = { ...ledger };
  let changed = false;
  const set = <K extends keyof Ledger>(key: K, value: Ledger[K]): void => {
    if (next[key] === value) return;
    next[key] = value;
    changed = true;
  };
  for (const side of scene.sides) {
    set("sessions", sessions(next, ledger, scene, side, now));
    set("published", published(next, ledger, side));
    set("cutOff", cutOff(next, ledger, scene, side, now));
    set("resolved", resolved(next, side));
    set("admitted", admitted(next, side));
  }
  set("published", archived(next, before, now));
  set("settled", settled(next, scene, before));
  for (const act of scene.acts) {
    set("owner", owner(next.owner, act));
    set("damaged", damaged(next, act));
    set("tampered", tampered(next, act));
  }
  if (next.owner !== null && isShut(viewOf(now.view, next.owner))) set("owner", null);
  set("failed", failed(next.failed, ledger, scene));
  set("signs", signs(next.signs, scene));
  set("acknowledged", acknowledged(next, scene, before, now));
  return changed ? next : ledger;
}

const isShut = (view: View): boolean => view.mode === "closed" && view.open === undefined;
const having = <T>(map: { readonly [key: string]: T }, key: string, value: T): { readonly [key: string]: T } => ({
  ...map,
  [key]: value,
});
function without<T>(map: { readonly [key: string]: T }, key: string): { readonly [key: string]: T } {
  if (map[key] === undefined) return map;
  const { [key]: _, ...others } = map;
  return others;
}

function sessions(next: Ledger, was: Ledger, scene: Scene, side: Side, now: Seen): Ledger["sessions"] {
  const { as } = side;
  if (side.now.mode === "closed" && side.now.open === undefined) return without(next.sessions, as);
  const known = side.lasts || side.before.open !== undefined ? was.sessions[as] : undefined;
  const from = known ?? { ...fresh, registrars: registrars(side) };
  const session = lived(was, from, scene, side, now);
  return session === next.sessions[as] ? next.sessions : having(next.sessions, as, session);
}

const registrars = (side: Side): string => {
  for (const { step } of side.acts)
    if (step.do === "restore" && step.registrars !== undefined) return step.registrars.join(" ");
  return "*";
};

/** A session after its acts of this step. */
function lived(ledger: Ledger, from: Session, scene: Scene, side: Side, now: Seen): Session {
  let { clock, waits, stacks, turns } = from;
  for (const act of side.acts) {
    const { step, outcome } = act;
    if (!("ok" in outcome)) continue;
    if (step.do === "elapse") clock += step.ms;
    else if (step.do === "wait" && outcome.ok === "waiting") {
      waits = having<Wait>(waits, step.by, {
        deadline: clock + clamped(step.timeoutMs),
        callback: step.callback ?? null,
      });
      stacks = having(stacks, step.by, [...waitless(stacks[step.by]), { kind: "waiting", token: null }]);
    } else if (step.do === "block" && typeof outcome.ok === "string")
      stacks = having(stacks, step.path, [...(stacks[step.path] ?? []), { kind: step.kind, token: outcome.ok }]);
    else if (step.do === "release" && outcome.ok === "done") {
      const path = pathOf(step.token);
      stacks = having(
        stacks,
        path,
        (stacks[path] ?? []).filter((each) => each.token !== step.token),
      );
    } else if (step.do === "say" && outcome.ok === "done") {
      const turn = turns[step.path];
      if (turn !== undefined) turns = having(turns, step.path, { ...turn, said: turn.said + step.text.toWellFormed() });
    }
    if (wrote(act)) turns = written(turns);
  }
  turns = turnsNow(ledger, turns, side);
  if (now.stored !== null) turns = durable(turns, side, now.stored);
  waits = waitsNow(waits, side.now);
  stacks = stacksNow(stacks, side);
  const ops = opsNow(from, scene, side);
  const { mode } = side.now;
  const writes = mode === "read" ? "read" : "write";
  if (
    clock === from.clock &&
    ops === from.ops &&
    waits === from.waits &&
    stacks === from.stacks &&
    turns === from.turns &&
    writes === from.mode
  )
    return from;
  return { mode: writes, clock, ops, waits, stacks, turns, registrars: from.registrars };
}

const clamped = (ms: number | undefined): number =>
  ms === undefined || Number.isNaN(ms) ? 30_000 : Math.min(3_600_000, Math.max(10_000, ms));
const waitless = (stack: readonly Blocked[] | undefined): readonly Blocked[] =>
  (stack ?? []).filter((each) => each.kind !== "waiting");

function waitsNow(waits: Session["waits"], view: View): Session["waits"] {
  let next = waits;
  for (const path in waits) {
    const holder = path === "/root" ? view.root : agentIn(view, path);
    if (holder?.waiting !== true) next = without(next, path);
  }
  return next;
}

/** A stack ends with its turn; a wait that is over leaves it. */
function stacksNow(stacks: Session["stacks"], { now }: Side): Session["stacks"] {
  let next = stacks;
  for (const path in stacks) {
    const agent = agentIn(now, path);
    const stack = stacks[path] ?? [];
    const own = `${path}@${agent?.turn}.`;
    const kept = stack.filter(({ token }) => (token === null ? agent?.waiting === true : token.startsWith(own)));
    if (kept.length === 0) next = without(next, path);
    else if (kept.length < stack.length) next = having(next, path, kept);
  }
  return next;
}

function turnsNow(ledger: Ledger, turns: Session["turns"], side: Side): Session["turns"] {
  let next = turns;
  const look = (path: Path): void => {
    const turn = agentIn(side.now, path)?.turn;
    if (turn === undefined) next = without(next, path);
    else if (next[path]?.turn !== turn)
      next = having<Turn>(next, path, { turn, handler: handlerOf(ledger, side, path, turn), said: "", durable: 0 });
  };
  for (const path of side.born) look(path);
  for (const path of side.changed) look(path);
  return next;
}

function written(turns: Session["turns"]): Session["turns"] {
  let next = turns;
  for (const path in turns) {
    const turn = turns[path];
    if (turn !== undefined && turn.durable < turn.said.length)
      next = having(next, path, { ...turn, durable: turn.said.length });
  }
  return next;
}

/** A conversation of which the archive has as many messages as the session has been written whole. */
function durable(turns: Session["turns"], side: Side, stored: StoredView): Session["turns"] {
  let next = turns;
  for (const path in turns) {
    const turn = turns[path];
    if (turn === undefined || turn.durable === turn.said.length) continue;
    const kept = stored.agents[path];
    if (kept?.turns === turn.turn && kept.messages === agentIn(side.now, path)?.messages)
      next = having(next, path, { ...turn, durable: turn.said.length });
  }
  return next;
}

function opsNow(from: Session, scene: Scene, side: Side): Session["ops"] {
  let next = from.ops;
  for (const name in next) if (!isOpen(side.now, name)) next = without(next, name);
  for (const [op, gate] of side.now.open ?? []) {
    const known = next[op];
    if (known === undefined) next = having(next, op, begun(scene, side, op, gate));
    else if (known.tools === null && gate === "dispatch") {
      const tools = toolsOf(side, known.path);
      if (tools !== null) next = having(next, op, { ...known, tools });
    }
  }
  for (const { step, outcome } of side.acts)
    if (step.do === "finish" && "op" in step && "ok" in outcome && outcome.ok === "held") {
      const op = next[step.op];
      if (op !== undefined)
        next = having(next, step.op, { ...op, held: { outcome: step.outcome, text: step.text.toWellFormed() } });
    }
  return next;
}

function begun(scene: Scene, side: Side, op: string, gate: string): Begun {
  const path = pathOf(op);
  const base = { op, path, handler: false, turn: 0, seen: null, was: null, held: null, tools: null } as const;
  if (side.now.mode === "closed") return { ...base, is: "recover" };
  const old = agentIn(side.before, path);
  if (gate === "handler") return { ...base, is: "handler", turn: agentIn(side.now, path)?.owed?.at(-1)?.[0] ?? 0 };
  if (gate === "abort") return { ...base, is: "interrupt", turn: old?.turn ?? 0, seen: old?.activity ?? null };
  const step = side.acts.find((act) => "gate" in act.outcome && act.outcome.op === op)?.step;
  const handler = (step?.do === "spawn" || step?.do === "follow_up") && step.handler === true;
  if (agentIn(side.now, path) === undefined)
    return { ...base, is: "spawn", handler, tools: gate === "dispatch" ? toolsOf(side, path) : null };
  if (step?.do !== "follow_up") return { ...base, is: "reader" };
  const was =
    scene.only !== null && side.lasts && old?.activity === "idle"
      ? { result: old.result ?? null, messages: old.messages ?? 0 }
      : null;
  return { ...base, is: "follow_up", handler, was, tools: gate === "dispatch" ? toolsOf(side, path) : null };
}

/** What a provider was started with in this step. */
function toolsOf(side: Side, path: Path): Begun["tools"] {
  for (const { events } of side.acts)
    for (const event of events)
      if (event[0] === "provider" && event[1] === path && event[2] !== "stopped") return event[2].started;
  return null;
}

function published(next: Ledger, was: Ledger, side: Side): Ledger["published"] {
  let { published } = next;
  const meet = (path: Path, agent: AgentView): void => {
    const known = published[path];
    if (known !== undefined && (next.tampered[path] === undefined || known.config === agent.config)) return;
    published = having<Published>(published, path, { role: agent.role, config: agent.config, tools: null });
  };
  if (side.born.length > 0)
    for (const path of side.born) {
      const agent = agentIn(side.now, path);
      if (agent !== undefined) meet(path, agent);
    }
  for (const { events } of side.acts)
    for (const event of events) {
      if (event[0] !== "provider" || event[2] === "stopped" || agentIn(side.now, event[1]) === undefined) continue;
      const known = published[event[1]];
      if (known !== undefined && known.tools === null)
        published = having(published, event[1], { ...known, tools: event[2].started });
    }
  for (const path of side.born) {
    const known = published[path];
    const ops = was.sessions[side.as]?.ops ?? {};
    const tools = Object.values(ops).find((op) => op.path === path && startOf(op) !== null)?.tools ?? null;
    if (known !== undefined && known.tools === null && tools !== null)
      published = having(published, path, { ...known, tools });
  }
  return published;
}

/** Who was written by a commit that nobody could acknowledge. */
function archived(next: Ledger, before: Seen | null, now: Seen): Ledger["published"] {
  let { published } = next;
  if (now.stored === null || now.stored.agents === before?.stored?.agents) return published;
  for (const path in now.stored.agents) {
    const agent = now.stored.agents[path];
    if (published[path] === undefined && agent !== undefined)
      published = having<Published>(published, path, { role: agent.role, config: agent.config, tools: null });
  }
  return published;
}

/** Turns that went away with their session: what they had said by then, if that is known. */
function cutOff(next: Ledger, was: Ledger, scene: Scene, side: Side, now: Seen): Ledger["cutOff"] {
  const session = was.sessions[side.as];
  if (side.lasts || session === undefined) return next.cutOff;
  let found = next.cutOff;
  const crash = scene.only !== null && "crashed" in scene.only.outcome ? scene.only.step.commit : undefined;
  for (const path in session.turns) {
    const turn = session.turns[path];
    if (turn === undefined) continue;
    const kept = now.stored?.agents[path];
    const whole =
      crash === "crash_after" || (kept?.turns === turn.turn && kept.messages === agentIn(side.before, path)?.messages);
    const said = scene.only === null ? null : turn.said.slice(0, whole ? turn.said.length : turn.durable);
    if (next.owner === side.as) found = having(found, path, { turn: turn.turn, said });
  }
  return found;
}

function resolved(next: Ledger, side: Side): Ledger["resolved"] {
  let { resolved } = next;
  const key = next.sessions[side.as]?.registrars ?? "*";
  if (key === "") return resolved;
  for (const path of side.born) if (resolved[path] !== key) resolved = having(resolved, path, key);
  return resolved;
}

function admitted(next: Ledger, side: Side): Ledger["admitted"] {
  let { admitted } = next;
  const look = (path: Path): void => {
    const turn = agentIn(side.now, path)?.turn ?? 0;
    if (turn > (admitted[path] ?? 0)) admitted = having(admitted, path, turn);
  };
  for (const path of side.born) look(path);
  for (const path of side.changed) look(path);
  return admitted;
}

/** Events tell of settlements; recovery has settled whatever the archive held as active. */
function settled(next: Ledger, scene: Scene, before: Seen | null): Ledger["settled"] {
  let { settled } = next;
  const end = (path: Path, turn: number): void => {
    if (turn > (settled[path] ?? 0)) settled = having(settled, path, turn);
  };
  for (const { events } of scene.acts) for (const event of events) if (event[0] === "settled") end(event[1], event[2]);
  const stored = before?.stored ?? null;
  for (const side of scene.sides)
    if (side.opens && side.now.mode === "write")
      for (const path in agentsOf(side.now)) {
        const kept = stored?.agents[path];
        if (stored === null) end(path, next.admitted[path] ?? 0);
        else if (kept !== undefined && kept.activity !== "starting") end(path, kept.turns ?? 0);
      }
  return settled;
}

/** Ownership is taken by the epoch, before anything else of a restore; it goes with its holder. */
function owner(held: string | null, { as, step, outcome }: Act): string | null {
  if (step.do === "restore" && step.mode === "write") {
    if ("ok" in outcome || "gate" in outcome) return as;
    if ("refused" in outcome || step.epoch === "crash_before") return held;
    if ("fault" in outcome) {
      if (outcome.fault === "session_invalid") return null;
      const epoch = step.epoch !== undefined && step.epoch !== "ok" && outcome.fault === step.epoch;
      return epoch || outcome.at !== "archive" || outcome.fault.startsWith("archive_") ? held : null;
    }
    return null;
  }
  return held;
}

function damaged(next: Ledger, { step, outcome }: Act): Ledger["damaged"] {
  if ((step.do !== "damage" && step.do !== "mend") || step.what !== "record" || !("ok" in outcome)) return next.damaged;
  return step.do === "damage" ? having(next.damaged, step.path, step.how) : without(next.damaged, step.path);
}
function tampered(next: Ledger, { step, outcome }: Act): Ledger["tampered"] {
  if (step.do !== "damage" || step.what !== "record" || !("ok" in outcome)) return next.tampered;
  return step.how === "tool" || step.how === "category" ? having<true>(next.tampered, step.path, true) : next.tampered;
}
