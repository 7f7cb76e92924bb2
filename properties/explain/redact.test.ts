/**
 * Would be false if a text of a user's session could be read in anything that an explanation is shown as, unless it was asked
 * for. Every place where a story can carry a text carries one that nothing else says.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Rules, rules } from "../../model/index.ts";
import type { Scope, Step } from "../../src/contract.ts";
import { hash } from "../digest.ts";
import { registrars, roles } from "../shape.ts";
import { modelTarget } from "../targets/model.ts";
import { twins } from "../twins/all.ts";
import { explain } from "./explain.ts";
import type { Explanation } from "./explanation.ts";
import { explanationMermaid } from "./mermaid.ts";
import { explanationPage } from "./page.ts";
import { explanationText } from "./text.ts";

const scope: Scope = { capacity: 3, roles, registrars, archive: "memory", process: "same" };
const loses: Rules = { ...rules, ...twins["loses_result_on_error"]?.faulty };
const ahead = { prepare: "ok", dispatch: "ok" } as const;

/** Each text by its place. */
const story = (of: (place: number) => string): readonly Step[] => [
  { do: "spawn", by: "/root", name: "a", role: "r", text: of(0), answers: ahead },
  { do: "say", path: "/root/a", turn: 1, text: of(1) },
  { do: "spawn", by: "/root", name: "b", role: "r", text: of(8), answers: ahead },
  { do: "say", path: "/root/b", turn: 1, text: of(9) },
  { do: "interrupt", by: "/root", to: "/root/b", answers: { abort: "ok" } },
  { do: "wait", by: "/root", callback: { then: { do: "send", by: "/root", to: "/root/a", text: of(2) } } },
  {
    do: "together",
    steps: [
      { do: "steer", text: of(3) },
      { do: "execution", owner: "/root/a", text: of(4) },
    ],
  },
  { do: "finish", path: "/root/a", turn: 1, outcome: "completed", text: of(5) },
  { do: "follow_up", by: "/root", to: "/root/a", text: of(6), answers: { prepare: "ok" } },
  { do: "change_role", role: "r", config: { instructions: of(7) } },
  { do: "read_history", path: "/root/a" },
  { do: "sample", path: "/root" },
  { do: "answer", op: "/root/a#1.2", gate: "dispatch", with: "error" },
];

async function shown(steps: readonly Step[], texts: "shown" | "hashed"): Promise<readonly string[]> {
  const open = (): ReturnType<typeof modelTarget> => modelTarget("twin:loses", loses);
  const found: Explanation = await explain({ scope, steps, open, texts, executionsMax: 30 });
  const paper = { color: true, columns: 140 };
  return [JSON.stringify(found), explanationText(found, paper), explanationPage(found), explanationMermaid(found)];
}

describe("texts of a user's session", () => {
  it("never show unless they are asked for", async () => {
    const secret = fc.stringMatching(/^[g-z]{6,12}$/);
    await fc.assert(
      fc.asyncProperty(secret, async (word) => {
        const steps = story((place) => `${word}-${place}`);
        for (const said of await shown(steps, "hashed")) expect(said).not.toContain(word);
      }),
      { numRuns: 4, seed: 1 },
    );
  });

  it("stand as their length and their hash, the same one wherever they stand", async () => {
    const [data] = await shown(story(String), "hashed");
    expect(data).toContain(`⟨1 unit ${hash("5")}⟩`);
    expect(data).toContain(`{"length":1,"sha256":"${hash("5")}"}`);
  });

  it("show as they are when they are asked for", async () => {
    for (const said of await shown(
      story((place) => `word${place}`),
      "shown",
    ))
      expect(said).toContain("word5");
  });
});
