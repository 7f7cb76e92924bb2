/**
 * Puts what a capture saw where the specification stands, one after another: each becomes a step that is known, and what must
 * have happened before it, because it would make no sense otherwise, becomes a step that is assumed, with the reason.
 */
import { begin, step as decide, type World } from "../../model/index.ts";
import type { Admitted, Agent, Live, Operation } from "../../model/state.ts";
import type { BlockKind, Outcome, Path, Reply, Scope, Step, Verb, WakeReason } from "../../src/contract.ts";
import { digest } from "../digest.ts";
import type { Gap, Moment, Skipped, Span } from "./capture.ts";

export type Saw =
  | { readonly is: "started"; readonly path: Path; readonly role: string; readonly retained: boolean }
  /** The provider has taken it. */
  | { readonly is: "admitted"; readonly path: Path }
  | { readonly is: "settled"; readonly path: Path; readonly outcome: Outcome; readonly text?: string }
  | { readonly is: "waits"; readonly path: Path; readonly timeoutMs: number | null; readonly atOnce: boolean }
  /** `null`: it ended without a reason. */
  | { readonly is: "woke"; readonly path: Path; readonly why: WakeReason | null }
  | { readonly is: "execution"; readonly owner: Path; readonly text?: string }
  | { readonly is: "blocked"; readonly path: Path; readonly kind: BlockKind; readonly id: string }
  | { readonly is: "released"; readonly id: string }
  | { readonly is: "saved"; readonly written: boolean }
  | { readonly is: "mailed"; readonly from: Path; readonly to: Path; readonly text: string }
  /** Whatever was unread then is read. */
  | { readonly is: "read"; readonly path: Path }
  /** Another process writes from here on. */
  | { readonly is: "restarted" };

export interface Sight {
  readonly line: number;
  readonly at: number;
  readonly saw: Saw;
}

export interface Ground {
  world: World;
  line: number | null;
  at: number;
  readonly moments: Moment[];
  readonly gaps: Gap[];
  /** By operation, the moment at which it began. */
  readonly begun: Map<string, number>;
  readonly spans: Span[];
  readonly skipped: Map<string, Skipped>;
  /** By the capture's own name of a blocker, its token. */
  readonly tokens: Map<string, string>;
  active: number;
}

/** More may be active at once than anybody would ask for: how many there were is only known at the end. */
const capacityPlacing = 10_000;

export function ground(scope: Scope): Ground {
  return {
    world: begin(digest, { ...scope, capacity: capacityPlacing }),
    ...{ line: null, at: 0, moments: [], gaps: [], spans: [], active: 0 },
    ...{ begun: new Map(), skipped: new Map(), tokens: new Map() },
  };
}

export function skip({ skipped }: Ground, line: number, what: string, why: string): void {
  const known = skipped.get(`${what}\n${why}`);
  skipped.set(`${what}\n${why}`, { what, why, times: (known?.times ?? 0) + 1, line: known?.line ?? line });
}

/** Something of these kinds may have happened before what comes next. */
function gap({ gaps, moments }: Ground, may: readonly Verb[], why: string): void {
  const before = moments.length;
  if (!gaps.some((each) => each.before === before && each.why === why)) gaps.push({ before, may, why });
}

// ── Where it stands ──────────────────────────────────────────────────────────────────────────────────────────────

export const liveOf = ({ handles }: World): Live | null => (handles["w1"]?.is === "open" ? handles["w1"] : null);
const agentOf = ({ world }: Ground, path: Path): Agent | undefined => liveOf(world)?.agents[path];
const opAt = ({ world }: Ground, path: Path): Operation | undefined =>
  liveOf(world)?.ops.findLast((op) => op.path === path && (op.is === "spawn" || op.is === "follow_up"));
const mailOf = ({ world }: Ground, path: Path): number =>
  (path === "/root" ? liveOf(world)?.root : liveOf(world)?.agents[path])?.mail.length ?? 0;
const isWaiting = (on: Ground, path: Path): boolean => {
  const agent = agentOf(on, path);
  return path === "/root" ? liveOf(on.world)?.root.waiter != null : agent?.is === "admitted" && agent.waiter !== null;
};

// ── Steps ────────────────────────────────────────────────────────────────────────────────────────────────────────

function take(on: Ground, step: Step, why: string | null): Reply {
  const before = liveOf(on.world)?.ops.map(({ op }) => op) ?? [];
  const { world, reply } = decide(on.world, step);
  on.world = world;
  const index = on.moments.length;
  const { line, at } = on;
  on.moments.push(why === null ? { step, line, at } : { step, line: null, at, why });
  const now = liveOf(world)?.ops.map(({ op }) => op) ?? [];
  for (const op of now) if (!before.includes(op)) on.begun.set(op, index);
  for (const op of before) if (!now.includes(op)) close(on, op, index);
  const agents = Object.values(liveOf(world)?.agents ?? {});
  const reserved = liveOf(world)?.ops.filter((op) => op.is === "spawn").length ?? 0;
  on.active = Math.max(on.active, reserved + agents.filter((agent) => agent.is !== "idle").length);
  return reply;
}
function close({ begun, spans }: Ground, op: string, to: number | null): void {
  const from = begun.get(op);
  begun.delete(op);
  // With nothing in between nothing is concurrent.
  if (from !== undefined && (to === null || to > from + 1)) spans.push({ from, to });
}
const know = (on: Ground, step: Step): Reply => take(on, step, null);
const assume = (on: Ground, step: Step, why: string): Reply => take(on, step, why);

