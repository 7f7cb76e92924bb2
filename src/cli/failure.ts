/** Telling a person what went wrong: what, where, what to do, in one line and without a stack; and the code to exit with. */
import { SqliteMissing } from "../archive/binding.ts";
import { RollcallError, sentences } from "../errors.ts";
import { exit, exitHelp, type Io, printable } from "./io.ts";

/** Wrong use of the command line. */
export class UsageError extends Error {}

/** Why, where the error itself does not say. */
function reason(error: RollcallError): string {
  return error.cause instanceof Error ? `${error.code}: ${error.cause.message}` : error.code;
}
function lineFor(error: RollcallError, about: string): string {
  const where = error.at === "archive" ? about : `${about}, ${error.at}`;
  return `${where}: ${sentences[error.code]} (${reason(error)})`;
}

/** `about` is what the verb was looking at, as the person named it. */
export function told(error: unknown, verb: string, about: string, io: Io): number {
  if (error instanceof RollcallError) {
    io.err(`rollcall ${verb}: ${printable(lineFor(error, about))}\n`);
    return exit.fault;
  }
  if (error instanceof SqliteMissing) {
    io.err(`rollcall ${verb}: ${error.message}\n`);
    return exit.fault;
  }
  // parseArgs says what it does not understand with codes of its own.
  const isUsage = error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");
  if (error instanceof Error && (isUsage || error instanceof UsageError)) {
    // What is wrong; how parseArgs would have it quoted comes after it and helps nobody.
    const what = error.message.split(". To specify")[0] ?? "";
    io.err(`rollcall ${verb}: ${printable(what)}\nTry: rollcall ${verb} --help\n`);
    return exit.usage;
  }
  io.err(
    `rollcall ${verb}: a bug of rollcall, please report it: ${error instanceof Error ? error.stack : String(error)}\n`,
  );
  return exit.bug;
}

/** The help of one verb. */
export function helpOf(usage: string, text: string): string {
  return `Usage: rollcall ${usage}\n\n${text.trim()}\n\n${exitHelp}`;
}
