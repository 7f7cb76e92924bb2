/**
 * Small worlds, seen whole: every law in every state and across every step, and from each state a way to rest. The counts are
 * golden: a change of meaning changes them, and says so.
 */
import { describe, expect, it } from "vitest";
import type { Step, Verb } from "../src/contract.ts";
import { explore, exploring } from "./explore.ts";
import { rules } from "./step.ts";

const pair: readonly Verb[] = ["spawn", "follow_up", "finish", "sample", "answer"];
const few: readonly Verb[] = [...pair, "send", "crash", "restore"];
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

  it("two siblings: faults, waits, crash and restore", () => {
    const verbs: readonly Verb[] = [...pair, "wait", "elapse", "crash", "restore"];
    expect(explored({ agents: 2, verbs, opsMax: 1 })).toEqual({ ...whole, states: 10_572, transitions: 174_257 });
  }, 240_000);

  it("siblings that could be exchanged once: with nothing but spawns, as many states as there can be siblings, and none", () => {
    for (const agents of [1, 2, 3])
      expect(explore({ agents, verbs: ["spawn"], opsMax: agents }).states).toBe(agents + 1);
    const nested = explore({ agents: ["/root/a", "/root/a/b"], verbs: ["spawn", "answer"], faults: false, depth: 4 });
    expect(nested.broken).toBeNull();
  });

  it("no further than it is told to", () => {
    const going = exploring({ agents: 1 });
    const first = going.next();
    expect(first.value).toMatchObject({ states: expect.any(Number) });
    const { done, value } = going.next(true);
    expect([done, value]).toEqual([true, expect.objectContaining({ fixpoint: false, broken: null })]);
  });
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
