/** Stories that failed, kept as traces: where a person finds them, or where CI uploads them from. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Failed } from "../failed.ts";
import { draft } from "../report.ts";
import { lineOfStep, printTrace } from "../trace.ts";
import { Unusable } from "../unusable.ts";

export const draftsUsual: string = join(".rollcall", "drafts");

/** What was kept: the file, and the line of the step at which it fails. */
export interface Kept {
  readonly file: string;
  readonly line: number;
}

export async function keep(failed: Failed, name: string, found: string, folder: string): Promise<Kept> {
  const trace = draft(failed, name, found);
  const slug = name.replace(/^[./\\]+/, "").replace(/[^a-z0-9]+/gi, "-");
  const kind = failed.fickle !== null ? "fickle" : trace.laws[0] === undefined ? "difference" : `l${trace.laws[0]}`;
  const file = join(folder, `${slug}-${kind}.json`);
  const text = printTrace(trace);
  await write(file, text, folder);
  return { file, line: lineOfStep(text, trace.steps.length) };
}

/** `folder` is made where it is not there. */
export async function write(file: string, text: string, folder?: string): Promise<void> {
  try {
    if (folder !== undefined) await mkdir(folder, { recursive: true });
    await writeFile(file, text);
  } catch (cause) {
    throw new Unusable(2, `${file} cannot be written: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}
