/**
 * Other values that a step could carry, for finding out which of them matter. Pure: what becomes of the story with them is
 * found out elsewhere.
 */

import { begin, step as decide } from "../../model/index.ts";
import type { Scope, Step } from "../../src/contract.ts";
import { digest } from "../digest.ts";
import { step as schema } from "../schema.ts";
import { answersOf, blockKinds, outcomes, recordDamages } from "../words.ts";
import { short } from "./say.ts";

/** One value of a step, and steps that carry another one in its place. */
export interface Variable {
  readonly key: string;
  readonly others: readonly Other[];
}
export interface Other {
  /** As it is told to people. */
  readonly says: string;
  readonly step: Step;
  /** Of texts: as long as the one it stands for. */
  readonly sameLength: boolean;
}

type Loose = { readonly [key: string]: unknown };

/** Commit answers stand for their kind: one that is not written, and a crash on either side of the write. */
const commits: readonly string[] = ["ok", "not_written", "crash_before", "crash_after"];
/** A key taken out is told like this. */
const absent = "left out";
/** Of one value, so many others are tried at most. */
const othersMax = 4;

/** Keys with a closed list of values; the ones that a step lacks are not invented. */
const lists: { readonly [key: string]: readonly string[] } = {
  outcome: outcomes,
  kind: blockKinds,
  commit: commits,
  epoch: commits,
  mode: ["write", "read"],
};
const removable: readonly string[] = ["handler", "callback", "timeoutMs", "last", "takeover", "registrars", "prefix"];

/** `agents` are the paths of the story, root first. A name is not among these: it is changed in the whole story at once. */
export function variables(step: Step, scope: Scope, agents: readonly string[]): readonly Variable[] {
  const loose: Loose = { ...step };
  const found: Variable[] = [];
  const put = (key: string, others: readonly Other[]): void => {
    if (others.length > 0) found.push({ key, others: others.slice(0, othersMax) });
  };
  const said = (key: string, values: readonly (string | number)[]): readonly Other[] =>
    values
      .filter((value) => value !== loose[key])
      .flatMap((value) => other(changed(loose, key, value), short(String(value))));

  if (typeof loose["text"] === "string") put("text", texts(loose, loose["text"]));
  if (step.do === "answer") put("with", said("with", answersOf[step.gate]));
  const given = "answers" in step ? (step.answers ?? {}) : {};
  for (const [gate, held] of Object.entries(given)) {
    const choices: readonly string[] = gate in answersOf ? answersOf[gate as keyof typeof answersOf] : []; // it is in there
    const with_ = (choice: string): Loose => ({ ...loose, answers: { ...given, [gate]: choice } });
    put(
      `answers.${gate}`,
      choices.filter((choice) => choice !== held).flatMap((choice) => other(with_(choice), choice)),
    );
  }
  for (const [key, values] of Object.entries(lists)) if (loose[key] !== undefined) put(key, said(key, values));
  if (step.do === "spawn") put("role", said("role", spawnable(scope, step.text)));
  if (step.do !== "spawn" && loose["by"] !== undefined) put("by", said("by", agents));
  if (step.do === "set_capacity") put("capacity", said("capacity", [1, 2, 3, 4]));
  if (step.do === "elapse") put("ms", said("ms", [1, 10_000, 3_600_000]));
  if (step.do === "damage" && step.what === "record") put("how", said("how", recordDamages));
  for (const key of removable)
    if (loose[key] !== undefined)
      put(key, other(Object.fromEntries(Object.entries(loose).filter(([name]) => name !== key)), absent));
  return found;
}

/** Roles that would not be turned away at once, whatever else the story does. */
function spawnable(scope: Scope, text: string): readonly string[] {
  return Object.keys(scope.roles).filter((role) => {
    const { reply } = decide(begin(digest, scope), { do: "spawn", by: "/root", name: "a", role, text });
    return "gate" in reply;
  });
}

const changed = (loose: Loose, key: string, value: string | number): Loose => ({ ...loose, [key]: value });

/** Nothing where that is no step. */
function other(loose: Loose, says: string, sameLength = false): readonly Other[] {
  const read = schema.safeParse(loose);
  return read.success ? [{ says, step: read.data, sameLength }] : [];
}

function texts(loose: Loose, text: string): readonly Other[] {
  const letter = text.startsWith("x") ? "y" : "x";
  const alike = text === "" ? [] : other(changed(loose, "text", letter.repeat(text.length)), "another text", true);
  const short = text.length === 1 ? [] : other(changed(loose, "text", letter), "a short text");
  return [...alike, ...short];
}
