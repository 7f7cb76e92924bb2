/**
 * One item after those already in order: what the specification answers then, and whether that is what was seen. A call is one
 * step or two, its begin and the answer at its gate; one that was cut off happened as a whole or not at all.
 */
import { step as decide, type Live, type World } from "../../../model/index.ts";
import type { Event, Op, Path, Reply, Step, StepOutcome } from "../../../src/contract.ts";
import { equal } from "../../compare.ts";
import type { Answered, Asked, Call, CommitSeen, EventSeen, GateAnswer, History } from "./history.ts";
import type { Item, Items } from "./items.ts";

/** What is looked at: the history up to the horizon. */
export interface Case {
  readonly history: History;
  readonly items: Items;
  readonly horizon: number;
}
export interface Node {
  readonly world: World;
  readonly done: bigint;
  /** No later item happened before this moment. */
  readonly at: number;
  /** How many events and commits are accounted for. */
  readonly events: number;
  readonly commits: number;
  /** Whose wait it is, by path. */
  readonly sleeping: { readonly [path: Path]: Call };
  /** Who began the read that is under way, by path. */
  readonly reads: { readonly [path: Path]: Op };
  /** Something was cut off in the middle: the end comes next. */
  readonly ends: boolean;
  readonly kept: readonly Kept[];
}
/** A settlement that was not written. */
export interface Kept {
  readonly item: Item;
  readonly step: Step;
  /** Which commit it was. */
  readonly commit: number;
}

const closed: StepOutcome = { refused: "session_closed" };
const late: StepOutcome = { ok: "late" };

export const liveOf = (world: World): Live | null => {
  const handle = world.handles["w1"];
  return handle?.is === "open" ? handle : null;
};

/** Every way in which this may come next. */
export function attempt(c: Case, node: Node, item: Item): readonly Node[] {
  const { what } = item;
  if (node.ends && what.is !== "abandon") return [];
  switch (what.is) {
    case "call":
      return [...unmade(c, node, item, what.call), ...made(c, node, item, what.call)];
    case "abort":
      return abort(c, node, item, what.call);
    case "gate":
      return answer(c, node, item, what.answer);
    case "elapse":
      return liveOf(node.world) === null
        ? passed(node, item)
        : take(c, node, item, { do: "elapse", ms: what.elapsed.ms }, null);
    case "abandon":
      return abandoned(c, node, item);
  }
}

/** A settlement is offered again after a commit that was written; nobody is answered. */
export function again(c: Case, node: Node, kept: Kept): readonly Node[] {
  const rest: Node = { ...node, kept: node.kept.filter((each) => each !== kept) };
  const lower = c.history.commits[kept.commit]?.settled?.at ?? kept.item.lower;
  if (node.ends || liveOf(node.world) === null) return [];
  return take(c, rest, { ...kept.item, bit: 0n, lower }, kept.step, null);
}
/** Whether it should have been offered by now. */
export const isForgotten = ({ history }: Case, { commit }: Kept): boolean =>
  history.commits.some(({ settled }, index) => index > commit && settled?.answer === "ok");

const passed = (node: Node, item: Item): readonly Node[] => [
  { ...node, done: node.done | item.bit, at: Math.max(node.at, item.lower) },
];

// ── Calls ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Its signal was aborted before its turn came. */
function unmade(c: Case, node: Node, item: Item, call: Call): readonly Node[] {
  const signal = c.items.abortOf.get(call);
  if (signal === undefined || signal.lower > c.horizon || call.begun !== null) return [];
  const at = Math.max(node.at, signal.lower, item.lower);
  if (told(c, call, { quit: true }, at) !== "fits") return [];
  return [{ ...node, done: node.done | item.bit | signal.bit, at }];
}

function made(c: Case, node: Node, item: Item, call: Call): readonly Node[] {
  const step = stepOf(c, node, call.asked);
  if ("do" in step) return take(c, node, item, step, call);
  const at = Math.max(node.at, item.lower);
  return told(c, call, step, at) === "fits" ? passed(node, item) : [];
}

