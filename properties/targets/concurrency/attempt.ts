/**
 * One item after those already in order: what the specification answers then, and whether that is what was seen. A call is one
 * step or two, its begin and the answer at its gate; one that was cut off happened as a whole or not at all.
 */
import { step as decide, encode, type Live, view, type World } from "../../../model/index.ts";
import type { CommitFault, Event, Op, Path, Reply, Step, StepOutcome } from "../../../src/contract.ts";
import { equal } from "../../compare.ts";
import type { Answered, Asked, Call, CommitSeen, GateAnswer, Look } from "./history.ts";
import type { Item } from "./items.ts";
import { type Case, closed, emitted, isCut, late, told } from "./seen.ts";

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

export const liveOf = (world: World): Live | null => {
  const handle = world.handles["w1"];
  return handle?.is === "open" ? handle : null;
};

/** Every way in which this may come next. */
export function attempt(c: Case, node: Node, item: Item): readonly Node[] {
  const { what } = item;
  if (node.ends && what.is !== "abandon" && what.is !== "look" && !isWithin(c, node.commits)) return [];
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
    case "look":
      return isSeen(node.world, what.look) ? passed(node, item) : [];
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
  let { commits } = node;
  // What is written together is not written together.
  if (next !== undefined && mayBeCut(c, next))
    do commits++;
    while (isWithin(c, commits));
  const { world } = decide(node.world, { do: "crash" });
  return [{ ...node, world, done: node.done | item.bit, at, commits, sleeping: {}, reads: {}, ends: false }];
}

const pending = (c: Case, { world, sleeping }: Node): readonly Call[] => [
  ...(liveOf(world)?.ops ?? []).flatMap(({ op }) => c.items.callOf.get(op) ?? []),
  ...Object.values(sleeping),
];

/** Records that were not looked at yet are not shown. */
function isSeen(world: World, { view: found, encoded }: Look): boolean {
  const whole = view(world);
  if (!equal({ ...whole, agents: shown(whole.agents, found.agents) }, { ...found, agents: found.agents })) return false;
  if (encoded === null) return found.mode === "closed";
  const all = encode(world);
  if ("fault" in encoded || "fault" in all) return false;
  return equal({ ...all.ok, agents: shown(all.ok.agents, encoded.ok.agents) }, encoded.ok);
}
function shown<Each>(
  all: { readonly [path: Path]: Each } | undefined,
  found: { readonly [path: Path]: Each } | undefined,
): { readonly [path: Path]: Each } | undefined {
  if (found === undefined || all === undefined) return all;
  return Object.fromEntries(Object.entries(all).filter(([path]) => path in found));
}

// ── One step of the specification ────────────────────────────────────────────────────────────────────────────────

/** It was answered, as far as can be seen, before the session died. */
const isAnswered = ({ history, horizon }: Case, { settled }: CommitSeen): boolean =>
  settled !== null && settled.at <= horizon && (history.abandoned === null || settled.at < history.abandoned);
/** The session died before it heard of it; even if it was answered, that takes a moment to be heard. */
const mayBeCut = (c: Case, commit: CommitSeen): boolean =>
  abandonment(c) !== null && (!isAnswered(c, commit) || commit.group === c.history.commits.at(-1)?.group);
/** The commit of this number was written with the one before it. */
const isWithin = ({ history: { commits } }: Case, number: number): boolean =>
  number > 0 && commits[number] !== undefined && commits[number]?.group === commits[number - 1]?.group;

function take(c: Case, node: Node, item: Item, step: Step, call: Call | null): readonly Node[] {
  const ok = decide(node.world, step);
  if (ok.world.disk === node.world.disk)
    return follow(c, node, item, { ...ok, end: endOf(step, ok.reply) }, call, item.lower);
  // A handler that answered has answered, before the archive hears of it.
  if (step.do === "answer" && step.gate === "handler" && step.with === "ok") return takeEarly(c, node, item, step, ok);
  const commit = commitOf(c, node, item);
  if (commit === null || commit.at > c.horizon) return [];
  const { settled } = commit;
  const ways = isWithin(c, node.commits + 1) ? unheard : cutOff;
  const cut = mayBeCut(c, commit) ? ways(c, node, item, step, call) : [];
  if (settled === null || !isAnswered(c, commit)) return cut;
  const how = settled.answer;
  const after = how === "ok" ? ok : decide(node.world, { ...step, commit: how });
  const keeps = c.history.keeps && how !== "ok" && step.do === "finish";
  const kept = keeps ? [...node.kept, { item, step, commit: node.commits }] : node.kept;
  const next = { ...node, kept, commits: node.commits + 1 };
  const lower = Math.max(item.lower, settled.at);
  return [...follow(c, next, item, { ...after, end: endOf(step, after.reply) }, call, lower), ...cut];
}

