/** Which targets are commands, and how they are split into words: no shell is asked, so this must do what people expect of one. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Unusable } from "../unusable.ts";
import { isCommand, wordsOf } from "./command.ts";
import { targetNamed } from "./named.ts";

let folder = "";
const at = (name: string): string => join(folder, name);
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "rollcall-command-"));
  for (const name of ["target.js", "my target.mjs", "program", "my program", "plain"]) writeFileSync(at(name), "");
  for (const name of ["target.js", "program", "my program"]) chmodSync(at(name), 0o755);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each([
  ["python3 target.py", true],
  ["env program", true],
  ["memory", false],
  ["./target.js", false],
  ["./missing.mjs", false],
])("%s is a command: %s", (target, expected) => expect(isCommand(target)).toBe(expected));

test.each([
  ["program", true],
  ["my program", true],
  ["plain", false],
  ["target.js", false],
  ["my target.mjs", false],
])("the file %s is a command: %s", (name, expected) => expect(isCommand(at(name))).toBe(expected));

describe("words", () => {
  test.each([
    ["python3  target.py\t--fault x", ["python3", "target.py", "--fault", "x"]],
    [`sh -c 'exec "$0"' a\\ b`, ["sh", "-c", 'exec "$0"', "a b"]],
    [`a "b \\"c\\" \\d" e"f g"h`, ["a", `b "c" \\d`, "ef gh"]],
    ["a ''", ["a", ""]],
    ["a *.ts $HOME `b`", ["a", "*.ts", "$HOME", "`b`"]],
  ])("%s", (line, words) => expect(wordsOf(line)).toEqual(words));

  test("a file whose name has a blank is one", () => expect(wordsOf(at("my program"))).toEqual([at("my program")]));
  test.each([`python3 "target.py`, "python3 it's", " "])("%s cannot be split", (line) => {
    expect(() => wordsOf(line)).toThrow(Unusable);
  });
});

test("a file that is neither a module nor executable says what to do", async () => {
  await expect(targetNamed(at("plain"))).rejects.toMatchObject({ exit: 4, message: /chmod \+x/ });
});
