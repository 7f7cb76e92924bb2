/**
 * Small worlds, seen whole: every law in every state and across every step, and from each state a way to rest. The counts are
 * golden: a change of meaning changes them, and says so.
 */
import { describe, expect, it } from "vitest";
import type { Step, Verb } from "../src/contract.ts";
import { explore } from "./explore.ts";
import { rules } from "./step.ts";

const few: readonly Verb[] = ["spawn", "follow_up", "finish", "send", "sample", "crash", "restore", "answer"];
const explored = (small: Parameters<typeof explore>[0]): object => {
  const { states, transitions, fixpoint, broken, restless } = explore(small);
  return { states, transitions, fixpoint, broken, restless };
};
const whole = { fixpoint: true, broken: null, restless: null };

describe("a world seen whole", () => {
  it("one agent: faults, waits, crash and restore, late finishes, inspection, executions", () => {
    expect(explored({ agents: 1 })).toEqual({ ...whole, states: 10_048, transitions: 372_073 });
  }, 240_000);

  it("one agent whose results go to handlers", () => {
    const verbs: readonly Verb[] = [...few, "interrupt", "execution", "save"];
    expect(explored({ agents: 1, handlers: true, faults: false, verbs })).toEqual({
      ...whole,
      states: 2_304,
      transitions: 24_076,
    });
  });

  it("two siblings: crash and restore", () => {
    expect(explored({ agents: 2, verbs: few, faults: false })).toEqual({
      ...whole,
      states: 12_383,
      transitions: 158_799,
    });
  }, 240_000);
});

describe("a law that breaks", () => {
  it("is told by the shortest story", () => {
    const { broken } = explore({
      agents: 1,
      rules: { ...rules, rollBack: (_, live) => live },
      verbs: ["spawn", "follow_up", "finish", "answer"],
    });
    const told = (broken?.story ?? []).map((step: Step) => step.do);
    expect([broken?.law.number, told]).toEqual([4, ["spawn", "answer", "answer", "finish", "follow_up", "answer"]]);
  });

  it("and so is a turn that cannot come to rest", () => {
    const { restless, fixpoint } = explore({
      agents: 1,
      rules: { ...rules, finish: (_, run) => [run, { ok: "late" }] },
      laws: [],
      verbs: ["spawn", "answer", "finish"],
      faults: false,
    });
    expect(fixpoint).toBe(true);
    expect((restless ?? []).map((step) => step.do)).toEqual(["spawn", "answer", "answer"]);
  });
});
