/**
 * The version of the specification is raised when its words change. False would be: a command, a field, an answer or the
 * order of the codes that changed under recorded stories which still claim to be of today.
 */
import { expect, test } from "vitest";
import { changesSince, specification, versions, wordsNow } from "./specification.ts";

test("its words are those of the newest version: if not, add a version that says what changed", () => {
  expect(wordsNow()).toBe(versions.at(-1)?.words);
});

test("versions count from 1, each with its day and its sentence", () => {
  expect(versions.map(({ version }) => version)).toEqual(versions.map((_, index) => index + 1));
  for (const { date, says } of versions) {
    expect(date).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    expect(says.length).toBeGreaterThan(20);
  }
  expect(specification).toBe(versions.length);
});

test("what changed since a version is said for each later one", () => {
  for (const { version, says } of versions) {
    expect(changesSince(version - 1)).toContain(says);
    expect(changesSince(version)).not.toContain(says);
  }
});
