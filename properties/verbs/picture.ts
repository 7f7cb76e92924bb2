/** A picture of a target's screen, for those that have one, taken where a story has failed. */
import type { Failed } from "../failed.ts";
import { run } from "../loop.ts";
import type { OpenTarget } from "../target.ts";

/** The story is told once more, to its failing step; answers the file beside its draft, `null` where there is no screen. */
export async function pictured(open: OpenTarget, { shrunk }: Failed, draft: string): Promise<string | null> {
  const target = await open();
  try {
    if (target.picture === undefined) return null;
    await run(target, shrunk.scope, (_, index) => shrunk.run.told[index]?.[0] ?? null);
    const file = draft.replace(/\.json$/, ".png");
    await target.picture(file);
    return file;
  } finally {
    await target.close();
  }
}
