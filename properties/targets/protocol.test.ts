/**
 * The JSON Schema of the protocol says what the checker reads: the worked example of the page and everything recorded fit, and
 * what the checker refuses does not.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { readTrace, traceFiles } from "../../regressions/files.ts";
import { appliedAt, requests } from "./protocol.ts";
import { protocolSchema } from "./protocol-schema.ts";

const page = readFileSync(fileURLToPath(new URL("../PROTOCOL.md", import.meta.url)), "utf8");
const example = page.split("## A worked example")[1] ?? "";
const lines = (mark: string): readonly unknown[] =>
  [...example.matchAll(new RegExp(`^${mark} (.*)$`, "gm"))].map(([, line]) => JSON.parse(line ?? ""));

const made = new Map<string, z.ZodType>();
const schemaOf = (name: string): z.ZodType => {
  const { $defs } = protocolSchema;
  const schema = { $schema: protocolSchema["$schema"], $defs, $ref: `#/$defs/${name}` };
  const found = made.get(name) ?? z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]); // plain JSON
  made.set(name, found);
  return found;
};
const fits = (name: string, value: unknown): boolean => schemaOf(name).safeParse(value).success;

test("the worked example fits, requests and answers", () => {
  expect([lines("→").length, lines("←").length]).toEqual([4, 4]);
  for (const line of lines("→")) expect([line, fits("Request", line)]).toEqual([line, true]);
  for (const line of lines("←")) expect([line, fits("Answer", line)]).toEqual([line, true]);
});

test("every recorded step and reply fits", async () => {
  for (const file of await traceFiles())
    for (const [step, reply] of (await readTrace(file)).trace.steps)
      expect([fits("Step", step), fits("Reply", reply)]).toEqual([true, true]);
});

describe("what the checker refuses does not fit", () => {
  test.each([
    ["an unknown verb", "Step", { do: "span" }],
    ["an unknown key of a step", "Step", { do: "save", loud: true }],
    ["a missing key of a step", "Step", { do: "spawn", by: "/root" }],
    ["an unknown event", "Reply", { ok: "done", events: [["sang", "/root"]] }],
    ["an unknown key of a view", "View", { mode: "closed", mood: 1 }],
    ["another protocol", "Request", { id: 1, hello: { protocol: 2 } }],
    ["a request of no kind", "Request", { id: 1, dance: true }],
  ])("%s", (_, name, value) => expect(fits(name, value)).toBe(false));
});

test("below house a refusal may have a code of its own", () => {
  const answer = { reply: { refused: "too_many" }, view: { mode: "closed" } };
  expect(appliedAt("core").safeParse(answer).success).toBe(true);
  expect(appliedAt("house").safeParse(answer).success).toBe(false);
  expect(requests.counters.safeParse({ id: 1, counters: true }).success).toBe(true);
});
