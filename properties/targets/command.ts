/**
 * Which targets are commands, and how a command line is split: by blanks, with quotes and backslashes as a shell has them, and
 * without a shell, so that nothing in it is expanded and the process that is killed is the one that was named.
 */
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { Unusable } from "../unusable.ts";

/** A script that Node runs is a module, whether it may be executed or not; so is one that is missing. */
export const isScript = (target: string): boolean => /\.[cm]?js$/.test(target);

/** Whether a target is a command: it has a blank in it, and no file is named so; or it is a file that may be executed. */
export function isCommand(target: string): boolean {
  if (existsSync(target) && statSync(target).isFile()) return !isScript(target) && isExecutable(target);
  return /\s/.test(target);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The words of a command line. A file with blanks in its name is one word, if it is the whole line. */
export function wordsOf(line: string): readonly [string, ...string[]] {
  if (existsSync(line)) return [line];
  const words: string[] = [];
  const word = /\s*((?:"(?:[^"\\]|\\.)*"|'[^']*'|\\.|[^\s"'\\])+)/gsy;
  let end = 0;
  for (let found = word.exec(line); found !== null; found = word.exec(line)) {
    words.push(unquoted(found[1] ?? ""));
    end = word.lastIndex;
  }
  const rest = line.slice(end).trim();
  if (rest !== "") throw new Unusable(2, `the target ${line} has a quote that does not end, at ${rest.slice(0, 20)}`);
  const [file, ...args] = words;
  if (file === undefined || file === "") throw new Unusable(2, "the target is empty; it names no program");
  return [file, ...args];
}

function unquoted(word: string): string {
  return word.replace(/"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)/gs, (_, double?: string, single?: string, plain?: string) =>
    double === undefined ? (single ?? plain ?? "") : double.replace(/\\(["\\$`])/g, "$1"),
  );
}
