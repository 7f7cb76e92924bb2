/** Opening a session for a story: the first one on a new archive, and every restore. */

import type { CommitAnswer, Scope, Step } from "../../src/contract.ts";
import { fault } from "../../src/errors.ts";
import type { Registrar } from "../../src/index.ts";
import { openSession } from "../../src/index.ts";
import { deadlines } from "./clock.ts";
import { type Context, context, type Sheet } from "./context.ts";
import { crash, type Handle, isOpen, newHandle, provider, reading } from "./handle.ts";
import { committed, committing } from "./letters.ts";
import { heard, type Issued, type Ports, type Stage, sheetOf } from "./stage.ts";
import { countingStore, storiedStore } from "./store.ts";
import { rejected } from "./values.ts";
import { loaded } from "./witness.ts";

type Restore = Step & { readonly do: "restore" };

function registrarsOf(
  { registrars }: Scope,
  names: readonly string[],
  { registrar }: Ports,
  load: (category: string, name: string) => void,
): readonly Registrar[] {
  return names.flatMap((name) => {
    const found = registrars[name];
    if (found === undefined) return [];
    const { category, tools } = found;
    return [registrar({ category, names: () => tools, load: (tool) => load(category, tool) })];
  });
}

/** Opens a session on the handle; its call's outcome is that of the restore. */
async function open(stage: Stage, handle: Handle, step: Restore, call: Context, create: boolean): Promise<void> {
  const { scope, place, ports } = stage;
  const roles = stage.roles;
  // A read at a gate counts when it is asked for; one that nobody asked for is seen beneath what a twin puts before the store.
  const counting = countingStore(place.store, ({ op }) => {
    if (op === undefined && handle.session === null) stage.reads++;
  });
  const ordered = ports.order === undefined ? counting : ports.order(counting);
  const store = storiedStore(ports.store(ordered), {
    commit: (commit) => {
      committing(stage.letters, commit, handle.since, handle.clock.now());
      return taken(sheetOf(stage, commit.tag));
    },
    committed: (commit) => committed(stage.letters, commit),
    together: (group) => group.every((tag) => sheetOf(stage, tag).commit === "ok"),
    crash: ({ tag }) => {
      sheetOf(stage, tag).crashed = true;
      const gone = handle.session === null;
      crash(handle);
      // A session that is there hears a failure and knows that it is closed; a restore is never heard of again.
      return gone ? new Promise(() => {}) : Promise.reject(fault("io_failed", "archive"));
    },
    read: ({ op, path, intent }) => {
      if (op === undefined) return null;
      stage.reads++;
      if (intent === "recover" && handle.restoring !== null) {
        handle.restoring.op = op;
        handle.contexts.set(op, call);
      }
      return reading(handle, op, path);
    },
    // A reader has a copy of its own, and an owner that was overtaken reads nothing any more.
    spoil: (request, how) =>
      handle.archive?.mode === "write" && handle.archive.epoch === stage.epoch
        ? (place.spoil?.(request, how) ?? null)
        : null,
    opened: (archive) => {
      handle.archive = archive;
      if (archive.mode === "write") stage.epoch = archive.epoch;
    },
    busy: (by) => {
      stage.busy += by;
    },
  });
  const session = await openSession(store, {
    roles,
    provider: provider(handle, (made, role) => (made.sheet === stage.current ? stage.roles[role] : undefined)),
    registrars: registrarsOf(scope, step.registrars ?? Object.keys(scope.registrars), ports, (category, name) =>
      loaded(handle.witness, category, name, stage.number),
    ),
    deadlines,
    viewer: ports.viewer,
    clock: handle.clock,
    ids: () => ports.ids?.(++stage.ids) ?? `id${++stage.ids}`,
    capacity: scope.capacity,
    ...(scope.limits === undefined ? {} : { limits: scope.limits }),
    owner: handle.as,
    takeover: step.takeover === true,
    mode: step.mode,
    create,
    opening: stage.openings,
    ...(ports.record === undefined || handle.as !== "w1" ? {} : { record: ports.record }),
    keepSettlements: false,
    residentsMax: ports.residentsMax,
    ...(call.controller === null ? {} : { signal: call.controller.signal }),
    tag: call,
    onEvent: (event, tag) => heard(stage, handle, event, tag),
  });
  stage.sessions.push(session);
  for (const [role, config] of Object.entries(stage.roles))
    if (roles[role] !== config) await session.changeRole(role, config);
  handle.session = session;
  handle.restoring = null;
}

/** The answer to the first commit of a step; later ones succeed. */
function taken(on: Sheet): CommitAnswer {
  const answer = on.commit;
  on.commit = "ok";
  return answer;
}

export async function begin(stage: Stage): Promise<void> {
  const handle = newHandle("w1", stage.ports.clock?.());
  stage.handles.set("w1", handle);
  await open(stage, handle, { do: "restore", mode: "write" }, context(stage.current, {}, false), true);
}

export function restore(stage: Stage, step: Restore, on: Sheet): Issued {
  stage.openings++;
  const as = step.as ?? "w1";
  const before = stage.handles.get(as);
  const handle = before !== undefined && isOpen(before) ? before : newHandle(as, stage.ports.clock?.());
  const answered = (outcome: Issued["outcome"]): Issued => ({ step, on, handle, context: null, outcome });
  if (handle === before) return answered({ refused: "session_open" });
  stage.handles.set(as, handle);

  if (on.epoch !== "ok" && step.mode === "write" && wouldOpen(stage, handle, step)) {
    if (on.epoch !== "crash_before" && on.epoch !== "crash_after") return answered({ fault: on.epoch, at: "archive" });
    on.crashed = true;
    if (on.epoch === "crash_after") void owned(stage, as);
    return answered(null);
  }
  const call = context(on, step.answers ?? {}, true);
  handle.restoredBy = call;
  handle.restoring = { context: call, op: null };
  open(stage, handle, step, call, false).then(
    () => {
      call.outcome = { ok: "done" };
    },
    (error: unknown) => {
      handle.restoring = null;
      try {
        call.outcome = rejected(error);
      } catch (bug) {
        call.bug = bug;
      }
    },
  );
  return { step, on, handle, context: call, outcome: null };
}

/** Whether only the epoch's commit stands between this restore and the archive. */
function wouldOpen(stage: Stage, handle: Handle, step: Restore): boolean {
  const owner = [...stage.handles.values()].some(
    (each) => each !== handle && isOpen(each) && each.archive?.mode === "write" && each.archive.epoch === stage.epoch,
  );
  return stage.broken === null && (!owner || step.takeover === true);
}

/** The process took ownership and died. */
async function owned(stage: Stage, as: string): Promise<void> {
  stage.busy++;
  const archive = await stage.place.store.open({ mode: "write", owner: as, takeover: true, create: null });
  stage.epoch = archive.epoch;
  archive.abandon();
  stage.busy--;
}
