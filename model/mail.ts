/**
 * Mail and waiting. A mail is written before anybody is woken; a wait ends at most once; a sample moves what was there
 * into the conversation, and nothing else.
 */
import type { Path, WakeReason } from "../src/contract.ts";
import * as no from "./refusals.ts";
import { agentAt, waitMs } from "./refusals.ts";
import type { Done, Of, Rules, Run } from "./rules.ts";
import { change, having, holder, note, ok, refused, withAgent, withRoot } from "./run.ts";
import type { Live, Mail, Waiter } from "./state.ts";
import { mailView } from "./view.ts";

export function send(m: Rules, run: Run, step: Of<"send">): Done {
  const { world, live } = run;
  const path = no.absolute(step.by, step.to);
  const code =
    no.readOnly(live) ??
    no.caller(live, step.by) ??
    no.target(live, path) ??
    no.text(world, step.text) ??
    no.mailbox(world, live, path);
  if (code !== null) return refused(run, code);
  return m.deliver(m, run, { kind: "mail", from: step.by, text: step.text }, path, "mailbox");
}

/** From the world: never refused for its text or for want of room. */
export function execution(m: Rules, run: Run, step: Of<"execution">): Done {
  const { live } = run;
  const code = no.readOnly(live) ?? no.target(live, step.owner);
  if (code !== null) return refused(run, code);
  const text = step.text.toWellFormed();
  return m.deliver(m, run, { kind: "execution", from: step.owner, text }, step.owner, "mailbox");
}

export function steer(m: Rules, run: Run, step: Of<"steer">): Done {
  const { world, live } = run;
  const code =
    no.readOnly(live) ??
    no.text(world, step.text) ??
    (live.root.waiter === null ? "not_waiting" : null) ??
    no.mailbox(world, live, "/root");
  if (code !== null) return refused(run, code);
  return m.deliver(m, run, { kind: "user", from: "user", text: step.text }, "/root", "user");
}

/** L20: one mail, one commit, then wake. */
export function deliver(m: Rules, run: Run, mail: Mail, to: Path, why: WakeReason): Done {
  const draft = change(run.live, to, { mail: [...holder(run.live, to).mail, mail] });
  const [next, failed] = m.commit(m, run, draft);
  return failed === null ? ok(m.wake(m, next, to, why), "done") : [next, failed];
}

const waiterAt = (live: Live, path: Path): Waiter | null => {
  if (path === "/root") return live.root.waiter;
  const agent = agentAt(live, path);
  return agent?.is === "admitted" ? agent.waiter : null;
};

/** The wait is over, without a word. */
function unwaited(live: Live, path: Path): Live {
  if (path === "/root") return withRoot(live, { waiter: null });
  const agent = agentAt(live, path);
  if (agent?.is !== "admitted") return live;
  const blockers = agent.blockers.filter((each) => each.kind !== "waiting");
  return withAgent(live, { ...agent, waiter: null, blockers });
}

/** The waiter is removed first and called back then, so that a callback finds no wait of its own. */
export function wake(_: Rules, run: Run, path: Path, why: WakeReason): Run {
  const waiter = waiterAt(run.live, path);
  if (waiter === null) return run;
  const woken = note(having(run, unwaited(run.live, path)), ["woke", path, why]);
  if (waiter.callback === null) return woken;
  if (waiter.callback === "throws") return note(woken, ["warned", "callback_failed", path]);
  return { ...woken, later: [...woken.later, waiter.callback.then] };
}

export function wait(_: Rules, run: Run, step: Of<"wait">): Done {
  const { live } = run;
  const code =
    no.readOnly(live) ??
    no.caller(live, step.by) ??
    no.notActive(live, step.by) ??
    (waiterAt(live, step.by) === null ? null : "already_waiting");
  if (code !== null) return refused(run, code);
  if (holder(live, step.by).mail.length > 0) return ok(run, "mailbox");
  const waiter: Waiter = { deadline: live.now + clamped(step.timeoutMs), callback: step.callback ?? null };
  if (step.by === "/root") return ok(having(run, withRoot(live, { waiter })), "waiting");
  const agent = agentAt(live, step.by);
  if (agent?.is !== "admitted") return refused(run, "not_active");
  const blockers = [...agent.blockers, { kind: "waiting", token: null } as const];
  return ok(having(run, withAgent(live, { ...agent, waiter, blockers })), "waiting");
}

function clamped(ms: number | undefined): number {
  if (ms === undefined || Number.isNaN(ms)) return waitMs.usual;
  return Math.min(waitMs.most, Math.max(waitMs.least, ms));
}

export function cancelWait(_: Rules, run: Run, step: Of<"cancel_wait">): Done {
  const code = no.readOnly(run.live) ?? no.caller(run.live, step.by);
  if (code !== null) return refused(run, code);
  if (waiterAt(run.live, step.by) === null) return refused(run, "not_waiting");
  return ok(having(run, unwaited(run.live, step.by)), "done");
}

/** The only clock. Ties by deadline, then path. */
export function elapse(m: Rules, run: Run, step: Of<"elapse">): Done {
  const now = run.live.now + step.ms;
  const due = ["/root", ...Object.keys(run.live.agents)]
    .map((path) => ({ path, deadline: waiterAt(run.live, path)?.deadline ?? Number.POSITIVE_INFINITY }))
    .filter((each) => each.deadline <= now)
    .sort((a, b) => a.deadline - b.deadline || (a.path < b.path ? -1 : 1));
  const later = having(run, { ...run.live, now });
  return ok(
    due.reduce((next, { path }) => m.wake(m, next, path, "timeout"), later),
    "done",
  );
}

/** L15: out of the mailbox and into the conversation in one commit, exactly what was there. */
export function sample(m: Rules, run: Run, step: Of<"sample">): Done {
  const { live, world } = run;
  const code = no.readOnly(live) ?? no.caller(live, step.path) ?? no.notActive(live, step.path);
  if (code !== null) return refused(run, code);
  const { mail } = holder(live, step.path);
  if (mail.length === 0) return ok(run, []);
  const [next, failed] = m.commit(m, run, m.drained(m, live, step.path));
  return failed === null
    ? ok(
        next,
        mail.map((each) => mailView(world.digest, each)),
      )
    : [next, failed];
}

export function drained(_: Rules, live: Live, path: Path): Live {
  const { mail, messages } = holder(live, path);
  const agent = agentAt(live, path);
  const turn = agent?.is === "admitted" ? agent.turn : 0;
  const read = mail.map(({ from, text }) => ({ kind: "mail", turn, from, text }) as const);
  return change(live, path, { mail: [], messages: [...messages, ...read] });
}
