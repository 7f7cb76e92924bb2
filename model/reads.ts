/**
 * Reading, and what becomes resident by it. The hydrate gate belongs to the path: whoever asks joins the one read that is
 * under way, one answer serves all, and a failure leaves what was there.
 */
import type { Answer, Mark, Path, RosterRow, StepOutcome, Value } from "../src/contract.ts";
import { isLost, lost } from "./commit.ts";
import * as no from "./refusals.ts";
import { agentAt, isBelow, isPath, lastUsual } from "./refusals.ts";
import type { Done, Of, Rules, Run } from "./rules.ts";
import { change, gone, having, holder, named, note, ok, refused, withAgent } from "./run.ts";
import type { HistoryOp, InspectOp, Live, Operation } from "./state.ts";
import { messageView, resultView } from "./view.ts";

export function roster(m: Rules, run: Run, step: Of<"roster">): Done {
  const { live } = run;
  const prefix = step.prefix ?? "";
  if (prefix !== "" && !isPath(prefix)) return refused(run, "path_malformed");
  const root: RosterRow = ["/root", null, live.root.waiter === null ? "running" : "waiting"];
  const rows = Object.values(live.agents).map((agent): RosterRow => [agent.path, agent.role, m.activity(agent)]);
  const within = (path: Path): boolean => prefix === "" || path === prefix || isBelow(path, prefix);
  return ok(
    run,
    [root, ...rows].filter(([path]) => within(path)).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

export function readResult(m: Rules, run: Run, step: Of<"read_result">): Done {
  const code = no.target(run.live, step.path) ?? no.targetRoot(step.path);
  const agent = agentAt(run.live, step.path);
  if (code !== null || agent === undefined) return refused(run, code ?? "agent_unknown");
  const { result } = m.record(agent);
  return result === null ? refused(run, "not_ready") : ok(run, resultView(run.world.digest, result));
}

export function readHistory(m: Rules, run: Run, step: Of<"read_history">): Done {
  const { live } = run;
  const last = count(step.last);
  const code = no.target(live, step.path);
  if (code !== null) return refused(run, code);
  const residency = step.path === "/root" ? "inspection" : agentAt(live, step.path)?.residency;
  if (residency === "cold") return read(m, run, step.path, { is: "history", last }, step.answers ?? {});
  // Only a writable conversation is in memory; the root's, and one that was inspected, are read anew.
  return residency !== "writable" && isLost(run) ? [run, lost] : ok(run, tail(run, step.path, last));
}

export function inspect(m: Rules, run: Run, step: Of<"inspect">): Done {
  const code = no.target(run.live, step.path) ?? no.targetRoot(step.path);
  if (code !== null) return refused(run, code);
  if (agentAt(run.live, step.path)?.residency !== "cold") return ok(run, marks(run, step.path));
  return read(m, run, step.path, { is: "inspect" }, step.answers ?? {});
}

function read(
  m: Rules,
  run: Run,
  path: Path,
  what: Pick<HistoryOp, "is" | "last"> | Pick<InspectOp, "is">,
  answers: Operation["answers"],
): Done {
  const full = no.operations(run.world, run.live);
  if (full !== null) return refused(run, full);
  const [live, op] = named(run.live, path);
  return m.arrive(m, having(run, live), { ...what, gate: "hydrate", op, path, answers });
}

const count = (last: number | undefined): number =>
  last !== undefined && Number.isSafeInteger(last) && last >= 0 ? last : lastUsual;
const tail = (run: Run, path: Path, last: number): Value =>
  holder(run.live, path)
    .messages.slice(Math.max(0, holder(run.live, path).messages.length - last))
    .map((each) => messageView(run.world.digest, each));
function marks(run: Run, path: Path): Value {
  const agent = agentAt(run.live, path);
  return { messages: agent?.messages.length ?? 0, marks: agent?.marks ?? [] };
}

const inspectionMarks: readonly Mark[] = ["read_only", "no_save"];
const faults = {
  missing: "conversation_missing",
  corrupt: "conversation_corrupt",
  error: "conversation_failed",
} as const;

function failure(run: Run, path: Path, how: Answer): Extract<StepOutcome, { fault: unknown }> | null {
  if (how === "missing" || how === "corrupt" || how === "error") return { fault: faults[how], at: path };
  return isLost(run) ? lost : null;
}

/** L31, L33, L34: one answer for all who ask, in the order in which they asked; `quit` is only the asker's. */
export function hydrated(m: Rules, run: Run, op: Operation, how: Answer): Done {
  if (how === "quit") return m.end(m, run, op, { quit: true });
  const askers = run.live.ops
    .filter((each) => each.path === op.path && each.gate === "hydrate")
    .map((each) => (each.op === op.op ? op : each));
  const fault = failure(run, op.path, how);
  let next = fault === null ? having(run, resident(run.live, op.path, askers)) : run;
  let reply: StepOutcome = { ok: "late" };
  for (const asker of askers) {
    if (next.crashed) break;
    const [after, outcome] = fault === null ? served(m, next, asker) : m.end(m, next, asker, fault);
    if (asker.op === op.op) reply = outcome;
    next = asker.op === op.op || "gate" in outcome || after.crashed ? after : note(after, ["ended", asker.op, outcome]);
  }
  return [next, next.crashed ? { crashed: true } : reply];
}

function resident(live: Live, path: Path, askers: readonly Operation[]): Live {
  const agent = agentAt(live, path);
  if (agent === undefined) return live;
  return askers.some((each) => each.is === "follow_up")
    ? withAgent(live, { ...agent, residency: "writable", marks: [] })
    : withAgent(live, { ...agent, residency: "inspection", marks: inspectionMarks });
}

function served(m: Rules, run: Run, asker: Operation): Done {
  if (asker.is === "follow_up") return m.arrive(m, run, { ...asker, gate: "prepare" });
  const done = having(run, gone(run.live, asker));
  return ok(done, asker.is === "history" ? tail(done, asker.path, asker.last) : marks(done, asker.path));
}

export function evict(_: Rules, run: Run, step: Of<"evict">): Done {
  const code = no.target(run.live, step.path) ?? no.targetRoot(step.path) ?? no.inUse(run.live, step.path);
  const agent = agentAt(run.live, step.path);
  if (code !== null || agent === undefined) return refused(run, code ?? "agent_unknown");
  return ok(having(run, withAgent(run.live, { ...agent, residency: "cold", marks: [] })), "done");
}

export function compact(m: Rules, run: Run, step: Of<"compact">): Done {
  const { live } = run;
  const code = no.readOnly(live) ?? no.target(live, step.path) ?? no.targetRoot(step.path) ?? no.inUse(live, step.path);
  if (code !== null) return refused(run, code);
  const { messages } = holder(live, step.path);
  const rest = messages.length - count(step.last);
  if (rest <= 0) return ok(run, "done");
  const summary = { kind: "note", turn: 0, from: step.path, text: `${rest} messages compacted` } as const;
  const draft = change(live, step.path, { messages: [summary, ...messages.slice(rest)] });
  const [next, failed] = m.commit(m, run, draft);
  return failed === null ? ok(next, "done") : [next, failed];
}
