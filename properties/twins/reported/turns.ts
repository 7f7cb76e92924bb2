/** Twins from public reports that begin, show or end turns wrongly. */
import { absolute, agentAt, parent } from "../../../model/refusals.ts";
import { change, having, holder, named, ok, withAgent } from "../../../model/run.ts";
import { resultMail } from "../../../model/settle.ts";
import type { FollowUpOp, Result } from "../../../model/state.ts";
import { rules } from "../../../model/step.ts";
import { resultView } from "../../../model/view.ts";
import type { Twin } from "../twin.ts";

export const old_result_readable: Twin = {
  does: "still answers with the old result while a follow-up is starting",
  breaks: [8],
  faulty: {
    readResult: (m, run, step) => {
      const agent = agentAt(run.live, step.path);
      return agent?.is === "starting" && agent.undo !== null
        ? ok(run, resultView(run.world.digest, agent.undo))
        : rules.readResult(m, run, step);
    },
  },
};

const failed: Result = { outcome: "errored", text: "", reason: "provider_failed", partial: null };
export const old_outcome_while_running: Twin = {
  does: "shows the outcome of the turn before while the next one runs",
  breaks: [8, 9],
  faulty: {
    record: (agent) => {
      const stored = rules.record(agent);
      return agent.is === "admitted" && agent.turn > 1 ? { ...stored, result: failed } : stored;
    },
  },
};

export const two_starts: Twin = {
  does: "begins a second start of an agent that is starting",
  breaks: [4, 12],
  faulty: {
    followUp: (m, run, step) => {
      const path = absolute(step.by, step.to);
      if (agentAt(run.live, path)?.is !== "starting" || step.text === "") return rules.followUp(m, run, step);
      const [next, op] = named(run.live, path);
      const start: FollowUpOp = {
        ...{ is: "follow_up", gate: "prepare", op, path, by: step.by, text: step.text, handler: false, held: null },
        answers: step.answers ?? {},
      };
      return m.arrive(m, having(run, next), start);
    },
  },
};

export const late_finish_overwrites: Twin = {
  does: "a finish of a turn that was interrupted changes its outcome",
  breaks: [17],
  faulty: {
    finish: (m, run, step) => {
      const agent = "path" in step ? agentAt(run.live, step.path) : undefined;
      if (!("path" in step) || agent?.is !== "idle" || agent.turns !== step.turn) return rules.finish(m, run, step);
      const result = m.finishOf(step.outcome, step.text);
      const above = parent(step.path);
      const mail = [...holder(run.live, above).mail, resultMail(step.path, result)];
      const [next, unwritten] = m.commit(m, run, change(withAgent(run.live, { ...agent, result }), above, { mail }));
      return unwritten === null ? ok(next, "settled") : [next, unwritten];
    },
  },
};

export const errored_without_reason: Twin = {
  does: "gives no reason for a turn that failed without a word",
  breaks: [],
  faulty: { finishOf: (outcome, text) => ({ ...rules.finishOf(outcome, text), reason: null }) },
};

export const failures_wake_nobody: Twin = {
  does: "wakes the parent for completed turns only",
  breaks: [22],
  faulty: {
    settle: (m, run, path, result, draft, answers) => {
      const deaf = result.outcome !== "completed";
      return rules.settle(deaf ? { ...m, wake: (_, asleep) => asleep } : m, run, path, result, draft, answers);
    },
  },
};

export const mail_starts_turn: Twin = {
  does: "starts a turn of an idle agent that gets mail",
  breaks: [13],
  faulty: {
    deliver: (m, run, mail, to, why) => {
      const [next, outcome] = rules.deliver(m, run, mail, to, why);
      const agent = agentAt(next.live, to);
      if (!("ok" in outcome) || agent?.is !== "idle") return [next, outcome];
      return [having(next, withAgent(next.live, m.started(m, next.live, agent))), outcome];
    },
  },
};

export const interrupt_releases_reservations: Twin = {
  does: "an interrupt gives up the spawns that its target has under way",
  breaks: [26],
  faulty: {
    settled: (m, live, agent, result, handler) => {
      const after = rules.settled(m, live, agent, result, handler);
      if (result.reason !== "interrupted") return after;
      return { ...after, ops: after.ops.filter((op) => op.is !== "spawn" || op.by !== agent.path) };
    },
  },
};

export const idle_is_interrupted: Twin = {
  does: "an interrupt of an idle agent interrupts the turn that is over",
  breaks: [26],
  faulty: {
    interrupt: (m, run, step) => {
      const [next, outcome] = rules.interrupt(m, run, step);
      const agent = agentAt(next.live, absolute(step.by, step.to));
      if (!("ok" in outcome) || outcome.ok !== "idle" || agent?.is !== "idle") return [next, outcome];
      const result: Result = { outcome: "interrupted", text: "", reason: "interrupted", partial: null };
      return [having(next, withAgent(next.live, { ...agent, result })), outcome];
    },
  },
};

export const results_expire: Twin = {
  does: "forgets results after an hour",
  breaks: [],
  faulty: {
    elapse: (m, run, step) => {
      const [next, outcome] = rules.elapse(m, run, step);
      if (step.ms < 3_600_000) return [next, outcome];
      const agents = Object.values(next.live.agents).map((agent) =>
        agent.is === "idle" ? [agent.path, { ...agent, result: null }] : [agent.path, agent],
      );
      return [having(next, { ...next.live, agents: Object.fromEntries(agents) }), outcome];
    },
  },
};

export const read_only_starts: Twin = {
  does: "begins a spawn in a read-only session",
  breaks: [36],
  faulty: {
    spawn: (m, run, step) => {
      const [next, outcome] = rules.spawn(m, having(run, { ...run.live, mode: "write" }), step);
      return [having(next, { ...next.live, mode: run.live.mode }), outcome];
    },
  },
};
