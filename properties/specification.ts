/**
 * Versions of the specification, so that a recorded story says which one it was written for. A version ends when a step, an
 * answer, a code, an order or a rule comes to mean something else; what changed stays here for whoever reads an old story.
 */
import { hash } from "./digest.ts";
import { vocabulary } from "./schema.ts";
import { answersOf, asideCodes, commitAnswers, faults, refusals, wakeReasons, warnings } from "./words.ts";

interface Version {
  readonly version: number;
  readonly date: string;
  /** What changed, in a sentence. */
  readonly says: string;
  /** Of its words: a word that is added, renamed, removed or moved ends the version, and a test says so. */
  readonly words: string;
}

export const versions: readonly Version[] = [
  {
    version: 1,
    date: "2026-11-30",
    says: "stories say which version they were written for; those that do not are of version 0",
    words: "ab7dae09020a430a",
  },
];

/** The version of today. */
export const specification: number = versions.at(-1)?.version ?? 0;

/** Steps with their fields, answers, and codes in order. */
export const wordsNow = (): string =>
  hash(JSON.stringify([vocabulary, answersOf, commitAnswers, refusals, faults, asideCodes, warnings, wakeReasons]));

/** What changed after that version, for the sentence that says why an old story is stale. */
export function changesSince(version: number): string {
  const later = versions.filter((each) => each.version > version);
  return later.map(({ version: number, date, says }) => `version ${number} (${date}): ${says}`).join("; ");
}
