/**
 * What a target lacks, and where it is known to differ: false would be that it is given a step that it lacks, drawn or while
 * shrinking; that a known divergence hides what lies behind it, or another of its kind at another step.
 */
import { expect, test } from "vitest";
import { begin, step as decide, rules, type World } from "../model/index.ts";
import type { Step } from "../src/contract.ts";
import { applicable } from "./applicable.ts";
import { check } from "./check.ts";
import { digest } from "./digest.ts";
import { isKind, matches, type Pattern } from "./pattern.ts";
import { roles } from "./shape.ts";
import { type Capabilities, type Divergence, everything, type OpenTarget, type Target } from "./target.ts";
import { modelTarget } from "./targets/model.ts";
import { twins } from "./twins/all.ts";

const begun: World = begin(digest, {
  ...{ capacity: 1, roles, archive: "memory", process: "same" },
  registrars: { core: { category: "core", tools: ["read"] } },
});
const after = (...steps: readonly Step[]): World => steps.reduce((world, step) => decide(world, step).world, begun);
const spawn: Step = { do: "spawn", by: "/root", name: "a", role: "r", text: "t" };
const through: Step = { ...spawn, answers: { prepare: "ok", dispatch: "quit" } };
const restore: Step = { do: "restore", mode: "write", answers: { hydrate: "ok" } };
const answer: Step = { do: "answer", op: "/root/a#1.1", gate: "prepare", with: "quit" };

test("a pattern is a part of a step, and an answer is the same whether it was asked for or given in advance", () => {
  expect(matches({ do: "spawn", name: "a" }, spawn, begun)).toBe(true);
  expect(matches({ do: "spawn", name: "b" }, spawn, begun)).toBe(false);
  expect(matches({ do: "spawn", by: "/ro*" }, spawn, begun)).toBe(true);
  expect(matches({ of: "spawn", gate: "prepare", with: "quit" }, answer, after(spawn))).toBe(true);
  expect(matches({ of: "follow_up", gate: "prepare", with: "quit" }, answer, after(spawn))).toBe(false);
  expect(matches({ of: "spawn", with: "quit" }, through, begun)).toBe(true);
  expect(matches({ of: "spawn", gate: "prepare", with: "quit" }, through, begun)).toBe(false);
  const settled = after({ ...spawn, answers: { prepare: "ok", dispatch: "ok" } }, { do: "crash" }, restore);
  const send: Step = { do: "send", by: "/root/a", to: "/root", text: "m" };
  expect(matches({ from: "cold" }, send, settled)).toBe(true);
  expect(matches({ from: "idle" }, send, settled)).toBe(true);
  expect(matches({ from: "starting" }, send, settled)).toBe(false);
  expect(matches({ from: "cold" }, { ...send, by: "/root" }, settled)).toBe(false);
  expect(matches({ from: "writable" }, send, settled)).toBe(false);
});

test("a kind may leave a part open", () => {
  expect(isKind("view.*.mail", "view.root.mail")).toBe(true);
  expect(isKind("view.*.mail", "view.agents.mail")).toBe(true);
  expect(isKind("view.*.mail", "view.agents.result")).toBe(false);
  expect(isKind("view.*.mail", "view.mail")).toBe(false);
  expect(isKind("L8", "L9")).toBe(false);
});

test("a target is not given what it lacks, nor stopped where it cannot be", () => {
  const can: Capabilities = {
    ...everything,
    advance: ["spawn"],
    lacks: [{ step: { do: "send" }, only: { to: "/root" }, why: "only the root has a mailbox" }],
  };
  const send = (to: string): Step => ({ do: "send", by: "/root", to, text: "m" });
  expect(applicable(send("/root"), can, begun)).toBeNull();
  expect(applicable(send("/root/a"), can, begun)).toBe("only the root has a mailbox");
  expect(applicable(spawn, can, begun)).toBe("it cannot stop at prepare");
  expect(applicable(through, can, begun)).toBeNull();
});

/** Whatever start fails, its task stays in the conversation: at errors, quits, cancels and interrupts. */
function faulty(capabilities: Partial<Capabilities>, seen: (step: Step) => void = () => {}): OpenTarget {
  return () => {
    const target = modelTarget("faulty", { ...rules, ...twins["failed_start_leaves_text"]?.faulty });
    const told: Target = {
      ...target,
      capabilities: { ...everything, ...capabilities },
      apply: (step) => {
        seen(step);
        return target.apply(step);
      },
    };
    return told;
  };
}
const known = (name: string, step?: Pattern): Divergence => ({
  ...{ kind: "view.agents.messages", why: "the text of a failed start stays", name },
  ...(step === undefined ? {} : { step }),
});

test("what is known at one step is told past, and the next is found at another", async () => {
  const seen = new Set<string>();
  const lacks = [{ step: { do: "send" }, why: "it has no mail" }];
  const open = faulty({ lacks, diverges: [known("at errors", { with: "error" })] }, (step) => seen.add(step.do));
  const found = await check({ runs: 2_000, seed: 10, open });
  expect(found.failed?.failure.kinds).toContain("view.agents.messages");
  expect(JSON.stringify(found.failed?.shrunk.run.told.at(-1)?.[0])).not.toContain('"error"');
  expect(seen.has("send")).toBe(false);
});

test("a story goes on behind a step that is known to differ", async () => {
  const found = await check({ runs: 150, seed: 3, open: faulty({ diverges: [known("anywhere")] }) });
  expect(found.failed).toBeNull();
  expect(found.diverged.get("anywhere")).toBeGreaterThan(10);
  // As many steps as without any fault, but for those that were left out.
  const held = await check({ runs: 150, seed: 3, open: () => modelTarget() });
  expect(found.steps).toBeGreaterThan(held.steps * 0.95);
});
