/**
 * Production as a target, through the asynchronous API that hosts use: each step is a call, each gate a promise of the world
 * that is held until a step answers it. After a step everything that can happen without an answer has happened.
 */
import type {
  Counters,
  Gate,
  Op,
  Path,
  Reply,
  Scope,
  Step,
  StepOutcome,
  StoredView,
  View,
} from "../../src/contract.ts";
import { type Mail, type Message, RollcallError, type Viewer } from "../../src/index.ts";
import { everything, type Target } from "../target.ts";
import { Unusable } from "../unusable.ts";
import { type Asked, call } from "./calls.ts";
import { context, type Sheet, sheet } from "./context.ts";
import { damage } from "./damage.ts";
import {
  crash,
  give,
  giveLate,
  givesUp,
  type Handle,
  handling,
  isOpen,
  newHandle,
  unanswered,
  unreported,
  viewOf,
} from "./handle.ts";
import { newLetters, requireSent, requireWritten } from "./letters.ts";
import { begin, restore } from "./opening.ts";
import type { Places } from "./places.ts";
import type { Damages, Issued, Ports, Stage } from "./stage.ts";
import { givenFor } from "./turns.ts";
import { rejected } from "./values.ts";
import { atRest, continued, crowded, misplaced } from "./witness.ts";

/** A mode hook as hosts have them: setting up the mode erases whatever marks stood before. */
const forgetful: Viewer = { show: (_, marks) => marks.clear() };
export const usual: Ports = { store: (store) => store, viewer: forgetful, registrar: (registrar) => registrar };

/** Production can go on where another process of the same story has ended. */
export interface Production extends Target {
  /** The archive is what `places` gives first; nothing is open on it. */
  resume(scope: Scope, openings: number, damages: Damages): Promise<void>;
  damages(): Damages;
}

const moment = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function rest(stage: Stage): Promise<void> {
  const { settle } = stage.ports;
  do {
    await moment();
    if (settle !== undefined) await settle();
  } while (stage.busy > 0);
  for (const handle of stage.handles.values()) handle.shown = null;
}

export function productionTarget(name: string, places: Places, ports: Ports = usual): Production {
  let stage: Stage | null = null;
  const open = (): Stage => {
    if (stage === null) throw new Unusable(4, `${name} was not reset`);
    return stage;
  };
  const leave = async (): Promise<void> => {
    if (stage === null) return;
    for (const handle of stage.handles.values()) crash(handle);
    for (const place of [stage.place, ...stage.forks]) await place.remove();
    stage = null;
  };
  return {
    name,
    capabilities: { ...everything, stores: places.stores, checksLate: true, ...places.costs },
    reset: async (scope) => {
      await leave();
      stage = await staged(scope, places, ports);
      await begin(stage);
    },
    resume: async (scope, openings, { originals, originalSession, broken }) => {
      await leave();
      stage = await staged(scope, places, ports);
      for (const [path, rows] of originals) stage.originals.set(path, rows);
      // No identity is given twice in the life of an archive.
      stage.letters.isWhole = false;
      Object.assign(stage, { openings, ids: openings * idsOfOneProcess, originalSession, broken });
    },
    damages: () => {
      const { originals, originalSession, broken } = open();
      return { originals: [...originals], originalSession, broken };
    },
    apply: (step) => apply(open(), step),
    view: () => view(open()),
    encode: () => {
      const handle = open().handles.get("w1");
      return handle?.session == null || viewOf(handle).mode === "closed" ? null : handle.session.encode();
    },
    stored: () => stored(open()),
    counters: () => counted(open()),
    close: async () => {
      await leave();
      await places.close();
    },
  };
}

const idsOfOneProcess = 1_000_000;

async function staged(scope: Scope, places: Places, ports: Ports): Promise<Stage> {
  await places.ready();
  const stage: Stage = {
    ...{ scope, places, ports, place: places.fresh(), forks: [], handles: new Map(), roles: scope.roles },
    ...{
      openings: 1,
      number: 0,
      current: sheet(0),
      elapsing: null,
      called: [],
      sessions: [],
      epoch: 0,
      ids: 0,
      busy: 0,
      reads: 0,
      letters: newLetters(),
    },
    ...{ originals: new Map(), originalSession: null, broken: null },
  };
  return stage;
}

