/** Twins from public reports that lose, double, reorder or change mail, or read conversations wrongly. */
import { agentAt, parent } from "../../../model/refusals.ts";
import { change, having, holder, ok, withAgent } from "../../../model/run.ts";
import type { Live } from "../../../model/state.ts";
import { rules } from "../../../model/step.ts";
import type { Twin } from "../twin.ts";

export const drains_everybody: Twin = {
  does: "whoever samples empties the root's mailbox, too",
  breaks: [15],
  faulty: { drained: (m, live, path) => change(rules.drained(m, live, path), "/root", { mail: [] }) },
};

export const drains_in_two_commits: Twin = {
  does: "empties the mailbox in one commit and writes the conversation in the next",
  breaks: [15, 19],
  faulty: {
    sample: (m, run, step) => {
      if (step.commit !== "crash_before") return rules.sample(m, run, step);
      const [next, failed] = m.commit(m, { ...run, commit: "ok" }, change(run.live, step.path, { mail: [] }));
      const unread = having({ ...next, commit: run.commit }, run.live);
      return failed === null ? rules.sample(m, unread, step) : [next, failed];
    },
  },
};

export const results_jump_the_queue: Twin = {
  does: "puts a result before the mail that came earlier",
  breaks: [14],
  faulty: {
    settled: (m, live, agent, result, handler) => {
      const after = rules.settled(m, live, agent, result, handler);
      const above = parent(agent.path);
      const earlier = holder(live, above).mail;
      return change(after, above, { mail: [...holder(after, above).mail.slice(earlier.length), ...earlier] });
    },
  },
};

export const newest_mail_first: Twin = {
  does: "puts mail to an idle agent before what it has not read",
  breaks: [14],
  faulty: {
    deliver: (m, run, mail, to, why) => {
      const [next, outcome] = rules.deliver(m, run, mail, to, why);
      const agent = agentAt(next.live, to);
      if (!("ok" in outcome) || agent?.is !== "idle") return [next, outcome];
      const unread = [...agent.mail.slice(-1), ...agent.mail.slice(0, -1)];
      return [having(next, withAgent(next.live, { ...agent, mail: unread })), outcome];
    },
  },
};

export const full_mailbox_drops: Twin = {
  does: "drops the oldest mail of a full mailbox, and says that the new one is queued",
  breaks: [15],
  faulty: {
    send: (m, run, step) => {
      const [next, outcome] = rules.send(m, run, step);
      if (!("refused" in outcome) || outcome.refused !== "mailbox_full") return [next, outcome];
      const to = step.to.startsWith("/") ? step.to : `${step.by}/${step.to}`;
      const mail = [...holder(next.live, to).mail.slice(1), { kind: "mail", from: step.by, text: step.text } as const];
      return ok(having(next, change(next.live, to, { mail })), "done");
    },
  },
};

export const read_consumes: Twin = {
  does: "whoever looks at a result takes it out of the mailbox",
  breaks: [15, 36],
  faulty: {
    readResult: (m, run, step) => {
      const [next, outcome] = rules.readResult(m, run, step);
      if (!("ok" in outcome)) return [next, outcome];
      const above = parent(step.path);
      const unread = holder(next.live, above).mail;
      const mail = unread.filter(({ kind, from }) => kind !== "result" || from !== step.path);
      return mail.length === unread.length
        ? [next, outcome]
        : [having(next, change(next.live, above, { mail })), outcome];
    },
  },
};

export const user_mail_forgets_kind: Twin = {
  does: "queues what the user says as mail of the root",
  breaks: [16],
  faulty: {
    deliver: (m, run, mail, to, why) =>
      rules.deliver(m, run, mail.kind === "user" ? { ...mail, kind: "mail", from: "/root" } : mail, to, why),
  },
};

export const failed_read_drops_mail: Twin = {
  does: "empties the mailbox of an agent whose conversation cannot be read",
  breaks: [15, 33],
  faulty: {
    hydrated: (m, run, op, how) => {
      const [next, outcome] = rules.hydrated(m, run, op, how);
      const failed = how === "missing" || how === "corrupt" || how === "error";
      return [failed && !next.crashed ? having(next, change(next.live, op.path, { mail: [] })) : next, outcome];
    },
  },
};

export const inspection_is_short: Twin = {
  does: "reads one message only where a conversation is inspected",
  breaks: [],
  faulty: {
    hydrated: (m, run, op, how) => {
      const [next, outcome] = rules.hydrated(m, run, op, how);
      const marks = "ok" in outcome && typeof outcome.ok === "object" && "marks" in outcome.ok ? outcome.ok : null;
      return [next, marks === null ? outcome : { ok: { ...marks, messages: Math.min(1, marks.messages) } }];
    },
  },
};

export const each_asker_reads_alone: Twin = {
  does: "reads a conversation once for each who asks",
  breaks: [31],
  faulty: {
    hydrated: (m, run, op, how) => {
      const others = run.live.ops.filter(
        (each) => each.path === op.path && each.gate === "hydrate" && each.op !== op.op,
      );
      const alone: Live = { ...run.live, ops: run.live.ops.filter((each) => !others.includes(each)) };
      const [next, outcome] = rules.hydrated(m, having(run, alone), op, how);
      return [having(next, { ...next.live, ops: [...others, ...next.live.ops] }), outcome];
    },
  },
};

export const surrogates_pass: Twin = {
  does: "takes a text that is no Unicode, and keeps something else",
  breaks: [],
  faulty: { send: (m, run, step) => rules.send(m, run, { ...step, text: step.text.toWellFormed() }) },
};

export const texts_end_at_nul: Twin = {
  does: "an archive cuts texts at U+0000",
  breaks: [28, 39],
  faulty: {
    written: (m, disk, live) => {
      const written = rules.written(m, disk, live);
      const cut = <Held extends { readonly text: string }>(held: readonly Held[]): readonly Held[] =>
        held.map((each) => (each.text.includes("\0") ? { ...each, text: each.text.split("\0")[0] ?? "" } : each));
      const agents = Object.entries(written.agents).map(([path, stored]) => [
        path,
        { ...stored, mail: cut(stored.mail) },
      ]);
      return {
        ...written,
        root: { ...written.root, mail: cut(written.root.mail) },
        agents: Object.fromEntries(agents),
      };
    },
  },
};
