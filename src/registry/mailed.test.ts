// The form in which a result is mailed: short whatever the turn said, and nothing torn. L18
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mailedText, mailedUnitsMax } from "./mailed.ts";

const runs = { numRuns: 100 };
const location = fc.oneof(
  fc.constant("agents/a"),
  fc.string({ maxLength: 80 }).map((each) => each.repeat(1_000)),
);
const line = fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 });
/** Around and far beyond the bound, in lines of any length, surrogate pairs among them. */
const long = fc
  .tuple(
    fc.array(line, { minLength: 1, maxLength: 8 }),
    fc.constantFrom("\n", "", "😀"),
    fc.integer({ min: 300, max: 9_000 }),
  )
  .map(([lines, glue, times]) => lines.join(glue).repeat(times));

describe("a mailed result", () => {
  test("is the text itself as long as that is short", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), location, (text, where) => {
        expect(mailedText(text, where)).toBe(text);
      }),
      runs,
    );
    const just = "x".repeat(mailedUnitsMax);
    expect(mailedText(just, "agents/a")).toBe(just);
  });

  test("never exceeds the bound, is well-formed, begins and ends as the text does", () => {
    fc.assert(
      fc.property(long, location, (text, where) => {
        const mailed = mailedText(text, where.toWellFormed());
        expect(mailed.length).toBeLessThanOrEqual(mailedUnitsMax);
        expect(mailed.isWellFormed()).toBe(true);
        if (text.length <= mailedUnitsMax) return;
        expect(mailed.length).toBeGreaterThanOrEqual(mailedUnitsMax / 2);
        const [, head = "", count = "", tail = ""] =
          /^([\s\S]*)\n\[(\d+) characters left out here; [\s\S]*?\]\n([\s\S]*)$/.exec(mailed) ?? [];
        expect(text.startsWith(head)).toBe(true);
        expect(text.endsWith(tail)).toBe(true);
        expect(head.length + Number(count) + tail.length).toBe(text.length);
      }),
      runs,
    );
  });

  test("is cut at line ends", () => {
    const text = Array.from({ length: 5_000 }, (_, index) => `line number ${index}\n`).join("");
    const mailed = mailedText(text, "agents/a");
    const [head = "", tail = ""] = mailed.split(
      /\n\[\d+ characters left out here; the whole result is in agents\/a\]\n/,
    );
    expect(head.endsWith("\n")).toBe(true);
    expect(tail.startsWith("line number ")).toBe(true);
    expect(tail.endsWith("line number 4999\n")).toBe(true);
  });
});
