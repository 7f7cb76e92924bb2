/**
 * Reads Emacs Lisp as data, the way Emacs prints it, and never evaluates any of it. What is no plain data (records, byte code,
 * objects without a read syntax, reader evaluation) is refused where it stands; depth, length and size are bounded.
 */

/** `nil` and `()` are `null`, `t` is `true`, integers beyond 2^53 are bigints. Quoted forms are lists, as Emacs reads them. */
export type Lisp =
  | null
  | true
  | number
  | bigint
  | string
  | readonly Lisp[]
  | { readonly symbol: string }
  | { readonly vector: readonly Lisp[] }
  | { readonly items: readonly Lisp[]; readonly tail: Lisp };

export type UnreadableCode =
  | "ended"
  | "unexpected"
  | "bad_escape"
  | "unknown_label"
  | "circular"
  | "record"
  | "unreadable_object"
  | "byte_code"
  | "evaluation"
  | "unknown_syntax"
  | "too_deep"
  | "too_long"
  | "too_large";

/** Lines and columns count from 1, columns in UTF-16 units. */
export class Unreadable extends Error {
  readonly code: UnreadableCode;
  readonly line: number;
  readonly column: number;
  constructor(code: UnreadableCode, what: string, line: number, column: number) {
    super(`line ${line}, column ${column}: ${what}`);
    this.name = "Unreadable";
    this.code = code;
    this.line = line;
    this.column = column;
  }
}

export interface Bounds {
  /** Lists within lists. */
  readonly depthMax: number;
  /** Elements of one list or vector, UTF-16 units of one string or symbol. */
  readonly lengthMax: number;
  /** Elements in all; what a label stands for counts each time it is named. */
  readonly sizeMax: number;
}
const boundsUsual: Bounds = { depthMax: 256, lengthMax: 4 * 1024 * 1024, sizeMax: 4_000_000 };

/** A form and where it ends. */
export interface Form {
  readonly value: Lisp;
  readonly end: number;
  /** Elements it is made of. */
  readonly size: number;
}

interface Label {
  readonly value: Lisp | undefined;
  readonly size: number;
}
interface Reader {
  readonly text: string;
  readonly bounds: Bounds;
  at: number;
  size: number;
  readonly labels: Map<number, Label>;
}

/** One form from there on; `null` where only blanks and comments follow. */
export function readForm(text: string, from = 0, bounds: Bounds = boundsUsual): Form | null {
  const reader: Reader = { text, bounds, at: from, size: 0, labels: new Map() };
  skipBlanks(reader);
  if (reader.at >= text.length) return null;
  const value = read(reader, 0);
  return { value, end: reader.at, size: reader.size };
}

/** All forms of a text. */
export function readForms(text: string, bounds: Bounds = boundsUsual): readonly Lisp[] {
  const forms: Lisp[] = [];
  for (let form = readForm(text, 0, bounds); form !== null; form = readForm(text, form.end, bounds))
    forms.push(form.value);
  return forms;
}

/** Line and column of a place, from 1. */
function placeOf(text: string, at: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, at);
  return { line: before.split("\n").length, column: at - before.lastIndexOf("\n") };
}

function fail(reader: Reader, code: UnreadableCode, what: string, at = reader.at): never {
  const { line, column } = placeOf(reader.text, at);
  throw new Unreadable(code, what, line, column);
}

const blank = /[\s\u00a0]/;
function skipBlanks(reader: Reader): void {
  const { text } = reader;
  for (; reader.at < text.length; reader.at++) {
    const char = text.charAt(reader.at);
    if (char === ";") {
      const end = text.indexOf("\n", reader.at);
      if (end < 0) {
        reader.at = text.length;
        return;
      }
      reader.at = end;
    } else if (!blank.test(char)) return;
  }
}

function grow(reader: Reader, by: number): void {
  reader.size += by;
  if (reader.size > reader.bounds.sizeMax)
    fail(reader, "too_large", `more than ${reader.bounds.sizeMax} elements; what is shared counts each time`);
}

const quotes: { readonly [char: string]: string } = { "'": "quote", "`": "`", ",": ",", ",@": ",@", "#'": "function" };

