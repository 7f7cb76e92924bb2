/**
 * Looking and tidying: roster, result, history, inspection, eviction, compaction, capacity, roles. None of it changes
 * who is there or what they are made of. L32, L36
 */
import type { Message, Result } from "../archive/archive.ts";
import type { Mark, Path, RosterRow } from "../contract.ts";
import { isPath, rootPath } from "../paths.ts";
import { answer, commit, type Decide, refuse } from "./decision.ts";
import { type Draft, nextOp, putLive, readAt, rootLocation, setConversation, setOp } from "./draft.ts";
import { operations, readOnly, targetAt } from "./guard.ts";
import { lastOf } from "./hydrate.ts";
import { askRead } from "./reading.ts";
import { type Agent, activityOf, type ReadOp } from "./state.ts";

const lastDefault = 20;

function countOf(given: number | undefined): number {
  return typeof given === "number" && Number.isSafeInteger(given) && given >= 0 ? given : lastDefault;
}

/** Whether `path` is the prefix or lies below it; `""` is everything. */
function isBelow(path: Path, prefix: string): boolean {
  return prefix === "" || path === prefix || path.startsWith(`${prefix}/`);
}
export function roster(prefix: string): Decide<readonly RosterRow[]> {
  return (draft) => {
    if (prefix !== "" && !isPath(prefix)) return { reply: refuse("path_malformed", prefix) };
    const rows: RosterRow[] = [];
    if (isBelow(rootPath, prefix)) rows.push([rootPath, null, draft.root.waiter === null ? "running" : "waiting"]);
    let isInOrder = true;
    for (const each of draft.state.agents.values()) {
      if (!isBelow(each.path, prefix)) continue;
      const before = rows.at(-1);
      // Those that were stored are looked at in order: only who was spawned since may have to move.
      if (before !== undefined && before[0] > each.path) isInOrder = false;
      rows.push([each.path, each.role, activityOf(each)]);
    }
    if (!isInOrder) rows.sort(([one], [other]) => (one < other ? -1 : 1));
    return answer(rows);
  };
}

export function readResult(path: string): Decide<Result> {
  return (draft) => {
    const agent = targetAt(draft, path);
    if ("refused" in agent) return { reply: agent };
    const result = agent.phase.is === "idle" ? agent.phase.result : null;
    return result === null ? { reply: refuse("not_ready", agent.path) } : answer(result);
  };
}

export interface Inspection {
  readonly messages: number;
  readonly marks: readonly Mark[];
}
function openRead(draft: Draft, agent: Agent, is: ReadOp["is"], last: number): ReturnType<Decide<never>> {
  const refused = operations(draft);
  if (refused !== null) return { reply: refused };
  const { path } = agent;
  const op = nextOp(draft, path);
  setOp(draft, op, { is, gate: "hydrate", op, path, last });
  askRead(draft, agent, op, { intent: is === "history" ? "history" : "inspection", last });
  return { reply: { begun: op } };
}
export function inspect(path: string): Decide<Inspection> {
  return (draft) => {
    const agent = targetAt(draft, path);
    if ("refused" in agent) return { reply: agent };
    if (agent.residency === "cold") return openRead(draft, agent, "inspect", 0);
    return answer({ messages: agent.messages, marks: agent.marks });
  };
}
/** The last messages without the rest. The root's are never hydrated, and an inspection keeps none: both are read anew. */
export function readHistory(path: string, given: number | undefined): Decide<readonly Message[]> {
  const last = countOf(given);
  return (draft) => {
    const agent = path === rootPath ? null : targetAt(draft, path);
    if (agent !== null && "refused" in agent) return { reply: agent };
    if (agent?.residency === "cold") return openRead(draft, agent, "history", last);
    if (agent?.residency === "writable") {
      // It was used, and nothing of it changed.
      putLive(draft, agent);
      return answer(lastOf(draft.state.conversations.get(agent.path) ?? [], last));
    }
    const unsaved = [...(draft.state.unsaved.get(path) ?? [])];
    const location = agent?.location ?? rootLocation;
    const fetch = { path, location, intent: "history", last } as const;
    return { reply: { fetch, then: (messages) => lastOf([...messages, ...unsaved], last) } };
  };
}

/** At work, or being read: what is read must not change under the reader. */
function isUsed(draft: Draft, agent: Agent): boolean {
  return agent.phase.is !== "idle" || readAt(draft, agent.path) !== undefined;
}
export function evict(path: string): Decide<undefined> {
  return (draft) => {
    const agent = targetAt(draft, path);
    if ("refused" in agent) return { reply: agent };
    if (isUsed(draft, agent)) return { reply: refuse("in_use", agent.path) };
    setConversation(draft, agent.path, null);
    putLive(draft, { ...agent, residency: "cold", marks: [] });
    return answer(undefined);
  };
}
export function compact(path: string, given: number | undefined): Decide<undefined> {
  const keep = countOf(given);
  return (draft) => {
    const refused = readOnly(draft);
    if (refused !== null) return { reply: refused };
    const agent = targetAt(draft, path);
    if ("refused" in agent) return { reply: agent };
    if (isUsed(draft, agent)) return { reply: refuse("in_use", agent.path) };
    const replaced = agent.messages - keep;
    if (replaced <= 0) return answer(undefined);
    replaceHead(draft, agent, keep, replaced);
    return commit(undefined);
  };
}
function replaceHead(draft: Draft, agent: Agent, keep: number, replaced: number): void {
  const { path, location } = agent;
  const text = `${replaced} messages compacted`;
  const note = Object.freeze({ kind: "note", turn: 0, from: path, text, at: draft.now } as const);
  draft.compact = { path, location, keep, note };
  putLive(draft, { ...agent, messages: keep + 1 });
  const conversation = draft.state.conversations.get(path);
  if (conversation !== undefined) setConversation(draft, path, [note, ...lastOf(conversation, keep)]);
}

/** Kills no turn: fewer are begun until there is room again. L3 */
export function setCapacity(capacity: number): Decide<undefined> {
  return (draft) => {
    const refused = readOnly(draft);
    if (refused !== null) return { reply: refused };
    if (!Number.isSafeInteger(capacity) || capacity < 1) return { reply: refuse("capacity_invalid", "capacity") };
    draft.capacity = capacity;
    return commit(undefined);
  };
}
/** Checked at the next spawn; whoever was spawned before keeps what it was given. L27 */
export function changeRole(role: string, config: unknown): Decide<undefined> {
  return (draft) => {
    draft.state.roles.set(role, config);
    return answer(undefined);
  };
}
