/**
 * Would be false if an explanation outgrew a screen, or if a text of a story could steer the terminal that shows it. Told to
 * twins of the model that lose a result, under texts of any characters.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Rules, rules } from "../../model/index.ts";
import type { Scope, Step } from "../../src/contract.ts";
import { registrars, roles } from "../shape.ts";
import { modelTarget } from "../targets/model.ts";
import { twins } from "../twins/all.ts";
import { explain } from "./explain.ts";
import type { Explanation } from "./explanation.ts";
import { explanationText, linesMax } from "./text.ts";
import { cells } from "./visible.ts";

const scope: Scope = { capacity: 3, roles, registrars, archive: "memory", process: "same" };
const loses: Rules = { ...rules, ...twins["loses_result_on_error"]?.faulty };
const ahead = { prepare: "ok", dispatch: "ok" } as const;

/** A story that loses a result, with so many mails on the way. */
function story(text: string, mails: number): readonly Step[] {
  return [
    { do: "spawn", by: "/root", name: "a", role: "r", text: "t", answers: ahead },
    { do: "finish", path: "/root/a", turn: 1, outcome: "completed", text },
    ...Array.from({ length: mails }, (): Step => ({ do: "send", by: "/root", to: "/root/a", text: "m" })),
    { do: "follow_up", by: "/root", to: "/root/a", text: "u" },
    { do: "answer", op: "/root/a#1.2", gate: "prepare", with: "ok" },
    { do: "answer", op: "/root/a#1.2", gate: "dispatch", with: "error" },
  ];
}
const explained = (steps: readonly Step[], executionsMax = 400): Promise<Explanation> =>
  explain({ scope, steps, open: () => modelTarget("twin:loses", loses), texts: "shown", executionsMax });

describe("an explanation on a terminal", () => {
  it("says what differs, why and what is needed for it", async () => {
    const told = await explained(story("R1", 1));
    expect(explanationText(told, { color: false, columns: 96 })).toMatchInlineSnapshot(`
      "twin:loses and the model part at step 6 of 6
      L10 A follow-up that ends before admission, however, leaves activity, result and conversation as
         before.
         /root/a had the result ["completed","R1",null,null], has null

       * 1 root spawns a as r: "t", prepare ok, dispatch ok → a
       * 2 turn 1 of a ends completed: "R1" → settled
         3 root sends to a: "m"
       * 4 root follows up on a: "u" → waits at prepare
       * 5 prepare of a#1.2 is answered ok → waits at dispatch
      >* 6 dispatch of a#1.2 is answered error → fault: provider_failed at a
            a: result (and what a commit would write)   model completed "R1" | twin:loses nothing

      Matters: answer error in 6, not ok or quit.
      Not needed: 3.
      Does not matter: name (1), text (1–4), role (1), outcome (2), caller (3 4).
      * required, ~ only for its order. Found out by telling the story 41 times.
      "
    `);
  });

  it("never takes more lines than a screen, nor more cells than a line has", async () => {
    const drawn = fc.tuple(
      fc.string({ unit: "grapheme", maxLength: 80 }),
      fc.nat({ max: 40 }),
      fc.integer({ min: 40, max: 140 }),
    );
    await fc.assert(
      fc.asyncProperty(drawn, async ([text, mails, columns]) => {
        const told = await explained(story(text, mails), 3);
        const lines = explanationText(told, { color: false, columns }).trimEnd().split("\n");
        expect(lines.length).toBeLessThanOrEqual(linesMax);
        for (const line of lines) expect(cells(line)).toBeLessThanOrEqual(columns);
      }),
      { numRuns: 15, seed: 1 },
    );
  });

  it("never lets a text steer the terminal or turn the reading direction", async () => {
    const unit = fc.constantFrom(
      "\u001b[2J",
      "\u0007",
      "\u0000",
      "\u202e",
      "\u2066",
      "\r",
      "\u009b",
      "\u{e0001}",
      "\ud800",
      "x",
    );
    await fc.assert(
      fc.asyncProperty(fc.array(unit, { maxLength: 12 }), async (units) => {
        const told = await explained(story(units.join(""), 0), 1);
        expect(explanationText(told, { color: false, columns: 120 })).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Cs}]/u);
      }),
      { numRuns: 30, seed: 2 },
    );
  });

  it("uses colour only when told, and says the same with it", async () => {
    const told = await explained(story("R1", 2));
    const colored = explanationText(told, { color: true, columns: 96 });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it is the very thing looked for
    const bare = colored.replaceAll(/\u001b\[\d+m/g, "");
    expect(bare).toBe(explanationText(told, { color: false, columns: 96 }));
    expect(bare).not.toBe(colored);
  });

  it("keeps the failing step and what it needs when the story is too long", async () => {
    const said = explanationText(await explained(story("R1", 40), 60), { color: false, columns: 96 });
    expect(said).toContain(">*45 dispatch of a#1.2 is answered error");
    expect(said).toContain("follows up on a");
    expect(said).toMatch(/… \d+ lines of the story left out/);
  });
});
