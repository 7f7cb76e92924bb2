/**
 * The thin shell around the decisions: one queue, one command at a time, each decided on committed state; its commit is
 * awaited, then what it asked for is done. Nothing else is awaited here: gates are outside (gates.ts).
 */
import type { Archive, Row } from "../archive/archive.ts";
import type { Event, Op, Path } from "../contract.ts";
import {
  answerFetched,
  archiveFault,
  type Call,
  type CallOptions,
  closedError,
  errorOf,
  type OpenCalls,
  openCall,
  quitReason,
} from "./calls.ts";
import type { Decide, Decision, End, GateAct, OpValue, Reply } from "./decision.ts";
import { emit, enact, guarded, remember, stopWork } from "./doing.ts";
import { apply, beginDraft, commitOf, type Draft } from "./draft.ts";
import { decideTogether, gathered, type Member, type Together } from "./group.ts";
import type { Clock } from "./ports.ts";
import type { Recorder, Says } from "./record.ts";
import { shownPhase, takeRows, unseen } from "./rows.ts";
import { quit } from "./start.ts";
import type { State } from "./state.ts";
import { timeOut } from "./wait.ts";

/** What a command is, to the queue. */
export interface Order<Value> {
  readonly decide: Decide<Value>;
  /** Whom it is about: looked at before it is decided. */
  readonly needs?: readonly Path[];
  /** Likewise for more than a few paths; null when there is nothing to look at. */
  readonly look?: () => Promise<void> | null;
  /** What the caller is told at the end of the operation that it begins. */
  readonly ended?: (value: OpValue) => Value;
  /** An aborted signal lets go of the promise and leaves the operation alone. */
  readonly isDetached?: boolean;
  /** Offered again when its commit is not written. */
  readonly isSettlement?: boolean;
  /** Settlements that were not written are offered before it. */
  readonly isFlush?: boolean;
  /** May share a commit with those beside it: how much it adds to one, in UTF-16 units. */
  readonly joins?: number;
  /** In the queue, once its commit was written. */
  readonly after?: () => Promise<void>;
  /** A closed session's answer, in the place of its refusal. */
  readonly closed?: Value;
  /** What is recorded of it. */
  readonly says?: Says;
}
interface Job<Value> {
  readonly order: Order<Value>;
  readonly options: CallOptions;
  /** Null: an answer of the world, or a second try. */
  readonly call: Call<Value> | null;
  /** When it was issued: time is what it was then, however long it stands in the queue. */
  readonly asked: number;
}
type Listener = (event: Event, tag: unknown) => void;
/** What is remembered of an operation until it ends. */
export interface Pending {
  readonly tag: unknown;
  /** Aborted when it comes to nothing, for those who still work for it; made when somebody looks at its signal. */
  controller: AbortController | null;
  /** Why it came to nothing. */
  gone: { readonly reason: unknown } | null;
  readonly ended: (end: End) => void;
  cancelDeadline: () => void;
}

/** In the queue: done alone, or together with those beside it. */
interface Queued {
  readonly alone: () => Promise<void> | void;
  readonly member: Member | null;
}

export interface Shell {
  readonly state: State;
  readonly archive: Archive;
  readonly clock: Clock;
  readonly keepsSettlements: boolean;
  readonly recorder: Recorder | null;
  /** Does what opens a gate; `tag` is the operation's. */
  readonly openGate: (act: GateAct, pending: Pending) => void;
  readonly calls: OpenCalls;
  /** By operation; a read by a name of its own. */
  readonly pending: Map<string, Pending>;
  readonly listeners: Set<Listener>;
  readonly queue: Queued[];
  /** Settlements whose commit was not written. */
  unwritten: readonly (() => Promise<void> | void)[];
  timer: { readonly at: number; readonly cancel: () => void } | null;
  isPumping: boolean;
  isClosed: boolean;
  readonly counted: { hydrated: number; provider: number; commits: number };
}

// ── The queue ────────────────────────────────────────────────────────────────────────────────────────────────────

