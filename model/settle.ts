/**
 * How a turn ends: once, in one commit that holds the result, the way of the result to the spawn parent, and the agent's
 * own unread executions. Also what happens within a turn: partial text, blockers, an interrupt.
 */
import type { Activity, Answer, Answers, Event, Outcome, Path } from "../src/contract.ts";
import * as no from "./refusals.ts";
import { agentAt, parent } from "./refusals.ts";
import type { Done, Of, Rules, Run } from "./rules.ts";
import { change, gone, having, holder, idle, named, note, ok, operation, refused, withAgent } from "./run.ts";
import type { AbortOp, Admitted, HandlerOp, Live, Mail, Operation, Result } from "./state.ts";

export function say(_: Rules, run: Run, step: Of<"say">): Done {
  const { live } = run;
  const code = no.readOnly(live) ?? no.caller(live, step.path) ?? no.notActive(live, step.path);
  if (code !== null) return refused(run, code);
  const agent = agentAt(live, step.path);
  const turn = agent?.is === "admitted" ? agent.turn : 0;
  if (step.turn !== turn) return ok(run, "late");
  const message = { kind: "partial", turn, from: step.path, text: step.text.toWellFormed() } as const;
  const { messages } = holder(live, step.path);
  return ok(having(run, change(live, step.path, { messages: [...messages, message] })), "done");
}

export function block(_: Rules, run: Run, step: Of<"block">): Done {
  const { world, live } = run;
  const agent = agentAt(live, step.path);
  const code =
    no.readOnly(live) ??
    no.caller(live, step.path) ??
    no.notActive(live, step.path) ??
    no.targetRoot(step.path) ??
    no.blockers(world, agent?.is === "admitted" ? agent.blockers : []);
  if (code !== null || agent?.is !== "admitted") return refused(run, code ?? "not_active");
  const blocks = agent.blocks + 1;
  const token = `${agent.path}@${agent.turn}.${blocks}`;
  const blockers = [...agent.blockers, { kind: step.kind, token }];
  return ok(having(run, withAgent(live, { ...agent, blocks, blockers })), token);
}

/** L25: works once, in any order, is dead after its turn. */
export function release(_: Rules, run: Run, step: Of<"release">): Done {
  if (run.live.mode === "read") return refused(run, "read_only");
  for (const agent of Object.values(run.live.agents)) {
    if (agent.is !== "admitted") continue;
    const blockers = agent.blockers.filter((each) => each.token !== step.token);
    if (blockers.length < agent.blockers.length)
      return ok(having(run, withAgent(run.live, { ...agent, blockers })), "done");
  }
  return ok(run, "late");
}

export function finish(m: Rules, run: Run, step: Of<"finish">): Done {
  const { live } = run;
  if (live.mode === "read") return refused(run, "read_only");
  if ("op" in step) return hold(run, step.op, step.outcome, step.text);
  const code = no.target(live, step.path);
  if (code !== null) return refused(run, code);
  const agent = agentAt(live, step.path);
  if (agent?.is !== "admitted" || agent.turn !== step.turn) return ok(run, "late");
  return m.settle(m, run, step.path, m.finishOf(step.outcome, step.text), live, step.answers ?? {});
}

/** A turn that ends inside its own dispatch waits for its admission. */
function hold(run: Run, name: string, outcome: Outcome, text: string): Done {
  const op = operation(run.live, name);
  if (op === undefined || (op.is !== "spawn" && op.is !== "follow_up")) return ok(run, "late");
  if (op.gate !== "dispatch" || op.held !== null) return ok(run, "late");
  const holding = { ...op, held: { outcome, text } };
  const ops = run.live.ops.map((each) => (each.op === name ? holding : each));
  return ok(having(run, { ...run.live, ops }), "held");
}

export function finishOf(outcome: Outcome, text: string): Result {
  const full = text.toWellFormed();
  const reason = outcome === "errored" && full === "" ? "provider_failed" : null;
  return { outcome, text: full, reason, partial: null };
}

export function interrupted(agent: Admitted, reason: string): Result {
  const said = agent.messages.filter((each) => each.kind === "partial" && each.turn === agent.turn);
  const partial = said.map((each) => each.text).join("");
  return { outcome: "interrupted", text: "", reason, partial: partial === "" ? null : partial };
}

const isAbort = (op: Operation, path: Path): op is AbortOp => op.is === "abort" && op.path === path;

