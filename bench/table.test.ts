/** What is printed fits 80 columns and says its units; what was asked for is told from what was not understood. */
import { tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import { helpOf, parse, UsageError } from "./arguments.ts";
import { atLeast, atMost, exactly } from "./claims.ts";
import { timingOf } from "./measure.ts";
import { claimsOf, shown, tableOf } from "./table.ts";

const subjects = ["restore", "open"];
const leftOut = ["emacs, because this is a test and nobody has named a folder in which it would be found today"];
const known = {
  subjects,
  gated: ["open"],
  peers: ["rollcall", "files", "xstate"],
  plain: ["rollcall", "files"],
  leftOut,
};

describe("a table", () => {
  it("fits 80 columns with four sizes and long labels", () => {
    const values = [0.1234, 12.345, 1_234.5, null];
    const rows = [{ label: "to the first follow-up, eager", unit: "ms", values }] as const;
    const notes = [
      "A sentence that is longer than eighty columns and is therefore folded at a space between two words.",
    ];
    const text = tableOf({ title: "Restore", columns: ["28", "1,000", "10,000", "100,000"], rows, notes });
    expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(text).toContain("  0.123 ms   12.3 ms  1,235 ms");
  });

  it.each([
    [0.0421, "ms", "0.042 ms"],
    [12_345, "ms", "12.3 s"],
    [12_360, "bytes", "12,360 B"],
    [5_590_000, "bytes", "5.59 MB"],
    [92.4, "times", "92x"],
    [1.234, "times", "1.23x"],
    [24_100.4, "per_second", "24,100/s"],
    [0, "count", "0"],
  ] as const)("shows %d %s as %s", (value, unit, text) => {
    expect(shown(value, unit)).toBe(text);
  });
});

describe("claims", () => {
  it("hold or are missed, and say so within 80 columns", () => {
    const missed = atLeast("restore of 28 x 500 KB with a rather long description", 50, 49.9, "times");
    const all = [
      missed,
      atMost("open", 1.5, 1.5, "times"),
      exactly("rows read", 0, [0, 0]),
      exactly("rows", 0, [0, 1]),
    ];
    expect(all.map(({ isHeld }) => isHeld)).toEqual([false, true, true, false]);
    const lines = claimsOf(all).split("\n");
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(lines.filter((line) => line.includes("MISSED"))).toHaveLength(2);
    expect(lines.at(-1)).toBe("  1 count of work, the same in every sample");
  });

  it("do not hold where nothing was counted", () => {
    expect(exactly("rows", 0, []).isHeld).toBe(false);
  });
});

describe("timings", () => {
  it("are medians and quartiles", () => {
    expect(timingOf([5, 1, 4, 2, 3])).toEqual({ median: 3, low: 2, high: 4, samples: 5, all: [5, 1, 4, 2, 3] });
    expect(timingOf([1, 2]).median).toBe(1.5);
  });
});

describe("the arguments", () => {
  it("are everything unless told, and otherwise run in one order", () => {
    expect(parse([], known)).toEqual({
      ...{ mode: "measure", names: subjects, isQuick: false, json: null, at: null, against: null, trials: 0 },
      typed: "",
      peers: ["rollcall", "files", "xstate"],
    });
    expect(parse(["open", "restore", "--quick"], known)).toMatchObject({ names: subjects, isQuick: true });
    expect(parse(["--help", "open"], known)).toBe("help");
    expect(helpOf(known)).toContain("restore, open");
  });

  it("say who is left out, and why", () => {
    const help = helpOf(known).split("\n");
    expect(help.join(" ").replace(/ +/g, " ")).toContain(`(left out: ${leftOut[0]})`);
    expect(Math.max(...help.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(() => parse(["--only", "emacs"], known)).toThrow(`Left out: ${leftOut[0]}.`);
    expect(helpOf({ ...known, leftOut: [] })).not.toContain("left out");
  });

  it("choose peers, ours always first, and none that needs a package where there is no time for one", () => {
    expect(parse(["--only", "xstate"], known)).toMatchObject({ peers: ["rollcall", "xstate"] });
    expect(parse(["--at", "28x5000"], known)).toMatchObject({ at: { agents: 28, conversation: 5_000 } });
    expect(parse(["--alone"], known)).toMatchObject({ peers: ["rollcall", "files"], isQuick: false });
    expect(parse(["--gate"], known)).toMatchObject({ mode: "gate", names: ["open"], peers: ["rollcall", "files"] });
  });

  it.each([
    [["nothing"]],
    [["--fast"]],
    [["--json"]],
    [["--json", ""]],
    [["--json", tmpdir()]],
    [["--json", "/no/such/place"]],
    [["--only", "nobody"]],
    [["--gate", "--report"]],
    [["--against", tmpdir()]],
    [["--against", ".", "open"]],
    [["--at", "1000"]],
    [["--at", "1x0"]],
    [["--trials", "0"]],
    [["--trials", "many"]],
  ])("are refused before anything is measured: %j", (argv) => {
    expect(() => parse(argv, known)).toThrow(UsageError);
  });
});
