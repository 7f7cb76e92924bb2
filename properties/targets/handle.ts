/**
 * One handle on an archive: the session that is open on it, or the restore under way; the gates at which the world is asked,
 * each held until a step answers it.
 */
import type { Archive } from "../../src/archive/archive.ts";
import type { Answer, AsideCode, Gate, Op, Path, Value, View } from "../../src/contract.ts";
import { fault } from "../../src/errors.ts";
import type { DispatchRequest, PrepareRequest, Provider, Session, SettledTurn } from "../../src/index.ts";
import { equal } from "../compare.ts";
import { type ManualClock, manualClock } from "./clock.ts";
import { type Context, quitReason } from "./context.ts";
import { aborting, dispatched, newWitness, requested, stopped, settled as toldRight, type Witness } from "./witness.ts";

/** Something of the world that waits for its answer. */
interface Held {
  readonly gate: Gate;
  readonly path: Path;
  readonly give: (answer: Answer) => void;
}

export interface Handle {
  readonly as: string;
  readonly clock: ManualClock;
  session: Session | null;
  /** Opening, and the operation at whose gate its recovery stands. */
  restoring: { readonly context: Context; op: Op | null } | null;
  archive: Archive | null;
  /** The session's view since it last came to rest; nothing changes between steps. */
  shown: View | null;
  /** The call that restored it, or tried to. */
  restoredBy: Context | null;
  /** Records it said were set aside. */
  readonly reported: Map<Path, AsideCode>;
  readonly held: Map<Op, Held>;
  /** By operation, the call that began it. */
  readonly contexts: Map<Op, Context>;
  /** By path and turn, the call behind its settlement: a handler's operation is begun by no call. */
  readonly settlers: Map<string, Context>;
  /** Provider calls to stop, less the events that tell of them. */
  stops: number;
  /** Waits that were not answered yet, and whose. */
  readonly sleepers: Map<Context, Path>;
  /** By path and turn, what the provider was given with it. */
  readonly turns: Map<string, DispatchRequest>;
  /** Waits that were given up in this step. */
  readonly givenUp: Context[];
  /** What the host was given, and is still to be told of. */
  readonly witness: Witness;
  /** When the step under way began, by its clock. */
  since: number;
}

export function newHandle(as: string, clock: ManualClock = manualClock()): Handle {
  return {
    as,
    clock,
    session: null,
    restoring: null,
    archive: null,
    shown: null,
    restoredBy: null,
    reported: new Map(),
    held: new Map(),
    contexts: new Map(),
    settlers: new Map(),
    stops: 0,
    sleepers: new Map(),
    turns: new Map(),
    givenUp: [],
    witness: newWitness(),
    since: clock.now(),
  };
}

export const isOpen = (handle: Handle): boolean => handle.restoring !== null || viewOf(handle).mode !== "closed";

export function viewOf(handle: Handle): View {
  const { session, restoring } = handle;
  if (restoring?.op != null) return { mode: "closed", open: [[restoring.op, "hydrate"]] };
  if (session === null) return { mode: "closed" };
  handle.shown ??= session.view();
  return handle.shown;
}

/** The process is gone: nothing is written any more, and nobody is told. */
export function crash(handle: Handle): void {
  handle.session?.abandon();
  if (handle.session === null) handle.archive?.abandon();
  handle.session = null;
  handle.restoring = null;
  handle.archive = null;
  handle.shown = null;
  handle.held.clear();
  handle.contexts.clear();
  handle.settlers.clear();
  handle.sleepers.clear();
  handle.turns.clear();
}

/** The world answers what nobody waits for any more: a start that was given up, a read that all askers left. */
export function giveLate(handle: Handle, op: Op, gate: Gate, answer: Answer): void {
  const held = handle.held.get(op);
  if (held?.gate !== gate || answer === "quit") return;
  const isRead = viewOf(handle).open?.some(([open, at]) => at === "hydrate" && open.startsWith(`${held.path}#`));
  // A read that goes on for others is answered in the name of one of them.
  if (gate !== "hydrate" || isRead !== true) held.give(answer);
}

/** L41: whoever called `wait` is answered when the wait is over, also where it ends without a reason. */
export function unanswered(handle: Handle): Path | null {
  const { sleepers } = handle;
  if (sleepers.size === 0) return null;
  const view = viewOf(handle);
  if (view.mode === "closed") return null;
  for (const [context, path] of sleepers) {
    const sleeps = path === "/root" ? view.root : view.agents?.[path];
    if (context.outcome !== null || context.bug !== null) sleepers.delete(context);
    else if (sleeps?.waiting !== true) return path;
  }
  return null;
}

/** Whether somebody slept there who has now given up: by a signal, as the other half of those who cancel a wait. */
export function givesUp({ sleepers, givenUp }: Handle, by: Path): boolean {
  for (const [sleeper, path] of sleepers) {
    if (path !== by || sleeper.outcome !== null) continue;
    if (sleeper.controller === null) return false;
    sleeper.controller.abort(quitReason);
    givenUp.push(sleeper);
    return true;
  }
  return false;
}

