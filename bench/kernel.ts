/** What the system counts of this process, and of others that work for it; null where it does not. */
import { readFileSync } from "node:fs";

interface Traffic {
  /** Bytes handed to the kernel, whatever became of them. */
  readonly written: number;
  /** Bytes that came from it, out of the page cache or not. */
  readonly read: number;
}
function fieldIn(file: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s*(\\d+)`, "m").exec(readFileSync(file, "latin1"))?.[1] ?? Number.NaN);
}
/** With that of others, by their ids. */
export function traffic(others: readonly number[] = []): Traffic | null {
  const sum = (name: string) =>
    ["self", ...others.map(String)].reduce((all, each) => all + fieldIn(`/proc/${each}/io`, name), 0);
  try {
    return { written: sum("wchar"), read: sum("rchar") };
  } catch {
    return null;
  }
}
/** Most memory these processes ever had, in bytes; 0 where the system does not count. */
export function memoryOf(others: readonly number[]): number {
  try {
    return others.reduce((all, each) => all + fieldIn(`/proc/${each}/status`, "VmHWM") * 1_024, 0);
  } catch {
    return 0;
  }
}
/** Bytes this process handed to the kernel so far. */
export function kernelBytes(): number | null {
  return traffic()?.written ?? null;
}
