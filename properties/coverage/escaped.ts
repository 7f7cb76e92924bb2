/** The share of planted faults that escaped the checker, from what `rollcall faults --json FILE` has written. */
import { readFile } from "node:fs/promises";
import { z } from "zod";
import { parse, parseJson } from "../trace.ts";
import { Unusable } from "../unusable.ts";

export interface Escaped {
  readonly faults: number;
  /** Names of those that lived through all stories of some seed. */
  readonly escaped: readonly string[];
  readonly hunts: number;
  readonly survived: number;
}

const hunted = z.looseObject({
  faults: z.array(
    z.looseObject({ name: z.string(), is: z.string(), kills: z.array(z.unknown()), survived: z.array(z.unknown()) }),
  ),
});

export async function escapedIn(file: string): Promise<Escaped> {
  const text = await readFile(file, "utf8").catch((cause: unknown) => {
    throw new Unusable(2, `${file} cannot be read: ${cause instanceof Error ? cause.message : cause}`, { cause });
  });
  const { faults } = parse(hunted, parseJson(text, file), `${file}, which is not what rollcall faults --json writes,`);
  // A twin is a fault of the specification; only a planted one shows that production itself would be caught.
  const planted = faults.filter(({ is }) => is !== "twin");
  return {
    faults: planted.length,
    escaped: planted.filter(({ survived }) => survived.length > 0).map(({ name }) => name),
    hunts: planted.reduce((sum, { kills, survived }) => sum + kills.length + survived.length, 0),
    survived: planted.reduce((sum, { survived }) => sum + survived.length, 0),
  };
}
