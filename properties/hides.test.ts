/**
 * A target that does not show all: false would be a law that takes what is hidden for what is not there, and so calls a true
 * target wrong; or that a target which hides one thing is not caught by what it does show.
 */
import { describe, expect, test } from "vitest";
import { rules } from "../model/index.ts";
import { check } from "./check.ts";
import { type Capabilities, everything, type OpenTarget, type Target } from "./target.ts";
import { modelTarget } from "./targets/model.ts";
import { twins } from "./twins/all.ts";

const runs = 60;

/** The specification, or a twin of it, that shows none of these fields, wherever they stand. */
function hiding(fields: readonly string[], twin?: string): OpenTarget {
  const capabilities: Capabilities = { ...everything, level: "core", stores: false, hides: { fields } };
  const shown = <Value>(value: Value): Value =>
    JSON.parse(JSON.stringify(value), (key, held: unknown) => (fields.includes(key) ? undefined : held));
  return () => {
    const whole = modelTarget("hiding", { ...rules, ...(twin === undefined ? {} : twins[twin]?.faulty) });
    const told: Target = {
      ...whole,
      capabilities,
      view: async () => shown(await whole.view()),
      encode: async () => shown(await whole.encode()),
      stored: () => null,
    };
    return told;
  };
}

const undo = ["undo"];
const most = ["config", "residency", "marks", "messages", "owed", "undo"];

describe.each([[undo], [["result", "undo"]], [most], [[...most, "result"]]])("hiding %j", (fields) => {
  test("the specification holds", async () => {
    const { failed, stories } = await check({ runs, seed: 4, open: hiding(fields) });
    expect(failed?.failure ?? null).toBeNull();
    expect(stories).toBe(runs);
  });

  test("a quit that leaves a follow-up starting is found", async () => {
    const { failed } = await check({ runs: 1_000, seed: 4, open: hiding(fields, "quit_leaves_starting") });
    expect(failed?.failure.kinds).toContain("view.agents.activity");
    expect(failed?.failure.kinds).not.toContain("L28");
  });
});

test("what a roll-back would give back is judged where it is shown", async () => {
  const { failed } = await check({ runs: 1_000, seed: 4, open: hiding(["messages"], "keeps_result_while_starting") });
  expect(failed?.failure.kinds).toContain("L8");
});
