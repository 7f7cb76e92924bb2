// The archive's check of records, its rows and their reading, against a second opinion on each.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { recordLaws } from "./laws.ts";
import { record } from "./nearly.ts";
import { isRecord } from "./opinion.ts";

describe("the archive and a second opinion agree", () => {
  test.each(recordLaws.map(({ name, property }) => [name, property] as const))("%s", (_, property) => {
    fc.assert(property(), { numRuns: 400, seed: 1 });
  });

  test("records of which nothing was changed are records", () => {
    fc.assert(
      fc.property(record, (one) => isRecord(one)),
      { numRuns: 100 },
    );
    expect(isRecord({})).toBe(false);
  });
});
