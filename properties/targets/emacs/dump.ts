/**
 * An Emacs that has loaded a driver and what it drives, kept as an image in a temporary folder until this process ends: loading
 * it takes a twentieth of starting from source, and after every crash of a story an Emacs is started anew.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { Unusable } from "../../unusable.ts";

const images = new Map<string, Promise<string>>();
const folders: string[] = [];
const startMsMax = 120_000;

async function dumped(name: string, emacs: string, load: readonly string[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-emacs-"));
  if (folders.push(folder) === 1)
    process.once("exit", () => {
      for (const each of folders) rmSync(each, { recursive: true, force: true });
    });
  const image = join(folder, "emacs.pdmp");
  const dump = `(progn (setq command-line-args nil) (dump-emacs-portable ${JSON.stringify(image)}))`;
  const done = await execa(emacs, ["-Q", "--batch", ...load, "--eval", dump], {
    ...{ reject: false, stdin: "ignore", timeout: startMsMax },
  });
  if (done.exitCode === 0) return image;
  if (done.exitCode === undefined) throw new Unusable(4, `${name} does not start: ${done.shortMessage ?? emacs}`);
  const said = done.stderr.trim().split("\n").at(-1) ?? "";
  throw new Unusable(
    4,
    `${name} does not start: ${said === "" ? `Emacs ended with exit code ${done.exitCode}` : said}`,
  );
}

/** The image's file; made once for all who ask with the same words. */
export function imageOf(name: string, emacs: string, load: readonly string[]): Promise<string> {
  const key = JSON.stringify([emacs, load]);
  const image = images.get(key) ?? dumped(name, emacs, load);
  images.set(key, image);
  return image;
}
