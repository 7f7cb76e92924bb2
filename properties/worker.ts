/**
 * One of several processes that tell the stories of a run (see apart.ts): opens the target by its name, tells what it is given,
 * and ends when nobody listens any more. A process and not a thread: a target may crash, leave the folder, or hold a lock.
 */

import type { Ask, Said } from "./apart.ts";
import { oracles } from "./loop.ts";
import { type Judging, type Tale, taleOf } from "./tale.ts";
import type { Target } from "./target.ts";
import { targetNamed } from "./targets/named.ts";
import { Unusable } from "./unusable.ts";

/** Not given on to a target: it reads its own arguments. */
const [, , name = "", options = "{}", seed = "", judge = "", covers = ""] = process.argv;
const judging: Judging = {
  seed: Number(seed),
  oracle: oracles.find((each) => each === judge) ?? "both",
  covers: covers !== "",
};

const say = (said: Said): Promise<void> =>
  new Promise((resolve) => {
    if (process.connected) process.send?.(said, () => resolve());
    else resolve();
  });

async function serve(target: Target): Promise<void> {
  let isLeft = false;
  let limit = Number.POSITIVE_INFINITY;
  let told: Promise<void> = Promise.resolve();
  const tell = async (asked: readonly number[]): Promise<void> => {
    const began = performance.now();
    const tales: Tale[] = [];
    for (const index of asked) {
      // A failure with a smaller number may have been found elsewhere: then this one counts for nothing.
      await new Promise((resolve) => setImmediate(resolve));
      if (isLeft || index > limit) break;
      tales.push(await taleOf(target, judging, index));
    }
    await say({ tales, asked: asked.length, ms: performance.now() - began });
  };
  process.on("message", (message: unknown) => {
    const ask = message as Ask; // its parent is of the same build
    if ("limit" in ask) limit = ask.limit;
    else told = told.then(() => tell(ask.tell)).catch(failed);
  });
  if (process.connected) await new Promise<void>((resolve) => process.once("disconnect", resolve));
  isLeft = true;
  await told;
  await target.close();
}

/** What ends a run there as it would here. */
async function failed(error: unknown): Promise<void> {
  if (error instanceof Unusable) await say({ unusable: error.message, exit: error.exit });
  else await say({ bug: error instanceof Error ? (error.stack ?? error.message) : String(error) });
}

// Ctrl-C at a terminal reaches every process of a group: whoever started this one says when it ends.
process.on("SIGINT", () => {});
try {
  const target = await (await targetNamed(name, JSON.parse(options)))();
  await say({ opened: true });
  await serve(target);
} catch (error) {
  await failed(error);
}
process.exit();
