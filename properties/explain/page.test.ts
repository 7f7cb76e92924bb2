/**
 * Would be false if the page needed anything but itself, outgrew its size, or let a text of a story become part of it. What
 * it does in a browser is tested in one, elsewhere.
 */
import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Rules, rules } from "../../model/index.ts";
import type { Scope, Step } from "../../src/contract.ts";
import { registrars, roles } from "../shape.ts";
import { modelTarget } from "../targets/model.ts";
import { twins } from "../twins/all.ts";
import { explain } from "./explain.ts";
import type { Explanation } from "./explanation.ts";
import { explanationPage } from "./page.ts";

const scope: Scope = { capacity: 30, roles, registrars, archive: "memory", process: "same" };
const loses: Rules = { ...rules, ...twins["loses_result_on_error"]?.faulty };
const ahead = { prepare: "ok", dispatch: "ok" } as const;
/** Bytes of a page of forty steps. */
const bytesMax = 300 * 1024;

const explained = (steps: readonly Step[], target = "twin:loses"): Promise<Explanation> =>
  explain({ scope, steps, open: () => modelTarget(target, loses), texts: "shown", executionsMax: 2 });

const story = (text: string): readonly Step[] => [
  { do: "spawn", by: "/root", name: "a", role: "r", text, answers: ahead },
  { do: "finish", path: "/root/a", turn: 1, outcome: "completed", text },
  { do: "follow_up", by: "/root", to: "/root/a", text, answers: { prepare: "ok" } },
  { do: "answer", op: "/root/a#1.2", gate: "dispatch", with: "error" },
];

/** Forty steps among twenty-eight agents, all of them with mail. */
const forty: readonly Step[] = [
  ...Array.from(
    { length: 28 },
    (_, at): Step => ({ do: "spawn", by: "/root", name: `a${at}`, role: "r", text: "t".repeat(60), answers: ahead }),
  ),
  ...Array.from(
    { length: 8 },
    (_, at): Step => ({ do: "send", by: "/root", to: `/root/a${at}`, text: "m".repeat(64) }),
  ),
  ...story("R".repeat(64)),
];

describe("the page", () => {
  it("stays within its size for forty steps among many agents", async () => {
    const told = await explained(forty);
    expect(told.frames).toHaveLength(41);
    expect(Buffer.byteLength(explanationPage(told))).toBeLessThan(bytesMax);
  });

  it("names nothing outside itself, and allows its own script and style only", async () => {
    const page = explanationPage(await explained(story("R1")));
    expect(page).not.toMatch(/(?:https?:)?\/\/[a-z]|\bsrc=|\bhref=|@import|url\((?!#)/i);
    const [, script = ""] = /<script>([\s\S]*)<\/script>/.exec(page) ?? [];
    const [, style = ""] = /<style>([\s\S]*?)<\/style>/.exec(page) ?? [];
    const hash = (text: string): string => createHash("sha256").update(text).digest("base64");
    const [, policy = ""] = /Content-Security-Policy" content="([^"]*)"/.exec(page) ?? [];
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain(`script-src 'sha256-${hash(script)}'`);
    expect(policy).toContain(`style-src 'sha256-${hash(style)}'`);
  });

  it("carries functions that stand by themselves", async () => {
    const [, script = ""] = /<script>([\s\S]*)<\/script>/.exec(explanationPage(await explained(story("R1")))) ?? [];
    expect(() => new Function("window", script)).not.toThrow();
    expect(script).not.toMatch(/__\w+|import|export|require\(/);
  });

  it("never takes a text for markup", async () => {
    const unit = fc.constantFrom(
      "</script>",
      "<!--",
      "<b>",
      "&amp;",
      '"',
      "'",
      "\u0000",
      "\u202e",
      "\u2028",
      "\ud800",
      "😀",
      "ש",
    );
    const plain = explanationPage(await explained(story("x")));
    const tags = (page: string): readonly string[] => page.match(/<[/!]?[a-z-]+/gi) ?? [];
    await fc.assert(
      fc.asyncProperty(fc.array(unit, { minLength: 1, maxLength: 6 }), async (units) => {
        const page = explanationPage(await explained(story(units.join("")), `twin ${units.join("")}`));
        expect(tags(page)).toEqual(tags(plain));
        expect(page).not.toMatch(/(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}]/u);
      }),
      { numRuns: 12, seed: 1 },
    );
  });
});
