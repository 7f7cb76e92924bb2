/**
 * What a client asks, as a call of the public API, and what its promise came to in the shapes of the contract. The call is
 * made before this returns: the order of calls is the order of issue.
 */
import type { StepOutcome, Value } from "../../../src/contract.ts";
import type { CallOptions, DispatchRequest, Handler, Session, Store, WakeReason } from "../../../src/index.ts";
import { mailed, message, result } from "../values.ts";
import type { Answered, Asked, Own } from "./history.ts";

export interface Caller {
  readonly session: Session;
  readonly handler: Handler;
  /** Where a fork goes. */
  readonly forked: () => Store;
  readonly woken: (why: WakeReason) => void;
  /** What the provider of a start was given. */
  readonly dispatched: (op: string) => DispatchRequest | undefined;
}

/** The reason of every signal that is aborted here. */
export const gaveUp: Error = new Error("the user has given up");

/** By name and not by class: a planted copy of the library has a class of its own. */
function rejected(error: unknown): Answered {
  if (error === gaveUp) return { quit: true };
  if (!(error instanceof Error)) return { bug: String(error) };
  if (error.name === "AbortError") return { quit: true };
  if (error.name !== "RollcallError") return { bug: error.stack ?? error.message };
  const { kind, code, at } = error as Error & { kind: string; code: string; at: string }; // the library's only error class
  const said: unknown = kind === "refused" ? { refused: code } : { fault: code, at };
  return said as StepOutcome; // its kind says which codes it may carry
}

/** One microtask after it is known. */
function tell<Given>(promise: Promise<Given>, value: (given: Given) => Value | null): Promise<Answered> {
  return promise.then((given): Answered => {
    try {
      const shown = value(given);
      return shown === null ? { silent: true } : { ok: shown };
    } catch (error) {
      return rejected(error);
    }
  }, rejected);
}

const done = (): Value => "done";
const itself = <Given extends Value>(given: Given): Value => given;

export function call(caller: Caller, asked: Asked, options: CallOptions): Promise<Answered> {
  const { session } = caller;
  const handled = "handler" in asked && asked.handler === true ? { handler: caller.handler } : {};
  switch (asked.do) {
    case "spawn": {
      const { by, name, role, text } = asked;
      return tell(session.agent(by).spawn({ name, role, text, ...handled, ...options }), ({ path }) => path);
    }
    case "follow_up":
      return tell(session.agent(asked.to).followUp(asked.text, { by: asked.by, ...handled, ...options }), (how) =>
        "started" in how ? how.started : how.steered,
      );
    case "interrupt":
      return tell(session.agent(asked.to).interrupt({ by: asked.by, ...options }), itself);
    case "send":
      return tell(session.agent(asked.to).send(asked.text, { by: asked.by, ...options }), done);
    case "say":
      return tell(session.agent(asked.path).say(asked.turn, asked.text, options), itself);
    case "block":
      return tell(session.agent(asked.path).block(asked.kind, options), itself);
    case "wait": {
      const { woken: onWake } = caller;
      return tell(session.agent(asked.by).wait({ timeoutMs: asked.timeoutMs, onWake, ...options }), (why) => why);
    }
    case "cancel_wait":
      return tell(session.agent(asked.by).cancelWait(options), done);
    case "sample":
      return tell(session.agent(asked.path).sample(options), (mail) => mail.map(mailed));
    case "read_result":
      return tell(session.agent(asked.path).readResult(options), result);
    case "read_history":
      return tell(session.agent(asked.path).readHistory({ last: asked.last, ...options }), (all) => all.map(message));
    case "inspect":
      return tell(session.agent(asked.path).inspect(options), itself);
    case "evict":
      return tell(session.agent(asked.path).evict(options), done);
    case "compact":
      return tell(session.agent(asked.path).compact({ last: asked.last, ...options }), done);
    case "own_finish":
    case "own_say":
    case "own_block":
      return own(caller, asked);
    default:
      return ofSession(caller, asked, options);
  }
}

function own({ dispatched }: Caller, asked: Own): Promise<Answered> {
  const request = dispatched(asked.op);
  if (request === undefined) throw new Error(`${asked.op} was not dispatched`);
  if (asked.do === "own_finish") return tell(request.finish(asked.outcome, asked.text), itself);
  if (asked.do === "own_say") return tell(request.say(asked.text), itself);
  return tell(request.block(asked.kind), itself);
}

type OfSession = Extract<
  Asked,
  {
    readonly do:
      | "cancel"
      | "finish"
      | "release"
      | "execution"
      | "steer"
      | "roster"
      | "change_role"
      | "set_capacity"
      | "save"
      | "verify"
      | "fork"
      | "close"
      | "close_within";
  }
>;

function ofSession(caller: Caller, asked: OfSession, options: CallOptions): Promise<Answered> {
  const { session } = caller;
  switch (asked.do) {
    case "cancel":
      return tell(session.cancel(asked.op, options), itself);
    case "finish":
      return "op" in asked
        ? tell(session.finishStart(asked.op, asked.outcome, asked.text, options), itself)
        : tell(session.finish(asked.path, asked.turn, asked.outcome, asked.text, options), itself);
    case "release":
      return tell(session.release(asked.token, options), itself);
    case "execution":
      return tell(session.execution(asked.owner, asked.text, options), done);
    case "steer":
      return tell(session.steer(asked.text, options), done);
    case "roster":
      return tell(session.roster(asked.prefix, options), itself);
    case "change_role":
      return tell(session.changeRole(asked.role, asked.config, options), done);
    case "set_capacity":
      return tell(session.setCapacity(asked.capacity, options), done);
    case "save":
      return tell(session.save(options), done);
    case "verify":
      return tell(session.verify(options), itself);
    case "fork":
      return tell(session.fork(caller.forked(), options), itself);
    case "close":
      return tell(session.close(options), done);
    case "close_within":
      return tell(session.close({ timeoutMs: asked.ms, ...options }), done);
  }
}
