/** Each step as a call of the public API, and what the call answers as the step's value. */
import type { Op, Path, Step, Value } from "../../src/contract.ts";
import type { Agent, CallOptions, Handler, Mail, Message, Session, Store } from "../../src/index.ts";
import type { Context } from "./context.ts";
import type { Given } from "./turns.ts";
import { mailed, message, result } from "./values.ts";

export interface Host {
  readonly session: Session;
  /** What the provider was given with the turn that the step is about, where the step goes through it. */
  readonly given: Given | null;
  readonly handler: Handler;
  /** Looked at as it is, before it is shown. */
  readonly sampled: (mails: readonly Mail[]) => void;
  readonly read: (path: Path, messages: readonly Message[]) => void;
  /** An operation was begun by this call. */
  readonly began: (op: Op) => void;
  /** Where a fork goes. */
  readonly forked: () => Store;
  /** A waiter was woken; may throw, as its callback does. */
  readonly woken: (context: Context, step: Step & { readonly do: "wait" }) => void;
  readonly elapse: (ms: number) => void;
}

/** Steps that a session is asked; opening, ending and damaging one are the target's own. */
export type Asked = Exclude<Step, { readonly do: "restore" | "crash" | "damage" | "mend" | "answer" | "together" }>;

const done = async (call: Promise<unknown>): Promise<Value> => {
  await call;
  return "done";
};

function seen<Value>(value: Value, look: (value: Value) => void): Value {
  look(value);
  return value;
}

export async function call(host: Host, step: Asked, context: Context): Promise<Value> {
  const { session, given } = host;
  const options: CallOptions = {
    tag: context,
    onBegin: (op) => {
      context.op = op;
      host.began(op);
    },
    ...(context.controller === null ? {} : { signal: context.controller.signal }),
  };
  const handled = "handler" in step && step.handler === true ? { handler: host.handler } : {};
  switch (step.do) {
    case "spawn": {
      const { name, role, text } = step;
      return (await session.agent(step.by).spawn({ name, role, text, ...handled, ...options })).path;
    }
    case "follow_up": {
      const followed = await session.agent(step.to).followUp(step.text, { by: step.by, ...handled, ...options });
      return "started" in followed ? followed.started : followed.steered;
    }
    case "cancel":
      return await session.cancel(step.op, options);
    case "say":
      if (given !== null) return await given.say(step.text);
      return await session.agent(step.path).say(step.turn, step.text, options);
    case "finish":
      if (given !== null) return await given.finish(step.outcome, step.text);
      if ("op" in step) return await session.finishStart(step.op, step.outcome, step.text, options);
      return await session.finish(step.path, step.turn, step.outcome, step.text, options);
    case "interrupt":
      return await session.agent(step.to).interrupt({ by: step.by, ...options });
    case "block":
      if (given !== null) return await given.block(step.kind);
      return await session.agent(step.path).block(step.kind, options);
    case "release":
      return await session.release(step.token, options);
    case "send":
      return await done(session.agent(step.to).send(step.text, { by: step.by, ...options }));
    case "execution":
      return await done(session.execution(step.owner, step.text, options));
    case "steer":
      return await done(session.steer(step.text, options));
    case "wait":
      return await wait(host, step, context, options);
    case "cancel_wait":
      return await done(session.agent(step.by).cancelWait(options));
    case "elapse":
      host.elapse(step.ms);
      return "done";
    case "sample":
      return seen(await session.agent(step.path).sample(options), host.sampled).map(mailed);
    case "roster":
      return await session.roster(step.prefix, options);
    case "read_result":
      return result(await session.agent(step.path).readResult(options));
    case "read_history":
      return seen(await session.agent(step.path).readHistory({ last: step.last, ...options }), (read) =>
        host.read(step.path, read),
      ).map(message);
    case "inspect":
      return await session.agent(step.path).inspect(options);
    case "evict":
      return await done(session.agent(step.path).evict(options));
    case "compact":
      return await done(session.agent(step.path).compact({ last: step.last, ...options }));
    case "change_role":
      return await done(session.changeRole(step.role, step.config, options));
    case "set_capacity":
      return await done(session.setCapacity(step.capacity, options));
    case "save":
      return await done(session.save(options));
    case "verify":
      return await session.verify(options);
    case "fork":
      return await session.fork(host.forked(), options);
    case "close":
      return await done(session.close(options));
  }
}

/** Its promise stays open while it waits; woken or not, the step's answer is that it was waiting. */
async function wait(
  host: Host,
  step: Step & { readonly do: "wait" },
  context: Context,
  options: CallOptions,
): Promise<Value> {
  const agent: Agent = step.by === "/root" ? host.session.root : host.session.agent(step.by);
  const onWake = (): void => {
    context.woken = true;
    host.woken(context, step);
  };
  const why = await agent.wait({ timeoutMs: step.timeoutMs, onWake, ...options });
  return context.woken || why === null ? "waiting" : why;
}