/** It would mean nothing here. */
function isLate({ world }: Ground, step: Step): boolean {
  const { reply } = decide(world, step);
  return "ok" in reply && reply.ok === "late";
}

/** At the end: what never ended. */
export function closeAll(on: Ground): void {
  for (const op of [...on.begun.keys()]) close(on, op, null);
}

const parentOf = (path: Path): Path => path.slice(0, path.lastIndexOf("/"));
const nameOf = (path: Path): string => path.slice(path.lastIndexOf("/") + 1);
const through = { hydrate: "ok", prepare: "ok", dispatch: "ok" } as const;
const toDispatch = { hydrate: "ok", prepare: "ok" } as const;

/** It is there, and whatever start it had is over. */
function present(on: Ground, path: Path, role: string): void {
  if (path === "/root" || agentOf(on, path) !== undefined) return;
  const open = opAt(on, path);
  if (open !== undefined) {
    admit(on, open, `${path} acts, so its start had been admitted`);
    return;
  }
  const [by, name] = [parentOf(path), nameOf(path)];
  present(on, by, role);
  const answers = { prepare: "ok", dispatch: "ok" } as const;
  assume(on, { do: "spawn", by, name, role, text: "task", answers }, `${path} was there before it was seen`);
}
function admit(on: Ground, { op, gate }: Operation, why: string): void {
  if (gate !== "dispatch") assume(on, { do: "answer", op, gate, with: "ok", answers: through }, why);
  else assume(on, { do: "answer", op, gate, with: "ok" }, why);
}
/** It has a turn. */
function running(on: Ground, path: Path, role: string): Admitted | null {
  present(on, path, role);
  const agent = agentOf(on, path);
  if (agent?.is === "admitted") return agent;
  const open = opAt(on, path);
  if (open !== undefined) admit(on, open, `${path} acts, so its start had been admitted`);
  else {
    gap(on, ["follow_up"], `a start of ${path} was not seen`);
    assume(
      on,
      { do: "follow_up", by: "/root", to: path, text: "task", answers: through },
      `${path} acts, so it has a turn`,
    );
  }
  const now = agentOf(on, path);
  return now?.is === "admitted" ? now : null;
}
function idle(on: Ground, path: Path, role: string): void {
  present(on, path, role);
  const open = opAt(on, path);
  if (open !== undefined) {
    gap(on, ["answer", "finish"], `how a start of ${path} ended was not seen`);
    const { op, gate } = open;
    assume(on, { do: "answer", op, gate, with: "error" }, `${path} starts anew, so an earlier start had failed`);
  }
  const agent = agentOf(on, path);
  if (agent?.is !== "admitted") return;
  gap(on, ["finish", "interrupt"], `the end of a turn of ${path} was not seen`);
  const { turn } = agent;
  assume(on, { do: "finish", path, turn, outcome: "completed", text: "result" }, `${path} is started, so it was idle`);
}

// ── What was seen ────────────────────────────────────────────────────────────────────────────────────────────────

export function place(on: Ground, { line, at, saw }: Sight, roleUsual: string): void {
  [on.line, on.at] = [line, at];
  if (liveOf(on.world) === null && saw.is !== "restarted")
    assume(on, { do: "restore", mode: "write" }, "something happens, so the session is open");
  switch (saw.is) {
    case "started":
      started(on, saw, line);
      return;
    case "admitted":
      admitted(on, saw.path, roleUsual);
      return;
    case "settled":
      settled(on, saw, line, roleUsual);
      return;
    case "waits":
      waits(on, saw, roleUsual);
      return;
    case "woke":
      woke(on, saw);
      return;
    case "execution":
      present(on, saw.owner, roleUsual);
      know(on, { do: "execution", owner: saw.owner, text: saw.text ?? `execution ${line}` });
      return;
    case "blocked": {
      if (saw.path === "/root") {
        skip(on, line, saw.kind, "the root has no activity of its own");
        return;
      }
      if (running(on, saw.path, roleUsual) === null) return;
      const reply = know(on, { do: "block", path: saw.path, kind: saw.kind });
      if ("ok" in reply && typeof reply.ok === "string") on.tokens.set(saw.id, reply.ok);
      return;
    }
    case "released":
      released(on, saw.id, line);
      return;
    case "saved":
      know(on, saw.written ? { do: "save" } : { do: "save", commit: "not_written" });
      return;
    case "mailed":
      present(on, saw.from, roleUsual);
      present(on, saw.to, roleUsual);
      know(on, { do: "send", by: saw.from, to: saw.to, text: saw.text });
      return;
    case "read":
      if (mailOf(on, saw.path) > 0)
        assume(on, { do: "sample", path: saw.path }, `what ${saw.path} was sent before is not among its unread mail`);
      return;
    case "restarted":
      gap(on, ["crash", "close", "save"], "how the process before it ended was not seen");
      if (liveOf(on.world) !== null) assume(on, { do: "crash" }, "another process writes from here on");
      know(on, { do: "restore", mode: "write", answers: { hydrate: "ok" } });
  }
}

