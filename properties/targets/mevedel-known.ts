/**
 * What is known to differ in mevedel, at the commit where a checkout stands: each found by the checker, with the sentence of
 * mevedel's own documents that it breaks, in our words.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { z } from "zod";
import type { Divergence } from "../target.ts";
import { beside } from "./beside.ts";
import { divergence } from "./sights.ts";

/** What a difference is to mevedel: against its own documents or plain sense; asked for by a later decision; said nowhere. */
const sorts = ["bug", "later", "unspecified"] as const;

interface Known {
  readonly diverges: Divergence;
  readonly sort: (typeof sorts)[number];
  /** A file of its documents, and what that says. */
  readonly document: string;
  readonly says: string;
  /** Commits between which it was seen: the first, and the first that no longer has it. */
  readonly since: string;
  readonly until: string | null;
  /** Shims without which it was not seen. */
  readonly shims: readonly string[];
  /** The shim that hides it: seen only where that is left out. */
  readonly without?: string;
}
const schema: z.ZodType<readonly Known[]> = z.array(
  z.strictObject({
    diverges: divergence,
    sort: z.enum(sorts),
    document: z.string(),
    says: z.string(),
    since: z.string(),
    until: z.string().nullable(),
    shims: z.array(z.string()),
    without: z.string().exactOptional(),
  }),
);

const known = (): readonly Known[] => schema.parse(JSON.parse(readFileSync(beside("mevedel-known.json"), "utf8")));

/** Whether the checkout stands at a commit that has this one in its history; `null` where that cannot be told. */
function has(folder: string, commit: string): boolean | null {
  try {
    execFileSync("git", ["-C", folder, "merge-base", "--is-ancestor", commit, "HEAD"], { stdio: "ignore" });
    return true;
  } catch (error) {
    return typeof error === "object" && error !== null && "status" in error && error.status === 1 ? false : null;
  }
}

/** Of a folder that is no checkout with a history, what is not known to have ended is taken to be there. */
export function knownAt(folder: string, noShims: readonly string[] = []): readonly Divergence[] {
  return known()
    .filter(({ without }) => without === undefined || noShims.includes(without))
    .filter(({ since, until }) => has(folder, since) !== false && (until === null || has(folder, until) === false))
    .map(({ diverges }) => diverges);
}
