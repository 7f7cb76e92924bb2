/** What SQLite says went wrong, in the registry's words; translated here, where it enters, and nowhere else. */
import type { FaultCode } from "../contract.ts";
import { fault, RollcallError } from "../errors.ts";

const codes: { readonly [code: number]: FaultCode } = {
  3: "read_only_file", // PERM
  5: "busy", // BUSY
  6: "busy", // LOCKED
  8: "read_only_file", // READONLY
  10: "io_failed", // IOERR
  11: "archive_malformed", // CORRUPT
  13: "disk_full", // FULL
  14: "io_failed", // CANTOPEN
  26: "archive_malformed", // NOTADB
};

/** The same of the operating system's, where a file is made. */
const systemCodes: { readonly [code: string]: FaultCode } = {
  EACCES: "read_only_file",
  EPERM: "read_only_file",
  EROFS: "read_only_file",
  ENOSPC: "disk_full",
  EDQUOT: "disk_full",
  EIO: "io_failed",
};

/** The primary result code: node:sqlite has `errcode`, libsql `rawCode`, and failing to open only the end of a text. */
export function resultCode(error: unknown): number | null {
  if (!(error instanceof Error)) return null;
  const { errcode, rawCode } = error as { errcode?: unknown; rawCode?: unknown }; // looked at, whatever they are
  const code = [errcode, rawCode].find((each) => typeof each === "number");
  // The lowest byte: the rest of an extended code says how, not what.
  if (typeof code === "number") return code & 0xff;
  const named = /: (\d+)"\)$/.exec(error.message)?.[1];
  return named === undefined ? null : Number(named) & 0xff;
}

/** A fault of the archive, the error behind it kept as its cause. */
export function translated(error: unknown): RollcallError {
  if (error instanceof RollcallError) return error;
  const system = error instanceof Error && "code" in error ? systemCodes[String(error.code)] : undefined;
  return fault(system ?? codes[resultCode(error) ?? -1] ?? "not_written", "archive", error);
}

/** The same for reading, where nothing was to be written. */
export function translatedRead(error: unknown): RollcallError {
  const known = translated(error);
  return known.code === "not_written" ? fault("io_failed", "archive", error) : known;
}
