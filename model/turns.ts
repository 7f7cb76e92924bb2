/**
 * How a turn begins. Spawn reserves, asks the world twice and publishes in one commit; a follow-up hides the old result,
 * asks up to three times and is admitted in one commit. However a start ends before that, it leaves things as they were.
 */
import type { Answer, StepOutcome, ToolRef } from "../src/contract.ts";
import * as no from "./refusals.ts";
import { agentAt } from "./refusals.ts";
import type { Done, Of, Rules, Run, StartOp } from "./rules.ts";
import { answerTo, gone, having, idle, named, note, ok, opened, operation, refused, withAgent } from "./run.ts";
import type { Admitted, Agent, FollowUpOp, Live, Operation, SpawnOp, Starting } from "./state.ts";

export function spawn(m: Rules, run: Run, step: Of<"spawn">): Done {
  const { world, live } = run;
  const path = `${step.by}/${step.name}`;
  const config = world.roles[step.role];
  const code =
    no.readOnly(live) ??
    no.caller(live, step.by) ??
    no.name(step.by, step.name) ??
    no.text(world, step.text) ??
    no.role(world, step.role) ??
    no.config(config) ??
    (m.taken(live, path) ? "path_taken" : null);
  if (code !== null || !no.isConfig(config)) return refused(run, code ?? "config_invalid");
  const more =
    m.tools(live, config.tools) ?? no.full(world, live) ?? no.atCapacity(m, live) ?? no.operations(world, live);
  if (more !== null) return refused(run, more);

  const [next, op] = named(live, path);
  return m.arrive(m, having(run, next), {
    is: "spawn",
    gate: "prepare",
    op,
    path,
    config,
    by: step.by,
    role: step.role,
    text: step.text,
    handler: step.handler ?? false,
    answers: step.answers ?? {},
    held: null,
  });
}

/** A record, a set-aside one or a reservation holds the name. */
export function taken(live: Live, path: string): boolean {
  return (
    agentAt(live, path) !== undefined ||
    Object.hasOwn(live.aside, path) ||
    live.ops.some((op) => op.is === "spawn" && op.path === path)
  );
}

export function followUp(m: Rules, run: Run, step: Of<"follow_up">): Done {
  const { world, live } = run;
  const path = no.absolute(step.by, step.to);
  const code =
    no.readOnly(live) ??
    no.caller(live, step.by) ??
    no.target(live, path) ??
    no.targetRoot(path) ??
    no.text(world, step.text);
  const agent = agentAt(live, path);
  if (code !== null || agent === undefined) return refused(run, code ?? "agent_unknown");
  if (agent.is !== "idle") return steering(m, run, step, agent);
  const more = m.tools(live, agent.config.tools) ?? no.atCapacity(m, live) ?? no.operations(world, live);
  if (more !== null) return refused(run, more);

  const [next, op] = named(withAgent(live, m.started(m, live, agent)), path);
  return m.arrive(m, having(run, next), {
    is: "follow_up",
    gate: agent.residency === "writable" ? "prepare" : "hydrate",
    op,
    path,
    by: step.by,
    text: step.text,
    handler: step.handler ?? false,
    answers: step.answers ?? {},
    held: null,
  });
}

/** L12: of an active agent, one mail; no slot, no turn. */
function steering(m: Rules, run: Run, step: Of<"follow_up">, agent: Agent): Done {
  const full = no.mailbox(run.world, run.live, agent.path);
  if (full !== null) return refused(run, full);
  const seen = m.activity(agent);
  const [next, outcome] = m.deliver(m, run, { kind: "mail", from: step.by, text: step.text }, agent.path, "steering");
  return "ok" in outcome ? ok(next, seen) : [next, outcome];
}

/** L8, L9: the old result is out of sight as soon as the start begins, and kept for a roll-back. */
export function started(_: Rules, __: Live, agent: Agent): Starting {
  const { result, ...kept } = idle(agent, agent.is === "idle" ? agent.result : null);
  return { ...kept, is: "starting", undo: result };
}

/** An operation comes to its gate: it stops there, unless the answer came in advance. */
export function arrive(m: Rules, run: Run, op: Operation): Done {
  const waiting = having(run, opened(run.live, op));
  const next =
    op.gate === "dispatch" && (op.is === "spawn" || op.is === "follow_up")
      ? note(waiting, ["provider", op.path, { started: m.startedTools(run.live, op) }])
      : waiting;
  const how = answerTo(op);
  return how === undefined ? [next, { gate: op.gate, op: op.op }] : m.answered(m, next, op, how);
}

export function startedTools(live: Live, op: StartOp): readonly ToolRef[] {
  return op.is === "spawn" ? op.config.tools : (agentAt(live, op.path)?.config.tools ?? []);
}

export function answer(m: Rules, run: Run, step: Of<"answer">): Done {
  const op = operation(run.live, step.op);
  if (op === undefined || op.gate !== step.gate) return ok(run, "late");
  return m.answered(m, run, { ...op, answers: { ...op.answers, ...step.answers } }, step.with);
}