/** L30: whatever is set aside was said to be, by an event of its own. */
export function unreported({ reported }: Handle, rows: Value): Error | null {
  const said = [...reported].sort(([one], [other]) => (one < other ? -1 : 1));
  return equal(said, rows)
    ? null
    : new Error(`set aside are ${JSON.stringify(rows)}, reported were ${JSON.stringify(said)}`);
}

const errors: { readonly [answer in Answer]?: Error } = {
  error: new Error("the world has failed"),
  throw: new Error("the handler has thrown"),
  missing: fault("conversation_missing", "conversation"),
  corrupt: fault("conversation_corrupt", "conversation"),
};

/** What was asked is answered at once where the step that began it said how, else when a step does. */
function hold<Given>(handle: Handle, gate: Gate, op: Op, path: Path, as: (answer: Answer) => Given): Promise<Given> {
  const context = handle.contexts.get(op);
  const ahead = context?.answers[gate];
  if (context !== undefined) context.gate = gate;
  const deadline = handle.clock.takeDeadline(gate);
  if (deadline !== null) handle.witness.deadlines.set(`${op} ${gate}`, { op, gate, deadline });
  // Of every other one that fails it is because nobody answers in time.
  const runsOut = (answer: Answer): boolean =>
    deadline !== null && (answer === "error" || answer === "throw") && op.charCodeAt(op.length - 1) % 2 === 0;
  return new Promise((resolve, reject) => {
    const give = (answer: Answer): void => {
      handle.held.delete(op);
      if (answer === "quit") context?.controller?.abort(quitReason);
      if (answer === "quit") return;
      if (deadline !== null && runsOut(answer)) {
        deadline.isCancelled = true;
        deadline.runOut();
        return;
      }
      const error = gate === "hydrate" ? undefined : errors[answer];
      if (error === undefined) resolve(as(answer));
      else reject(error);
    };
    if (ahead === undefined) handle.held.set(op, { gate, path, give });
    else if (ahead === "quit") queueMicrotask(() => give(ahead));
    else give(ahead);
  });
}

/** What the provider is given is what was asked for: no view shows that. `rolesNow` is null where a step may be changing them. */
function asAsked(handle: Handle, request: PrepareRequest, roleNow: (context: Context, role: string) => unknown): void {
  const { op, role } = request;
  const context = handle.contexts.get(op);
  if (context === undefined || handle.session === null) return;
  const wrong = requested(handle.witness, context.step, request, handle.session.view(), roleNow(context, role));
  if (wrong !== null) context.bug ??= wrong;
}
function note(handle: Handle, wrong: Error | null): void {
  handle.witness.wrong ??= wrong;
}

export function provider(handle: Handle, roleNow: (context: Context, role: string) => unknown): Provider {
  const view = (): View => handle.session?.view() ?? { mode: "closed" };
  return {
    prepare: (request) => {
      asAsked(handle, request, roleNow);
      const { op, path } = request;
      return hold(handle, "prepare", op, path, (answer) => (answer === "refuse" ? "refuse" : undefined));
    },
    dispatch: (request) => {
      asAsked(handle, request, () => undefined);
      note(handle, dispatched(handle.witness, request, view()));
      handle.turns.set(`${request.path}@${request.turn}`, request);
      return hold(handle, "dispatch", request.op, request.path, () => {});
    },
    abort: ({ op, path, turn }) => {
      note(handle, aborting(view(), path, turn));
      return hold(handle, "abort", op, path, () => {});
    },
    stop: ({ op, path }) => {
      note(handle, stopped(handle.witness, op, path));
      handle.stops++;
    },
  };
}

/** A settlement's handler; its operation acts for the call that settled the turn. */
export function handling(handle: Handle): (settled: SettledTurn) => Promise<void> {
  return (settled) => {
    const { op, path, turn } = settled;
    note(handle, toldRight(handle.session?.view() ?? { mode: "closed" }, settled));
    const context = handle.settlers.get(`${path}@${turn}`);
    if (context !== undefined) handle.contexts.set(op, context);
    return hold(handle, "handler", op, path, () => {});
  };
}

/** Until a read is answered; the answer is an error to fail with, or none. */
export function reading(handle: Handle, op: Op, path: Path): Promise<Error | null> {
  return hold(handle, "hydrate", op, path, (answer) => errors[answer] ?? null);
}

/** Answers a gate, if it is open: an operation by its name, a read by whoever asks for its path, the newest first. */
export function give(handle: Handle, op: Op, gate: Gate, answer: Answer): void {
  const own = handle.held.get(op);
  const path = op.slice(0, op.lastIndexOf("#"));
  const shared =
    gate === "hydrate" ? [...handle.held.values()].filter((each) => each.gate === gate && each.path === path) : [];
  if (answer === "quit") handle.contexts.get(op)?.controller?.abort(quitReason);
  else if (own?.gate === gate) own.give(answer);
  else shared.at(-1)?.give(answer);
}
