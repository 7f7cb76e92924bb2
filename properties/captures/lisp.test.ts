/**
 * The reader of Emacs data would be wrong if something printed were read as something else, if what is no data were read at all, or
 * if any text at all made it do anything but answer or say where it stopped.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Lisp, readForm, readForms, Unreadable, type UnreadableCode } from "./lisp.ts";

/** As Emacs prints, with what may vary drawn from `odd`: raw line ends, escapes of symbols. */
function print(value: Lisp): string {
  if (value === null) return "nil";
  if (value === true) return "t";
  if (typeof value === "bigint") return String(value);
  if (typeof value === "string") return `"${value.replace(/[\\"]/g, "\\$&")}"`;
  if (typeof value === "number") {
    if (Number.isNaN(value)) return "0.0e+NaN";
    if (!Number.isFinite(value)) return value < 0 ? "-1.0e+INF" : "1.0e+INF";
    return Number.isSafeInteger(value) || /[.e]/.test(String(value)) ? String(value) : `${value}.0`;
  }
  if (Array.isArray(value)) return `(${value.map(print).join(" ")})`;
  if ("symbol" in value) return value.symbol.replace(/[^a-z:-]/g, "\\$&");
  if ("vector" in value) return `[${value.vector.map(print).join(" ")}]`;
  if ("items" in value) return `(${value.items.map(print).join(" ")} . ${print(value.tail)})`;
  return "nil";
}

const symbol = fc
  .string({ minLength: 1, maxLength: 6, unit: fc.constantFrom(..."abnt:-_?#.,'()\" 1;\\[".split("")) })
  // A symbol of which nothing needs a backslash may be a word with a meaning of its own.
  .filter((name) => !["nil", "t"].includes(name))
  .map((name) => ({ symbol: name }));
const atom: fc.Arbitrary<Lisp> = fc.oneof(
  fc.constantFrom<Lisp>(null, true),
  fc.maxSafeInteger(),
  fc.bigInt({ min: 2n ** 60n, max: 2n ** 80n }),
  fc.double({ noDefaultInfinity: false }).filter((each) => !Object.is(each, -0)),
  fc.string({ unit: fc.constantFrom(...'aé"\\\n\t(;#é😀'.split("")), maxLength: 8 }).map((text) => text.toWellFormed()),
  symbol,
);
const { value: data } = fc.letrec<{ value: Lisp }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    atom,
    fc.array(tie("value"), { minLength: 1, maxLength: 4 }),
    fc.record({ vector: fc.array(tie("value"), { maxLength: 4 }) }),
    fc.record({
      items: fc.array(tie("value"), { minLength: 1, maxLength: 3 }),
      tail: atom.filter((each) => each !== null),
    }),
  ),
}));

const settings = { numRuns: 400, seed: 5 };

