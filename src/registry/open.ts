/**
 * Opening a session: own the archive, look at what is not at rest, recover it, and hand out a session only then.
 */
import type { Archive, Head, Message, Store } from "../archive/archive.ts";
import { sqliteStore } from "../archive/sqlite.ts";
import type { CommitFault, Event, Limits, Path } from "../contract.ts";
import { fault, RollcallError } from "../errors.ts";
import { openTools } from "../tools.ts";
import type { ForkOptions, Place, Session } from "./api.ts";
import { readFault } from "./calls.ts";
import { emit } from "./doing.ts";
import { beginDraft } from "./draft.ts";
import { openGate } from "./gates.ts";
import type { Clock, Deadlines, Provider, Registrar, Viewer } from "./ports.ts";
import { type Opened, type Recorder, type RecordOptions, recorderTo } from "./record.ts";
import { abandoned, beginRecovery, type Found, recover } from "./recover.ts";
import { abandonedPhase, shownPhase, takeRows } from "./rows.ts";
import { sessionOver } from "./session.ts";
import { issue, nowOf, type Shell, shut } from "./shell.ts";
import type { Setting, State } from "./state.ts";

export interface SessionOptions {
  /** What agents are made of, by role; copied and checked when one is spawned. */
  readonly roles: { readonly [role: string]: unknown };
  readonly provider: Provider;
  /** Without any, a session can list, read and mail, and starts no turn. */
  readonly registrars?: readonly Registrar[] | undefined;
  readonly viewer?: Viewer | undefined;
  readonly clock?: Clock | undefined;
  /** Unique names for records. */
  readonly ids?: (() => string) | undefined;
  /** Of a new archive: how many agents may be active at once; 3 unless told. */
  readonly capacity?: number | undefined;
  readonly limits?: Partial<Limits> | undefined;
  /**
   * How many conversations stay in memory once their turns are over, the least recently used going first; all of them unless
   * told. Those at work, being read or not yet written stay whatever the number.
   */
  readonly residentsMax?: number | undefined;
  /** Shown to whoever is refused because this session lives. */
  readonly owner?: string | undefined;
  /** Takes the archive from an owner that lives. */
  readonly takeover?: boolean | undefined;
  readonly mode?: "write" | "read" | undefined;
  /** Whether a new archive is made where there is none; when writing, yes unless told. */
  readonly create?: boolean | undefined;
  /** Makes the names of this opening's operations unique; the archive's epoch unless told. */
  readonly opening?: number | undefined;
  readonly deadlines?: Deadlines | undefined;
  /** Settlements that were not written are offered again with the next commit; yes unless told. */
  readonly keepSettlements?: boolean | undefined;
  /**
   * Records what is decided, in order, a JSON object a line, appended to this file: for `rollcall import`. Texts stand there as lengths and hashes
   * unless `texts` is set. A recording that cannot be written any more is warned about, at `recording`, and ends; the session goes on.
   */
  readonly record?: string | RecordOptions | undefined;
  /** Aborting it before the session is there gives the restore up. */
  readonly signal?: AbortSignal | undefined;
  /** Handed to the archive with the recovery's commit, and to `onEvent`. */
  readonly tag?: unknown;
  readonly onEvent?: ((event: Event, tag: unknown) => void) | undefined;
}

const limitsDefault: Limits = {
  agentsMax: 100_000,
  operationsMax: 10_000,
  blockersMax: 1_000,
  mailMax: 10_000,
  textMax: 16 * 1024 * 1024,
};
const capacityDefault = 3;

