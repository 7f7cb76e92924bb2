// Frozen references: found by their owner or not at all; and what a configuration may be.
import { describe, expect, test } from "vitest";
import { frozenConfig } from "./config.ts";
import type { ToolRef } from "./contract.ts";
import { openTools } from "./tools.ts";

function registrar(category: string, names: readonly string[], loaded: string[] = []) {
  return { category, names: () => names, load: (name: string) => void loaded.push(`${category}/${name}`) };
}
const config = {
  ...{ instructions: "i", model: "m", effort: "high", tools: [["core", "read"]], limits: { tokens: 1 } },
  parameters: { list: [1, { deep: null }] },
};

describe("a reference", () => {
  test("leads to its category's owner, who is the first in the list, and to nobody by its name alone", () => {
    const tools = openTools([registrar("core", ["read"]), registrar("core", ["write"]), registrar("net", ["fetch"])]);
    expect(tools.flaw([["core", "read"]])).toBe(null);
    expect(tools.flaw([["core", "write"]])?.code).toBe("tool_unknown");
    expect(tools.flaw([["core", "fetch"]])?.code).toBe("tool_unknown");
    expect(tools.flaw([["disk", "read"]])?.code).toBe("category_foreign");
    const both: readonly ToolRef[] = [
      ["disk", "read"],
      ["core", "fetch"],
    ];
    expect(tools.flaw(both)?.code).toBe("tool_unknown");
  });

  test("is registered once, when it is first used, and never by listing", async () => {
    const loaded: string[] = [];
    const tools = openTools([registrar("core", ["read", "write"], loaded)]);
    tools.flaw([["core", "read"]]);
    expect(loaded).toEqual([]);
    await tools.load([
      ["core", "read"],
      ["core", "write"],
    ]);
    expect(tools.load([["core", "read"]])).toBe(null);
    expect(loaded).toEqual(["core/read", "core/write"]);
  });
});

describe("a configuration", () => {
  test("is copied and frozen all the way down", () => {
    const frozen = frozenConfig(config);
    expect(frozen).toEqual(config);
    for (const each of [frozen, frozen?.tools, frozen?.tools[0], frozen?.limits, frozen?.parameters["list"]])
      expect(Object.isFrozen(each)).toBe(true);
    expect(frozen?.parameters["list"]).not.toBe(config.parameters.list);
  });

  test.each([
    ["none", null],
    ["a key too few", { ...config, effort: undefined }],
    ["a key too many", { ...config, colour: "red" }],
    ["a tool twice", { ...config, tools: [...config.tools, ...config.tools] }],
    ["a limit that is no number", { ...config, limits: { tokens: Number.NaN } }],
    ["a parameter that JSON cannot carry", { ...config, parameters: { when: new Date(0) } }],
  ])("is none: %s", (_name, given) => {
    expect(frozenConfig(given)).toBe(null);
  });
});
