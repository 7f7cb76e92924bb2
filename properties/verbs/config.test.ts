/** What a configuration says stands in the place of options that were not given; what is wrong with one is said in a sentence. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { check } from "../check.ts";
import { configured } from "./config.ts";
import { chosen, opened } from "./on-target.ts";

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
    const { values, judged } = await configured({ config: at("good.json"), seed: "9" });
    expect(values).toMatchObject({ target: "twin:order_reversed", level: "core", seed: "9", runs: "20" });
    expect(values).toMatchObject({ "target-timeout": "500" });
    expect(judged.diverges).toEqual([{ kind: "L14", why: "mail comes in any order here" }]);
    expect((await configured({ config: at("good.mjs") })).values).toMatchObject({ runs: "20" });
  });
  test("says nothing of how another target is judged", async () => {
    const { values, judged } = await configured({ config: at("good.json"), target: "memory", level: undefined });
    expect([values.level, judged, values.target]).toEqual([undefined, {}, "memory"]);
    expect(values).toMatchObject({ seed: "7" });
  });
  test("need not be there", async () => {
    const given = { target: "memory" };
    expect(await configured(given)).toEqual({ values: given, judged: {} });
  });
});

describe("a project's own laws and scope", () => {
  const own = 'export const laws = [{ name: "quiet", sentence: "Nobody has mail.", check: (before, now) =>';
  const lawsIn = async (name: string, body: string): Promise<string> => {
    await writeFile(at(name), body);
    return at(name);
  };
  const judgedBy = async (more: object) => {
    await writeFile(at("judged.json"), JSON.stringify({ target: "memory", ...more }));
    const { values, judged } = await configured({ config: at("judged.json"), target: "memory" });
    return check({ runs: 30, seed: 1, open: await opened(chosen(values, "memory", judged)), shrinksMax: 200 });
  };

  test("a law of one's own is broken as those of the specification are, and shrunk", async () => {
    const laws = await lawsIn(
      "quiet.mjs",
      `${own} (now.view.root?.mail ?? []).length > 0 ? "/root has mail" : null }];`,
    );
    const { failed } = await judgedBy({ laws });
    expect(failed?.failure.kinds).toEqual(["L1001"]);
    expect(failed?.failure.broken[0]).toMatchObject({
      what: "/root has mail",
      law: { sentence: "quiet: Nobody has mail." },
    });
    expect(failed?.shrunk.run.told.length).toBeLessThanOrEqual(2);
  });
  test("one that holds fails nothing", async () => {
    const laws = await lawsIn("calm.mjs", `${own} null }];`);
    expect((await judgedBy({ laws })).failed).toBeNull();
  });
  test("every story has the scope that is asked for", async () => {
    const laws = await lawsIn(
      "narrow.mjs",
      'export const laws = [{ name: "one", sentence: "Capacity is one.", check: (before, { view }) => before === null && view.capacity !== 1 ? String(view.capacity) : null }];',
    );
    expect((await judgedBy({ laws })).failed?.failure.kinds).toEqual(["L1001"]);
    expect((await judgedBy({ laws, scope: { capacity: 1 } })).failed).toBeNull();
  });
  const wrong: readonly (readonly [says: RegExp, body: string])[] = [
    [/exports no laws; expected is a list/, "export const lows = [];"],
    [/law 1 is not \{ name, sentence, check \}/, 'export const laws = [{ name: "a" }];'],
    [/cannot be loaded as a module of laws: Error: not today/, "throw new Error('not today');"],
    [/the check of quiet answered neither null nor a text/, `${own} 7 }];`],
    [/the check of quiet threw: TypeError/, `${own} now.nothing.there }];`],
  ];
  for (const [index, [says, body]] of wrong.entries())
    test(`what is none: ${says.source}`, async () => {
      const laws = await lawsIn(`wrong-${index}.mjs`, body);
      await expect(judgedBy({ laws })).rejects.toMatchObject({ exit: 2, message: expect.stringMatching(says) });
    });
  test("which is not there", async () => {
    await expect(judgedBy({ laws: at("nowhere.mjs") })).rejects.toMatchObject({ exit: 2 });
    await expect(judgedBy({ scope: { capacity: 0 } })).rejects.toThrow(/is no configuration at scope.capacity/);
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
