/**
 * An Emacs that has loaded a driver and what it drives, kept as an image in a temporary folder until this process ends: after
 * every crash of a story an Emacs is started anew, and from an image it takes a sixth of the time. Making one takes longer than
 * most first stories, so it is made beside them, and only where it is known to be of use.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";

/** Starts for which no image is made. */
const startsFew = 3;

interface Image {
  starts: number;
  /** `null` until it is there; for ever, where it cannot be made: then everything starts from source. */
  file: string | null;
}
const images = new Map<string, Image>();

/** Begins to make it, and waits for nothing. */
function make(image: Image, emacs: string, load: readonly string[]): void {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-emacs-"));
  const file = join(folder, "emacs.pdmp");
  const dump = `(progn (setq command-line-args nil) (dump-emacs-portable ${JSON.stringify(file)}))`;
  const made = execa(emacs, ["-Q", "--batch", ...load, "--eval", dump], { reject: false, stdio: "ignore" });
  // A run that is over does not wait for it.
  made.unref();
  process.once("exit", () => {
    made.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });
  void made.then(({ exitCode }) => {
    if (exitCode === 0) image.file = file;
  });
}

/** The image to start Emacs from next, the same for all who ask with the same words; `null` as long as there is none. */
export function imageOf(emacs: string, load: readonly string[]): string | null {
  const key = JSON.stringify([emacs, load]);
  const image = images.get(key) ?? { starts: 0, file: null };
  images.set(key, image);
  if (++image.starts === startsFew) make(image, emacs, load);
  return image.file;
}