function view(stage: Stage): View {
  const own = stage.handles.get("w1");
  const shown: View = own === undefined ? { mode: "closed" } : viewOf(own);
  const others = [...stage.handles].filter(([as, handle]) => as !== "w1" && isOpen(handle));
  if (others.length === 0) return shown;
  return { ...shown, others: Object.fromEntries(others.map(([as, handle]) => [as, viewOf(handle)])) };
}

function stored({ place, originals, originalSession, broken }: Stage): StoredView | null {
  return place.stored?.({ originals: [...originals], originalSession, broken }) ?? null;
}

function counted({ sessions, reads }: Stage): Counters {
  const sum = { conversationsHydrated: 0, providerCalls: 0, commits: 0, bytesWritten: 0, toolRuns: 0 };
  for (const session of sessions) {
    const more = session.counters();
    sum.conversationsHydrated += more.conversationsHydrated;
    sum.providerCalls += more.providerCalls;
    sum.commits += more.commits;
    sum.bytesWritten += more.bytesWritten;
    sum.toolRuns += more.toolRuns;
  }
  // What the registry counts and what was read in truth: the larger, so that neither can hide behind the other.
  return { ...sum, conversationsHydrated: Math.max(sum.conversationsHydrated, reads) };
}

// ── One step ─────────────────────────────────────────────────────────────────────────────────────────────────────

async function apply(stage: Stage, step: Step): Promise<Reply> {
  stage.number++;
  stage.called = [];
  stage.elapsing = null;
  for (const handle of stage.handles.values()) handle.since = handle.clock.now();
  const on = sheet(stage.number, step.commit, step.do === "restore" ? step.epoch : "ok");
  stage.current = on;
  const steps = step.do === "together" ? step.steps : [step];
  const issued = steps.map((one) => issue(stage, one, step.do === "together" ? sheet(stage.number, one.commit) : on));
  await rest(stage);
  while (issued.concat(stage.called).some((each) => ahead(each))) await rest(stage);
  for (const handle of stage.handles.values()) {
    const path = unanswered(handle);
    if (path !== null) throw new Error(`the wait of ${path} is over, and nobody was told`);
    const { witness, clock } = handle;
    const deaf = handle.givenUp.splice(0).find(({ outcome }) => outcome === null || !("quit" in outcome));
    if (deaf !== undefined) throw new Error("whoever gave up a wait was not told so");
    const isRecorded = stage.ports.record !== undefined;
    const timers = isRecorded ? null : clock.pending();
    const wrong =
      atRest(witness, viewOf(handle), timers) ??
      crowded(viewOf(handle), stage.ports.residentsMax) ??
      stage.letters.wrong;
    if (wrong !== null) throw wrong;
    if (handle.stops !== 0) throw new Error(`the provider was told to stop ${handle.stops} times more than was said`);
  }

  const endedAt = issued.findIndex(
    ({ step: one, on: { crashed }, context: made }) =>
      crashed || (one.do === "close" && made?.outcome != null && "ok" in made.outcome),
  );
  const replies = issued.map((each, index) =>
    // Time passes in the host at once; behind the end of the session it was asked of nobody.
    each.step.do === "elapse" && endedAt >= 0 && index > endedAt
      ? { refused: "session_closed" as const }
      : replyTo(each, index < endedAt),
  );
  const then = stage.called.map((each) => ["then", outcomeOf(each, false)] as const);
  on.events.push(...then);
  if (step.do === "together") return withEvents({ ok: replies }, on);
  const [reply] = replies;
  if (reply === undefined) throw new Error("a step was not answered");
  return withEvents(outcomeOnly(reply), on);
}

