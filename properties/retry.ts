/** What a caller does about a commit that was not written: it tries again, once there is a session to try it on. */
import type { Agent } from "../model/state.ts";
import type { Answer, Step } from "../src/contract.ts";
import { applicable } from "./applicable.ts";
import type { Position } from "./position.ts";

/** `null` where it cannot be tried yet, or means nothing any more. */
export function retried(at: Position, { commit: _, ...failed }: Step): Step | null {
  if (at.live === null || at.live.mode === "read") return null;
  const step = restarted(at, failed);
  return step === null || applicable(step, at.capabilities, at.world) !== null ? null : step;
}

/** An operation is gone with its commit: what began it is tried again, with the same answers in advance. */
function restarted(at: Position, failed: Step): Step | null {
  if (failed.do !== "answer") return failed.do === "restore" || failed.do === "together" ? null : failed;
  const path = failed.op.slice(0, failed.op.lastIndexOf("#"));
  const agent = at.agents.find((each) => each.path === path);
  if (failed.gate === "abort") return agent?.is === "admitted" ? { do: "interrupt", by: "/root", to: path } : null;
  if (failed.gate === "dispatch" && agent?.is === "idle")
    return {
      do: "follow_up",
      by: "/root",
      to: path,
      text: `u${at.index}`,
      answers: { hydrate: "ok", prepare: "ok", dispatch: "ok" },
    };
  if (failed.gate === "handler" && agent !== undefined) return another(at, agent, failed.with);
  return null;
}

/** What a handler did not get written once is seen written with the next turn that it handles. */
function another({ index }: Position, { path, is, turns }: Agent, how: Answer): Step | null {
  const handler = how === "throw" ? how : "ok";
  if (is === "admitted")
    return { do: "finish", path, turn: turns, outcome: "completed", text: `R${index}`, answers: { handler } };
  const answers = { hydrate: "ok", prepare: "ok", dispatch: "ok" } as const;
  return is === "idle" ? { do: "follow_up", by: "/root", to: path, text: `u${index}`, handler: true, answers } : null;
}