/** The step that a call is, or its answer where it is none. */
function stepOf(c: Case, { world }: Node, asked: Asked): Step | StepOutcome {
  if (asked.do === "close_within") return { do: "close" };
  if (asked.do !== "own_finish" && asked.do !== "own_say" && asked.do !== "own_block") return asked;
  const live = liveOf(world);
  if (live === null) return closed;
  const { op, path, turn } = asked;
  const agent = live.agents[path];
  const isOwn = c.items.admitted.has(op) && agent?.is === "admitted" && agent.turn === turn;
  const isStarting = live.ops.some((each) => each.op === op);
  switch (asked.do) {
    case "own_finish": {
      const { outcome, text } = asked;
      if (isStarting) return { do: "finish", op, outcome, text };
      return isOwn ? { do: "finish", path, turn, outcome, text } : late;
    }
    case "own_say":
      return isOwn && !isStarting ? { do: "say", path, turn, text: asked.text } : late;
    case "own_block":
      return isOwn && !isStarting ? { do: "block", path, kind: asked.kind } : { refused: "not_active" };
  }
}

// ── What nobody called for ───────────────────────────────────────────────────────────────────────────────────────

/** The user gives up what has begun; what is over is over. */
function abort(c: Case, node: Node, item: Item, call: Call): readonly Node[] {
  const own = c.items.itemOf.get(call);
  if (own === undefined || (node.done & own.bit) === 0n) return [];
  const live = liveOf(node.world);
  const { asked, begun } = call;
  if (asked.do === "wait" && node.sleeping[asked.by] === call)
    return take(c, node, item, { do: "cancel_wait", by: asked.by }, null);
  const isOpen = begun !== null && live?.ops.some((each) => each.op === begun.op && each.is !== "abort") === true;
  return isOpen ? take(c, node, item, { do: "cancel", op: begun.op }, null) : passed(node, item);
}

function answer(c: Case, node: Node, item: Item, { gate, op, with: how }: GateAnswer): readonly Node[] {
  const live = liveOf(node.world);
  if (live === null) return passed(node, item);
  const path = op.slice(0, op.lastIndexOf("#"));
  if (gate === "hydrate") {
    const askers = live.ops.filter((each) => each.path === path && each.gate === "hydrate");
    const asker = askers.find((each) => each.op === op) ?? askers[0];
    if (asker !== undefined && node.reads[path] === op)
      return take(c, node, item, { do: "answer", gate, op: asker.op, with: how }, null);
  } else if (live.ops.some((each) => each.op === op && each.gate === gate))
    return take(c, node, item, { do: "answer", gate, op, with: how }, null);
  // Nobody asks any more; but it cannot be late for what has not come yet.
  const isOver = Number(op.slice(op.lastIndexOf(".") + 1)) <= (live.ordinals[path] ?? 0);
  return isOver && (gate === "hydrate" || live.ops.every((each) => each.op !== op)) ? passed(node, item) : [];
}

/** Whatever is live is gone; a commit under way may have been written, which was tried with the item that made it. */
function abandoned(c: Case, node: Node, item: Item): readonly Node[] {
  const at = item.lower;
  if (node.at > at || !pending(c, node).every((each) => isCut(c, each, at))) return [];
  const next = c.history.commits[node.commits];
  const commits = next !== undefined && isUnderWay(c, next) ? node.commits + 1 : node.commits;
  const { world } = decide(node.world, { do: "crash" });
  return [{ ...node, world, done: node.done | item.bit, at, commits, sleeping: {}, reads: {}, ends: false }];
}

const pending = (c: Case, { world, sleeping }: Node): readonly Call[] => [
  ...(liveOf(world)?.ops ?? []).flatMap(({ op }) => c.items.callOf.get(op) ?? []),
  ...Object.values(sleeping),
];

// ── One step of the specification ────────────────────────────────────────────────────────────────────────────────

const isUnderWay = ({ history }: Case, { settled }: CommitSeen): boolean =>
  settled === null || (history.abandoned !== null && settled.at > history.abandoned);

