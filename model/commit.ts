/**
 * The archive as the specification sees it: what is written, what a commit does, what is found when it is read. A commit
 * happens whole or not at all, and never without the epoch.
 */
import type { Activity, AsideCode, Config, RecordDamage, StepOutcome } from "../src/contract.ts";
import { isBelow, tools } from "./refusals.ts";
import type { Decoded, Rules, Run } from "./rules.ts";
import type { Agent, Disk, Live, Stored, World } from "./state.ts";

export function activity(agent: Agent): Activity {
  if (agent.is !== "admitted") return agent.is;
  const newest = agent.blockers.at(-1);
  return newest === undefined ? "running" : newest.kind;
}

const records = new WeakMap<Agent, Stored>();
/** What is written of an agent; the same for the same. */
export function record(agent: Agent): Stored {
  const known = records.get(agent);
  if (known !== undefined) return known;
  const { path, role, config, turns, mail, owed, messages } = agent;
  const stored: Stored = {
    path,
    role,
    config,
    turns,
    mail,
    owed,
    messages,
    activity: activity(agent),
    result: agent.is === "idle" ? agent.result : null,
    undo: agent.is === "starting" ? agent.undo : null,
  };
  records.set(agent, stored);
  return stored;
}

/** L8, L9: an active record has no result, and only a start has one to give back. */
export function encodes(stored: Stored): boolean {
  return (
    (stored.activity === "idle" || stored.result === null) &&
    (stored.activity === "starting" || stored.undo === null) &&
    stored.turns >= 0
  );
}

/** The path of the first live record that does not encode. */
export function unencodable(m: Rules, live: Live): string | null {
  for (const [path, agent] of Object.entries(live.agents)) if (!m.encodes(m.record(agent))) return path;
  return null;
}

/** The archive after a commit: every live record; what was set aside stays as it was. */
export function written(m: Rules, disk: Disk, live: Live): Disk {
  const agents: { [path: string]: Stored } = {};
  for (const path of Object.keys(live.aside)) {
    const kept = disk.agents[path];
    if (kept !== undefined) agents[path] = kept;
  }
  for (const [path, agent] of Object.entries(live.agents)) agents[path] = m.record(agent);
  const { mail, messages } = live.root;
  return { ...disk, capacity: live.capacity, root: { mail, messages }, agents };
}

/** L40: a session whose archive another one took over neither writes nor reads it any more. */
export const lost: { readonly fault: "ownership_lost"; readonly at: string } = {
  fault: "ownership_lost",
  at: "archive",
};
export const isLost = ({ world, live }: Run): boolean => live.mode === "write" && world.disk.epoch !== live.epoch;

/** The draft becomes the session and its archive; or the session is as it was, and the fault is said. */
export function commit(m: Rules, run: Run, draft: Live): readonly [Run, StepOutcome | null] {
  const at = unencodable(m, draft);
  const next: Run = { ...run, commit: "ok" };
  if (at !== null) return [next, { fault: "record_invalid", at }];
  if (run.commit === "crash_before") return [{ ...next, crashed: true }, { crashed: true }];
  if (run.commit !== "ok" && run.commit !== "crash_after") return [next, { fault: run.commit, at: "archive" }];
  if (isLost(run)) return [next, lost];
  const world: World = { ...run.world, disk: m.written(m, run.world.disk, draft) };
  if (run.commit === "crash_after") return [{ ...next, world, crashed: true }, { crashed: true }];
  return [{ ...next, world, live: draft }, null];
}

const malformed: Record<RecordDamage, AsideCode | null> = {
  malformed: "record_malformed",
  mail_sender: "record_malformed",
  active_with_result: "record_malformed",
  location: "record_malformed",
  checksum: "checksum",
  config: "config_malformed",
  tool: null,
  category: null,
};

/** A reference that the owner does not list, or one that nobody owns: valid as data, not as tools. */
function damagedConfig(world: World, config: Config, how: RecordDamage): Config {
  const known = Object.values(world.registrars)[0]?.category ?? "nowhere";
  return { ...config, tools: [...config.tools, how === "tool" ? [known, "damaged"] : ["nowhere", "damaged"]] };
}

/** Who can be restored, and who is set aside with which code: parents first. */
export function decode(_: Rules, world: World, live: Pick<Live, "registrars">): Decoded {
  const agents: { [path: string]: Stored } = {};
  const aside: { [path: string]: AsideCode } = {};
  for (const path of Object.keys(world.disk.agents).sort()) {
    const found = world.disk.agents[path];
    if (found === undefined) continue;
    const how = world.disk.damaged[path];
    const stored: Stored =
      how === "tool" || how === "category" ? { ...found, config: damagedConfig(world, found.config, how) } : found;
    const own = how === undefined ? null : malformed[how];
    const orphan = Object.keys(aside).some((above) => isBelow(path, above)) ? "parent_invalid" : null;
    const code = own ?? orphan ?? unresolvable(live.registrars, stored);
    if (code === null) agents[path] = stored;
    else aside[path] = code;
  }
  return { agents, aside };
}

function unresolvable(registrars: Live["registrars"], stored: Stored): AsideCode | null {
  if (registrars.length === 0) return null;
  const found = tools({ registrars }, stored.config.tools);
  return found === "tool_unknown" || found === "category_foreign" ? found : null;
}