/** Decided after everything issued before, and never inside the caller's own call. */
export function issue<Value>(shell: Shell, order: Order<Value>, options: CallOptions = {}): Promise<Value> {
  const call = openCall(shell.calls, order.closed);
  issueFor(shell, order, options, call);
  return call.promise;
}
/** For a call that may be answered by somebody else, too. */
export function issueFor<Value>(shell: Shell, order: Order<Value>, options: CallOptions, call: Call<Value>): void {
  // Not behind what the queue may be stuck in: an archive that was abandoned need not answer any more.
  if (shell.isClosed) {
    answerClosed(order, call);
    return;
  }
  const job = { order, options, call, asked: nowOf(shell) };
  enqueue(shell, () => perform(shell, job), order.joins === undefined ? null : memberOf(shell, job, order.joins));
}
function answerClosed<Value>(order: Order<Value>, call: Call<Value>): void {
  if (order.closed === undefined) call.reject(closedError());
  else call.resolve(order.closed);
}
/** What the world answers; nobody waits for it. */
export function post(shell: Shell, decide: Decide<unknown>, tag: unknown, says: Says): void {
  if (shell.isClosed) return;
  const asked = nowOf(shell);
  enqueue(shell, () => perform(shell, { order: { decide, says }, options: { tag }, call: null, asked }));
}
function enqueue(shell: Shell, alone: () => Promise<void> | void, member: Member | null = null): void {
  shell.queue.push({ alone, member });
  if (shell.isPumping) return;
  shell.isPumping = true;
  void Promise.resolve().then(() => pump(shell));
}
async function pump(shell: Shell): Promise<void> {
  for (let next = shell.queue.shift(); next !== undefined; next = shell.queue.shift()) {
    // A recording has each with what came of it, also of one that nobody lived to hear of.
    const group = next.member === null || shell.recorder !== null ? [] : gathered(next.member, shell.queue);
    const work = group.length > 1 ? performTogether(shell, group) : next.alone();
    if (work !== undefined) await work;
  }
  shell.isPumping = false;
  if (shell.isClosed) shell.recorder?.leave(false);
  else shell.recorder?.rest();
}
export function nowOf(shell: Shell): number {
  return Math.max(0, Math.trunc(shell.clock.now()));
}

function perform<Value>(shell: Shell, job: Job<Value>): Promise<void> | void {
  const { call, asked } = job;
  if (shell.isClosed || isGivenUp(job)) return;
  if (shell.timer !== null && shell.timer.at <= asked) endWaits(shell, asked);
  const before = lookFirst(shell, job);
  if (before === null) return decide(shell, job);
  return before.then(
    () => (shell.isClosed || isGivenUp(job) ? undefined : decide(shell, job)),
    (error: unknown) => call?.reject(errorOf(archiveFault(error))),
  );
}
/** Whoever gave up before it was decided is told so, and nothing is decided. */
function isGivenUp<Value>({ options, call }: Job<Value>): boolean {
  if (options.signal?.aborted !== true) return false;
  call?.reject(options.signal.reason);
  return true;
}
/** Null when everything needed was looked at before: then nothing is awaited. */
function lookFirst<Value>(shell: Shell, { order, options }: Job<Value>): Promise<void> | null {
  const missing = unseen(shell.state, order.needs ?? []);
  const looked = missing.length === 0 ? (order.look?.() ?? null) : lookAt(shell, missing, options.tag);
  if (order.isFlush !== true || shell.unwritten.length === 0) return looked;
  return (looked ?? Promise.resolve()).then(() => offerUnwritten(shell));
}

async function lookAt(shell: Shell, paths: readonly Path[], tag: unknown): Promise<void> {
  takeAll(shell, await shell.archive.rows(paths), tag);
}
/** Rows as they were found; what is set aside is told. */
export function takeAll(shell: Shell, rows: readonly Row[], tag: unknown): void {
  if (shell.isClosed) return;
  for (const event of takeRows(shell.state, rows, shownPhase)) emit(shell, event, tag);
}

// ── Deciding and committing ──────────────────────────────────────────────────────────────────────────────────────