export function answered(m: Rules, run: Run, op: Operation, how: Answer): Done {
  switch (op.is) {
    case "history":
    case "inspect":
      return m.hydrated(m, run, op, how);
    case "abort":
      return how === "ok" ? aborted(m, run, op) : m.end(m, run, op, { fault: "provider_failed", at: op.path });
    case "handler":
      return m.handled(m, run, op, how);
    case "spawn":
    case "follow_up":
      if (op.gate === "hydrate") return m.hydrated(m, run, op, how);
      if (how === "quit") return m.end(m, run, op, { quit: true });
      if (op.gate === "prepare") {
        if (how === "refuse") return m.end(m, run, op, { refused: "task_refused" });
        if (how === "error") return m.end(m, run, op, { fault: "task_failed", at: op.path });
        return m.arrive(m, run, { ...op, gate: "dispatch" });
      }
      return how === "ok" ? m.admit(m, run, op) : m.end(m, run, op, { fault: "provider_failed", at: op.path });
  }
}

/** A finish that came first has ended the abort, so the turn is still the one that was meant. */
function aborted(m: Rules, run: Run, op: Extract<Operation, { is: "abort" }>): Done {
  const live = gone(run.live, op);
  const agent = agentAt(live, op.path);
  if (agent?.is !== "admitted") return ok(run, "late");
  const [next, outcome] = m.settle(
    m,
    having(run, live),
    op.path,
    m.interrupted(agent, "interrupted"),
    live,
    op.answers,
  );
  return "ok" in outcome ? ok(next, op.seen) : [next, outcome];
}

/** L6, L10: admission and, should the turn have ended inside its own dispatch, its settlement are one commit. */
export function admit(m: Rules, run: Run, op: StartOp): Done {
  const live = gone(run.live, op);
  const agent = admission(m, live, op);
  if (agent === null) return ok(run, "late");
  const draft = withAgent(live, agent);
  if (op.held !== null) {
    const result = m.finishOf(op.held.outcome, op.held.text);
    const [next, outcome] = m.settle(m, run, op.path, result, draft, op.answers);
    return "ok" in outcome ? ok(next, op.path) : unadmitted(m, next, op, outcome);
  }
  const [next, failed] = m.commit(m, run, draft);
  return failed === null ? ok(next, op.path) : unadmitted(m, next, op, failed);
}

/** The provider that was started is told to stop, unless nobody is left to tell. */
function unadmitted(m: Rules, run: Run, op: StartOp, why: StepOutcome): Done {
  return run.crashed ? [run, why] : m.end(m, run, op, why);
}

function admission(m: Rules, live: Live, op: StartOp): Admitted | null {
  if (op.is === "spawn") return m.published(m, live, op);
  const agent = agentAt(live, op.path);
  return agent?.is === "starting" ? m.admitted(m, agent, op) : null;
}

export function published(_: Rules, __: Live, op: SpawnOp): Admitted {
  return {
    is: "admitted",
    path: op.path,
    role: op.role,
    config: op.config,
    turns: 1,
    turn: 1,
    mail: [],
    owed: [],
    messages: [{ kind: "task", turn: 1, from: op.by, text: op.text }],
    residency: "writable",
    marks: [],
    handler: op.handler,
    blockers: [],
    blocks: 0,
    waiter: null,
  };
}

export function admitted(_: Rules, agent: Starting, op: FollowUpOp): Admitted {
  const turn = agent.turns + 1;
  const { result: __, ...kept } = idle(agent, null);
  return {
    ...kept,
    is: "admitted",
    turns: turn,
    turn,
    messages: [...agent.messages, { kind: "task", turn, from: op.by, text: op.text }],
    handler: op.handler,
    blockers: [],
    blocks: 0,
    waiter: null,
  };
}

/** Ends what waits at a gate. L10: a start is rolled back, by an error, a refusal and a quit alike. */
export function end(m: Rules, run: Run, op: Operation, why: StepOutcome): Done {
  const live = m.rollBack(m, gone(run.live, op), op, why);
  const start = op.is === "spawn" || op.is === "follow_up";
  const told = start && op.gate === "dispatch" && !("fault" in why && why.fault === "provider_failed");
  return [note(having(run, live), ...(told ? [["provider", op.path, "stopped"] as const] : [])), why];
}

export function rollBack(_: Rules, live: Live, op: Operation, __: StepOutcome): Live {
  const agent = op.is === "follow_up" ? agentAt(live, op.path) : undefined;
  return agent?.is === "starting" ? withAgent(live, idle(agent, agent.undo)) : live;
}

/** The user gives up, from outside: spawn, follow-up and reads end as by a quit; nothing else can be cancelled. */
export function cancel(m: Rules, run: Run, step: Of<"cancel">): Done {
  const op = operation(run.live, step.op);
  if (op === undefined || op.is === "abort" || op.is === "handler") return ok(run, "late");
  const [next, why] = m.end(m, run, op, { quit: true });
  return ok(note(next, ["ended", op.op, why]), "done");
}
