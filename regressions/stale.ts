/** Why a recorded answer is no longer what the specification says, in a sentence: what kind of rule has changed. */
import { difference } from "../properties/compare.ts";
import type { Reply } from "../src/contract.ts";

export function staleBecause(recorded: Reply, now: Reply): string {
  if ("refused" in recorded && "refused" in now)
    return `It was refused with ${recorded.refused} and now is with ${now.refused}: another refusal comes first`;
  if ("refused" in recorded) return `It was refused with ${recorded.refused} and now ${said(now)}`;
  if ("refused" in now) return `It ${was(recorded)} and now is refused with ${now.refused}`;
  const [before, after] = [kindOf(recorded), kindOf(now)];
  if (before !== after) return `It ${was(recorded)} and now ${said(now)}`;
  if ("gate" in recorded && "gate" in now && recorded.gate !== now.gate)
    return `It ${was(recorded)} and now ${said(now)}`;
  const at = difference(recorded, now, "reply")?.at ?? "reply";
  if (at.startsWith("reply.events")) return `The answer is the same, but what happened on the way is not: ${at}`;
  return `The answer is another one, at ${at}`;
}

type Kind = "ok" | "refused" | "fault" | "quit" | "crashed" | "gate";
function kindOf(reply: Reply): Kind {
  const kinds: readonly Kind[] = ["ok", "refused", "fault", "quit", "crashed", "gate"];
  return kinds.find((kind) => kind in reply) ?? "ok";
}

function was(reply: Reply): string {
  if ("gate" in reply) return `stopped at ${reply.gate}`;
  if ("fault" in reply) return `failed with ${reply.fault}`;
  if ("quit" in reply) return "was given up";
  return "crashed" in reply ? "crashed" : "succeeded";
}

function said(reply: Reply): string {
  if ("gate" in reply) return `stops at ${reply.gate}`;
  if ("refused" in reply) return `is refused with ${reply.refused}`;
  if ("fault" in reply) return `fails with ${reply.fault}`;
  if ("quit" in reply) return "is given up";
  return "crashed" in reply ? "crashes" : "succeeds";
}
