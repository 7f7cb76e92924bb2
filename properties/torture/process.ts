/**
 * A process under test as the campaign holds it: started by execa, given requests, killed. What it has written until then is the
 * ledger of its acknowledgements, and is kept here, outside of it.
 */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import type { Encoded, Reply, View } from "../../src/contract.ts";
import { leash } from "../targets/leash.ts";
import type { Request } from "../targets/torture/worker.ts";
import { Unusable } from "../unusable.ts";
import { Found } from "./judge.ts";

/** Lines of a process under test. */
export interface Line {
  readonly ok?: string;
  readonly reply?: Reply;
  /** What the step took, in the process itself. */
  readonly ms?: number;
  readonly view?: View;
  readonly encode?: Encoded | null;
  /** That its sessions have written so far. */
  readonly bytes?: number;
  readonly passed?: { readonly [point: string]: number };
  /** The point at which it dies now. */
  readonly dying?: string;
  /** What it threw: a fault of ours. */
  readonly threw?: string;
}

export interface Process {
  send(...requests: readonly Request[]): void;
  /** The next line, or `null` where it ended before. */
  next(): Promise<Line | null>;
  /** Whether it was still alive when it was killed from here; resolves when it is gone. */
  kill(): Promise<void>;
  stop(): void;
  goOn(): void;
  /** Until it is stopped, by itself or from here. */
  stopped(): Promise<void>;
  /** How it ended, and its last words on standard error. */
  said(): string;
}

/** Beside this file where it was built, else in `dist/`: Node 20 runs no TypeScript. */
export function workerProgram(): string {
  const places = ["../targets/torture/worker.js", "../../dist/properties/targets/torture/worker.js"];
  const found = places.map((each) => fileURLToPath(new URL(each, import.meta.url))).find((file) => existsSync(file));
  if (found === undefined) throw new Unusable(4, "the process to be killed is not built: npm run build");
  return found;
}

const moment = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** `wrapper` comes before `node`, as a tracer does. */
export function startProcess(program: string, wrapper: readonly string[] = []): Process {
  const [file = process.execPath, ...args] = [...wrapper, process.execPath, program];
  // A group of its own: what a wrapper has started dies with it.
  const child = execa(file, args, {
    ...{ stdin: "pipe", stdout: "pipe", stderr: "pipe", encoding: "utf8", buffer: false, reject: false },
    detached: wrapper.length > 0,
  });
  let how = "it lives";
  let isOver = false;
  const end = (): void => {
    // Its number may be another one's by now.
    if (isOver) return;
    if (child.pid !== undefined && wrapper.length > 0) process.kill(-child.pid, "SIGKILL");
    else child.kill("SIGKILL");
  };
  const release = leash(end);
  const lines: Line[] = [];
  const waiting: ((line: Line | null) => void)[] = [];
  let rest = "";
  let said = "";
  const take = (line: Line): void => {
    const give = waiting.shift();
    if (give === undefined) lines.push(line);
    else give(line);
  };
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    const parts = (rest + chunk).split("\n");
    rest = parts.pop() ?? "";
    for (const part of parts) take(parsed(part));
  });
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    said = (said + chunk).slice(-2_000);
  });
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on("error", () => {});
  const closed = new Promise<void>((resolve) => child.stdout.once("close", () => resolve()));
  // Not before all that it wrote was read: that is what it acknowledged.
  const gone = Promise.all([child, closed]).then(([{ signal, exitCode }]) => {
    how = signal ?? `exit code ${exitCode}`;
    release();
    isOver = true;
    for (const give of waiting.splice(0)) give(null);
  });
  return {
    send: (...requests) => {
      child.stdin.write(requests.map((each) => `${JSON.stringify(each)}\n`).join(""));
    },
    next: () => {
      const line = lines.shift();
      if (line !== undefined) return Promise.resolve(line);
      if (isOver) return Promise.resolve(null);
      return new Promise((resolve) => waiting.push(resolve));
    },
    kill: async () => {
      end();
      await gone;
    },
    stop: () => void child.kill("SIGSTOP"),
    goOn: () => void child.kill("SIGCONT"),
    stopped: async () => {
      while (!/^\d+ \(.*\) T/.test(readFileSync(`/proc/${child.pid}/stat`, "utf8"))) await moment();
    },
    said: () => `${how} ${said.trim()}`.trim(),
  };
}

/** A process that answers nothing for so long hangs. */
const hangMs = 120_000;
/** The next line of one that neither hangs nor throws; `null` where it has ended. */
export async function lineOf(process: Process): Promise<Line | null> {
  let isHanging = false;
  const timer = setTimeout(() => {
    isHanging = true;
    void process.kill();
  }, hangMs);
  const line = await process.next();
  clearTimeout(timer);
  if (isHanging) throw new Found(`it answered nothing for ${hangMs / 1_000} s`);
  if (line?.threw !== undefined) throw new Found(`it threw: ${line.threw}`);
  return line;
}

/** A line that was cut off by the kill is none. */
function parsed(text: string): Line {
  const line: Line = JSON.parse(text);
  return line;
}
