/** Twins that lose, double, misorder or mistime mail, and those that wait or list wrongly. */
import { agentAt } from "../../model/refusals.ts";
import { change, having, holder, note, ok, refused } from "../../model/run.ts";
import { rules } from "../../model/step.ts";
import type { Twin } from "./twin.ts";

export const wake_before_commit: Twin = {
  does: "wakes the waiter, then saves",
  breaks: [20],
  faulty: {
    deliver: (m, run, mail, to, why) => {
      const woken = m.wake(m, run, to, why);
      const [next, failed] = m.commit(
        m,
        woken,
        change(woken.live, to, { mail: [...holder(woken.live, to).mail, mail] }),
      );
      return failed === null ? ok(next, "done") : [next, failed];
    },
  },
};

export const wake_calls_first: Twin = {
  does: "calls back while the waiter is still installed, so that a callback that throws leaves it there",
  breaks: [23],
  faulty: {
    wake: (m, run, path, why) => {
      const next = rules.wake(m, run, path, why);
      const before = path === "/root" ? run.live.root : agentAt(run.live, path);
      const waiter = before !== undefined && "waiter" in before ? before.waiter : null;
      return waiter?.callback === "throws" ? having(next, run.live) : next;
    },
  },
};

export const undo_restores_list: Twin = {
  does: "a failed enqueue restores an older list",
  breaks: [14, 15, 19],
  faulty: {
    deliver: (m, run, mail, to, why) => {
      const [next, outcome] = rules.deliver(m, run, mail, to, why);
      if (!("fault" in outcome) || next.crashed) return [next, outcome];
      return [having(next, change(next.live, to, { mail: holder(next.live, to).mail.slice(0, -1) })), outcome];
    },
  },
};

export const drain_clears_all: Twin = {
  does: "a sample reads the mail now and clears the mailbox with the next mail",
  breaks: [15],
  faulty: {
    drained: (m, live, path) => change(rules.drained(m, live, path), path, { mail: holder(live, path).mail }),
    deliver: (m, run, mail, to, why) => {
      const { messages, mail: unread } = holder(run.live, to);
      const sampled = unread.length > 0 && messages.at(-1)?.kind === "mail";
      return rules.deliver(m, sampled ? having(run, change(run.live, to, { mail: [] })) : run, mail, to, why);
    },
  },
};

export const short_wait: Twin = {
  does: "a timeout below the least is an error",
  breaks: [],
  faulty: {
    wait: (m, run, step) =>
      run.live.mode === "write" && step.timeoutMs !== undefined && step.timeoutMs < 10_000
        ? refused(run, "not_active")
        : rules.wait(m, run, step),
  },
};

export const empty_prefix: Twin = {
  does: "refuses an empty prefix",
  breaks: [],
  faulty: {
    roster: (m, run, step) => (step.prefix === "" ? refused(run, "path_malformed") : rules.roster(m, run, step)),
  },
};

export const coarse_activity: Twin = {
  does: "the roster says running for a blocked agent",
  breaks: [24],
  faulty: {
    roster: (m, run, step) => {
      const coarse: typeof m.activity = (agent) =>
        agent.is === "admitted" && agent.waiter === null ? "running" : m.activity(agent);
      return rules.roster({ ...m, activity: coarse }, run, step);
    },
  },
};

export const fork_clones_tree: Twin = {
  does: "the fork has the source's agents",
  breaks: [38],
  faulty: {
    fork: (m, run, step) => {
      const [next, outcome] = rules.fork(m, run, step);
      const agents = Object.fromEntries(
        Object.values(run.live.agents).map(({ path, role, config }) => [
          path,
          { role, config: run.world.digest.config(config), activity: "idle" as const },
        ]),
      );
      return "ok" in outcome
        ? ok(next, { mode: "write", capacity: run.live.capacity, root: {}, agents })
        : [next, outcome];
    },
  },
};

export const shouts_at_nobody: Twin = {
  does: "a wait that runs out is reported as mail",
  breaks: [23],
  faulty: { wake: (m, run, path, why) => rules.wake(m, note(run), path, why === "timeout" ? "mailbox" : why) },
};
