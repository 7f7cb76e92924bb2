/**
 * Sleeping until there is something to read. Waking removes the waiter first; whoever slept is called back only once
 * the change that woke it is the state. L20, L22, L23
 */
import type { Path, WakeReason } from "../contract.ts";
import { rootPath } from "../paths.ts";
import { answer, type Decide, refuse } from "./decision.ts";
import { agentAt, agentOf, type Draft, put, putLive } from "./draft.ts";
import { caller, isAdmitted, readOnly } from "./guard.ts";
import { type AdmittedAgent, activityOf, type Waiter } from "./state.ts";

const timeoutMsMin = 10_000;
const timeoutMsMax = 3_600_000;
const timeoutMsDefault = 30_000;

function timeoutOf(given: number | undefined): number {
  if (typeof given !== "number" || Number.isNaN(given)) return timeoutMsDefault;
  return Math.min(Math.max(given, timeoutMsMin), timeoutMsMax);
}

function waiterOf(draft: Draft, path: Path): Waiter | null {
  if (path === rootPath) return draft.root.waiter;
  const phase = agentAt(draft, path)?.phase;
  return phase?.is === "admitted" ? phase.waiter : null;
}
function setWaiter(draft: Draft, path: Path, waiter: Waiter | null, change: typeof put = put): void {
  if (path === rootPath) {
    draft.root = { ...draft.root, waiter };
    return;
  }
  const agent = agentOf(draft, path);
  if (!isAdmitted(agent)) throw new Error(`no turn at ${path}`);
  change(draft, { ...agent, phase: { ...agent.phase, waiter, blockers: blockersWith(agent, waiter) } });
}
function blockersWith(agent: AdmittedAgent, waiter: Waiter | null): AdmittedAgent["phase"]["blockers"] {
  const others = agent.phase.blockers.filter((each) => each.kind !== "waiting");
  return waiter === null ? others : [...agent.phase.blockers, { kind: "waiting", token: null }];
}

/** Ends the wait of whoever sleeps there, if anybody does. */
export function wake(draft: Draft, path: Path, why: WakeReason | null): void {
  const waiter = waiterOf(draft, path);
  if (waiter === null) return;
  const asleep = agentAt(draft, path);
  if (why !== null && asleep !== undefined) {
    draft.woken ??= new Map();
    draft.woken.set(path, activityOf(asleep));
  }
  setWaiter(draft, path, null, why === null ? put : putLive);
  draft.acts.push({ do: "wake", path, waiter, why });
}

export interface WaitRequest {
  readonly by: Path;
  readonly timeoutMs: number | undefined;
  readonly woken: Waiter["woken"];
}
export function wait({ by, timeoutMs, woken }: WaitRequest): Decide<WakeReason | null> {
  return (draft) => {
    const refused = readOnly(draft) ?? caller(draft, by);
    if (refused !== null) return { reply: refused };
    const agent = agentAt(draft, by);
    if (agent !== undefined && !isAdmitted(agent)) return { reply: refuse("not_active", by) };
    if (waiterOf(draft, by) !== null) return { reply: refuse("already_waiting", by) };
    if ((agent ?? draft.root).mail.length > 0) return answer("mailbox");
    setWaiter(draft, by, { deadline: draft.now + timeoutOf(timeoutMs), woken });
    return { reply: { waiting: true } };
  };
}

export function cancelWait(by: Path): Decide<undefined> {
  return (draft) => {
    const refused = readOnly(draft) ?? caller(draft, by);
    if (refused !== null) return { reply: refused };
    if (waiterOf(draft, by) === null) return { reply: refuse("not_waiting", by) };
    wake(draft, by, null);
    return answer(undefined);
  };
}

/** Whoever gave up waits no longer; somebody else's wait there goes on. */
export function giveUpWait(by: Path, woken: Waiter["woken"]): Decide<undefined> {
  return (draft) => {
    if (agentAt(draft, by) === undefined && by !== rootPath) return answer(undefined);
    if (waiterOf(draft, by)?.woken === woken) wake(draft, by, null);
    return answer(undefined);
  };
}

/** All waits due by then end, in order of deadline and path, before any of them is called back. */
export function timeOut(now: number): Decide<undefined> {
  return (draft) => {
    const due = [...draft.state.deadlines].filter(([, deadline]) => deadline <= now);
    due.sort(([path, deadline], [otherPath, other]) => deadline - other || (path < otherPath ? -1 : 1));
    for (const [path] of due) wake(draft, path, "timeout");
    return answer(undefined);
  };
}
