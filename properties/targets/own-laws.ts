/**
 * Laws that a project adds to those of the specification: a module whose export `laws` is a list of a name, a sentence and a
 * check over what its registry shows, before a step and after it. Reports number them from 1001 on, in the module's order.
 */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Law, Seen } from "../../model/index.ts";
import { Unusable } from "../unusable.ts";

export interface OwnLaw {
  /** Shown before the sentence. */
  readonly name: string;
  /** What must be true. */
  readonly sentence: string;
  /** `null`: it holds; else what is wrong, with path and values. `before` is `null` at the first look. */
  readonly check: (before: Seen | null, now: Seen) => string | null;
}

const firstNumber = 1_001;

export async function lawsFrom(file: string): Promise<readonly Law[]> {
  if (!existsSync(file)) throw new Unusable(2, `there is no module of laws ${file}`);
  let module: unknown;
  try {
    module = await import(pathToFileURL(resolve(file)).href);
  } catch (cause) {
    throw new Unusable(2, `${file} cannot be loaded as a module of laws: ${cause}`, { cause });
  }
  const laws = typeof module === "object" && module !== null && "laws" in module ? module.laws : undefined;
  if (!Array.isArray(laws) || laws.length === 0)
    throw new Unusable(2, `${file} exports no laws; expected is a list of { name, sentence, check }`);
  return laws.map((law: unknown, index) => {
    if (!isLaw(law))
      throw new Unusable(2, `${file}: law ${index + 1} is not { name, sentence, check }, two texts and a function`);
    return numbered(law, firstNumber + index, file);
  });
}

const isLaw = (given: unknown): given is OwnLaw =>
  typeof given === "object" &&
  given !== null &&
  "name" in given &&
  "sentence" in given &&
  "check" in given &&
  typeof given.name === "string" &&
  typeof given.sentence === "string" &&
  typeof given.check === "function";

function numbered({ name, sentence, check }: OwnLaw, number: number, file: string): Law {
  return {
    ...{ number, kind: "T", sentence: `${name}: ${sentence}`, checkedHere: true, needs: [] },
    check: (_, before, now) => {
      let what: unknown;
      try {
        what = check(before, now);
      } catch (cause) {
        throw new Unusable(2, `${file}: the check of ${name} threw: ${cause}`, { cause });
      }
      if (what === null || typeof what === "string") return what;
      throw new Unusable(2, `${file}: the check of ${name} answered neither null nor a text`);
    },
  };
}