function started(on: Ground, { path, role, retained }: Saw & { readonly is: "started" }, line: number): void {
  if (retained || agentOf(on, path) !== undefined) {
    if (!retained) skip(on, line, "agent-dispatch", "it spawns what is there already, and was taken for a follow-up");
    idle(on, path, role);
    know(on, { do: "follow_up", by: "/root", to: path, text: "task", answers: toDispatch });
    return;
  }
  const [by, name] = [parentOf(path), nameOf(path)];
  present(on, by, role);
  const open = opAt(on, path);
  if (open !== undefined) {
    gap(on, ["answer", "cancel"], `how a start of ${path} ended was not seen`);
    assume(on, { do: "answer", op: open.op, gate: open.gate, with: "error" }, `${path} is spawned anew`);
  }
  know(on, { do: "spawn", by, name, role, text: "task", answers: { prepare: "ok" } });
}

function admitted(on: Ground, path: Path, role: string): void {
  if (opAt(on, path) === undefined) {
    // A turn's later requests are sent as well.
    if (agentOf(on, path)?.is !== "admitted") running(on, path, role);
    return;
  }
  const open = opAt(on, path);
  if (open === undefined) return;
  const { op, gate } = open;
  know(on, { do: "answer", op, gate, with: "ok", ...(gate === "dispatch" ? {} : { answers: through }) });
}

function settled(
  on: Ground,
  { path, outcome, text }: Saw & { readonly is: "settled" },
  line: number,
  role: string,
): void {
  const open = opAt(on, path);
  // What ends before it was sent ends its start.
  if (open !== undefined && outcome !== "completed") {
    know(on, { do: "answer", op: open.op, gate: open.gate, with: outcome === "errored" ? "error" : "quit" });
    return;
  }
  if (open === undefined && agentOf(on, path)?.is === "idle") {
    skip(on, line, "agent-settled", "the agent is idle already, or its start was not seen");
    return;
  }
  const agent = running(on, path, role);
  if (agent === null) return;
  know(on, { do: "finish", path, turn: agent.turn, outcome, text: text ?? `result ${line}` });
}

function released(on: Ground, id: string, line: number): void {
  const token = on.tokens.get(id);
  on.tokens.delete(id);
  if (token === undefined) skip(on, line, "release", "what it releases was not seen");
  else if (isLate(on, { do: "release", token })) skip(on, line, "release", "the turn it belonged to is over");
  else know(on, { do: "release", token });
}

function waits(on: Ground, { path, timeoutMs, atOnce }: Saw & { readonly is: "waits" }, role: string): void {
  if (path !== "/root" && running(on, path, role) === null) return;
  if (isWaiting(on, path)) assume(on, { do: "cancel_wait", by: path }, `${path} waits anew, so its last wait is over`);
  const mail = mailOf(on, path);
  if (!atOnce && mail > 0) {
    gap(on, ["sample"], `when ${path} read its mail was not seen`);
    assume(on, { do: "sample", path }, `${path} goes to sleep, so it had read its mail`);
  }
  if (atOnce && mail === 0) {
    gap(on, ["send", "execution", "follow_up"], `mail for ${path} was not seen`);
    assume(on, { do: "send", by: "/root", to: path, text: "unseen" }, `${path} found mail at once`);
  }
  know(on, { do: "wait", by: path, ...(timeoutMs === null ? {} : { timeoutMs }) });
}

/** Mostly what woke it was seen itself; then this only agrees. */
function woke(on: Ground, { path, why }: Saw & { readonly is: "woke" }): void {
  if (!isWaiting(on, path)) return;
  const live = liveOf(on.world);
  switch (why) {
    case "timeout": {
      const agent = agentOf(on, path);
      const waiter = path === "/root" ? live?.root.waiter : agent?.is === "admitted" ? agent.waiter : null;
      know(on, { do: "elapse", ms: Math.max(0, (waiter?.deadline ?? 0) - (live?.now ?? 0)) });
      return;
    }
    case "user":
      know(on, { do: "steer", text: "unseen" });
      return;
    case "steering":
      if (path === "/root") know(on, { do: "steer", text: "unseen" });
      else know(on, { do: "follow_up", by: "/root", to: path, text: "unseen" });
      return;
    case "mailbox":
      gap(on, ["send", "execution"], `the mail that woke ${path} was not seen`);
      assume(on, { do: "send", by: "/root", to: path, text: "unseen" }, `${path} was woken by mail`);
      return;
    case null:
      know(on, { do: "cancel_wait", by: path });
  }
}
