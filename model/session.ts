/**
 * Opening, closing and losing a session. A restore takes ownership first, sets the invalid aside, hydrates what was
 * abandoned, settles it all in one commit; a read-only one only looks.
 */
import type { AsideCode, Event, Path, StepOutcome } from "../src/contract.ts";
import { isLost, lost } from "./commit.ts";
import * as no from "./refusals.ts";
import { isPath, parent } from "./refusals.ts";
import type { Decided, Decoded, Done, Of, Rules, Run } from "./rules.ts";
import { change, holder, ok, refused } from "./run.ts";
import { resultMail } from "./settle.ts";
import type { Agent, Disk, Live, Restoring, Result, Stored, World } from "./state.ts";
import { emptyView } from "./view.ts";

const decided = (world: World, outcome: StepOutcome, events: readonly Event[] = []): Decided => ({
  world,
  outcome,
  events,
  later: [],
});
export const without = (world: World, as: string): World => {
  const { [as]: _, ...handles } = world.handles;
  return { ...world, handles };
};
const owner = (world: World): string | undefined =>
  Object.entries(world.handles).find(([, each]) => each.epoch === world.disk.epoch)?.[0];

const archiveFaults = {
  missing: "archive_missing",
  malformed: "archive_malformed",
  version: "archive_version",
} as const;
function archiveFault(disk: Disk): StepOutcome | null {
  return disk.condition === "ok" ? null : { fault: archiveFaults[disk.condition], at: "archive" };
}

const aside = (codes: { readonly [path: Path]: AsideCode }): readonly Event[] =>
  Object.keys(codes)
    .sort()
    .map((path) => ["set_aside", path, codes[path] ?? "record_malformed"] as const);

const abandoned = (stored: Stored): boolean => stored.activity !== "idle" && stored.activity !== "starting";

export function restore(m: Rules, before: World, step: Of<"restore">): Decided {
  const as = step.as ?? "w1";
  const world: World = { ...before, openings: before.openings + 1 };
  if (world.handles[as] !== undefined) return decided(world, { refused: "session_open" });
  const failed = archiveFault(world.disk);
  if (failed !== null) return decided(world, failed);
  const registrars = (step.registrars ?? Object.keys(world.registrars)).flatMap((each) => world.registrars[each] ?? []);

  if (step.mode === "read") {
    if (world.disk.session !== "ok") return decided(world, { fault: "session_invalid", at: "session" });
    const live = m.snapshot(m, world, step, registrars, m.decode(m, world, { registrars }));
    return decided({ ...world, handles: { ...world.handles, [as]: live } }, { ok: "done" }, aside(live.aside));
  }

  const other = owner(world);
  if (other !== undefined && step.takeover !== true) return decided(world, { fault: "owned_elsewhere", at: other });
  const epoch = step.epoch ?? "ok";
  if (epoch === "crash_before") return decided(world, { crashed: true });
  if (epoch !== "ok" && epoch !== "crash_after") return decided(world, { fault: epoch, at: "archive" });
  const owned: World = { ...world, disk: { ...world.disk, epoch: world.disk.epoch + 1 } };
  if (epoch === "crash_after") return decided(owned, { crashed: true });
  if (owned.disk.session !== "ok") return decided(owned, { fault: "session_invalid", at: "session" });

  const decoded = m.decode(m, owned, { registrars });
  const left = Object.values(decoded.agents)
    .filter(abandoned)
    .map((each) => each.path)
    .sort();
  return next(m, owned, step, {
    is: "restoring",
    as,
    opening: owned.openings,
    epoch: owned.disk.epoch,
    registrars,
    found: owned.disk,
    op: "",
    path: "",
    answers: step.answers ?? {},
    hydrated: {},
    left,
    now: 0,
  });
}

/** One abandoned conversation after another, in path order; then all is settled at once. */
function next(m: Rules, world: World, step: Of<"restore"> | Of<"answer">, restoring: Restoring): Decided {
  const [path, ...left] = restoring.left;
  if (path === undefined) return recover(m, world, step, restoring);
  const op = `${path}#${restoring.opening}.1`;
  const waiting: Restoring = { ...restoring, path, op, left };
  const how = restoring.answers.hydrate;
  if (how !== undefined)
    return answerRecovery(m, world, { do: "answer", op, gate: "hydrate", with: how, ...commitOf(step) }, waiting);
  return decided({ ...world, handles: { ...world.handles, [restoring.as]: waiting } }, { gate: "hydrate", op });
}
const commitOf = (step: Of<"restore"> | Of<"answer">): Pick<Of<"answer">, "commit"> =>
  step.commit === undefined ? {} : { commit: step.commit };

