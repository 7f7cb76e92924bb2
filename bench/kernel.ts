/** What the system counts of this process; null where it does not. */
import { readFileSync } from "node:fs";

interface Traffic {
  /** Bytes handed to the kernel, whatever became of them. */
  readonly written: number;
  /** Bytes that came from it, out of the page cache or not. */
  readonly read: number;
}
export function traffic(): Traffic | null {
  try {
    const text = readFileSync("/proc/self/io", "latin1");
    const field = (name: string) => Number(new RegExp(`^${name}: (\\d+)$`, "m").exec(text)?.[1] ?? Number.NaN);
    return { written: field("wchar"), read: field("rchar") };
  } catch {
    return null;
  }
}
/** Bytes this process handed to the kernel so far. */
export function kernelBytes(): number | null {
  return traffic()?.written ?? null;
}