function withEvents(outcome: StepOutcome, { events }: Sheet): Reply {
  return events.length === 0 ? outcome : { ...outcome, events };
}
function outcomeOnly({ events: _, ...outcome }: Reply): StepOutcome {
  return outcome;
}

function issue(stage: Stage, step: Step, on: Sheet): Issued {
  if (step.do === "restore") return restore(stage, step, on);
  const handle = stage.handles.get(step.as ?? "w1") ?? newHandle(step.as ?? "w1");
  const issued = (outcome: StepOutcome | null): Issued => ({ step, on, handle, context: null, outcome });
  switch (step.do) {
    case "together":
      throw new Error("a together stands in a together");
    case "damage":
    case "mend":
      return issued(damage(stage, step));
    case "crash":
      crash(handle);
      return issued({ ok: "done" });
    case "answer":
      return issued(answer(handle, step, on) ? null : { ok: "late" });
    default:
      return ask(stage, handle, step, on);
  }
}

/** Whether the operation stood at that gate, so that its answer means something. */
function answer(handle: Handle, step: Step & { readonly do: "answer" }, on: Sheet): boolean {
  if (viewOf(handle).open?.some(([op, gate]) => op === step.op && gate === step.gate) !== true) {
    giveLate(handle, step.op, step.gate, step.with);
    return false;
  }
  const behind = handle.contexts.get(step.op);
  if (behind !== undefined) {
    behind.sheet = on;
    behind.answers = { ...behind.answers, ...step.answers };
  }
  give(handle, step.op, step.gate, step.with);
  return true;
}

const quitting: readonly Step["do"][] = ["spawn", "follow_up", "read_history", "inspect", "wait"];
const lateWhenClosed: readonly Step["do"][] = ["cancel", "release"];

function ask(stage: Stage, handle: Handle, step: Asked, on: Sheet): Issued {
  const { session } = handle;
  // Time is the host's; a session that is closed has none left to count.
  if (session === null || (step.do === "elapse" && viewOf(handle).mode === "closed")) {
    const outcome: StepOutcome = lateWhenClosed.includes(step.do) ? { ok: "late" } : { refused: "session_closed" };
    return { step, on, handle, context: null, outcome };
  }
  if (step.do === "cancel_wait" && on === stage.current && stage.number % 2 === 0 && givesUp(handle, step.by))
    return { step, on, handle, context: null, outcome: { ok: "done" } };
  const made = context(on, "answers" in step ? (step.answers ?? {}) : {}, quitting.includes(step.do));
  made.step = step;
  const host = {
    session,
    given: givenFor(stage, handle, step, on),
    handler: handling(handle),
    sampled: (mails: readonly Mail[]) => requireSent(stage.letters, mails),
    read: (path: Path, messages: readonly Message[]) => {
      requireWritten(stage.letters, path, messages);
      const agent = session.view().agents?.[path];
      const wrong = continued(handle.witness, path, agent?.turn, messages, agent?.messages ?? 0);
      if (wrong !== null) throw wrong;
    },
    forked: () => {
      const place = stage.places.fresh();
      stage.forks.push(place);
      return place.store;
    },
    woken: (_: unknown, { callback }: Step & { readonly do: "wait" }) => {
      if (callback === "throws") throw new Error("the callback has thrown");
      const { number, current } = stage;
      if (callback !== undefined)
        stage.called.push(
          issue(stage, callback.then, { ...sheet(number, callback.then.commit), events: current.events }),
        );
    },
    elapse: (ms: number) => {
      stage.elapsing = on;
      handle.clock.advance(ms);
    },
    began: (op: Op) => handle.contexts.set(op, made),
  };
  if (step.do === "wait") handle.sleepers.set(made, step.by);
  call(host, step, made).then(
    (ok) => {
      made.outcome = { ok };
      if (step.do === "change_role") spread(stage, handle, step);
      if (step.do === "verify") made.bug = unreported(handle, ok);
    },
    (error: unknown) => {
      try {
        made.outcome = rejected(error);
        if (error instanceof RollcallError && error.kind === "refused")
          made.bug = misplaced(step, error.code, error.at, stage.scope);
      } catch (bug) {
        made.bug = bug;
      }
    },
  );
  return { step, on, handle, context: made, outcome: null };
}

