/**
 * One step of the specification: a command, decided on committed state; then, one after another, what the callbacks it woke
 * have asked for. `rules` is the truth; a twin is the same table with a rule replaced.
 */
import type { Encoded, Event, Limits, Reply, Scope, Step, StepOutcome, StoredView, View } from "../src/contract.ts";
import * as disk from "./commit.ts";
import * as mail from "./mail.ts";
import * as reads from "./reads.ts";
import { limits, reservations, tools } from "./refusals.ts";
import type { Answered, Decided, Done, Rules, Run } from "./rules.ts";
import * as session from "./session.ts";
import * as settling from "./settle.ts";
import type { Digest, Live, World } from "./state.ts";
import * as turns from "./turns.ts";
import { encodeOf, storedOf, viewOf } from "./view.ts";

const active = (live: Live): number =>
  Object.values(live.agents).filter((agent) => agent.is !== "idle").length + reservations(live);

export const rules: Rules = {
  spawn: turns.spawn,
  followUp: turns.followUp,
  cancel: turns.cancel,
  answer: turns.answer,
  say: settling.say,
  block: settling.block,
  release: settling.release,
  finish: settling.finish,
  interrupt: settling.interrupt,
  send: mail.send,
  execution: mail.execution,
  steer: mail.steer,
  wait: mail.wait,
  cancelWait: mail.cancelWait,
  elapse: mail.elapse,
  sample: mail.sample,
  roster: reads.roster,
  readResult: reads.readResult,
  readHistory: reads.readHistory,
  inspect: reads.inspect,
  evict: reads.evict,
  compact: reads.compact,
  changeRole: session.changeRole,
  setCapacity: session.setCapacity,
  save: session.save,
  verify: session.verify,
  fork: session.fork,
  close: session.close,

  arrive: turns.arrive,
  answered: turns.answered,
  hydrated: reads.hydrated,
  admit: turns.admit,
  published: turns.published,
  admitted: turns.admitted,
  rollBack: turns.rollBack,
  end: turns.end,
  started: turns.started,
  startedTools: turns.startedTools,

  settle: settling.settle,
  settled: settling.settled,
  interrupted: settling.interrupted,
  handled: settling.handled,
  finishOf: settling.finishOf,

  deliver: mail.deliver,
  wake: mail.wake,
  drained: mail.drained,

  active,
  activity: disk.activity,
  tools,
  taken: turns.taken,

  commit: disk.commit,
  record: disk.record,
  encodes: disk.encodes,
  written: disk.written,
  decode: disk.decode,
  restore: session.restore,
  recovered: session.recovered,
  snapshot: session.snapshot,
};

/** A new archive and the session `w1` on it. */
export function begin(digest: Digest, scope: Scope): World {
  const all: Limits = { ...limits, ...scope.limits };
  const root = { mail: [], messages: [] };
  const { capacity, registrars, roles } = scope;
  const live: Live = {
    is: "open",
    mode: "write",
    as: "w1",
    opening: 1,
    epoch: 1,
    registrars: Object.values(registrars),
    capacity,
    root: { ...root, waiter: null },
    agents: {},
    aside: {},
    ops: [],
    ordinals: {},
    now: 0,
  };
  return {
    digest,
    limits: all,
    registrars,
    roles,
    disk: { condition: "ok", session: "ok", epoch: 1, capacity, root, agents: {}, damaged: {} },
    handles: { w1: live },
    openings: 1,
  };
}

/** What can be seen, by the same rules. */
export const view = (world: World, m: Rules = rules): View => viewOf(m, world);
export const encode = (world: World, m: Rules = rules): Encoded => encodeOf(m, world);
export const stored = (world: World, m: Rules = rules): StoredView => storedOf(m, world);