function decide<Value>(shell: Shell, job: Job<Value>): Promise<void> | void {
  const { recorder } = shell;
  const { says } = job.order;
  if (recorder === null || says === undefined) return decideNow(shell, job);
  recorder.begin(says, shell.state, job.asked);
  const done = decideNow(shell, job);
  if (done !== undefined) return done.then(recorder.end);
  recorder.end();
}
function decideNow<Value>(shell: Shell, job: Job<Value>): Promise<void> | void {
  const draft = beginDraft(shell.state, job.asked);
  try {
    const decision = job.order.decide(draft);
    if (decision.commits === true) return commit(shell, job, draft, decision);
    const concluded = conclude(shell, job, draft, decision.reply, false);
    if (decision.next === undefined || shell.isClosed) return concluded;
    return decide(shell, { ...job, order: { decide: decision.next }, call: null });
  } catch (bug) {
    // Nothing was changed. Whoever asked is told, else the process; the next command is decided in either case.
    if (job.call === null) void Promise.reject(bug);
    else job.call.reject(bug);
  }
}
async function commit<Value>(
  shell: Shell,
  job: Job<Value>,
  draft: Draft,
  { reply, unless }: Decision<Value>,
): Promise<void> {
  const { order, options } = job;
  try {
    await shell.archive.commit(commitOf(draft, options.tag));
  } catch (error) {
    if (shell.isClosed) return;
    const fault = archiveFault(error);
    shell.recorder?.unwritten(fault.fault);
    if (order.isSettlement === true && shell.keepsSettlements)
      shell.unwritten = [...shell.unwritten, () => decide(shell, { ...job, call: null })];
    const fresh = beginDraft(shell.state, draft.now);
    await conclude(shell, job, fresh, unless?.(fresh, fault) ?? fault, false);
    return;
  }
  // Abandoned meanwhile: whether it was written is for the next restore to see.
  if (shell.isClosed) return;
  shell.counted.commits += 1;
  await conclude(shell, job, draft, reply, true);
  if (!shell.isClosed) offerNext(shell);
}
/** After a commit that was written others may be, too. */
function offerNext(shell: Shell): void {
  if (shell.unwritten.length > 0) enqueue(shell, () => offerUnwritten(shell));
}
/** Each once: one that fails again waits for another commit to succeed. */
async function offerUnwritten(shell: Shell): Promise<void> {
  const offered = shell.unwritten;
  shell.unwritten = [];
  for (const each of offered) if (!shell.isClosed) await each();
}

// ── Several in one commit ────────────────────────────────────────────────────────────────────────────────────────

function memberOf<Value>(shell: Shell, job: Job<Value>, size: number): Member {
  const { order, options, call, asked } = job;
  return {
    ...{ asked, size, tag: options.tag },
    // Given up, or a wait runs out before it: then it is decided alone.
    canJoin: () =>
      !shell.isClosed && options.signal?.aborted !== true && (shell.timer === null || shell.timer.at > asked),
    unseen: () => unseen(shell.state, order.needs ?? []),
    decide: (draft) => {
      const { reply, commits } = order.decide(draft);
      const tell = () => answerCall(call, reply);
      return { commits: commits === true, tell };
    },
    alone: () => perform(shell, job),
  };
}
const isSo = () => true;
const isNotSo = () => false;
async function performTogether(shell: Shell, group: readonly Member[]): Promise<void> {
  const missing = [...new Set(group.flatMap((each) => each.unseen()))].sort();
  const isLooked = missing.length === 0 || (await lookAt(shell, missing, group[0]?.tag).then(isSo, isNotSo));
  // Whom a look concerns that fails is told when it is looked at alone; and somebody may have given up meanwhile.
  const decided = isLooked && group.every((each) => each.canJoin()) ? decideTogether(shell.state, group) : null;
  const isWritten = decided !== null && (await writeTogether(shell, decided));
  if (shell.isClosed) return;
  if (decided === null || !isWritten) {
    for (const each of group) await each.alone();
    return;
  }
  apply(decided.draft, decided.tags.length > 0);
  arm(shell);
  for (const { member, tell, acts } of decided.told) {
    tell();
    for (const act of acts) {
      enact(shell, act, member.tag);
      if (shell.isClosed) return;
    }
  }
  if (decided.tags.length > 0) offerNext(shell);
}
async function writeTogether(shell: Shell, { draft, tags }: Together): Promise<boolean> {
  if (tags.length === 0) return true;
  try {
    await shell.archive.commit({ ...commitOf(draft, tags[0]), group: tags });
    if (!shell.isClosed) shell.counted.commits += 1;
    return true;
  } catch {
    // Each of them is told its own: what kept the whole from being written may concern one alone.
    return false;
  }
}

