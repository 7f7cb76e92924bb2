/** Twins that start turns wrongly: reservations, roll-backs, admissions, capacity. */
import { agentAt, isConfig } from "../../model/refusals.ts";
import { having, holder, idle, ok, refused, withAgent } from "../../model/run.ts";
import type { Agent, Live } from "../../model/state.ts";
import { rules } from "../../model/step.ts";
import type { Twin } from "./twin.ts";

const reserved = (live: Live): readonly string[] => live.ops.filter((op) => op.is === "spawn").map((op) => op.path);

export const keeps_result_while_starting: Twin = {
  does: "clears the old result at admission instead of at the start",
  breaks: [8, 9],
  faulty: {
    record: (agent) => {
      const stored = rules.record(agent);
      return agent.is === "starting" ? { ...stored, result: agent.undo } : stored;
    },
  },
};

export const loses_result_on_error: Twin = {
  does: "does not give the cleared result back when the dispatch fails",
  breaks: [10],
  faulty: {
    rollBack: (m, live, op, why) => {
      const agent = agentAt(live, op.path);
      return op.gate === "dispatch" && "fault" in why && agent?.is === "starting"
        ? withAgent(live, idle(agent, null))
        : rules.rollBack(m, live, op, why);
    },
  },
};

export const quit_leaves_starting: Twin = {
  does: "rolls back on errors only",
  breaks: [4, 10],
  faulty: { rollBack: (m, live, op, why) => ("quit" in why ? live : rules.rollBack(m, live, op, why)) },
};

export const failed_start_leaves_text: Twin = {
  does: "leaves the task of a failed follow-up in the conversation",
  breaks: [10],
  faulty: {
    rollBack: (m, live, op, why) => {
      const after = rules.rollBack(m, live, op, why);
      const agent = agentAt(after, op.path);
      if (op.is !== "follow_up" || op.gate !== "dispatch" || agent === undefined) return after;
      const task = { kind: "task", turn: agent.turns + 1, from: op.by, text: op.text } as const;
      return withAgent(after, { ...agent, messages: [...agent.messages, task] });
    },
  },
};

export const half_publication: Twin = {
  does: "leaves some fields of an agent whose publication was not written",
  breaks: [6],
  faulty: {
    rollBack: (m, live, op, why) => {
      if (op.is !== "spawn" || op.gate !== "dispatch" || !("fault" in why) || why.fault === "provider_failed")
        return rules.rollBack(m, live, op, why);
      return withAgent(live, idle(m.published(m, live, op), null));
    },
  },
};

export const reservation_visible: Twin = {
  does: "lists reservations",
  breaks: [5],
  faulty: {
    roster: (m, run, step) => {
      const [next, outcome] = rules.roster(m, run, step);
      if (!("ok" in outcome) || (step.prefix ?? "") !== "") return [next, outcome];
      const rows = Object.values(run.live.agents).map((agent) => [agent.path, agent.role, m.activity(agent)] as const);
      const more = reserved(run.live).map((path) => [path, "r", "starting"] as const);
      const root = ["/root", null, run.live.root.waiter === null ? "running" : "waiting"] as const;
      return ok(
        next,
        [root, ...rows, ...more].sort(([a], [b]) => (a < b ? -1 : 1)),
      );
    },
  },
};

export const visible_before_publication: Twin = {
  does: "accepts mail to a path that is only reserved",
  breaks: [5],
  faulty: {
    send: (m, run, step) => (reserved(run.live).includes(step.to) ? ok(run, "done") : rules.send(m, run, step)),
  },
};

export const name_stays_taken: Twin = {
  does: "keeps the name of a spawn that failed",
  breaks: [6],
  faulty: { taken: (live, path) => rules.taken(live, path) || (live.ordinals[path] ?? 0) > 0 },
};

export const saved_before_id: Twin = {
  does: "a save between the gates of a spawn sees a record without its id",
  breaks: [9],
  faulty: {
    save: (m, run, step) => {
      const [at] = reserved(run.live);
      return at === undefined ? rules.save(m, run, step) : [run, { fault: "record_invalid", at }];
    },
  },
};

