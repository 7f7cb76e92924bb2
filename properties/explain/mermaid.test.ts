/**
 * Would be false if a diagram could be more or less than one statement of the language a line: each line is read again by a
 * grammar of what we write, with texts that try to end lines, open blocks, and close the fence.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Rules, rules } from "../../model/index.ts";
import type { Scope, Step } from "../../src/contract.ts";
import { registrars, roles } from "../shape.ts";
import { modelTarget } from "../targets/model.ts";
import { twins } from "../twins/all.ts";
import { explain } from "./explain.ts";
import { explanationMermaid, mermaidEscaped } from "./mermaid.ts";

const scope: Scope = { capacity: 3, roles, registrars, archive: "memory", process: "same" };
const loses: Rules = { ...rules, ...twins["loses_result_on_error"]?.faulty };
const ahead = { prepare: "ok", dispatch: "ok" } as const;

async function diagram(text: string, title = "twin"): Promise<readonly string[]> {
  const steps: readonly Step[] = [
    { do: "spawn", by: "/root", name: "a", role: "r", text, answers: ahead },
    { do: "steer", text },
    { do: "send", by: "/root/a", to: "/root", text },
    { do: "interrupt", by: "/root", to: "/root/a" },
    { do: "crash" },
    { do: "restore", mode: "write" },
    { do: "answer", op: "/root/a#2.1", gate: "hydrate", with: "ok" },
    { do: "follow_up", by: "/root", to: "/root/a", text, answers: { hydrate: "ok" } },
    { do: "answer", op: "/root/a#2.2", gate: "prepare", with: "ok" },
    { do: "spawn", by: "/root", name: "b", role: "r", text },
    { do: "answer", op: "/root/a#2.2", gate: "dispatch", with: "error" },
  ];
  const open = (): ReturnType<typeof modelTarget> => modelTarget(title, loses);
  const told = await explain({ scope, steps, open, texts: "shown", executionsMax: 1 });
  return explanationMermaid(told).trimEnd().split("\n");
}

/** Text after a colon: nothing but what is safe, and code points by number. */
const text = String.raw`(?:[\p{L}\p{N}\p{M} .,/_()'=+*?!|→≠…⟨⟩-]|#\d+;|<br/>)*`;
const statement = new RegExp(
  `^(?:sequenceDiagram|  (?:(?:actor|participant) L\\d+ as ${text}|Note over L\\d+,L\\d+: ${text}|Note (?:left|right) of L\\d+: ${text}|L\\d+(?:-x|--x|->>|-->>)L\\d+: ${text}|(?:de)?activate L\\d+|rect rgba\\([\\d., ]+\\)|end))$`,
  "u",
);

describe("a sequence diagram", () => {
  it("is one statement a line, whatever a text says", async () => {
    const unit = fc.constantFrom(
      "\n",
      ";",
      "#",
      "%%",
      "end",
      "```",
      ":",
      "<br/>",
      "{",
      "-->>",
      "\u0000",
      "\u2028",
      "x",
      '"',
      "\ud83d",
    );
    await fc.assert(
      fc.asyncProperty(fc.array(unit, { minLength: 1, maxLength: 10 }), async (units) => {
        for (const line of await diagram(`x${units.join("")}`, units.join(""))) expect(line).toMatch(statement);
      }),
      { numRuns: 20, seed: 1 },
    );
  });

  it("closes every span and block that it opens, and none that it did not", async () => {
    const open: string[] = [];
    for (const line of await diagram("t")) {
      const [, lane] = /^ {2}activate (L\d+)$/.exec(line) ?? [];
      const [, closed] = /^ {2}deactivate (L\d+)$/.exec(line) ?? [];
      if (lane !== undefined) open.push(lane);
      if (closed === undefined) continue;
      expect(open).toContain(closed);
      open.splice(open.indexOf(closed), 1);
    }
    expect(open).toEqual([]);
  });

  it("shows the gates, the mail and the difference", async () => {
    const said = (await diagram("t")).join("\n");
    expect(said).toContain("Note right of L1: dispatch is open");
    expect(said).toContain("L1->>L0: mail#58; mail");
    expect(said).toContain("≠ a#58; result");
    expect(said).toContain("L3--xL1: dispatch error");
  });

  it("says characters that the language reads by their number", () => {
    expect(mermaidEscaped('a;#"b')).toBe("a#59;#35;#34;b");
    expect(mermaidEscaped("😀 שלום")).toBe("#128512; שלום");
  });
});
