/** placeholder */
import type { Ledger, Seen } from "./laws/law.ts";
import type { World } from "./state.ts";
export interface Goal {
  readonly name: string;
  reached(ledger: Ledger, before: Seen | null, now: Seen, world: World): boolean;
}
export const goals: readonly Goal[] = [];
