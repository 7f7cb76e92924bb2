/**
 * Would be false if a reason were guessed: each is compared with what the story does when it is told that way. The twins are
 * small ones of this file's own, so that what they do wrong is known to the last value.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Rules, rules } from "../../model/index.ts";
import { change, withAgent } from "../../model/run.ts";
import type { Scope, Step } from "../../src/contract.ts";
import { run } from "../loop.ts";
import { registrars, roles } from "../shape.ts";
import type { Capabilities, Target } from "../target.ts";
import { modelTarget } from "../targets/model.ts";
import { explain } from "./explain.ts";
import type { Explanation, Told, Worth } from "./explanation.ts";

const scope: Scope = {
  capacity: 3,
  roles: { r: roles["r"] ?? null },
  registrars: { core: registrars["core"] ?? { category: "core", tools: [] } },
  archive: "memory",
  process: "same",
};
const ahead = { prepare: "ok", dispatch: "ok" } as const;
const spawn = (name: string): Step => ({ do: "spawn", by: "/root", name, role: "r", text: "t", answers: ahead });

/** Loses the cleared result when a start ends by an error of the provider; by a quit it does not. */
const loses: Partial<Rules> = {
  rollBack: (m, live, op, why) => {
    const back = rules.rollBack(m, live, op, why);
    const agent = back.agents[op.path];
    if (agent?.is !== "idle" || !("fault" in why)) return back;
    return withAgent(back, { ...agent, result: null });
  },
};
/** Keeps what an agent says in another spelling: seen by readers at once, by views only in a result. */
const misspells: Partial<Rules> = {
  say: (m, begun, step) => rules.say(m, begun, { ...step, text: `${step.text}!` }),
};
/** Drops the mail of `/root` that is longer than eight units. */
const forgets: Partial<Rules> = {
  deliver: (m, begun, mail, to, why) => {
    const [next, outcome] = rules.deliver(m, begun, mail, to, why);
    const lost = to === "/root" && mail.text.length > 8;
    return [lost ? { ...next, live: change(next.live, "/root", { mail: [] }) } : next, outcome];
  },
};

const story: readonly Step[] = [
  spawn("a"),
  spawn("b"),
  { do: "finish", path: "/root/a", turn: 1, outcome: "completed", text: "R1" },
  { do: "follow_up", by: "/root", to: "/root/a", text: "u" },
  { do: "answer", op: "/root/a#1.2", gate: "prepare", with: "ok" },
  { do: "execution", owner: "/root", text: "x" },
  { do: "answer", op: "/root/a#1.2", gate: "dispatch", with: "error" },
];

const opened = (faulty: Partial<Rules>, less: Partial<Capabilities> = {}): Target => {
  const target = modelTarget("twin", { ...rules, ...faulty });
  return { ...target, capabilities: { ...target.capabilities, ...less } };
};
const explained = (faulty: Partial<Rules>, steps: readonly Step[], executionsMax = 400): Promise<Explanation> =>
  explain({ scope, steps, open: () => opened(faulty), texts: "shown", executionsMax });

const at = ({ told }: Explanation, ...place: readonly number[]): Told => {
  const found = told.find((each) => each.at.join() === place.map((number) => number - 1).join());
  if (found === undefined) throw new Error(`no step ${place.join(".")}`);
  return found;
};
const worth = (told: Told, key: string): Worth | undefined => told.worths.find((each) => each.key === key);

