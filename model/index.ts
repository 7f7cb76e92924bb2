/** The specification's surface: a world, a step, what can be seen. Pure; imports only types from `src/contract.ts`. */

export { type Goal, goals } from "./goals.ts";
export type { Law, Ledger, Seen, Sight } from "./laws/law.ts";
export { emptyLedger, remember } from "./laws/ledger.ts";
export { laws } from "./laws.ts";
export type { Rules } from "./rules.ts";
export type { Digest, Handle, Live, Operation, World } from "./state.ts";
export { begin, encode, rules, step, stored, view } from "./step.ts";