const faults = {
  missing: "conversation_missing",
  corrupt: "conversation_corrupt",
  error: "conversation_failed",
} as const;

export function answerRecovery(m: Rules, world: World, step: Of<"answer">, restoring: Restoring): Decided {
  if (step.op !== restoring.op || step.gate !== "hydrate") return decided(world, { ok: "late" });
  if (step.with === "quit") return decided(without(world, restoring.as), { quit: true });
  const how = step.with;
  const fault = how === "missing" || how === "corrupt" || how === "error" ? faults[how] : null;
  const hydrated = { ...restoring.hydrated, [restoring.path]: fault };
  return next(m, world, step, { ...restoring, hydrated, answers: { ...restoring.answers, ...step.answers } });
}

/** L29: once, in one commit; if it is not written nothing but the epoch was, and ownership is given up. */
function recover(m: Rules, world: World, step: Of<"restore"> | Of<"answer">, restoring: Restoring): Decided {
  const found: World = { ...world, disk: restoring.found };
  const decoded = m.decode(m, found, restoring);
  const live = m.recovered(m, found, restoring, decoded);
  const open = { ...world, handles: { ...world.handles, [restoring.as]: live } };
  const pending = Object.values(decoded.agents).some((each) => each.activity !== "idle" || each.owed.length > 0);
  const settled = Object.values(decoded.agents)
    .filter(abandoned)
    .map(({ path, turns }) => ["settled", path, turns] as const);
  const told: readonly Event[] = [...settled, ...aside(live.aside)];
  if (!pending) return decided(open, { ok: "done" }, told);
  const run: Run = { world: open, live, commit: step.commit ?? "ok", events: [], later: [], crashed: false };
  const [after, failed] = m.commit(m, run, live);
  if (failed !== null) return decided(without(after.world, restoring.as), failed);
  return decided({ ...after.world, handles: { ...world.handles, [restoring.as]: live } }, { ok: "done" }, told);
}

const cold = { residency: "cold", marks: [] } as const;

function asIdle(stored: Stored): Agent {
  const { path, role, config, turns, mail, owed, messages, activity, result, undo } = stored;
  const back = activity === "starting" ? undo : activity === "idle" ? result : null;
  return { is: "idle", path, role, config, turns, mail, owed, messages, result: back, ...cold };
}

function opened(
  restoring: Pick<Restoring, "as" | "opening" | "epoch" | "registrars">,
  disk: Disk,
  decoded: Decoded,
): Live {
  const agents: { [path: Path]: Agent } = {};
  for (const [path, stored] of Object.entries(decoded.agents)) agents[path] = asIdle(stored);
  const { as, opening, epoch, registrars } = restoring;
  return {
    is: "open",
    mode: "write",
    as,
    opening,
    epoch,
    registrars,
    capacity: disk.capacity,
    root: { ...disk.root, waiter: null },
    agents,
    aside: decoded.aside,
    ops: [],
    ordinals: Object.fromEntries(
      Object.values(decoded.agents)
        .filter(abandoned)
        .map(({ path }) => [path, 1]),
    ),
    now: 0,
  };
}

/** In path order, for each record: what it owes, its abandoned turn, its own executions. */
export function recovered(m: Rules, world: World, restoring: Restoring, decoded: Decoded): Live {
  let live = opened(restoring, world.disk, decoded);
  for (const path of Object.keys(decoded.agents).sort()) {
    const stored = decoded.agents[path];
    const agent = live.agents[path];
    if (stored === undefined || agent?.is !== "idle") continue;
    const mail = stored.owed.map((each) => resultMail(path, each.result));
    let kept: Agent = { ...agent, owed: [] };
    if (abandoned(stored)) {
      const result = abandonedResult(m, stored, restoring.hydrated[path] ?? null);
      const own = agent.mail.filter((each) => each.kind === "execution" && each.from === path);
      mail.push(resultMail(path, result), ...own);
      kept = { ...kept, result, mail: agent.mail.filter((each) => !own.includes(each)) };
    }
    live = { ...live, agents: { ...live.agents, [path]: kept } };
    if (mail.length > 0) {
      const above = parent(path);
      live = change(live, above, { mail: [...holder(live, above).mail, ...mail] });
    }
  }
  return live;
}

