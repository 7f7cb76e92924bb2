/**
 * The twins made from public reports are told from the truth by the stories that production is judged by. Nobody looked at
 * the generator when they were made. False would be: a fault that people had elsewhere, and that no story here would show.
 */
import { expect, test } from "vitest";
import { check } from "../../check.ts";
import { targetNamed } from "../../targets/named.ts";
import { twins } from "../all.ts";
import { reported } from "./all.ts";

test("none has the name of another twin", () => {
  expect(Object.keys(reported).filter((name) => Object.hasOwn(twins, name))).toEqual([]);
});

test.each(Object.entries(reported))("%s is found", { timeout: 120_000 }, async (name) => {
  const open = await targetNamed(`twin:${name}`);
  const { failed, stories } = await check({ runs: 2_000, seed: 1, open, shrinksMax: 2 });
  expect(failed, `${stories} stories`).not.toBeNull();
});