function read(reader: Reader, depth: number): Lisp {
  skipBlanks(reader);
  const { text, bounds } = reader;
  if (reader.at >= text.length) fail(reader, "ended", "it ends where something was to come");
  if (depth > bounds.depthMax) fail(reader, "too_deep", `nested more than ${bounds.depthMax} deep`);
  grow(reader, 1);
  const char = text.charAt(reader.at);
  switch (char) {
    case "(":
      return readList(reader, depth);
    case "[":
      reader.at++;
      return { vector: readItems(reader, "]", depth).items };
    case ")":
    case "]":
      return fail(reader, "unexpected", `a ${char} that closes nothing`);
    case '"':
      return readString(reader);
    case "#":
      return readHash(reader, depth);
    case "?":
      return fail(reader, "unknown_syntax", "characters are written as numbers in data");
    case "'":
    case "`":
      return quoted(reader, char, depth);
    case ",":
      return quoted(reader, text.charAt(reader.at + 1) === "@" ? ",@" : ",", depth);
    default:
      return readAtom(reader);
  }
}

function quoted(reader: Reader, mark: string, depth: number): Lisp {
  reader.at += mark.length;
  return [{ symbol: quotes[mark] ?? mark }, read(reader, depth + 1)];
}

function readList(reader: Reader, depth: number): Lisp {
  reader.at++;
  const { items, tail } = readItems(reader, ")", depth);
  if (tail === undefined) return items.length === 0 ? null : items;
  // (a . (b c)) is (a b c).
  if (tail === null) return items;
  return Array.isArray(tail) ? [...items, ...tail] : { items, tail };
}

function readItems(
  reader: Reader,
  close: ")" | "]",
  depth: number,
): { readonly items: readonly Lisp[]; readonly tail: Lisp | undefined } {
  const { text, bounds } = reader;
  const opened = reader.at - 1;
  const items: Lisp[] = [];
  let tail: Lisp | undefined;
  for (;;) {
    skipBlanks(reader);
    if (reader.at >= text.length) fail(reader, "ended", "a list is not closed", opened);
    if (text.charAt(reader.at) === close) {
      reader.at++;
      return { items, tail };
    }
    if (tail !== undefined) fail(reader, "unexpected", "only one thing may stand behind the dot of a pair");
    if (close === ")" && isDot(reader)) {
      if (items.length === 0) fail(reader, "unexpected", "nothing stands before the dot of a pair");
      reader.at++;
      tail = read(reader, depth + 1);
      continue;
    }
    items.push(read(reader, depth + 1));
    if (items.length > bounds.lengthMax) fail(reader, "too_long", `more than ${bounds.lengthMax} elements`, opened);
  }
}

const ends = /[\s\u00a0"'`,;()[\]]/;
function isDot({ text, at }: Reader): boolean {
  return text.charAt(at) === "." && (at + 1 >= text.length || ends.test(text.charAt(at + 1)));
}

// ── Strings ──────────────────────────────────────────────────────────────────────────────────────────────────────

const escapes: { readonly [char: string]: string } = {
  ...{ a: "\u0007", b: "\b", d: "\u007f", e: "\u001b", f: "\f", n: "\n", r: "\r", s: " ", t: "\t", v: "\v" },
  // What is continued on the next line, and a mark that only ends an escape.
  ...{ "\n": "", " ": "" },
};
const numbered = /\\(?:x([0-9a-fA-F]{1,8})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{1,3}))/y;

function readString(reader: Reader): string {
  const { text, bounds } = reader;
  const opened = reader.at;
  let said = "";
  let from = ++reader.at;
  for (;;) {
    const char = text.charAt(reader.at);
    if (char === "") fail(reader, "ended", "a string is not closed", opened);
    if (reader.at - opened > bounds.lengthMax)
      fail(reader, "too_long", `a string of more than ${bounds.lengthMax} units`, opened);
    if (char === '"') {
      said += text.slice(from, reader.at++);
      return said;
    }
    if (char === "\\") {
      said += text.slice(from, reader.at) + readEscape(reader, opened);
      from = reader.at;
    } else reader.at++;
  }
}

function readEscape(reader: Reader, opened: number): string {
  const { text } = reader;
  const next = text.charAt(reader.at + 1);
  if (next === "") fail(reader, "ended", "a string is not closed", opened);
  numbered.lastIndex = reader.at;
  const found = numbered.exec(text);
  if (found !== null) {
    const [all, hex, short, long, octal] = found;
    const code = octal === undefined ? Number.parseInt(hex ?? short ?? long ?? "", 16) : Number.parseInt(octal, 8);
    reader.at += all.length;
    // A raw byte is no character; neither is anything beyond Unicode.
    return (octal !== undefined && code > 0x7f) || code > 0x10ffff ? "\ufffd" : String.fromCodePoint(code);
  }
  if ("xuU".includes(next)) fail(reader, "bad_escape", `\\${next} without its digits`);
  if ("CMSHAN^".includes(next))
    fail(reader, "bad_escape", `\\${next} names a key or a character by name; it is no data`);
  reader.at += 2;
  return escapes[next] ?? next;
}