/** Roles are the host's: every session it has open is told. */
function spread(stage: Stage, from: Handle, { role, config }: Step & { readonly do: "change_role" }): void {
  stage.roles = { ...stage.roles, [role]: config };
  for (const handle of stage.handles.values())
    if (handle !== from && handle.session !== null) void handle.session.changeRole(role, config).catch(() => {});
}

/** Gives an answer that came in advance to an operation that joined a read others had begun. */
function ahead({ handle, context: made }: Issued): boolean {
  if (made === null || made.op === null || made.outcome !== null || handle.session === null) return false;
  const { op, answers } = made;
  if (answers.hydrate === undefined || !standsAt(handle, op, "hydrate") || made.gate === "hydrate") return false;
  made.gate = "hydrate";
  give(handle, op, "hydrate", answers.hydrate);
  return true;
}

const gateOf = (handle: Handle, op: Op): Gate | null => viewOf(handle).open?.find(([open]) => open === op)?.[1] ?? null;
const standsAt = (handle: Handle, op: Op, gate: Gate): boolean => gateOf(handle, op) === gate;

// ── Replies ──────────────────────────────────────────────────────────────────────────────────────────────────────

function replyTo(issued: Issued, beforeEnd: boolean): Reply {
  const outcome = outcomeOf(issued, beforeEnd);
  return withEvents(outcome, issued.on);
}

function outcomeOf(issued: Issued, beforeEnd: boolean): StepOutcome {
  const { step, on, context: made, handle, outcome } = issued;
  if (on.crashed) {
    const op = step.do === "answer" ? step.op : made?.op;
    if (op != null) forgetEnd(on, op);
    return { crashed: true };
  }
  if (outcome !== null) return outcome;
  if (step.do === "answer") return answered(issued, step.op);
  if (made === null) throw new Error(`${step.do} came to nothing`);
  if (made.bug !== null) throw made.bug;
  const own = made.op === null || forgetEnd(on, made.op);
  // Another of those issued together ended it: when it was decided it had come to its gate.
  if (made.op !== null && made.outcome !== null && !own) return { gate: made.gate ?? "hydrate", op: made.op };
  const cut =
    beforeEnd && made.outcome !== null && "refused" in made.outcome && made.outcome.refused === "session_closed";
  if (made.outcome !== null && !cut) return made.outcome;
  if (step.do === "wait") return { ok: "waiting" };
  const op = step.do === "restore" ? (handle.restoring?.op ?? null) : made.op;
  const gate = op === null ? null : (gateOf(handle, op) ?? made.gate);
  if (op === null || gate === null) throw new Error(`${step.do} was never answered`);
  return { gate, op };
}

/** What came of the operation whose gate was answered: its end, the gate it stands at now, or nothing. */
function answered({ handle, on }: Issued, op: Op): StepOutcome {
  const behind = handle.contexts.get(op);
  if (behind?.bug != null) throw behind.bug;
  if (behind != null && behind === handle.restoredBy && handle.restoredBy.op === null) {
    const next = handle.restoring?.op ?? null;
    return behind.outcome ?? (next === null ? { ok: "late" } : { gate: "hydrate", op: next });
  }
  const end = ended(on, op);
  if (end !== null) {
    forgetEnd(on, op);
    return behind?.op === op && behind.outcome !== null ? behind.outcome : end;
  }
  const gate = gateOf(handle, op);
  return gate === null ? { ok: "late" } : { gate, op };
}

function ended({ events }: Sheet, op: Op): StepOutcome | null {
  for (const event of events) if (event[0] === "ended" && event[1] === op) return event[2];
  return null;
}
/** The end of a step's own operation is its reply. */
function forgetEnd({ events }: Sheet, op: Op): boolean {
  const at = events.findIndex((event) => event[0] === "ended" && event[1] === op);
  if (at >= 0) events.splice(at, 1);
  return at >= 0;
}