function abandonedResult(m: Rules, stored: Stored, fault: string | null): Result {
  if (fault !== null) return { outcome: "interrupted", text: "", reason: fault, partial: null };
  const { activity: _, result: __, undo: ___, ...kept } = stored;
  const turn = {
    ...kept,
    ...cold,
    is: "admitted",
    turn: stored.turns,
    handler: false,
    blockers: [],
    blocks: 0,
  } as const;
  return m.interrupted({ ...turn, waiter: null }, "abandoned");
}

/** Running agents idle without a result, starting ones with the result they would get back; owned by nobody. */
export function snapshot(
  _: Rules,
  world: World,
  step: Of<"restore">,
  registrars: Live["registrars"],
  decoded: Decoded,
): Live {
  const as = step.as ?? "w1";
  const live = opened({ as, opening: world.openings, epoch: 0, registrars }, world.disk, decoded);
  return { ...live, mode: "read", ordinals: {} };
}

export function close(m: Rules, run: Run, _: Of<"close">): Done {
  if (run.live.mode === "read") return ok(run, "done");
  const [next, failed] = m.commit(m, run, run.live);
  return failed === null ? ok(next, "done") : [next, failed];
}

export function save(m: Rules, run: Run, _: Of<"save">): Done {
  if (run.live.mode === "read") return refused(run, "read_only");
  const [next, failed] = m.commit(m, run, run.live);
  return failed === null ? ok(next, "done") : [next, failed];
}

export function verify(_: Rules, run: Run, __: Of<"verify">): Done {
  if (isLost(run)) return [run, lost];
  const rows = Object.keys(run.live.aside)
    .sort()
    .map((path) => [path, run.live.aside[path] ?? "record_malformed"] as const);
  return ok(run, rows);
}

/** L38: a session of its own, with nobody in it. */
export const fork = (_: Rules, run: Run, __: Of<"fork">): Done => ok(run, emptyView(run.live.capacity));

/** The host's: whoever is there keeps what it was given. */
export function changeRole(_: Rules, run: Run, step: Of<"change_role">): Done {
  const world: World = { ...run.world, roles: { ...run.world.roles, [step.role]: step.config } };
  return ok({ ...run, world }, "done");
}

export function setCapacity(m: Rules, run: Run, step: Of<"set_capacity">): Done {
  const code = no.readOnly(run.live) ?? no.capacity(step.capacity);
  if (code !== null) return refused(run, code);
  const [next, failed] = m.commit(m, run, { ...run.live, capacity: step.capacity });
  return failed === null ? ok(next, "done") : [next, failed];
}

export function damage(world: World, step: Of<"damage"> | Of<"mend">): Decided {
  if (Object.keys(world.handles).length > 0) return decided(world, { refused: "session_open" });
  const { disk } = world;
  const to = (changed: Partial<Disk>): Decided => decided({ ...world, disk: { ...disk, ...changed } }, { ok: "done" });
  if (step.what === "archive") {
    if (step.do === "mend") return to({ condition: "ok" });
    return disk.condition === "ok" ? to({ condition: step.how }) : decided(world, archiveFault(disk) ?? { ok: "late" });
  }
  const failed = archiveFault(disk);
  if (failed !== null) return decided(world, failed);
  if (step.what === "session") return to({ session: step.do === "damage" ? step.how : "ok" });
  if (!isPath(step.path)) return decided(world, { refused: "path_malformed" });
  if (step.path === "/root") return decided(world, { refused: "target_root" });
  if (!Object.hasOwn(disk.agents, step.path)) return decided(world, { refused: "agent_unknown" });
  const { [step.path]: _, ...others } = disk.damaged;
  return to({ damaged: step.do === "damage" ? { ...others, [step.path]: step.how } : others });
}
