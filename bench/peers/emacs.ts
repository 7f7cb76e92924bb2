/**
 * An Emacs that has loaded mevedel from checkouts of the user's, byte-compiled in a copy, as an image in `.rollcall/`; and a
 * process of it that is asked one thing after the other. Made once for the same checkouts; nothing is written to them.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { Socket } from "node:net";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { checkout, NotInstalled } from "./installed.ts";

/** How to start it. */
export interface Image {
  readonly file: string;
  /** Folders of packages. */
  readonly load: readonly string[];
}

const program = "emacs";
/** In the order in which they need each other, with a file by which a checkout is known. */
const packages = [
  ["emacs-websocket", "websocket.el"],
  ["gptel", "gptel.el"],
  ["gptel-agent", "gptel-agent.el"],
  ["mevedel", "mevedel.el"],
] as const;
const driver: string = join(checkout, "properties", "targets");
const sources: readonly string[] = [
  join(driver, "emacs", "rollcall-target.el"),
  join(driver, "emacs", "mevedel-steps.el"),
  join(driver, "mevedel.el"),
  join(checkout, "bench", "peers", "mevedel.el"),
];

/** The Lisp of a package: what lies at the top of its checkout, its tests left out. */
function lispIn(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".el") && !name.endsWith("-test.el"))
    .map((name) => join(folder, name));
}
/** The same for the same Emacs and the same files, as far as names, sizes and times tell. */
function keyOf(folder: string): string {
  const version = spawnSync(program, ["--version"], { encoding: "utf8" });
  if (version.status !== 0) throw new NotInstalled(`mevedel needs Emacs 30, and \`${program} --version\` does not run`);
  const files = [...sources, ...packages.flatMap(([name]) => lispIn(join(folder, name)))];
  const seen = files.map((file) => `${file} ${statSync(file).size} ${statSync(file).mtimeMs}`);
  return createHash("sha256")
    .update([version.stdout, ...seen].join("\n"))
    .digest("hex")
    .slice(0, 16);
}
/** A file that does not compile is loaded from source, as Emacs does. */
const settings =
  "(setq native-comp-jit-compilation nil native-comp-enable-subr-trampolines nil byte-compile-warnings nil load-prefer-newer t)";

function made(folder: string, place: string): Image {
  console.error(`compiling mevedel and what it needs from ${folder} (once, about half a minute)`);
  const load = packages.map(([name]) => join(place, name));
  for (const [name] of packages)
    cpSync(join(folder, name), join(place, name), {
      recursive: true,
      filter: (path) => ![".git", "test"].includes(basename(path)),
    });
  const loads = load.flatMap((each) => ["-L", each]);
  // Batch compilation goes on after a file that fails, and says so with its exit code.
  const compile = ["--eval", settings, "-f", "batch-byte-compile", ...load.flatMap(lispIn)];
  spawnSync(program, ["-Q", "--batch", ...loads, ...compile], { stdio: "ignore" });
  const all = [join(driver, "emacs"), ...load];
  const own = sources.slice(2).flatMap((file) => ["-l", file]);
  const file = join(place, "emacs.pdmp");
  const dump = `(peer-dump ${JSON.stringify(file)})`;
  const args = [...all.flatMap((each) => ["-L", each]), "--eval", settings, ...own, "--eval", dump];
  const done = spawnSync(program, ["-Q", "--batch", ...args], {
    encoding: "utf8",
    stdio: ["ignore", "ignore", "pipe"],
  });
  if (done.status !== 0) {
    rmSync(place, { recursive: true, force: true });
    throw new NotInstalled(`mevedel cannot be loaded from ${folder}: ${done.stderr.trim().split("\n").at(-1)}`);
  }
  return { file, load: all };
}

/** The image of these checkouts, made unless it is there. */
export function imageOf(folder: string): Image {
  for (const [name, file] of packages)
    if (!existsSync(join(folder, name, file)))
      throw new NotInstalled(`ROLLCALL_MEVEDEL names ${folder}, which has no checkout ${name} with ${file} in it`);
  const home = join(checkout, ".rollcall", "mevedel");
  const known = join(home, `${keyOf(folder)}.json`);
  if (existsSync(known)) return JSON.parse(readFileSync(known, "utf8"));
  // In a place of its own, and known once it is whole: somebody else may be making the same.
  const place = join(home, `${basename(known, ".json")}-${process.pid}`);
  mkdirSync(place, { recursive: true });
  const image = made(folder, place);
  writeFileSync(join(place, "image.json"), JSON.stringify(image));
  renameSync(join(place, "image.json"), known);
  return image;
}

/** What it is asked for, and with what. */
export type Step = { readonly do: string } & { readonly [key: string]: unknown };
export interface Emacs {
  /** Answers JSON data; rejects with what Emacs signals. */
  ask(step: Step): Promise<unknown>;
  readonly pid: number | undefined;
}
/** Whether this process waits for that one before it ends. */
function hold(child: ChildProcess, isHeld: boolean): void {
  const pipes = [child.stdin, child.stdout].filter((pipe) => pipe instanceof Socket);
  for (const each of [child, ...pipes]) {
    if (isHeld) each.ref();
    else each.unref();
  }
}
/** Started now; it ends when this process does. Only what it is asked keeps this process from ending. */
export function started({ file, load }: Image, home: string): Emacs {
  const loads = load.flatMap((each) => ["-L", each]);
  const child = spawn(program, [`--dump-file=${file}`, "-Q", "--batch", ...loads, "-f", "peer-main"], {
    cwd: home,
    // Whatever somebody keeps at home is neither read nor written.
    env: { ...process.env, HOME: home, LC_ALL: "C.UTF-8" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const over = new Promise<never>((_, reject) => {
    child.once("error", reject);
    child.once("close", (code) => reject(new Error(`Emacs ended with exit code ${code}`)));
  });
  over.catch(() => {});
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  hold(child, false);
  let asked = 0;
  return {
    pid: child.pid,
    ask: async (step) => {
      hold(child, true);
      child.stdin.write(`${JSON.stringify({ id: ++asked, apply: step })}\n`);
      const { value, done } = await Promise.race([lines.next(), over]);
      hold(child, false);
      if (done === true) return over;
      const answer: { readonly reply: unknown } | { readonly error: string } = JSON.parse(value);
      if ("error" in answer) throw new Error(`Emacs, asked for ${step.do}: ${answer.error}`);
      return answer.reply;
    },
  };
}
