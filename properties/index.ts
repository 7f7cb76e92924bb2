/**
 * `rollcall/check`: the specification, the checker and its target port, for whoever gates a registry of their own; and the
 * judging verbs of the command line.
 */

export { type Explored, explore as exploreModel, type Small } from "../model/explore.ts";
export {
  begin,
  encode,
  type Goal,
  goals,
  type Law,
  type Ledger,
  laws,
  type Seen,
  step,
  stored,
  view,
  type World,
} from "../model/index.ts";
export { readTrace, traceFiles } from "../regressions/files.ts";
export { replay as replayTrace, type Verdict } from "../regressions/replay.ts";
export { type Checked, type CheckOptions, check as checkTarget } from "./check.ts";
export { type Difference, equal } from "./compare.ts";
export { digest } from "./digest.ts";
export type { Failed, Fickle } from "./failed.ts";
export { type Failure, type Next, type Run, run } from "./loop.ts";
export {
  type Awaitable,
  type Capabilities,
  type Divergence,
  everything,
  type OpenTarget,
  type Target,
  type TargetModule,
} from "./target.ts";
export { targetNamed, targetNames } from "./targets/named.ts";
export type { OwnLaw } from "./targets/own-laws.ts";
export { parseTrace, printTrace, type Told, type Trace } from "./trace.ts";
export { Unusable } from "./unusable.ts";
export { check } from "./verbs/check.ts";
export { explain } from "./verbs/explain.ts";
export { explore } from "./verbs/explore.ts";
export { exportStory } from "./verbs/export.ts";
export { faults } from "./verbs/faults.ts";
export { gate } from "./verbs/gate.ts";
export { history } from "./verbs/history.ts";
export { importCaptures } from "./verbs/import.ts";
export { orders } from "./verbs/orders.ts";
export { promote } from "./verbs/promote.ts";
export { replay } from "./verbs/replay.ts";
export { reproduce } from "./verbs/reproduce.ts";
export { schema } from "./verbs/schema.ts";
export { serve } from "./verbs/serve.ts";
export { shrink } from "./verbs/shrink.ts";
export { torture } from "./verbs/torture.ts";
