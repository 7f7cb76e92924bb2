/**
 * What a target that cannot show its archive must have in it, by what it acknowledged: the encoding at the last commit, and
 * beside it what was set aside.
 */
import type { Step, StoredView, View } from "../../src/contract.ts";
import { isCommitFault, isQuiet, wrote } from "./acts.ts";
import type { Ledger, Seen } from "./law.ts";
import type { Scene } from "./scene.ts";

/** Steps that write nothing, whatever they answer. */
const unwritten: readonly Step["do"][] = [
  "wait",
  "cancel_wait",
  "elapse",
  "evict",
  "change_role",
  "say",
  "block",
  "release",
  "roster",
  "read_result",
  "verify",
  "fork",
  "cancel",
  "crash",
];

/** What replies tell of the archive; whenever that is not enough, and whenever another handle has written, nothing. */
export function acknowledged(next: Ledger, scene: Scene, before: Seen | null, now: Seen): StoredView | null {
  if (now.stored !== null || before === null) return null;
  if (scene.only === null) return scene.acts.length === 0 ? next.acknowledged : null;
  const { as, step, outcome } = scene.only;
  if ("crashed" in outcome) return null;
  if (isQuiet(outcome) || isCommitFault(outcome) || unwritten.includes(step.do)) return next.acknowledged;
  const side = scene.sides.find((each) => each.as === as);
  if (side?.before.mode === "read" || side?.now.mode === "read") return next.acknowledged;
  if (as !== "w1") return null;
  const encoded = step.do === "close" ? before.encoded : wrote(scene.only) || side?.opens === true ? now.encoded : null;
  const aside = (step.do === "close" ? side?.before : side?.now)?.aside ?? {};
  if (encoded !== null && "ok" in encoded) return withAside(encoded.ok, aside, next.acknowledged);
  if (step.do === "close") return null;
  return "gate" in outcome && step.do !== "restore" ? next.acknowledged : null;
}

/** What is set aside is not encoded and stays in the archive as it was. */
function withAside(encoded: StoredView, aside: NonNullable<View["aside"]>, was: StoredView | null): StoredView | null {
  const agents = { ...encoded.agents };
  for (const path of Object.keys(aside)) {
    const kept = was?.agents[path];
    if (kept === undefined) return null;
    agents[path] = kept;
  }
  return { ...encoded, agents };
}
