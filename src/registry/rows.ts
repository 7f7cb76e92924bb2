/**
 * Looking at stored rows: a valid record becomes an agent, an invalid one and its descendants are set aside and left as
 * they are. Idle rows are looked at when they are first needed, so that opening costs nothing for each. L30, L31
 */
import type { Row, StoredRecord } from "../archive/archive.ts";
import { configLater } from "../config.ts";
import type { AsideCode, Event, Path } from "../contract.ts";
import { ancestorsOf, isPath, rootPath } from "../paths.ts";
import type { Agent, Phase, State } from "./state.ts";

/**
 * Whether every row there is was looked at: in a list that came to its end whole, or one by one. Rows that were set aside do not
 * count there: of a damaged one nobody knows whether it is one of those that were kept.
 */
export function isComplete(state: State): boolean {
  return state.isListed || state.agents.size >= state.kept;
}
/** Those of the paths, and of their ancestors, that have to be looked at before a command about them is decided. */
export function unseen(state: State, paths: readonly Path[]): readonly Path[] {
  if (paths.length === 0 || isComplete(state)) return [];
  const wanted = new Set<Path>();
  for (const path of paths) {
    if (path === rootPath || !isPath(path)) continue;
    for (const each of [...ancestorsOf(path), path])
      if (!state.agents.has(each) && !state.aside.has(each)) wanted.add(each);
  }
  return [...wanted].sort();
}

/**
 * In path order, so that a parent is known before its children. Answers what was set aside, for the host to be told.
 * `phase` says what becomes of a turn that is under way in the archive.
 */
export function takeRows(state: State, rows: readonly Row[], phase: (record: StoredRecord) => Phase): readonly Event[] {
  const events: Event[] = [];
  for (const row of rows) {
    if (state.agents.has(row.path) || state.aside.has(row.path)) continue;
    const taken = takeRow(state, row, phase);
    if (typeof taken === "string") {
      state.aside.set(row.path, taken);
      events.push(["set_aside", row.path, taken]);
      continue;
    }
    state.agents.set(row.path, taken);
    if (taken.phase.is !== "idle") state.active += 1;
  }
  return events;
}
function takeRow(state: State, row: Row, phaseOf: (record: StoredRecord) => Phase): Agent | AsideCode {
  if ("aside" in row) return row.aside;
  const record = frozen(row.record);
  if (record.parent !== rootPath && !state.agents.has(record.parent)) return "parent_invalid";
  const configOf = configLater(record.config);
  if (configOf === null) return "config_malformed";
  const { tools } = state.setting;
  const flaw = tools.isAvailable ? tools.flaw(record.config.tools) : null;
  if (flaw !== null) return flaw.code;
  const { id, path, parent, role, turns, mail, owed, location, messages } = record;
  const phase = phaseOf(record);
  return {
    ...{ id, path, parent, role, turns, mail, owed, location, messages, phase },
    get config() {
      return configOf();
    },
    residency: "cold",
    marks: [],
  };
}

/** Hosts are shown these very objects. */
function frozen(record: StoredRecord): StoredRecord {
  const { result, undo, owed, mail } = record;
  for (const each of [result, undo, ...owed.map(({ result }) => result), ...mail]) Object.freeze(each);
  return record;
}
/** An abandoned turn is admitted, without anybody who runs it, until recovery settles it. */
export function abandonedPhase({ activity, result, undo, turns }: StoredRecord): Phase {
  if (activity === "idle") return { is: "idle", result };
  if (activity === "starting") return { is: "starting", undo };
  return { is: "admitted", turn: turns, op: "", handler: null, blockers: [], blocks: 0, waiter: null, aborting: null };
}
/** Somebody else may be running it: who only reads, or lost the archive to another owner, shows it at rest. */
export function shownPhase({ activity, result, undo }: StoredRecord): Phase {
  if (activity === "starting") return { is: "idle", result: undo };
  return { is: "idle", result: activity === "idle" ? result : null };
}
