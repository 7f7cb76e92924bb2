/**
 * Plays one story on one session: everybody's moves, callbacks that call back, signals, an end in the middle; then waits for
 * rest, looks at what is there, and at what a restore finds.
 */

import { type World as Model, view } from "../../../model/index.ts";
import type { Scope, View } from "../../../src/contract.ts";
import type { CallOptions, Session, SessionOptions, Store } from "../../../src/index.ts";
import { equal } from "../../compare.ts";
import { type ManualClock, manualClock } from "../clock.ts";
import { type Caller, call, gaveUp } from "./calls.ts";
import type { Answered, Asked, Call, History } from "./history.ts";
import { type Bound, bind, config, endings, type Move, type Program, type Sight, tokensOf } from "./program.ts";
import { type Recorder, recorder } from "./recorder.ts";
import { passing, type Schedule } from "./schedule.ts";
import { type Prepared, prepared, setups } from "./setups.ts";
import { deadlines, type Library, type World, world } from "./world.ts";

export interface Played {
  readonly start: Model;
  readonly history: History;
}

const scopeOf = (capacity: number): Scope => ({
  capacity,
  roles: { r: config },
  registrars: { core: { category: "core", tools: ["read"] } },
  archive: "memory",
  process: "same",
});

function cycle(numbers: readonly number[]): () => number {
  let used = 0;
  return () => numbers[used++ % Math.max(1, numbers.length)] ?? 0;
}

/** What all who act share. */
interface Stage {
  readonly program: Program;
  readonly recorder: Recorder;
  readonly clock: ManualClock;
  readonly caller: Caller;
  readonly sight: Sight;
  readonly schedule: Schedule;
  readonly settled: Map<Call, () => void>;
}

export async function play(library: Library, store: Store, program: Program, schedule: Schedule): Promise<Played> {
  const steps = setups[program.setup] ?? [];
  const start = prepared(scopeOf(program.capacity), steps);
  const unhandled: string[] = [];
  const listening = listenAlone(unhandled);
  try {
    const history = await tell(library, store, program, schedule, steps, start);
    return { start, history: { ...history, unhandled } };
  } finally {
    listening();
  }
}

/** A planted fault may lose a rejection; it is an observation then, and not the end of the process. */
function listenAlone(unhandled: string[]): () => void {
  const others = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection");
  process.on("unhandledRejection", (reason) => unhandled.push(String(reason)));
  return () => {
    process.removeAllListeners("unhandledRejection");
    for (const each of others) process.on("unhandledRejection", each);
  };
}

async function tell(
  library: Library,
  store: Store,
  program: Program,
  given: Schedule,
  steps: readonly Prepared[],
  start: Model,
): Promise<History> {
  const noted = recorder();
  const [nextGate, nextCommit] = [cycle(program.gates), cycle(program.commits)];
  let begun = false;
  const schedule: Schedule = { ...given, point: (label) => (begun ? given.point(label) : Promise.resolve()) };
  const turns = new Map<string, number>();
  const around: World = world({
    ...{ library, recorder: noted, schedule, hangs: program.hangs },
    numbers: { gate: () => (begun ? nextGate() : 0), commit: () => (begun ? nextCommit() : 0) },
    says: (asked) => void perform(stage, "provider", asked, 0),
    dispatching: ({ path, turn }) => turns.set(path, turn),
  });
  const clock = manualClock();
  const options: SessionOptions = {
    ...{ roles: { r: config }, provider: around.provider, registrars: around.registrars },
    ...(program.hurries ? { clock: around.clock(clock), deadlines } : { clock }),
    ...{ capacity: program.capacity, keepSettlements: program.keeps },
  };
  const session = await prepare(library, around, store, options, steps, start, noted);
  const callback = callbacks(program, () => stage);
  const caller: Caller = {
    ...{ session, handler: around.handler, dispatched: around.dispatched },
    forked: () => library.memoryStore(),
    woken: callback,
  };
  const sight: Sight = {
    known: () => Object.keys(session.view().agents ?? {}),
    active: () => {
      const agents = Object.entries(session.view().agents ?? {});
      return agents.flatMap(([path, { turn }]) => (turn === undefined ? [] : [path]));
    },
    turn: (path) => turns.get(path) ?? 1,
    ops: () => noted.calls.flatMap((each) => (each.begun === null ? [] : [each.begun.op])),
    tokens: () => tokensOf(noted.calls),
  };
  const stage: Stage = { program, recorder: noted, clock, caller, sight, schedule, settled: new Map() };
  noted.clear();
  begun = true;
  session.on((event, tag) => {
    noted.happened(event, tag);
    if (event[0] === "settled" || event[0] === "ended") callback();
  });
  for (const each of program.together) perform(stage, "together", each, 0);
  for (const [index, moves] of program.clients.entries()) void client(stage, `client ${index + 1}`, moves);
  void host(stage);
  await given.run(() => noted.rests.push(noted.now()));
  const end = noted.now();
  begun = false;
  noted.isOver = true;
  return {
    ...noted,
    end,
    keeps: program.keeps,
    unhandled: [],
    ...(await looked(session)),
    restored: await restored(library, store, options, session),
  };
}

