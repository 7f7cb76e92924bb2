/**
 * One process that answers one JSON line for each it is given, in order. Whatever else it does ends it, with one sentence that
 * says what came and what was expected. It is killed together with all it has started.
 */
import { execa } from "execa";
import type { z } from "zod";
import { parse, parseJson } from "../trace.ts";
import { Unusable } from "../unusable.ts";
import { leash } from "./leash.ts";

/** UTF-16 units of one line. */
const lineUnitsMax = 16 * 1024 * 1024;
const saidUnitsMax = 2_000;
/** A program may take so long for its first answer, however little it is given for the others. */
const startMsMax = 10_000;

interface Answered<Answer> {
  readonly answer: Answer;
  readonly line: string;
}
export interface Lines {
  /** Several may be asked before the first is answered. */
  ask<Answer>(request: object, schema: z.ZodType<Answer>): Promise<Answered<Answer>>;
  /** Throws what was wrong with it, if anything was, even if nobody was waiting then. */
  check(): void;
  /** Until it is gone. */
  kill(): Promise<void>;
  /** Until it is gone by itself, or killed where that takes too long. */
  leave(): Promise<void>;
}

interface Waiting {
  readonly id: number;
  readonly asked: string;
  take(line: string): void;
  fail(why: Unusable): void;
}

const short = (line: string): string => (line.length <= 200 ? line : `${line.slice(0, 200)}… (${line.length} units)`);

export function openLines(name: string, command: readonly string[], timeoutMs: number): Lines {
  const [file = "", ...args] = command;
  // A group of its own: what a wrapper such as npm or sh has started dies with it.
  const detached = process.platform !== "win32";
  const child = execa(file, args, {
    ...{ stdin: "pipe", stdout: "pipe", stderr: "pipe", encoding: "utf8", buffer: false, reject: false, detached },
  });
  const waiting: Waiting[] = [];
  let asked = 0;
  /** What is asked in one turn goes out in one write: a write costs more than all else that one asking does. */
  let unsent = "";
  let rest = "";
  let said = "";
  let wrong: Unusable | null = null;
  let isGone = false;

  const end = (): void => {
    if (isGone || child.pid === undefined) return;
    try {
      if (detached) process.kill(-child.pid, "SIGKILL");
      else child.kill("SIGKILL");
    } catch {
      // It was gone already.
    }
  };
  const release = leash(end);
  const fail = (sentence: string): void => {
    if (wrong !== null) return;
    wrong = new Unusable(4, `${name} ${sentence}`);
    clearTimeout(timer);
    rest = "";
    end();
    for (const each of waiting.splice(0)) each.fail(wrong);
  };
  const watch = (ms: number): NodeJS.Timeout =>
    setTimeout(() => {
      const [first] = waiting;
      if (first === undefined) return;
      const half = rest === "" ? "nothing" : `only half a line, ${short(rest)}`;
      fail(`answered ${half} within ${ms} ms; expected is one line for ${short(first.asked)}`);
    }, ms).unref();
  // One timer for all answers, begun anew for each.
  let timer = watch(Math.max(timeoutMs, startMsMax));
  let isStarted = false;

  const send = (): void => {
    child.stdin.write(unsent);
    unsent = "";
  };
  const take = (line: string): void => {
    const next = waiting.shift();
    if (next === undefined)
      fail(`wrote ${short(line)} though nothing was asked; expected is one line for each request`);
    else next.take(line);
    if (isStarted) timer.refresh();
    else if (wrong === null) {
      clearTimeout(timer);
      timer = watch(timeoutMs);
      isStarted = true;
    }
  };
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    let from = 0;
    for (let at = chunk.indexOf("\n"); at >= 0 && wrong === null; at = chunk.indexOf("\n", from)) {
      const line = rest + chunk.slice(from, at);
      rest = "";
      from = at + 1;
      take(line);
    }
    if (wrong !== null) return;
    rest += chunk.slice(from);
    if (rest.length > lineUnitsMax)
      fail(`wrote ${rest.length} units without an end of line; a line has at most ${lineUnitsMax}`);
  });
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    said = (said + chunk).slice(-saidUnitsMax);
  });
  // A broken pipe is told as the end of the process.
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on("error", () => {});
  const gone = child.then(({ exitCode, signal, originalMessage }) => {
    isGone = true;
    release();
    clearTimeout(timer);
    const how = signal ?? (exitCode === undefined ? originalMessage : `exit code ${exitCode}`);
    const last = said.trim().split("\n").at(-1) ?? "";
    const half = rest === "" ? "" : `, after half a line, ${short(rest)}`;
    const [first] = waiting;
    const due = first === undefined ? "the next request" : `an answer to ${short(first.asked)}`;
    fail(`ended (${how})${half}; expected was ${due}${last === "" ? "" : `; its last words: ${short(last)}`}`);
  });

  return {
    ask: (request, schema) => {
      if (wrong !== null) return Promise.reject(wrong);
      const id = ++asked;
      const line = JSON.stringify({ id, ...request });
      const answered = new Promise<Answered<z.infer<typeof schema>>>((resolve, reject) => {
        waiting.push({
          ...{ id, asked: line, fail: reject },
          take: (got) => {
            try {
              resolve({ answer: read(got, id, schema), line: got });
            } catch (cause) {
              fail(`answered ${short(got)} to ${short(line)}: ${cause instanceof Error ? cause.message : cause}`);
              reject(wrong);
            }
          },
        });
      });
      if (isStarted) timer.refresh();
      if (unsent === "") process.nextTick(send);
      unsent += `${line}\n`;
      return answered;
    },
    check: () => {
      if (wrong !== null) throw wrong;
    },
    kill: async () => {
      end();
      await gone;
    },
    leave: async () => {
      child.stdin.end();
      const late = setTimeout(end, timeoutMs);
      await gone;
      clearTimeout(late);
    },
  };
}

function read<Answer>(line: string, id: number, schema: z.ZodType<Answer>): Answer {
  const given = parseJson(line, "the line", 4);
  if (given === null || typeof given !== "object" || !("id" in given))
    throw new Unusable(4, `expected is an object with "id":${id}`);
  const { id: named, ...answer } = given;
  if (named !== id) throw new Unusable(4, `expected is "id":${id}`);
  if ("error" in answer) throw new Unusable(4, `it says: ${answer["error"]}`);
  return parse(schema, answer, "the answer", 4);
}
