/**
 * What the answer of a read does: the conversation becomes resident, readers are answered and a follow-up goes on, in
 * the order in which they asked; or all of them fail and nothing is resident that was not before. L31, L33, L34
 */
import type { Message } from "../archive/archive.ts";
import type { Op, Path } from "../contract.ts";
import { makeResident } from "../conversation.ts";
import { answer, type Decide, type Fault, fail, type ReadAct } from "./decision.ts";
import { agentOf, type Draft, opAt, putLive, readAt, setConversation, setRead } from "./draft.ts";
import { endOp } from "./settle.ts";
import { giveUp, hydrated } from "./start.ts";
import type { Operation, Read, ReadOp, StartOp } from "./state.ts";

export interface WasRead {
  readonly messages: readonly Message[];
  /** How many of the last were asked for; null: all. */
  readonly last: number | null;
}

/** The last `count`, oldest first. */
export function lastOf<Value>(values: readonly Value[], count: number): readonly Value[] {
  return count === 0 ? [] : values.slice(-count);
}

export function answerRead(read: Op, path: Path, end: WasRead | Fault): Decide<"done" | "late"> {
  return (draft) => {
    const found = readAt(draft, path);
    if (found === undefined || found.op !== read) return answer("late");
    const askers = found.askers.map((each) => opAt(draft, each)).filter(isAsker);
    if ("fault" in end) {
      failAll(draft, found, askers, end);
      return answer("done");
    }
    const request = neededBy(askers);
    const isEnough = end.last === null || (request.last !== null && request.last <= end.last);
    if (!isEnough) {
      // Somebody who asked later needs more: look again, at no gate.
      const { location } = agentOf(draft, path);
      draft.acts.push({ do: "read", read, isGate: false, request: { path, location, ...request } });
      return answer("done");
    }
    const fault = enter(draft, path, request.intent === "writable", end.messages);
    if (fault !== null) failAll(draft, found, askers, fault);
    else serveAll(draft, found, askers, end.messages);
    return answer("done");
  };
}

type Asker = StartOp | ReadOp;
function isAsker(op: Operation | undefined): op is Asker {
  return op !== undefined && op.is !== "abort" && op.is !== "handler";
}
function neededBy(askers: readonly Asker[]): Pick<ReadAct, "intent" | "last"> {
  if (askers.some((each) => "held" in each)) return { intent: "writable", last: null };
  const last = Math.max(0, ...askers.map((each) => ("last" in each ? each.last : 0)));
  return { intent: askers.some((each) => each.is === "history") ? "history" : "inspection", last };
}

/** Published last, when nothing can fail any more. */
function enter(draft: Draft, path: Path, isWritable: boolean, messages: readonly Message[]): Fault | null {
  const agent = agentOf(draft, path);
  if (agent.residency === "writable" || (agent.residency === "inspection" && !isWritable)) return null;
  try {
    const residency = isWritable ? "writable" : "inspection";
    const resident = makeResident(path, residency, messages, draft.state.setting.viewer);
    setConversation(draft, path, resident.messages);
    putLive(draft, { ...agent, residency, marks: resident.marks });
    return null;
  } catch (cause) {
    return fail("conversation_failed", path, cause);
  }
}
function serveAll(draft: Draft, read: Read, askers: readonly Asker[], messages: readonly Message[]): void {
  setRead(draft, read.path, null);
  for (const each of askers) {
    if ("held" in each) hydrated(draft, each);
    else if (each.is === "history")
      endOp(draft, each.op, { ok: { is: "history", messages: lastOf(messages, each.last) } });
    else {
      const agent = agentOf(draft, read.path);
      endOp(draft, each.op, { ok: { is: "inspected", messages: agent.messages, marks: agent.marks } });
    }
  }
}
function failAll(draft: Draft, read: Read, askers: readonly Asker[], fault: Fault): void {
  for (const each of askers) {
    if ("held" in each) giveUp(draft, each, fault);
    else endOp(draft, each.op, fault);
  }
  setRead(draft, read.path, null);
}