function take(c: Case, node: Node, item: Item, step: Step, call: Call | null): readonly Node[] {
  const ok = decide(node.world, step);
  if (ok.world.disk === node.world.disk) return follow(c, node, item, step, ok, call, item.lower, node.commits);
  // It commits: so the next commit that was seen is its own.
  const commit = c.history.commits[node.commits];
  if (commit === undefined || commit.at < item.lower || (item.tag !== "any" && commit.tag !== item.tag)) return [];
  const { settled } = commit;
  const end = c.items.abandon;
  // A handler that answered has answered, before the archive hears of it.
  const isEarly = step.do === "answer" && step.gate === "handler" && step.with === "ok";
  if (!isEarly && commit.at > c.horizon) return [];
  if (isUnderWay(c, commit) && end !== null && end.lower <= c.horizon)
    return (isEarly ? (["crash_after", "crash_before"] as const) : (["crash_after"] as const)).flatMap((how) =>
      cutOff(c, node, item, end, { ...step, commit: how }, call),
    );
  if (!isEarly && (settled === null || settled.at > c.horizon)) return [];
  const how = settled?.answer ?? "ok";
  const after = how === "ok" ? ok : decide(node.world, { ...step, commit: how });
  const lower = isEarly || settled === null ? item.lower : Math.max(item.lower, settled.at);
  const keeps = c.history.keeps && how !== "ok" && step.do === "finish";
  const kept = keeps ? [...node.kept, { item, step, commit: node.commits }] : node.kept;
  return follow(c, { ...node, kept }, item, step, after, call, lower, node.commits + 1);
}

/** Abandoned in the middle of its commit. */
function cutOff(c: Case, node: Node, item: Item, end: Item, step: Step, call: Call | null): readonly Node[] {
  const at = end.lower;
  if ((node.done & end.bit) !== 0n || Math.max(node.at, item.lower) > at) return [];
  const cut = call === null ? pending(c, node) : [...pending(c, node), call];
  if (!cut.every((each) => isCut(c, each, at))) return [];
  const { world } = decide(node.world, step);
  const done = node.done | item.bit | end.bit;
  const next = c.history.events[node.events];
  const events = next?.event[0] === "handled" && next.at <= at ? node.events + 1 : node.events;
  return [{ ...node, world, done, at, events, commits: node.commits + 1, sleeping: {}, reads: {} }];
}

function follow(
  c: Case,
  node: Node,
  item: Item,
  step: Step,
  { world, reply }: { readonly world: World; readonly reply: Reply },
  call: Call | null,
  lower: number,
  commits: number,
): readonly Node[] {
  const at = Math.max(node.at, lower);
  const { events = [], ...rest } = reply;
  const outcome: StepOutcome = rest;
  const own: Event | null =
    step.do === "answer" && !("gate" in outcome) && !equal(outcome, late) ? ["ended", step.op, outcome] : null;
  const seen = emitted(c, node.events, item, events, own, at);
  if (seen === null) return [];

  const answers: (readonly [Call, Answered])[] = [];
  let sleeping = node.sleeping;
  if (call !== null && "gate" in outcome) {
    if (call.begun !== null && (call.begun.op !== outcome.op || call.begun.at < at)) return [];
    if (call.begun === null && c.horizon === c.history.end) return [];
  } else if (call?.asked.do === "wait" && equal(outcome, { ok: "waiting" }))
    sleeping = { ...sleeping, [call.asked.by]: call };
  else if (call !== null) answers.push([call, outcome]);
  for (const event of own === null ? events : [...events, own]) {
    if (event[0] === "ended") {
      const asker = c.items.callOf.get(event[1]);
      if (asker !== undefined) answers.push([asker, event[2]]);
    }
    const sleeper = event[0] === "woke" ? sleeping[event[1]] : undefined;
    if (event[0] === "woke" && sleeper !== undefined) {
      answers.push([sleeper, { ok: event[2] }]);
      sleeping = awake(sleeping, event[1]);
    }
  }
  const live = liveOf(world);
  for (const [path, sleeper] of Object.entries(sleeping)) {
    if (live === null || isWaiting(live, path)) continue;
    answers.push([sleeper, { silent: true }]);
    sleeping = awake(sleeping, path);
  }
  const before: Node = { ...node, sleeping };
  const cut = live === null ? pending(c, before).filter((each) => answers.every(([other]) => other !== each)) : [];
  if (!cut.every((each) => isCut(c, each, at))) return [];

  let ends = seen.isCut;
  for (const [each, expected] of answers) {
    const how = told(c, each, expected, at);
    if (how === "differs") return [];
    if (how === "cut") ends = true;
  }
  const gone = live === null;
  return [
    {
      ...{ world, at, commits, ends, kept: node.kept, events: node.events + seen.count, done: node.done | item.bit },
      sleeping: gone ? {} : sleeping,
      reads: gone ? {} : readsOf(live, node.reads),
    },
  ];
}