export const late_dispatch_admits_next: Twin = {
  does: "an answer to a cancelled start admits the one that replaced it",
  breaks: [37, 6],
  faulty: {
    answer: (m, run, step) => {
      const path = step.op.slice(0, step.op.lastIndexOf("#"));
      const next = run.live.ops.find((op) => op.path === path && op.gate === step.gate);
      const known = run.live.ops.some((op) => op.op === step.op);
      return rules.answer(m, run, known || next === undefined ? step : { ...step, op: next.op });
    },
  },
};

export const finish_before_admission_lost: Twin = {
  does: "drops a turn's end that came inside its own dispatch",
  breaks: [41],
  faulty: { admit: (m, run, op) => rules.admit(m, run, { ...op, held: null }) },
};

export const old_result_after_admission: Twin = {
  does: "gives the old result back after the turn has settled errored inside its start",
  breaks: [18],
  faulty: {
    admit: (m, run, op) => {
      const before = agentAt(run.live, op.path);
      const [next, outcome] = rules.admit(m, run, op);
      const agent = agentAt(next.live, op.path);
      if (before?.is !== "starting" || agent?.is !== "idle" || op.held?.outcome !== "errored") return [next, outcome];
      return "ok" in outcome
        ? [having(next, withAgent(next.live, idle(agent, before.undo))), outcome]
        : [next, outcome];
    },
  },
};

export const identity_rolled_back: Twin = {
  does: "removes an agent whose first turn fails after its publication",
  breaks: [7],
  faulty: {
    settled: (m, live, agent, result, handler) => {
      const after = rules.settled(m, live, agent, result, handler);
      if (agent.turn !== 1 || result.outcome !== "errored") return after;
      const { [agent.path]: _, ...agents } = after.agents;
      return { ...after, agents };
    },
  },
};

export const live_config: Twin = {
  does: "keeps a reference to the role's definition",
  breaks: [27],
  faulty: {
    changeRole: (m, run, step) => {
      const [next, outcome] = rules.changeRole(m, run, step);
      const { config } = step;
      if (!isConfig(config)) return [next, outcome];
      const renewed = (agent: Agent): Agent => (agent.role === step.role ? { ...agent, config } : agent);
      const agents = Object.entries(next.live.agents).map(([path, agent]) => [path, renewed(agent)]);
      return [having(next, { ...next.live, agents: Object.fromEntries(agents) }), outcome];
    },
  },
};

export const steering_takes_slot: Twin = {
  does: "a follow-up to an active agent costs a slot",
  breaks: [12],
  faulty: {
    followUp: (m, run, step) => {
      const agent = agentAt(run.live, step.to.startsWith("/") ? step.to : `${step.by}/${step.to}`);
      const steering =
        agent !== undefined &&
        agent.is !== "idle" &&
        run.live.mode === "write" &&
        agentAt(run.live, step.by) === undefined;
      return steering && step.by === "/root" && m.active(run.live) >= run.live.capacity && step.text !== ""
        ? refused(run, "at_capacity")
        : rules.followUp(m, run, step);
    },
  },
};

export const queued_at_capacity: Twin = {
  does: "a refused follow-up leaves its text in the mailbox",
  breaks: [12],
  faulty: {
    followUp: (m, run, step) => {
      const [next, outcome] = rules.followUp(m, run, step);
      const path = step.to.startsWith("/") ? step.to : `${step.by}/${step.to}`;
      const agent = agentAt(next.live, path);
      if (!("refused" in outcome) || outcome.refused !== "at_capacity" || agent === undefined) return [next, outcome];
      const mail = [...holder(next.live, path).mail, { kind: "mail", from: step.by, text: step.text } as const];
      return [having(next, withAgent(next.live, { ...agent, mail })), outcome];
    },
  },
};

export const slot_leak_on_settle: Twin = {
  does: "settled agents still count",
  breaks: [4],
  faulty: { active: (live) => Object.keys(live.agents).length + reserved(live).length },
};

export const one_spawn_too_many: Twin = {
  does: "a spawn may begin one turn more than the capacity has room for",
  breaks: [3],
  faulty: {
    spawn: (m, run, step) => rules.spawn({ ...m, active: (live) => m.active(live) - 1 }, run, step),
  },
};