export function step(world: World, first: Step, m: Rules = rules): Answered {
  let { world: now, outcome, events, later } = decide(m, world, first);
  const then: Event[] = [];
  while (later.length > 0) {
    const [asked, ...rest] = later;
    if (asked === undefined) break;
    const next = decide(m, now, asked);
    now = next.world;
    events = [...events, ...next.events];
    then.push(["then", next.outcome]);
    later = [...rest, ...next.later];
  }
  const all = [...events, ...then];
  return { world: now, reply: all.length === 0 ? outcome : { ...outcome, events: all } };
}

const plain = (world: World, outcome: StepOutcome): Decided => ({ world, outcome, events: [], later: [] });

function decide(m: Rules, world: World, step: Step): Decided {
  if (step.do === "together") return together(m, world, step.steps);
  if (step.do === "restore") return m.restore(m, world, step);
  if (step.do === "damage" || step.do === "mend") return session.damage(world, step);
  const as = step.as ?? "w1";
  const handle = world.handles[as];
  if (step.do === "crash") return plain(session.without(world, as), { ok: "done" });
  if (handle?.is === "restoring" && step.do === "answer") return session.answerRecovery(m, world, step, handle);
  if (handle === undefined || handle.is === "restoring")
    return plain(
      world,
      step.do === "answer" || step.do === "cancel" || step.do === "release"
        ? { ok: "late" }
        : { refused: "session_closed" },
    );

  const start: Run = { world, live: handle, commit: step.commit ?? "ok", events: [], later: [], crashed: false };
  const [run, outcome] = command(m, start, step);
  if (run.crashed) {
    const { events, later } = run;
    return { world: session.without(run.world, as), outcome: { crashed: true }, events, later };
  }
  const closed = step.do === "close" && "ok" in outcome;
  const after = closed
    ? session.without(run.world, as)
    : run.live === handle && run.world === world
      ? world
      : { ...run.world, handles: { ...run.world.handles, [as]: run.live } };
  return { world: after, outcome, events: run.events, later: run.later };
}

/** In list order; what callbacks ask for comes after everything already issued. */
function together(m: Rules, world: World, steps: readonly Step[]): Decided {
  let now = world;
  const replies: Reply[] = [];
  const later: Step[] = [];
  for (const each of steps) {
    const next = decide(m, now, each);
    now = next.world;
    later.push(...next.later);
    replies.push(next.events.length === 0 ? next.outcome : { ...next.outcome, events: next.events });
  }
  return { world: now, outcome: { ok: replies }, events: [], later };
}

type Single = Exclude<Step, { do: "together" | "restore" | "damage" | "mend" | "crash" }>;

function command(m: Rules, run: Run, step: Single): Done {
  switch (step.do) {
    case "spawn":
      return m.spawn(m, run, step);
    case "follow_up":
      return m.followUp(m, run, step);
    case "cancel":
      return m.cancel(m, run, step);
    case "answer":
      return m.answer(m, run, step);
    case "say":
      return m.say(m, run, step);
    case "block":
      return m.block(m, run, step);
    case "release":
      return m.release(m, run, step);
    case "finish":
      return m.finish(m, run, step);
    case "interrupt":
      return m.interrupt(m, run, step);
    case "send":
      return m.send(m, run, step);
    case "execution":
      return m.execution(m, run, step);
    case "steer":
      return m.steer(m, run, step);
    case "wait":
      return m.wait(m, run, step);
    case "cancel_wait":
      return m.cancelWait(m, run, step);
    case "elapse":
      return m.elapse(m, run, step);
    case "sample":
      return m.sample(m, run, step);
    case "roster":
      return m.roster(m, run, step);
    case "read_result":
      return m.readResult(m, run, step);
    case "read_history":
      return m.readHistory(m, run, step);
    case "inspect":
      return m.inspect(m, run, step);
    case "evict":
      return m.evict(m, run, step);
    case "compact":
      return m.compact(m, run, step);
    case "change_role":
      return m.changeRole(m, run, step);
    case "set_capacity":
      return m.setCapacity(m, run, step);
    case "save":
      return m.save(m, run, step);
    case "verify":
      return m.verify(m, run, step);
    case "fork":
      return m.fork(m, run, step);
    case "close":
      return m.close(m, run, step);
  }
}
