/**
 * What a restore does about records that a dead session left active or owing: turns settled, starts rolled back, owed
 * results mailed, all in one commit. No provider is called and no tool run. L28, L29
 */
import type { Message } from "../archive/archive.ts";
import type { Op, Path } from "../contract.ts";
import { answer, commit, type Decide } from "./decision.ts";
import { agentOf, type Draft, nextOp, put } from "./draft.ts";
import { isAdmitted } from "./guard.ts";
import { handExecutionsOver, mailResult, resultOf, tell } from "./settle.ts";
import type { AdmittedAgent, Agent, State } from "./state.ts";
import { saidIn } from "./turn.ts";

/** What was read of an abandoned conversation, or the code of the fault that prevented it. */
export type Found = { readonly messages: readonly Message[] } | { readonly code: string };

/** Those whose conversation has to be read first, by path. */
export function abandoned(state: State): readonly AdmittedAgent[] {
  return [...state.agents.values()].filter(isAdmitted).sort(byPath);
}
function byPath(one: Agent, other: Agent): number {
  return one.path < other.path ? -1 : 1;
}
/** Names the read of one of them. */
export function beginRecovery(state: State, draft: Draft, path: Path): Op {
  const op = nextOp(draft, path);
  state.ordinals.set(path, draft.ordinals?.get(path) ?? 1);
  return op;
}

export function recover(found: ReadonlyMap<Path, Found>): Decide<"done"> {
  return (draft) => {
    const urgent = [...draft.state.agents.values()].filter((each) => each.phase.is !== "idle" || each.owed.length > 0);
    if (urgent.length === 0) return answer("done");
    for (const each of urgent.sort(byPath)) recoverOne(draft, each.path, found.get(each.path));
    return commit("done");
  };
}
function recoverOne(draft: Draft, path: Path, found: Found | undefined): void {
  const agent = agentOf(draft, path);
  for (const each of agent.owed) mailResult(draft, agent, each.result);
  const kept = { ...agent, owed: [] };
  if (agent.phase.is === "idle") put(draft, kept);
  if (agent.phase.is === "starting") {
    draft.active -= 1;
    put(draft, { ...kept, phase: { is: "idle", result: agent.phase.undo } });
  }
  if (agent.phase.is === "admitted") abandon(draft, kept, agent.phase.turn, found);
}
function abandon(draft: Draft, agent: Agent, turn: number, found: Found | undefined): void {
  const isRead = found !== undefined && "messages" in found;
  const reason = isRead ? "abandoned" : (found?.code ?? "conversation_failed");
  const result = resultOf("interrupted", "", reason, isRead ? saidIn(found.messages, turn) : null);
  draft.active -= 1;
  put(draft, { ...agent, phase: { is: "idle", result } });
  mailResult(draft, agent, result);
  handExecutionsOver(draft, agent.path);
  tell(draft, ["settled", agent.path, turn]);
}
