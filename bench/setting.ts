/** What every subject is given: where it may write, how hard it tries, and how the machine did today. */
import { createHash } from "node:crypto";
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import type { Measurement } from "./cells.ts";
import { stopwatch, timingOf } from "./measure.ts";
import { prose } from "./prose.ts";
import type { Claim, Section } from "./table.ts";

export interface Setting {
  /** Removed when the process ends, however it ends. */
  readonly folder: string;
  readonly isQuick: boolean;
  /** A few contents, floors with wide margins: what a busy machine can judge. */
  readonly isGate: boolean;
  /** Peers that are measured beside ours, by name; ours is first. */
  readonly peers: readonly string[];
  /** The one size of which they are measured; all unless told. */
  readonly at: { readonly agents: number; readonly conversation: number } | null;
  /** Archives written so far, by what stands in them: subjects share them. */
  readonly archives: Map<string, Promise<string>>;
}
export interface Findings {
  readonly sections: readonly Section[];
  readonly claims: readonly Claim[];
  /** For charts and comparisons: every cell that was measured beside peers. */
  readonly measured?: readonly Measurement[];
}
export type Subject = (setting: Setting) => Promise<Findings>;

export interface Calibration {
  /** A fixed loop of what the registry does most: JSON there and back, and a hash. */
  readonly loopsPerSecond: number;
  /** Four kilobytes written and made durable, where the archives are. */
  readonly syncMs: number;
}

export function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-bench-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)
    process.once(signal, () => process.exit(code));
  return folder;
}

const loops = 5_000;
const sample = JSON.stringify({ path: "/root/a", mail: [prose(1, 500), prose(2, 500)], turns: 3 });
/** Milliseconds for one loop, of so many. */
export function calibrationLoop(): number {
  const elapsed = stopwatch();
  for (let at = 0; at < loops; at++)
    createHash("sha256")
      .update(JSON.stringify(JSON.parse(sample)))
      .digest("hex");
  return elapsed() / loops;
}
export function calibrate(folder: string): Calibration {
  const file = openSync(join(folder, "calibration"), "w");
  const sync = (at: number) => {
    const elapsed = stopwatch();
    writeSync(file, Buffer.alloc(4_096, at), 0, 4_096, at * 4_096);
    fdatasyncSync(file);
    return elapsed();
  };
  calibrationLoop();
  const cpu = timingOf([1, 2, 3, 4, 5].map(calibrationLoop));
  const disk = timingOf(Array.from({ length: 40 }, (_, at) => sync(at)));
  closeSync(file);
  return { loopsPerSecond: 1_000 / cpu.median, syncMs: disk.median };
}

export interface Machine {
  readonly node: string;
  readonly platform: string;
  readonly cpu: string;
  readonly cores: number;
}
export function machine(): Machine {
  const [first] = cpus();
  const cpu = (first?.model ?? "unknown").trim();
  return { node: process.version, platform: `${process.platform} ${process.arch}`, cpu, cores: cpus().length };
}
