/**
 * For work that shares a folder: waits for all of it, also where a part fails, so that nothing is written any more behind whoever
 * removes the folder then, and no "not empty" hides what failed. And that removal, which waits for what a killed process leaves.
 */
import { rm } from "node:fs/promises";

/** What each came to; the first failure, once all have ended. */
export async function settled<Value>(all: readonly Promise<Value>[]): Promise<readonly Value[]> {
  await Promise.allSettled(all);
  return await Promise.all(all);
}

/** With everything in it; nothing where there is none. */
export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
}
