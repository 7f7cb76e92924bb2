/**
 * What stands twice on purpose, in the model and in production: the grammar of paths and names, the schema of
 * configurations. False would be: a path or configuration that one of them takes and the other does not.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as model from "../../model/refusals.ts";
import { isConfig } from "../../src/config.ts";
import { isName, isPath } from "../../src/paths.ts";

const runs = { numRuns: 2_000, seed: 41 };
const piece = fc.oneof(
  fc.constantFrom("", "root", "a", "b_1", "A", "é", "..", ".", "a b", "a".repeat(64), "a".repeat(65)),
  fc.string({ maxLength: 4 }),
);
const path = fc
  .array(piece, { maxLength: 6 })
  .chain((pieces) => fc.constantFrom(`/root/${pieces.join("/")}`, pieces.join("/"), `/${pieces.join("/")}`, "/root"));
const deep = fc.integer({ min: 29, max: 35 }).map((depth) => `/root${"/a".repeat(depth)}`);

const base = { instructions: "i", model: "m", effort: null, tools: [["core", "read"]], limits: {}, parameters: {} };
const text = fc.oneof(fc.string(), fc.constant("\ud800"));
const value = fc.oneof(fc.jsonValue(), text, fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, undefined, [["a"]]));
const field = fc.constantFrom("instructions", "model", "effort", "tools", "limits", "parameters", "more");
const references = fc.array(fc.tuple(fc.constantFrom("a", "b"), fc.constantFrom("x", "y")), { maxLength: 3 });
const config = fc.oneof(
  fc.tuple(field, value).map(([key, changed]): unknown => ({ ...base, [key]: changed })),
  field.map((key): unknown => Object.fromEntries(Object.entries(base).filter(([each]) => each !== key))),
  references.map((tools): unknown => ({ ...base, tools })),
  value,
);

describe("what stands twice is the same twice", () => {
  test("every path and name", () => {
    let paths = 0;
    fc.assert(
      fc.property(fc.oneof(path, deep), piece, (given, name) => {
        if (model.isPath(given)) paths++;
        expect(isPath(given)).toBe(model.isPath(given));
        expect(isName(name)).toBe(model.name("/root", name) === null);
      }),
      runs,
    );
    expect(paths, "some are well formed").toBeGreaterThan(100);
  });

  test("every configuration", () => {
    let valid = 0;
    fc.assert(
      fc.property(config, (given) => {
        if (model.isConfig(given)) valid++;
        expect(isConfig(given)).toBe(model.isConfig(given));
      }),
      runs,
    );
    expect(valid, "some are valid").toBeGreaterThan(100);
  });
});