// ── Symbols and numbers ──────────────────────────────────────────────────────────────────────────────────────────

const integer = /^[+-]?\d+\.?$/;
const float = /^[+-]?(?:\d+\.\d+|\.\d+|\d+(?=e))(?:e(?:[+-]?\d+|\+INF|\+NaN))?$/;

function readAtom(reader: Reader): Lisp {
  const { text, bounds } = reader;
  const from = reader.at;
  let name = "";
  let isEscaped = false;
  for (; reader.at < text.length; reader.at++) {
    const char = text.charAt(reader.at);
    if (ends.test(char)) break;
    if (char === "\\") {
      isEscaped = true;
      reader.at++;
      if (reader.at >= text.length) fail(reader, "ended", "a symbol ends in a backslash", from);
    }
    name += text.charAt(reader.at);
    if (name.length > bounds.lengthMax)
      fail(reader, "too_long", `a symbol of more than ${bounds.lengthMax} units`, from);
  }
  if (isEscaped) return { symbol: name };
  if (name === "nil") return null;
  if (name === "t") return true;
  if (name === ".") fail(reader, "unexpected", "a dot by itself", from);
  if (integer.test(name)) {
    const whole = Number(name.replace(/\.$/, ""));
    return Number.isSafeInteger(whole) ? whole : BigInt(name.replace(/^\+|\.$/g, ""));
  }
  if (!float.test(name)) return { symbol: name };
  if (name.endsWith("e+NaN")) return Number.NaN;
  if (name.endsWith("e+INF")) return name.startsWith("-") ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return Number(name);
}

// ── What begins with a hash sign ─────────────────────────────────────────────────────────────────────────────────

const refused: { readonly [char: string]: readonly [UnreadableCode, string] } = {
  s: ["record", "#s( is a record or a hash table, which is no plain data"],
  "<": ["unreadable_object", "#< is an object that has no read syntax"],
  "[": ["byte_code", "#[ is compiled code, which is no plain data"],
  ".": ["evaluation", "#. asks the reader to evaluate, which is never done"],
};
const label = /#(\d{1,9})([=#])/y;

function readHash(reader: Reader, depth: number): Lisp {
  const { text } = reader;
  const next = text.charAt(reader.at + 1);
  if (next === "") fail(reader, "ended", "it ends behind a hash sign");
  if (next === "'") return quoted(reader, "#'", depth);
  if (next === "(") return propertised(reader, depth);
  const why = refused[next];
  if (why !== undefined) fail(reader, why[0], why[1]);
  label.lastIndex = reader.at;
  const [all = "", digits = "", mark = ""] = label.exec(text) ?? [];
  if (all === "") return fail(reader, "unknown_syntax", `#${next} is no data that this reads`);
  return mark === "=" ? labelled(reader, all, Number(digits), depth) : named(reader, all, Number(digits));
}

function labelled(reader: Reader, all: string, number: number, depth: number): Lisp {
  reader.at += all.length;
  const before = reader.size;
  // Until it is read it stands for nothing yet.
  reader.labels.set(number, { value: undefined, size: 0 });
  const value = read(reader, depth + 1);
  reader.labels.set(number, { value, size: reader.size - before });
  return value;
}
function named(reader: Reader, all: string, number: number): Lisp {
  const found = reader.labels.get(number);
  if (found === undefined) return fail(reader, "unknown_label", `${all} names what was not labelled before`);
  if (found.value === undefined) return fail(reader, "circular", `${all} names what it stands in itself`);
  grow(reader, found.size);
  reader.at += all.length;
  return found.value;
}

/** `#("text" 0 3 (k v))`: the text alone is kept. */
function propertised(reader: Reader, depth: number): string {
  const opened = reader.at;
  reader.at += 2;
  const [said] = readItems(reader, ")", depth).items;
  if (typeof said !== "string") return fail(reader, "unexpected", "#( begins with its text", opened);
  return said;
}
