/**
 * Mailed results keep their bound. False would be: a mail above it, half a surrogate pair, a short result that is not mailed as
 * it is, a head or tail that is not the text's own, or a count of what was left out that is wrong (L18).
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mailedForm } from "./targets/mailing.ts";

const piece = fc.constantFrom(
  "a",
  "line\n",
  "\n",
  "\u{1f600}",
  "é",
  "0123456789".repeat(50),
  "\u{1f600}".repeat(99),
  "x\n".repeat(77),
);
/** From nothing to a few times the bound; what it is made of decides where it may be cut. */
const text = fc
  .tuple(fc.array(piece, { minLength: 1, maxLength: 12 }), fc.nat({ max: 900 }))
  .map(([pieces, times]) => pieces.join("").repeat(times));
const location = fc.oneof(
  fc.constant("agents/1/conversation"),
  fc.string({ unit: "grapheme-ascii", maxLength: 40 }),
  fc.nat({ max: 40_000 }).map((length) => `agents/${"\u{1f600}".repeat(length)}`),
);
const mailedUnitsMax = 32_768;
const settings = { numRuns: 400, seed: 20_261_130 };
const always = (holds: (full: string, mailed: string) => void): void =>
  fc.assert(
    fc.property(text, location, (full, at) => {
      holds(full, mailedForm(full, at));
    }),
    settings,
  );

describe("a result is always mailed", () => {
  test("within the bound, however long the location", () =>
    always((_, mailed) => expect(mailed.length).toBeLessThanOrEqual(mailedUnitsMax)));
  test("whole where it is short", () =>
    always((full, mailed) => expect(full.length > mailedUnitsMax || mailed === full).toBe(true)));
  test("well-formed where it was", () =>
    always((full, mailed) =>
      expect(!full.isWellFormed() || mailed.toWellFormed().length === mailed.length).toBe(true),
    ));
  test("with its own beginning and end, and the count of what is left out", () =>
    always((full, mailed) => {
      if (full.length <= mailedUnitsMax) return;
      const [, head, omitted, tail] = /^(.*)\n\[(\d+) characters left out here; .*?\]\n(.*)$/s.exec(mailed) ?? [];
      expect(full.startsWith(head ?? "?") && full.endsWith(tail ?? "?")).toBe(true);
      expect(full.length - (head ?? "").length - (tail ?? "").length).toBe(Number(omitted));
    }));
});
