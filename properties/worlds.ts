/** Worlds small enough to be explored completely: who is there and what may be done, chosen so that everything can come to rest. */
import type { Small } from "../model/explore.ts";

export interface SmallWorld {
  readonly name: string;
  readonly says: string;
  readonly small: Small;
  /** Small enough for every gate. */
  readonly quick: boolean;
}

const alone = [
  "spawn",
  "follow_up",
  "finish",
  "interrupt",
  "answer",
  "send",
  "execution",
  "sample",
  "wait",
  "save",
  "crash",
  "restore",
] as const;
const both = [
  "spawn",
  "follow_up",
  "finish",
  "interrupt",
  "answer",
  "send",
  "sample",
  "wait",
  "cancel_wait",
  "elapse",
  "crash",
  "restore",
] as const;
const pair = ["spawn", "follow_up", "finish", "answer", "sample", "crash", "restore"] as const;

export const worlds: readonly SmallWorld[] = [
  {
    name: "one",
    says: "one agent: faults, interrupts, mail, executions, waits, crash and restore",
    small: { agents: 1, verbs: alone },
    quick: true,
  },
  {
    name: "two",
    says: "two agents: turns, mail, crash and restore, one operation at a time",
    small: { agents: 2, verbs: pair, faults: false, opsMax: 1 },
    quick: true,
  },
  {
    name: "pair",
    says: "two agents: faults, interrupts, mail, waits, crash and restore, two operations at a time",
    small: { agents: 2, verbs: both },
    quick: false,
  },
  { name: "all", says: "one agent: every command there is", small: { agents: 1 }, quick: false },
];
