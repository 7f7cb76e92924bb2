/**
 * REPORTS.md says what covers each public report. False would be: a row that is missing, or that names a trace, a test, a twin
 * or a law which is not there; a trace of a report that its row does not name.
 */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { laws } from "../model/index.ts";
import { targetNames } from "../properties/targets/named.ts";
import { plants } from "../properties/targets/plants.ts";
import { readTrace, traceFiles } from "./files.ts";

/** By section, the numbers of the reports that were gathered. */
const gathered: { readonly [section: string]: readonly number[] } = {
  A: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16, 17, 18],
  B: [1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12],
  C: [1, 2, 3, 4, 6, 7, 8, 10, 12, 13, 14, 15, 16, 17, 18],
  D: [1, 2, 3, 4, 6, 7, 8, 9, 10, 12, 13, 14],
  E: [1, 2, 3, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15, 16],
  F: [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12],
  G: [1, 2, 3, 4, 7, 8, 10, 11, 12, 13, 14, 15, 16, 17, 18, 20, 21, 22, 23, 24, 25],
};
const ids = Object.entries(gathered).flatMap(([section, numbers]) => numbers.map((number) => `${section}${number}`));

const root = new URL("../", import.meta.url);
const table = readFileSync(new URL("REPORTS.md", import.meta.url), "utf8");
const rows = table
  .split("\n")
  .filter((line) => /^\| [A-Z]\d+ \|/.test(line))
  .map((line) => {
    const [id = "", source = "", about = "", ...cover] = line.replace(/^\| | \|$/g, "").split(" | ");
    return { id, source, about, cover: cover.join(" | ") };
  });
const recorded = await Promise.all((await traceFiles()).map(readTrace));

/** What a row names, as the texts between backquotes, each with what stands behind it in quotes. */
const named = (cover: string): readonly (readonly [what: string, title: string | null])[] =>
  [...cover.matchAll(/`([^`]+)`(?: "([^"]+)")?/g)].map(([, what = "", title]) => [what, title ?? null]);

const tracesOf = (cover: string): readonly string[] =>
  named(cover).flatMap(([what]) => (/^\d{4}-\d{2}-\d{2}-/.test(what) ? [what] : []));
const testsOf = (cover: string) => named(cover).filter(([what]) => what.endsWith(".test.ts"));

test("every report has its row, once and in order", () => {
  expect(rows.map(({ id }) => id)).toEqual(ids);
});

test.each(rows)("$id is covered by something that is there", ({ cover }) => {
  const covered = tracesOf(cover).length + testsOf(cover).length;
  expect(covered > 0 || /cannot apply/.test(cover), cover).toBe(true);
  for (const trace of tracesOf(cover)) expect(recorded.map(({ name }) => name)).toContain(trace);
  for (const [file, title] of testsOf(cover)) {
    const path = fileURLToPath(new URL(file, root));
    expect([file, existsSync(path)]).toEqual([file, true]);
    expect(title, `${file} without a title`).not.toBeNull();
    // As a title of a test, and not in a comment.
    const source = readFileSync(path, "utf8");
    const calls = [`"${title}"`, `\`${title}\``].some(
      (quoted) => source.includes(`(${quoted},`) || source.includes(`  ${quoted},`),
    );
    expect([title, calls]).toEqual([title, true]);
  }
  for (const [what] of named(cover)) {
    if (/^(twin|child):/.test(what)) expect(targetNames()).toContain(what);
    if (what.startsWith("plant:")) expect(plants.map(({ name }) => `plant:${name}`)).toContain(what);
  }
  for (const [, number] of cover.matchAll(/\bL(\d+)\b/g))
    expect(laws.map((law) => law.number)).toContain(Number(number));
});

test("a trace stands with the fault it names, and every trace of a report stands in its row", () => {
  for (const { cover } of rows)
    for (const [, trace, fault] of cover.matchAll(/`([^`]+)` \(red on `([^`]+)`\)/g))
      expect([trace, recorded.find(({ name }) => name === trace)?.trace.fault]).toEqual([trace, fault]);
  for (const { name, trace } of recorded)
    for (const [, id] of trace.found.matchAll(/report ([A-Z]\d+)/g))
      expect([id, tracesOf(rows.find((row) => row.id === id)?.cover ?? "").includes(name)]).toEqual([id, true]);
});