async function prepare(
  library: Library,
  around: World,
  given: Store,
  options: SessionOptions,
  steps: readonly Prepared[],
  start: Model,
  noted: Recorder,
): Promise<Session> {
  const store = around.store(given);
  let session = await library.openSession(store, { ...options, opening: 1 });
  for (const each of steps) {
    if (each.do === "reopen") {
      session.abandon();
      noted.abandoned = null;
      session = await library.openSession(store, { ...options, opening: 2 });
    } else await asked(session, around, each);
  }
  await new Promise((resolve) => setImmediate(resolve));
  const found = session.view();
  if (steps.every((each) => each.do !== "reopen") && !equal(view(start), found))
    throw new Error(`the story does not begin as it should: ${JSON.stringify(found)}`);
  return session;
}
function asked(
  session: Session,
  { handler }: World,
  step: Exclude<Prepared, { readonly do: "reopen" }>,
): Promise<Answered> {
  const nobody = { handler, forked: () => fail(), woken: () => {}, dispatched: () => undefined };
  return call({ session, ...nobody }, step, {});
}
function fail(): never {
  throw new Error("nothing is forked while a story is prepared");
}

/** Those of a wait and those told of events, one after another. */
function callbacks({ callbacks, endsInCallback }: Program, stage: () => Stage): () => void {
  let used = 0;
  return () => {
    const move = callbacks[used++];
    if (used === endsInCallback) bring(stage(), "callback", { is: "abandon" }, 0);
    else if (move !== undefined) act(stage(), "callback", move);
  };
}

async function client(stage: Stage, name: string, moves: readonly Move[]): Promise<void> {
  for (const move of moves) {
    await stage.schedule.point(name);
    // Who waited until the end is let go by the look at what is left.
    if (stage.recorder.isOver) return;
    const made = act(stage, name, move);
    if (move.awaits && made !== null && made.answered === null)
      await new Promise<void>((resolve) => stage.settled.set(made, resolve));
  }
}

/** Somebody who owns the session and not a part in the story. */
async function host(stage: Stage): Promise<void> {
  const { ends, endsAfter } = stage.program;
  const bound = endings[ends];
  if (bound === undefined || bound === null) return;
  for (let left = endsAfter; left >= 0; left--) await stage.schedule.point("host");
  if (!stage.recorder.isOver) bring(stage, "host", bound, 0);
  await stage.schedule.point("host");
  // So that a close that may take so long has taken it.
  if (!stage.recorder.isOver && bound.is === "call") bring(stage, "host", { is: "elapse", ms: 10_000 }, 0);
}

function act(stage: Stage, name: string, move: Move): Call | null {
  const { program, recorder, sight } = stage;
  return bring(stage, name, bind(program, move, `text ${recorder.calls.length}`, sight), move.signal);
}

function bring(stage: Stage, name: string, bound: Bound, signal: number): Call | null {
  const { recorder, clock, caller } = stage;
  switch (bound.is) {
    case "elapse":
      recorder.elapsed.push({ ms: bound.ms, at: recorder.now() });
      clock.advance(bound.ms);
      return null;
    case "look": {
      const view = caller.session.view();
      const encoded = view.mode === "closed" ? null : caller.session.encode();
      recorder.looks.push({ view, encoded, at: recorder.now() });
      return null;
    }
    case "abandon":
      if (caller.session.view().mode !== "closed") recorder.abandoned ??= recorder.now();
      caller.session.abandon();
      return null;
    case "call":
      return perform(stage, name, bound.asked, signal);
  }
}

function perform(stage: Stage, name: string, asked: Asked, signal: number): Call {
  const { recorder, caller, schedule, settled } = stage;
  const made = recorder.called(name, asked);
  const controller = new AbortController();
  const abort = () => {
    if (made.aborted !== null) return;
    recorder.aborted(made);
    controller.abort(gaveUp);
  };
  if (signal === 1) void passing(schedule, `abort ${made.id}`, made.id).then(abort);
  if (signal === 2) abort();
  const options: CallOptions = {
    tag: made.id,
    onBegin: (op) => {
      recorder.began(made, op);
      if (signal === 3) abort();
    },
    ...(signal === 0 ? {} : { signal: controller.signal }),
  };
  void call(caller, asked, options).then((outcome) => {
    recorder.answered(made, outcome);
    settled.get(made)?.();
  });
  return made;
}

async function looked(session: Session): Promise<Pick<History, "view" | "encoded">> {
  if (session.view().mode === "closed") return { view: session.view(), encoded: null };
  await session.verify();
  return { view: session.view(), encoded: session.encode() };
}
async function restored(library: Library, store: Store, options: SessionOptions, session: Session): Promise<View> {
  session.abandon();
  const again = await library.openSession(store, options);
  await again.verify();
  const found = again.view();
  again.abandon();
  return found;
}