/** It commits: so the next commit that was seen is its own. */
function commitOf(c: Case, { commits }: Node, { lower, tag }: Item): CommitSeen | null {
  const commit = c.history.commits[commits];
  return commit === undefined || commit.at < lower || (tag !== "any" && commit.tag !== tag) ? null : commit;
}
const abandonment = (c: Case): Item | null => {
  const end = c.items.abandon;
  return end !== null && end.lower <= c.horizon ? end : null;
};
/** What was answered ends, unless it goes on to another gate. */
function endOf(step: Step, { events: _, ...outcome }: Reply): Event | null {
  if (step.do !== "answer" || "gate" in outcome || equal(outcome, late)) return null;
  return ["ended", step.op, outcome];
}

/** Abandoned in the middle of its commit, which was written. */
function cutOff(c: Case, node: Node, item: Item, step: Step, call: Call | null): readonly Node[] {
  const end = abandonment(c);
  if (end === null) return [];
  const at = end.lower;
  if ((node.done & end.bit) !== 0n || Math.max(node.at, item.lower) > at) return [];
  const cut = call === null ? pending(c, node) : [...pending(c, node), call];
  if (!cut.every((each) => isCut(c, each, at))) return [];
  const { world } = decide(node.world, { ...step, commit: "crash_after" });
  const done = node.done | item.bit | end.bit;
  return [{ ...node, world, done, at, commits: node.commits + 1, sleeping: {}, reads: {}, ends: false }];
}

/** Written with others that come after it, and abandoned before anybody heard of it. */
function unheard(c: Case, node: Node, item: Item, step: Step, call: Call | null): readonly Node[] {
  const end = abandonment(c);
  if (end === null || (node.done & end.bit) !== 0n || Math.max(node.at, item.lower) > end.lower) return [];
  if (call !== null && !isCut(c, call, end.lower)) return [];
  const { world } = decide(node.world, step);
  return [{ ...node, world, done: node.done | item.bit, commits: node.commits + 1, ends: true }];
}

/** What it changed is so at once; that it was written, and that it ended, may be cut off. */
function takeEarly(c: Case, node: Node, item: Item, step: Step, ok: Stepped): readonly Node[] {
  const commit = commitOf(c, node, item);
  const next = { ...node, commits: commit === null ? node.commits : node.commits + 1 };
  const unwritten = (how: CommitFault): Stepped => decide(node.world, { ...step, commit: how });
  const how = commit?.settled?.answer ?? "ok";
  const after = how === "ok" ? ok : unwritten(how);
  const isWhole = commit !== null && (abandonment(c) === null || isAnswered(c, commit));
  const whole = isWhole ? follow(c, next, item, { ...after, end: endOf(step, after.reply) }, null, item.lower) : [];
  if (abandonment(c) === null || (commit !== null && !mayBeCut(c, commit))) return whole;
  const parts = (commit === null ? [unwritten("not_written")] : [ok, unwritten("not_written")]).flatMap((part) => {
    const events = (part.reply.events ?? []).filter(([kind]) => kind === "handled");
    return follow(c, next, item, { world: part.world, reply: { ok: "done", events }, end: null }, null, item.lower);
  });
  return [...whole, ...parts];
}

type Stepped = ReturnType<typeof decide>;

function follow(
  c: Case,
  node: Node,
  item: Item,
  { world, reply, end: own }: Stepped & { readonly end: Event | null },
  call: Call | null,
  lower: number,
): readonly Node[] {
  const at = Math.max(node.at, lower);
  const { events = [], ...rest } = reply;
  const outcome: StepOutcome = rest;
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
      ...{ ...node, world, at, ends, events: node.events + seen.count, done: node.done | item.bit },
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