/** L17, L19, L20: one commit, and only then is anybody told. */
export function settle(m: Rules, run: Run, path: Path, result: Result, draft: Live, answers: Answers): Done {
  const agent = agentAt(draft, path);
  if (agent?.is !== "admitted") return ok(run, "late");
  const overtaken = draft.ops.find((op) => isAbort(op, path));
  const after = m.settled(m, draft, agent, result, agent.handler);
  const clear = { ...after, ops: after.ops.filter((op) => !isAbort(op, path)) };
  const [committed, failed] = m.commit(m, run, clear);
  if (failed !== null) return [committed, failed];

  const ended: Event[] =
    overtaken !== undefined && isAbort(overtaken, path) ? [["ended", overtaken.op, { ok: overtaken.seen }]] : [];
  const told = note(committed, ["settled", path, agent.turn], ...ended);
  const arrived = holder(clear, parent(path)).mail.length > holder(draft, parent(path)).mail.length;
  const woken = arrived ? m.wake(m, told, parent(path), "mailbox") : told;
  if (!agent.handler) return ok(woken, "settled");

  const [live, op] = named(woken.live, path);
  const handler: HandlerOp = { is: "handler", gate: "handler", op, path, turn: agent.turn, answers };
  const [next, outcome] = m.arrive(m, having(woken, live), handler);
  return ok("gate" in outcome || next.crashed ? next : note(next, ["ended", op, outcome]), "settled");
}

/** The session once the turn has ended. L16: only its own executions go on to the parent, and never further. */
export function settled(_: Rules, live: Live, agent: Admitted, result: Result, handler: boolean): Live {
  const own = agent.mail.filter((each) => each.kind === "execution" && each.from === agent.path);
  const stays = agent.mail.filter((each) => !own.includes(each));
  const owed = handler ? [...agent.owed, { turn: agent.turn, result }] : agent.owed;
  const after = withAgent(live, { ...idle({ ...agent, owed, mail: stays }, result) });
  const mail = handler ? own : [resultMail(agent.path, result), ...own];
  const above = holder(after, parent(agent.path)).mail;
  return mail.length === 0 ? after : change(after, parent(agent.path), { mail: [...above, ...mail] });
}

export const resultMail = (from: Path, result: Result): Mail => ({
  kind: "result",
  from,
  text: result.text,
  outcome: result.outcome,
});

/** L21: an answer concerns its own turn. */
export function handled(m: Rules, run: Run, op: Operation, how: Answer): Done {
  const live = gone(run.live, op);
  const agent = agentAt(live, op.path);
  const turn = op.is === "handler" ? op.turn : 0;
  const owed = agent?.owed.find((each) => each.turn === turn);
  if (agent === undefined || owed === undefined) return ok(having(run, live), "late");
  const cleared = withAgent(live, { ...agent, owed: agent.owed.filter((each) => each !== owed) });

  if (how === "ok") {
    const answered = note(having(run, cleared), ["handled", op.path, turn]);
    const [next, failed] = m.commit(m, answered, cleared);
    if (failed === null || next.crashed) return failed === null ? ok(next, "done") : [next, failed];
    return "fault" in failed && isCommitWarning(failed.fault)
      ? ok(note(next, ["warned", failed.fault, op.path]), "done")
      : [next, failed];
  }
  const above = parent(op.path);
  const mail = [...holder(cleared, above).mail, resultMail(op.path, owed.result)];
  const [next, failed] = m.commit(m, having(run, live), change(cleared, above, { mail }));
  if (failed !== null) return [next, failed];
  return ok(m.wake(m, note(next, ["warned", "handler_failed", op.path]), above, "mailbox"), "done");
}

type CommitWarning = Extract<Event, readonly ["warned", unknown, string]>[1];
const commitWarnings: readonly string[] = [
  "not_written",
  "disk_full",
  "busy",
  "io_failed",
  "read_only_file",
  "ownership_lost",
];
const isCommitWarning = (code: string): code is CommitWarning => commitWarnings.includes(code);

export function interrupt(m: Rules, run: Run, step: Of<"interrupt">): Done {
  const { world, live } = run;
  const path = no.absolute(step.by, step.to);
  const code =
    no.readOnly(live) ??
    no.caller(live, step.by) ??
    no.target(live, path) ??
    no.targetRoot(path) ??
    (path === step.by ? "target_self" : null);
  const agent = agentAt(live, path);
  if (code !== null || agent === undefined) return refused(run, code ?? "agent_unknown");
  const seen: Activity = m.activity(agent);
  if (agent.is === "idle") return ok(run, seen);
  if (agent.is === "starting") {
    const start = live.ops.find((op) => op.is === "follow_up" && op.path === path);
    if (start === undefined) return ok(run, seen);
    const [next, why] = m.end(m, run, start, { quit: true });
    return ok(note(next, ["ended", start.op, why]), seen);
  }
  if (live.ops.some((op) => isAbort(op, path))) return ok(run, seen);
  const full = no.operations(world, live);
  if (full !== null) return refused(run, full);
  const [next, op] = named(live, path);
  const answers = step.answers ?? {};
  return m.arrive(m, having(run, next), { is: "abort", gate: "abort", op, path, turn: agent.turn, seen, answers });
}
