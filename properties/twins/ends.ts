/** Twins that end turns wrongly: settlements, handlers, interrupts, tokens of old turns. */
import { agentAt, isBelow, parent } from "../../model/refusals.ts";
import { change, having, holder, ok, refused, withAgent } from "../../model/run.ts";
import { resultMail } from "../../model/settle.ts";
import type { Admitted } from "../../model/state.ts";
import { rules } from "../../model/step.ts";
import type { Twin } from "./twin.ts";

export const settled_flag_first: Twin = {
  does: "marks the turn settled, then saves",
  breaks: [17, 19],
  faulty: {
    settle: (m, run, path, result, draft, answers) => {
      const [next, outcome] = rules.settle(m, run, path, result, draft, answers);
      const agent = agentAt(draft, path);
      if (!("fault" in outcome) || next.crashed || agent?.is !== "admitted") return [next, outcome];
      const { turn: _, blockers: __, blocks: ___, waiter: ____, handler: _____, ...kept } = agent;
      return [having(next, withAgent(next.live, { ...kept, is: "idle", result })), outcome];
    },
  },
};

export const late_finish_settles_next: Twin = {
  does: "a finish of an old turn ends the new one",
  breaks: [17],
  faulty: {
    finish: (m, run, step) => {
      const agent = "path" in step ? agentAt(run.live, step.path) : undefined;
      return rules.finish(m, run, "path" in step && agent?.is === "admitted" ? { ...step, turn: agent.turn } : step);
    },
  },
};

export const result_to_initiator: Twin = {
  does: "the peer that followed up gets the result, not the spawn parent",
  breaks: [16],
  faulty: {
    settled: (m, live, agent, result, handler) => {
      const by = agent.messages.findLast(({ kind }) => kind === "task")?.from;
      const known = by === "/root" || agentAt(live, by ?? "") !== undefined;
      if (handler || by === undefined || by === parent(agent.path) || !known)
        return rules.settled(m, live, agent, result, handler);
      const after = rules.settled(m, live, agent, result, true);
      const settled = agentAt(after, agent.path);
      const unowed = settled === undefined ? after : withAgent(after, { ...settled, owed: agent.owed });
      return change(unowed, by, { mail: [...holder(unowed, by).mail, resultMail(agent.path, result)] });
    },
  },
};

export const executions_climb: Twin = {
  does: "a settling parent passes on executions that its child handed it",
  breaks: [16],
  faulty: {
    settled: (m, live, agent, result, handler) => {
      const handed = agent.mail.filter(({ kind, from }) => kind === "execution" && from !== agent.path);
      const after = rules.settled(
        m,
        live,
        { ...agent, mail: agent.mail.filter((mail) => !handed.includes(mail)) },
        result,
        handler,
      );
      const above = parent(agent.path);
      return handed.length === 0 ? after : change(after, above, { mail: [...holder(after, above).mail, ...handed] });
    },
  },
};

export const sleeps_on_mail: Twin = {
  does: "a settlement with a handler and leftover executions wakes nobody",
  breaks: [22],
  faulty: {
    settle: (m, run, path, result, draft, answers) => {
      const agent = agentAt(draft, path);
      const deaf = agent?.is === "admitted" && agent.handler;
      return rules.settle(deaf ? { ...m, wake: (_, asleep) => asleep } : m, run, path, result, draft, answers);
    },
  },
};

export const full_parent_blocks_finish: Twin = {
  does: "a full mailbox refuses a result",
  breaks: [41],
  faulty: {
    settle: (m, run, path, result, draft, answers) =>
      holder(draft, parent(path)).mail.length >= run.world.limits.mailMax
        ? refused(run, "mailbox_full")
        : rules.settle(m, run, path, result, draft, answers),
  },
};

export const double_send_on_throw: Twin = {
  does: "a result whose put-back was not written is queued and stays owed",
  breaks: [17, 19, 21],
  faulty: {
    handled: (m, run, op, how) => {
      const [next, outcome] = rules.handled(m, run, op, how);
      const owed = agentAt(run.live, op.path)?.owed.find(({ turn }) => op.is === "handler" && turn === op.turn);
      if (how !== "throw" || next.crashed || !("fault" in outcome) || owed === undefined) return [next, outcome];
      const above = parent(op.path);
      const mail = [...holder(next.live, above).mail, resultMail(op.path, owed.result)];
      return [having(next, change(next.live, above, { mail })), outcome];
    },
  },
};

export const interrupt_cascades: Twin = {
  does: "descendants of an interrupted agent are interrupted too",
  breaks: [26],
  faulty: {
    settled: (m, live, agent, result, handler) => {
      const after = rules.settled(m, live, agent, result, handler);
      if (result.reason !== "interrupted") return after;
      const below = Object.values(after.agents).filter(
        (each): each is Admitted => each.is === "admitted" && isBelow(each.path, agent.path),
      );
      return below.reduce((next, each) => rules.settled(m, next, each, result, false), after);
    },
  },
};

export const release_after_turn: Twin = {
  does: "an old token changes a new turn's activity",
  breaks: [25],
  faulty: {
    release: (m, run, step) => {
      const path = step.token.slice(0, step.token.lastIndexOf("@"));
      const agent = agentAt(run.live, path);
      const old =
        agent?.is === "admitted" && agent.blockers.length > 0 && !step.token.startsWith(`${path}@${agent.turn}.`);
      if (!old || run.live.mode === "read") return rules.release(m, run, step);
      return ok(having(run, withAgent(run.live, { ...agent, blockers: agent.blockers.slice(0, -1) })), "done");
    },
  },
};

export const handled_stays_owed: Twin = {
  does: "a result whose handler has answered stays owed",
  breaks: [21],
  faulty: {
    handled: (m, run, op, how) => {
      const [next, outcome] = rules.handled(m, run, op, how);
      const before = agentAt(run.live, op.path);
      const after = agentAt(next.live, op.path);
      if (how !== "ok" || next.crashed || before === undefined || after === undefined) return [next, outcome];
      return [having(next, withAgent(next.live, { ...after, owed: before.owed })), outcome];
    },
  },
};
