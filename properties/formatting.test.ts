// The form in which results are mailed, over generated texts and locations.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formLaws } from "./formatting.ts";

function holds(name: string): void {
  const law = formLaws.find((each) => each.name === name);
  expect(law).toBeDefined();
  if (law !== undefined) fc.assert(law.property(), { numRuns: 400, seed: 20_261_130 });
}

describe("a result is always mailed", () => {
  test("within the bound, however long the location", () => holds("within the bound, however long the location"));
  test("whole where it is short, and with a note where it is not", () =>
    holds("whole where it is short, and with a note where it is not"));
  test("well-formed where it was", () => holds("well-formed where it was"));
  test("with its own beginning and end, and the count of what is left out", () =>
    holds("with its own beginning and end, and the count of what is left out"));
  test("cut at line ends where that gives little away, else as late as it can be", () =>
    holds("cut at line ends where that gives little away, else as late as it can be"));
  test("with its location, or the beginning of a long one", () =>
    holds("with its location, or the beginning of a long one"));

  test("by laws that are all told here", () => expect(formLaws).toHaveLength(6));
});
