/** Small moves that every rule makes: refuse, answer, note an event, replace an agent, begin and end an operation. */
import type { Answer, Event, Path, StepOutcome, Value } from "../src/contract.ts";
import { agentAt } from "./refusals.ts";
import type { Done, Run } from "./rules.ts";
import type { Agent, Idle, Live, Operation, Root } from "./state.ts";

export const refused = (run: Run, code: Extract<StepOutcome, { refused: unknown }>["refused"]): Done => [
  run,
  { refused: code },
];
export const ok = (run: Run, value: Value): Done => [run, { ok: value }];
export const note = (run: Run, ...events: readonly Event[]): Run =>
  events.length === 0 ? run : { ...run, events: [...run.events, ...events] };
export const having = (run: Run, live: Live): Run => ({ ...run, live });

export const withAgent = (live: Live, agent: Agent): Live => ({
  ...live,
  agents: { ...live.agents, [agent.path]: agent },
});
export const withRoot = (live: Live, root: Partial<Root>): Live => ({ ...live, root: { ...live.root, ...root } });

/** The mailbox's owner with one thing changed, root or agent. */
export function change(live: Live, path: Path, to: Partial<Pick<Root, "mail" | "messages">>): Live {
  if (path === "/root") return withRoot(live, to);
  const agent = agentAt(live, path);
  return agent === undefined ? live : withAgent(live, { ...agent, ...to });
}
export const holder = (live: Live, path: Path): Pick<Root, "mail" | "messages"> =>
  path === "/root" ? live.root : (agentAt(live, path) ?? { mail: [], messages: [] });

/** The next name of an operation on a path: names never repeat. */
export function named(live: Live, path: Path): readonly [Live, string] {
  const ordinal = (live.ordinals[path] ?? 0) + 1;
  return [{ ...live, ordinals: { ...live.ordinals, [path]: ordinal } }, `${path}#${live.opening}.${ordinal}`];
}
export const opened = (live: Live, op: Operation): Live => ({
  ...live,
  ops: live.ops.some((each) => each.op === op.op)
    ? live.ops.map((each) => (each.op === op.op ? op : each))
    : [...live.ops, op],
});
export const gone = (live: Live, op: Operation): Live => ({
  ...live,
  ops: live.ops.filter((each) => each.op !== op.op),
});
export const operation = (live: Live, name: string): Operation | undefined => live.ops.find((each) => each.op === name);

export const answerTo = (op: Operation): Answer | undefined => op.answers[op.gate];

/** What every agent keeps, as an idle one. */
export function idle(agent: Agent, result: Idle["result"]): Idle {
  const { path, role, config, turns, mail, owed, messages, residency, marks } = agent;
  return { is: "idle", path, role, config, turns, mail, owed, messages, residency, marks, result };
}
