/** `rollcall show`: everything an archive keeps about one agent, or about the root. */
import { parseArgs } from "node:util";
import { createColors } from "picocolors";
import type { Archive, Mail, Message, Result, StoredRecord } from "../archive/archive.ts";
import type { AsideCode, Path } from "../contract.ts";
import { RollcallError, sentences } from "../errors.ts";
import { ancestorsOf, isPath, rootPath } from "../paths.ts";
import { helpOf, told, UsageError } from "./failure.ts";
import { exit, type Io, numbered, printable } from "./io.ts";
import { reading } from "./stored.ts";

const lastDefault = 20;
const help = helpOf(
  "show ARCHIVE PATH [--last N]",
  `
Shows what an archive keeps about the agent at PATH (or /root), as stored: its configuration, its result in full, its
unread mail, and the last N messages of its conversation (20 unless told).
Works beside a session that is running, and writes nothing.

  --last N   how many messages, from 0`,
);

interface Asked {
  readonly path: Path;
  readonly last: number;
}
/** Lines under a heading, each text indented so that it cannot be taken for a heading. */
type Print = (heading: string, ...texts: readonly string[]) => void;

function when(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? String(at) : date.toISOString();
}
function printer(io: Io): Print {
  const colors = createColors(io.color);
  return (heading, ...texts) => {
    io.out(`${colors.bold(printable(heading))}\n`);
    for (const text of texts) io.out(`${printable(text).replace(/^/gm, "  ")}\n`);
  };
}
function printResult(print: Print, heading: string, result: Result | null): void {
  if (result === null) return;
  const { outcome, text, reason, partial } = result;
  print(`${heading}: ${outcome}${reason === null ? "" : ` (${reason})`}`, text);
  if (partial !== null) print(`${heading}, partial answer`, partial);
}
function printMail(print: Print, mails: readonly Mail[]): void {
  if (mails.length === 0) print("unread mail: none");
  for (const { kind, from, text, at, outcome } of mails)
    print(`unread ${kind} from ${from}${outcome === null ? "" : `, ${outcome}`}, ${when(at)}`, text);
}
function printMessages(print: Print, messages: readonly Message[], count: number): void {
  print(`conversation: ${numbered(count, "message")}${messages.length < count ? `, the last ${messages.length}` : ""}`);
  for (const { kind, turn, from, text, at } of messages) print(`${kind} from ${from}, turn ${turn}, ${when(at)}`, text);
}
function printRecord(print: Print, record: StoredRecord): void {
  const { path, id, role, activity, turns, location, config, result, undo, owed } = record;
  print(path, `id ${id}`, `role ${role}`, `activity ${activity}`, `turns ${turns}`, `location ${location}`);
  print("configuration", JSON.stringify(config, null, 2));
  printResult(print, "result", result);
  printResult(print, "result before the start under way", undo);
  for (const each of owed) printResult(print, `owed for turn ${each.turn}`, each.result);
}

async function showRoot(archive: Archive, { last }: Asked, print: Print): Promise<number> {
  const { capacity, rootMail, rootMessages } = await archive.head();
  print(rootPath, `capacity ${capacity}`);
  printMail(print, rootMail);
  const ask = { path: rootPath, location: "root", intent: "history" } as const;
  printMessages(print, await archive.messages({ ...ask, last }), rootMessages);
  return exit.held;
}
/** The code under which the record itself, or one above it, is set aside. */
async function asideOf(archive: Archive, path: Path): Promise<AsideCode | null> {
  const above = ancestorsOf(path);
  const rows = await archive.rows([...above, path]);
  const own = rows.find((row) => row.path === path);
  if (own === undefined) throw new RollcallError("refused", "agent_unknown", path);
  if ("aside" in own) return own.aside;
  return rows.length <= above.length || rows.some((row) => "aside" in row) ? "parent_invalid" : null;
}
async function showAgent(archive: Archive, { path, last }: Asked, print: Print): Promise<number> {
  const code = await asideOf(archive, path);
  const [row] = await archive.rows([path]);
  if (code !== null) print(`${path}: set aside, ${code}`, sentences[code]);
  if (row === undefined || "aside" in row) return exit.fault;
  const { record } = row;
  printRecord(print, record);
  printMail(print, record.mail);
  const { location, messages } = record;
  printMessages(print, await archive.messages({ path, location, intent: "history", last }), messages);
  return code === null ? exit.held : exit.fault;
}

function asked(args: readonly string[]): (Asked & { readonly file: string }) | null {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { help: { type: "boolean", short: "h" }, last: { type: "string" } },
    allowPositionals: true,
  });
  if (values.help === true) return null;
  const [file, path, ...more] = positionals;
  if (file === undefined || path === undefined || more.length > 0)
    throw new UsageError("name one archive and one path");
  if (!isPath(path)) throw new UsageError(`${path} is no path; write /root or /root/name`);
  const last = values.last === undefined ? lastDefault : Number(values.last);
  if (!Number.isSafeInteger(last) || last < 0) throw new UsageError("--last takes a whole number from 0");
  return { file, path, last };
}

export async function show(args: readonly string[], io: Io): Promise<number> {
  let about = "";
  try {
    const given = asked(args);
    if (given === null) {
      io.out(help);
      return exit.held;
    }
    about = given.file;
    const print = printer(io);
    return await reading(given.file, (archive) => {
      return given.path === rootPath ? showRoot(archive, given, print) : showAgent(archive, given, print);
    });
  } catch (error) {
    return told(error, "show", about, io);
  }
}