const awake = (sleeping: Node["sleeping"], path: Path): Node["sleeping"] => {
  const { [path]: _, ...others } = sleeping;
  return others;
};
function isWaiting(live: Live, path: Path): boolean {
  if (path === "/root") return live.root.waiter !== null;
  const agent = live.agents[path];
  return agent?.is === "admitted" && agent.waiter !== null;
}
/** A read lives as long as somebody asks. */
function readsOf(live: Live, reads: Node["reads"]): Node["reads"] {
  const now: { [path: Path]: Op } = {};
  for (const { path, gate, op } of live.ops) if (gate === "hydrate") now[path] ??= reads[path] ?? op;
  return now;
}

/** The events that come next are these, in this order; the end of what was answered may stand anywhere among them. */
function emitted(
  c: Case,
  from: number,
  { tag }: Item,
  expected: readonly Event[],
  own: Event | null,
  at: number,
): { readonly count: number; readonly isCut: boolean } | null {
  const wanted = expected.length + (own === null ? 0 : 1);
  if (wanted === 0) return { count: 0, isCut: false };
  const seen = (each: EventSeen): boolean => each.at <= c.horizon;
  const found = c.history.events.slice(from, from + wanted).filter(seen);
  if (found.some((each) => each.at < at || (tag !== "any" && each.tag !== tag))) return null;
  const isShort = found.length < wanted;
  const isCut = isShort && c.horizon === c.history.end;
  if (isCut && (c.history.abandoned === null || c.history.abandoned < at)) return null;
  const rest = found.map(({ event }) => event);
  const ending = own === null ? -1 : rest.findIndex((event) => equal(event, own));
  if (own !== null && ending < 0 && !isShort) return null;
  if (ending >= 0) rest.splice(ending, 1);
  return rest.every((event, index) => equal(event, expected[index])) ? { count: found.length, isCut } : null;
}

// ── What a caller was answered ───────────────────────────────────────────────────────────────────────────────────

function answerOf({ horizon }: Case, { answered }: Call): Call["answered"] {
  return answered !== null && answered.at <= horizon ? answered : null;
}
const isQuit = ({ aborted }: Call, { outcome, at }: NonNullable<Call["answered"]>): boolean =>
  "quit" in outcome && aborted !== null && aborted <= at;

/** `cut`: the session died while it was being told. */
function told(c: Case, call: Call, expected: Answered, at: number): "fits" | "differs" | "cut" {
  const found = answerOf(c, call);
  if (found === null) return c.horizon < c.history.end ? "fits" : "differs";
  const { do: verb } = call.asked;
  // An interrupt that nobody listens to any more goes on.
  if (verb === "interrupt" && isQuit(call, found)) return "fits";
  if (found.at < at) return "differs";
  if (equal(found.outcome, expected)) return "fits";
  // A wait that ended without a word may have been given up as well; so may the child of a fork.
  if (isQuit(call, found) && ((verb === "wait" && "silent" in expected) || verb === "fork")) return "fits";
  const { abandoned } = c.history;
  if (verb === "close_within" && equal(found.outcome, { fault: "busy", at: "archive" }) && abandoned !== null)
    return equal(expected, closed) ? "fits" : "differs";
  return abandoned !== null && at <= abandoned && isCut(c, call, abandoned) ? "cut" : "differs";
}

/** The session closed under it. */
function isCut(c: Case, call: Call, at: number): boolean {
  const found = answerOf(c, call);
  if (found === null) return c.horizon < c.history.end;
  if (found.at < at) return call.asked.do === "interrupt" && isQuit(call, found);
  const busy = call.asked.do === "close_within" && equal(found.outcome, { fault: "busy", at: "archive" });
  return busy || equal(found.outcome, closed) || (isQuit(call, found) && /^(wait|interrupt)$/.test(call.asked.do));
}