const systemClock: Clock = {
  now: () => Date.now(),
  after: (ms, call) => {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
};

function storeAt(place: Place): Store {
  return typeof place === "string" ? sqliteStore(place) : place;
}

/**
 * A place is a file, or an archive of another kind. What a dead session left active is settled as interrupted before
 * this resolves; conversations of idle agents are not read, and no provider is called.
 * In a file, whatever a call has acknowledged is there, whole and once, after any crash and any loss of power, as long as the disk
 * keeps what it was told to sync; what was not acknowledged is there whole or not at all.
 */
export async function openSession(place: Place, options: SessionOptions): Promise<Session> {
  return open(place, options, false);
}
/** A new one is refused a place where there is a session already. */
async function open(place: Place, options: SessionOptions, isNew: boolean): Promise<Session> {
  const { signal, mode = "write", create = true, capacity = capacityDefault } = options;
  signal?.throwIfAborted();
  if (!Number.isSafeInteger(capacity) || capacity < 1)
    throw new RollcallError("refused", "capacity_invalid", "capacity");
  const store = storeAt(place);
  const record = recordingOf(options);
  let archive: Archive | null = null;
  try {
    archive = await store.open({
      mode,
      owner: options.owner ?? "rollcall",
      takeover: options.takeover === true,
      create: mode === "write" && create ? { capacity } : null,
    });
    const head = await archive.head();
    if (isNew && !isBare(head, capacity)) throw new RollcallError("refused", "path_taken", "archive");
    return await restore(archive, head, options, record);
  } catch (error) {
    record?.recorder.leave(false);
    // Ownership is given up, and that may fail as well: what is told is why the restore did.
    await archive?.close().catch(() => {});
    throw error;
  }
}

function isBare(head: Head, capacity: number): boolean {
  return head.agents === 0 && head.rootMail.length === 0 && head.rootMessages === 0 && head.capacity === capacity;
}

async function restore(
  archive: Archive,
  head: Head,
  options: SessionOptions,
  record: Recording | null,
): Promise<Session> {
  const shell = shellOver(archive, head, options, record?.recorder ?? null);
  const { recorder } = shell;
  record?.listen((fault) => emit(shell, ["warned", fault, "recording"], undefined));
  const { state, listeners } = shell;
  const { tag, signal, onEvent } = options;
  if (onEvent !== undefined) listeners.add(onEvent);
  recorder?.opened(openedOf(shell, head, options), nowOf(shell));
  for (const event of takeRows(state, head.urgent, archive.mode === "read" ? shownPhase : abandonedPhase))
    emit(shell, event, tag);
  try {
    if (archive.mode === "write") {
      const found = await readAbandoned(shell, options);
      signal?.throwIfAborted();
      await issue(shell, { decide: recover(found) }, { tag });
    }
  } catch (error) {
    recorder?.restored(error instanceof RollcallError ? error.code : "quit");
    recorder?.leave(false);
    shut(shell);
    throw error;
  }
  recorder?.restored(null);
  recorder?.rest();
  return sessionOver(shell, (child, capacity, how) => openChild(shell, options, child, capacity, how));
}

function shellOver(archive: Archive, head: Head, options: SessionOptions, recorder: Recorder | null): Shell {
  const { clock = systemClock, provider, deadlines = {}, keepSettlements = true } = options;
  const host = { provider, deadlines };
  const shell: Shell = {
    ...{ archive, clock, state: stateOver(head, settingOf(archive, options), options) },
    openGate: (act, pending) => openGate(shell, host, act, pending),
    keepsSettlements: keepSettlements,
    recorder,
    calls: new Set(),
    pending: new Map(),
    listeners: new Set(),
    queue: [],
    unwritten: [],
    timer: null,
    isPumping: false,
    isClosed: false,
    counted: { hydrated: 0, provider: 0, commits: 0 },
  };
  return shell;
}
function settingOf(archive: Archive, options: SessionOptions): Setting {
  return {
    mode: archive.mode,
    limits: { ...limitsDefault, ...options.limits },
    opening: options.opening ?? archive.epoch,
    tools: openTools(options.registrars ?? []),
    viewer: options.viewer ?? null,
    ids: options.ids ?? (() => crypto.randomUUID()),
    residentsMax: Math.max(0, options.residentsMax ?? Number.POSITIVE_INFINITY),
  };
}
function stateOver(head: Head, setting: Setting, { roles }: SessionOptions): State {
  return {
    ...{ setting, capacity: head.capacity, kept: head.agents, isListed: false, seq: head.seq },
    ...{ active: 0, reservations: 0 },
    root: { mail: head.rootMail.map((each) => Object.freeze(each)), messages: head.rootMessages, waiter: null },
    roles: new Map(Object.entries(roles)),
    agents: new Map(),
    aside: new Map(),
    ops: new Map(),
    starts: new Map(),
    reads: new Map(),
    ordinals: new Map(),
    conversations: new Map(),
    unsaved: new Map(),
    dirty: new Set(),
    deadlines: new Map(),
  };
}

// ── Its recording ────────────────────────────────────────────────────────────────────────────────────────────────

interface Recording {
  readonly recorder: Recorder;
  /** Who is told that it cannot be written any more. */
  listen(heard: (fault: CommitFault) => void): void;
}
/** Opened before the archive: who asks for a recording that cannot be is told so, and owns nothing. */
function recordingOf({ record, clock = systemClock }: SessionOptions): Recording | null {
  if (record === undefined) return null;
  let heard: (fault: CommitFault) => void = () => {};
  try {
    const place = typeof record === "string" ? { file: record } : record;
    const recorder = recorderTo(place, clock, (fault) => heard(fault));
    return {
      recorder,
      listen: (listener) => {
        heard = listener;
      },
    };
  } catch (error) {
    throw fault("io_failed", "recording", error);
  }
}
function openedOf({ state, archive }: Shell, head: Head, { registrars = [] }: SessionOptions): Opened {
  const { opening, limits } = state.setting;
  const { mode } = archive;
  const named = registrars.map(({ category, names }) => ({ category, tools: names() }));
  return { opening, mode, head, limits, roles: state.roles, registrars: named };
}

// ── Abandoned turns ──────────────────────────────────────────────────────────────────────────────────────────────

/** Their conversations, one after another in path order: what the turn said is part of its result. L29 */
async function readAbandoned(shell: Shell, options: SessionOptions): Promise<ReadonlyMap<Path, Found>> {
  const found = new Map<Path, Found>();
  for (const { path, location } of abandoned(shell.state)) {
    const op = beginRecovery(shell.state, beginDraft(shell.state, nowOf(shell)), path);
    shell.counted.hydrated += 1;
    try {
      const reading = shell.archive.messages({ path, location, intent: "recover", op });
      found.set(path, { messages: await inTime(shell, reading, options) });
      shell.recorder?.hydrated(path, null);
    } catch (error) {
      options.signal?.throwIfAborted();
      const code = readFault(error, path).fault;
      shell.recorder?.hydrated(path, code);
      found.set(path, { code });
    }
  }
  return found;
}
/** Unless it is quit, or not answered in time. */
function inTime(
  { clock }: Shell,
  reading: Promise<readonly Message[]>,
  { signal, deadlines }: SessionOptions,
): Promise<readonly Message[]> {
  const hydrateMs = deadlines?.hydrateMs;
  if (signal === undefined && hydrateMs === undefined) return reading;
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal?.reason);
    // It may have been aborted by the very call that began the read: then nobody hears of it any more.
    if (signal?.aborted === true) giveUp();
    signal?.addEventListener("abort", giveUp, { once: true });
    const cancel =
      hydrateMs === undefined
        ? () => {}
        : clock.after(hydrateMs, () => reject(new Error(`no answer within ${hydrateMs} ms`)));
    void reading.then(resolve, reject).finally(() => {
      signal?.removeEventListener("abort", giveUp);
      cancel();
    });
  });
}

// ── Forks ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** As this session was opened, with the roles as they are now. L38 */
function openChild(
  shell: Shell,
  options: SessionOptions,
  place: Place,
  capacity: number,
  { signal, tag }: ForkOptions,
): Promise<Session> {
  // One recording is of one session.
  const { onEvent: _, opening: __, record: ___, ...inherited } = options;
  const roles = Object.fromEntries(shell.state.roles);
  return open(place, { ...inherited, roles, capacity, signal, tag, mode: "write", create: true }, true);
}