describe("the reader of Emacs data", () => {
  test("always reads back what was printed", () => {
    fc.assert(
      fc.property(fc.array(data, { maxLength: 3 }), (values) => {
        expect(readForms(values.map(print).join("\n"))).toEqual(values);
      }),
      settings,
    );
  });

  test("never does anything with a text but read it or say where it stopped", () => {
    const part = fc.constantFrom(..."()[]\"#\\.'`,;:=0123 \n?sabeINFNaN+-<".split(""));
    const text = fc.oneof(
      fc.string({ unit: part, maxLength: 40 }),
      data.map(print).chain((whole) => fc.nat(whole.length).map((end) => whole.slice(0, end))),
    );
    fc.assert(
      fc.property(text, (given) => {
        try {
          readForms(given);
        } catch (error) {
          if (!(error instanceof Unreadable)) throw error;
          const lines = given.split("\n");
          expect(error.line).toBeLessThanOrEqual(lines.length);
          expect(error.column).toBeLessThanOrEqual((lines[error.line - 1]?.length ?? 0) + 1);
        }
      }),
      settings,
    );
  });

  test("reads every form that session files hold", () => {
    const forms: readonly (readonly [string, Lisp])[] = [
      ["(:a . 1)", { items: [{ symbol: ":a" }], tail: 1 }],
      ["(a . (b c))", [{ symbol: "a" }, { symbol: "b" }, { symbol: "c" }]],
      ["()", null],
      ["[1 [2] nil]", { vector: [1, { vector: [2] }, null] }],
      ['#("text" 0 3 (face bold))', "text"],
      ["'x", [{ symbol: "quote" }, { symbol: "x" }]],
      ["#'x", [{ symbol: "function" }, { symbol: "x" }]],
      [
        "`(a ,b ,@c)",
        [{ symbol: "`" }, [{ symbol: "a" }, [{ symbol: "," }, { symbol: "b" }], [{ symbol: ",@" }, { symbol: "c" }]]],
      ],
      ["(#1=(x) #1#)", [[{ symbol: "x" }], [{ symbol: "x" }]]],
      ["1.5", 1.5],
      ["1e3", 1000],
      ["-7", -7],
      ["+7", 7],
      ["1.", 1],
      [".5", 0.5],
      ["0.0e+NaN", Number.NaN],
      ["-1.0e+INF", Number.NEGATIVE_INFINITY],
      ["\\1", { symbol: "1" }],
      ["a\\ b", { symbol: "a b" }],
      ["1+", { symbol: "1+" }],
      ["-", { symbol: "-" }],
      ['"a\\n\\t\\"\\\\\\\nb\\x41\\u00e9\\101"', 'a\n\t"\\bAéA'],
      ['"raw\nline"', "raw\nline"],
      ["; a comment\n1", 1],
    ];
    for (const [text, value] of forms) expect(readForms(text), text).toEqual([value]);
  });

  test("refuses what is no data, saying where", () => {
    const refused: readonly (readonly [string, UnreadableCode, number, number])[] = [
      ["(a\n #s(hash-table))", "record", 2, 2],
      ["(a #<buffer x>)", "unreadable_object", 1, 4],
      ["#[(x) 1]", "byte_code", 1, 1],
      ["(a\n\n  #.(delete-file))", "evaluation", 3, 3],
      ["#x1f", "unknown_syntax", 1, 1],
      ["?a", "unknown_syntax", 1, 1],
      ["(a (b c)", "ended", 1, 1],
      ['(a "b', "ended", 1, 4],
      ["(a . b c)", "unexpected", 1, 8],
      ["(. b)", "unexpected", 1, 2],
      ["a)", "unexpected", 1, 2],
      ["#1=(a #1#)", "circular", 1, 7],
      ["(#2#)", "unknown_label", 1, 2],
      ['"\\M-a"', "bad_escape", 1, 2],
      ['"\\xg"', "bad_escape", 1, 2],
    ];
    for (const [text, code, line, column] of refused) {
      expect(() => readForms(text), text).toThrow(Unreadable);
      expect(() => readForms(text), text).toThrow(expect.objectContaining({ code, line, column }));
    }
  });

  test("keeps to its bounds, also where a few words stand for much", () => {
    const bounds = { depthMax: 10, lengthMax: 20, sizeMax: 100 };
    const over = (text: string): unknown => {
      try {
        return readForm(text, 0, bounds);
      } catch (error) {
        return error instanceof Unreadable ? error.code : error;
      }
    };
    expect(over("(".repeat(12))).toBe("too_deep");
    expect(over("'".repeat(12))).toBe("too_deep");
    expect(over(`(${"a ".repeat(21)})`)).toBe("too_long");
    expect(over(`"${"a".repeat(21)}"`)).toBe("too_long");
    expect(over("a".repeat(21))).toBe("too_long");
    expect(over(`(${"(a a a a a a a a a a a)".repeat(9)})`)).toBe("too_large");
    const twice = Array.from({ length: 8 }, (_, index) => `#${index + 1}=(#${index}# #${index}#)`).join(" ");
    expect(over(`(#0=(a) ${twice})`)).toBe("too_large");
  });
});