describe("reasons", () => {
  it("tell required steps from those that are only there", async () => {
    const found = await explained(loses, story);
    expect(found.failing?.step).toBe(6);
    expect(found.told.map(({ need }) => need)).toEqual([
      "required",
      "free",
      "required",
      "required",
      "required",
      "free",
      "required",
    ]);
    expect(found.complete).toBe(true);
  });

  it("tell an order that is a race from one that cannot be otherwise", async () => {
    const found = await explained(loses, story);
    expect(at(found, 3).swap).toEqual({ verdict: "gone", causal: false });
    expect(at(found, 5).swap?.verdict).toBe("same");
    const [first, second] = [story.slice(0, 4), story.slice(4)];
    const nested = await explained(loses, [...first, ...second.filter(({ do: verb }) => verb === "answer")]);
    expect(at(nested, 5).swap).toEqual({ verdict: "gone", causal: true });
  });

  it("tell what could as well be another value", async () => {
    const found = await explained(loses, story);
    expect(worth(at(found, 1), "name")?.matters).toBe("no");
    expect(worth(at(found, 4), "text")?.matters).toBe("no");
    expect(worth(at(found, 7), "with")).toEqual({ key: "with", matters: "yes", keeps: [], breaks: ["ok", "quit"] });
    const steps: readonly Step[] = [{ do: "send", by: "/root", to: "/root", text: "long enough" }];
    const long = await explained(forgets, steps);
    expect(worth(at(long, 1), "text")?.matters).toBe("length");
  });

  it("look inside steps that are issued together", async () => {
    const answer = story[6];
    const execution = story[5];
    if (answer === undefined || execution === undefined) throw new Error("the story has seven steps");
    const found = await explained(loses, [...story.slice(0, 5), { do: "together", steps: [execution, answer] }]);
    expect([at(found, 6, 1).need, at(found, 6, 2).need]).toEqual(["free", "required"]);
    expect(worth(at(found, 6, 2), "with")?.matters).toBe("yes");
  });

  it("find where the two part before that shows", async () => {
    const found = await explained(misspells, [
      spawn("a"),
      { do: "say", path: "/root/a", turn: 1, text: "half" },
      { do: "block", path: "/root/a", kind: "permission_blocked" },
      { do: "interrupt", by: "/root", to: "/root/a", answers: { abort: "ok" } },
    ]);
    expect(found.failing?.step).toBe(3);
    expect(found.parting).toMatchObject({ step: 1, by: { do: "read_history", path: "/root/a" } });
  });

  it("ask a target nothing that it lacks", async () => {
    const less = { answers: { dispatch: ["ok", "error"] as const }, hides: { fields: ["residency"] } };
    const found = await explain({ scope, steps: story, open: () => opened(loses, less), texts: "shown" });
    expect(worth(at(found, 7), "with")).toMatchObject({ breaks: ["ok"], keeps: [] });
    expect(found.hidden).toEqual(["residency"]);
  });

  it("never take more executions than they are given", async () => {
    const allowed = fc.integer({ min: 1, max: 60 });
    await fc.assert(
      fc.asyncProperty(allowed, async (executionsMax) => {
        let told = 0;
        const counting = (): Target => {
          const target = opened(loses);
          const reset: Target["reset"] = (within) => {
            told++;
            return target.reset(within);
          };
          return { ...target, reset };
        };
        const found = await explain({ scope, steps: story, open: counting, executionsMax });
        expect(told).toBe(found.executions);
        expect(told).toBeLessThanOrEqual(executionsMax);
        if (told < executionsMax) expect(found.complete).toBe(true);
      }),
      { numRuns: 20, seed: 1 },
    );
  });

  it("always say of a step what the story without it does", async () => {
    const found = await explained(loses, story);
    for (const told of found.told) {
      const steps = story.filter((_, index) => index !== told.at[0]);
      const without = await run(opened(loses), scope, (_, index) => steps[index] ?? null);
      // Only where no name depends on the step that is gone; the others are bound anew.
      if (told.at[0] > 3) expect(without.failure === null).toBe(told.without === "gone");
    }
  });

  it("tell a law that only the target breaks from one that the model breaks too", async () => {
    const saves: readonly Step[] = [{ do: "save" }, { do: "roster" }];
    const counting = (): Target => {
      let commits = 0;
      const target = opened({});
      const counters = { conversationsHydrated: 0, providerCalls: 0, bytesWritten: 0, toolRuns: 0 };
      const apply: Target["apply"] = (step) => {
        commits++;
        return target.apply(step);
      };
      return { ...target, apply, counters: () => ({ ...counters, commits }) };
    };
    const found = await explain({ scope, steps: saves, open: counting, texts: "shown" });
    expect(found.failing).toMatchObject({ both: false, unlike: [], kinds: ["L37"] });
  });

  it("explain a story that holds as one that does", async () => {
    const found = await explained({}, story);
    expect(found).toMatchObject({ failing: null, parting: null, executions: 1 });
    expect(found.told.every(({ need }) => need === "untried")).toBe(true);
    expect(found.frames).toHaveLength(story.length + 1);
  });
});
