/**
 * The README's table of laws is generated from the laws and must be what they say now; every test that a law names exists.
 * `README_UPDATE=1 npm test -- properties/readme.test.ts` writes the table anew.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type Law, laws } from "../model/index.ts";

const readme: URL = new URL("../README.md", import.meta.url);
const begins = "<!-- laws: generated, see properties/readme.test.ts -->\n";
const ends = "<!-- /laws -->";

const kinds = { S: "in every state", T: "across every step" };
function where({ kind, elsewhere }: Law): string {
  return elsewhere === undefined ? kinds[kind] : `${kinds[kind]}; ${elsewhere.replace(/^[\w./-]+/, "`$&`")}`;
}
const table: string = [
  "| law | | enforced |",
  "| --- | --- | --- |",
  ...laws.map((law) => `| L${law.number} | ${law.sentence} | ${where(law)} |`),
  "",
].join("\n");

test("the table of laws in README is what the laws say", () => {
  const text = readFileSync(readme, "utf8");
  const from = text.indexOf(begins) + begins.length;
  const to = text.indexOf(ends);
  expect(to).toBeGreaterThan(from);
  if (process.env["README_UPDATE"] === "1") writeFileSync(readme, text.slice(0, from) + table + text.slice(to));
  else expect(text.slice(from, to)).toBe(table);
});

test("all 41 laws are there, and where a law is checked elsewhere there is such a test", () => {
  expect(laws.map(({ number }) => number)).toEqual(Array.from({ length: 41 }, (_, index) => index + 1));
  for (const { number, elsewhere, checkedHere } of laws) {
    if (checkedHere) continue;
    const file = /^[\w./-]+\.test\.ts/.exec(elsewhere ?? "")?.[0] ?? "";
    expect(existsSync(new URL(`../${file}`, import.meta.url)), `L${number}: ${file}`).toBe(true);
  }
});