/** The draft is the state from here on: the caller is answered and the world told. L20 */
function conclude<Value>(
  shell: Shell,
  job: Job<Value>,
  draft: Draft,
  reply: Reply<Value>,
  isCommitted: boolean,
): Promise<void> | void {
  const { order, options, call } = job;
  shell.recorder?.replied(reply, draft.acts);
  apply(draft, isCommitted);
  arm(shell);
  if ("begun" in reply) begin(shell, job, reply.begun);
  answerCall(call, reply);
  for (const act of draft.acts) {
    enact(shell, act, options.tag);
    // A host may abandon the session from a callback: nobody is called after that.
    if (shell.isClosed) return;
  }
  if ("fetch" in reply) return answerFetched(shell.archive, call, reply);
  if ("ok" in reply && order.after !== undefined) return order.after();
}
function answerCall<Value>(call: Call<Value> | null, reply: Reply<Value>): void {
  if ("ok" in reply) call?.resolve(reply.ok);
  if ("refused" in reply || "fault" in reply) call?.reject(errorOf(reply));
}

// ── Doing ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The caller waits for the end of an operation now. */
function begin<Value>(shell: Shell, { order, options, call }: Job<Value>, op: Op): void {
  const { signal, tag, onBegin } = options;
  const giveUp = () => {
    if (order.isDetached === true) call?.reject(signal?.reason);
    else post(shell, quit(op), tag, { do: "cancel", op });
  };
  signal?.addEventListener("abort", giveUp, { once: true });
  const ended = (end: End) => {
    signal?.removeEventListener("abort", giveUp);
    if ("quit" in end) call?.reject(quitReason(signal));
    else if (!("ok" in end)) call?.reject(errorOf(end));
    else if (order.ended !== undefined) call?.resolve(order.ended(end.ok));
  };
  remember(shell, op, tag, ended);
  guarded(shell, tag, op, () => onBegin?.(op));
}

// ── Time ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** One timer, for the earliest deadline. */
function arm(shell: Shell): void {
  const { deadlines } = shell.state;
  let earliest = Number.POSITIVE_INFINITY;
  for (const deadline of deadlines.values()) earliest = Math.min(earliest, deadline);
  if (shell.timer?.at === earliest) return;
  shell.timer?.cancel();
  shell.timer = null;
  if (deadlines.size === 0) return;
  const now = nowOf(shell);
  const ring = () => timeUp(shell);
  if (earliest > now) shell.timer = { at: earliest, cancel: shell.clock.after(earliest - now, ring) };
  else {
    // The wait stood in the queue for longer than it was to last.
    shell.timer = { at: earliest, cancel: () => {} };
    ring();
  }
}
function timeUp(shell: Shell): void {
  const now = nowOf(shell);
  enqueue(shell, () => {
    if (!shell.isClosed) endWaits(shell, now);
  });
}
function endWaits(shell: Shell, now: number): void {
  void decide(shell, {
    order: { decide: timeOut(now), says: { do: "elapse", ms: 0 } },
    options: {},
    call: null,
    asked: now,
  });
}

// ── Ending ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** Whatever is live is gone; nobody is told but those who wait for an answer. */
export function shut(shell: Shell): void {
  if (shell.isClosed) return;
  shell.isClosed = true;
  shell.timer?.cancel();
  shell.timer = null;
  const error = closedError();
  for (const each of shell.pending.values()) {
    each.cancelDeadline();
    stopWork(each, error);
  }
  shell.pending.clear();
  for (const reject of [...shell.calls]) reject(error);
}
