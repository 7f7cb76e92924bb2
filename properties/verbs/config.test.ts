/** What a configuration says stands in the place of options that were not given; what is wrong with one is said in a sentence. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { configured } from "./config.ts";

let folder = "";
const at = (name: string): string => join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "rollcall-config-"));
  const own = { target: "twin:order_reversed", level: "core", seed: 7, runs: 20, targetTimeoutMs: 500 };
  const diverges = [{ kind: "L14", why: "mail comes in any order here" }];
  await writeFile(at("good.json"), JSON.stringify({ ...own, diverges }));
  await writeFile(at("good.mjs"), `export default ${JSON.stringify(own)};`);
  await writeFile(at("key.json"), '{"taget": "memory"}');
  await writeFile(at("kind.json"), '{"diverges": [{"kind": "L14"}]}');
  await writeFile(at("torn.json"), '{"target": ');
  await writeFile(at("bare.mjs"), "export const nothing = 1;");
  await writeFile(at("throws.mjs"), "throw new Error('not today');");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("a configuration", () => {
  test("stands in for what was not given, and divergences come along", async () => {
    const { values, diverges } = await configured({ config: at("good.json"), seed: "9" });
    expect(values).toMatchObject({ target: "twin:order_reversed", level: "core", seed: "9", runs: "20" });
    expect(values).toMatchObject({ "target-timeout": "500" });
    expect(diverges).toEqual([{ kind: "L14", why: "mail comes in any order here" }]);
    expect((await configured({ config: at("good.mjs") })).values).toMatchObject({ runs: "20" });
  });
  test("says nothing of how another target is judged", async () => {
    const { values, diverges } = await configured({ config: at("good.json"), target: "memory", level: undefined });
    expect([values.level, diverges, values.target]).toEqual([undefined, undefined, "memory"]);
    expect(values).toMatchObject({ seed: "7" });
  });
  test("need not be there", async () => {
    const given = { target: "memory" };
    expect(await configured(given)).toEqual({ values: given, diverges: undefined });
  });
});

describe("what is none", () => {
  const wrong: readonly (readonly [file: string, says: RegExp])[] = [
    ["none.json", /there is no configuration/],
    ["key.json", /key.json is no configuration: .*taget/],
    ["kind.json", /is no configuration at diverges.0.why/],
    ["torn.json", /cannot be read as a configuration: .*JSON/],
    ["bare.mjs", /it exports nothing as default/],
    ["throws.mjs", /cannot be read as a configuration: not today/],
  ];
  for (const [file, says] of wrong)
    test(file, async () => {
      await expect(configured({ config: at(file) })).rejects.toMatchObject({
        exit: 2,
        message: expect.stringMatching(says),
      });
    });
});
