/**
 * Reading an archive for a person: beside whoever owns it, and writing nothing. What is shown is what is stored; that a
 * restore would settle abandoned turns first is said, not done.
 */
import { parseArgs } from "node:util";
import type { Archive, Row } from "../archive/archive.ts";
import { allRows } from "../archive/export.ts";
import { sqliteStore } from "../archive/sqlite.ts";
import type { AsideCode, Path } from "../contract.ts";
import { parentOf, rootPath } from "../paths.ts";
import { told, UsageError } from "./failure.ts";
import { exit, type Io, type Verb } from "./io.ts";

/** A verb that takes these files and nothing else; `named` asks for them in words. */
function filesVerb<Files extends readonly string[]>(
  name: string,
  help: string,
  named: string,
  isAll: (given: readonly string[]) => given is Files,
  act: (files: Files, io: Io) => Promise<number>,
): Verb {
  return async (args, io) => {
    let about = "";
    try {
      const options = { help: { type: "boolean", short: "h" } } as const;
      const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
      if (values.help === true) {
        io.out(help);
        return exit.held;
      }
      if (!isAll(positionals)) throw new UsageError(named);
      about = positionals[0] ?? "";
      return await act(positionals, io);
    } catch (error) {
      return told(error, name, about, io);
    }
  };
}
const isOne = (given: readonly string[]): given is readonly [string] => given.length === 1;
const areTwo = (given: readonly string[]): given is readonly [string, string] => given.length === 2;
export function archiveVerb(name: string, help: string, act: (file: string, io: Io) => Promise<number>): Verb {
  return filesVerb(name, help, "name one archive", isOne, ([file], io) => act(file, io));
}
/** From an archive to a file that is made. */
export function writingVerb(
  name: string,
  help: string,
  act: (from: string, to: string, io: Io) => Promise<number>,
): Verb {
  return filesVerb(name, help, "name an archive and a new file", areTwo, ([from, to], io) => act(from, to, io));
}

/** Opened, given to `act`, and closed whatever happens. */
export async function reading<Value>(file: string, act: (archive: Archive) => Promise<Value>): Promise<Value> {
  const archive = await sqliteStore(file).open({ mode: "read", owner: "rollcall", takeover: false, create: null });
  try {
    return await act(archive);
  } finally {
    await archive.close();
  }
}

/** Rows in the order of paths, those below an invalid or missing parent set aside with it; `lost` as for `scan`. */
export async function* judgedRows(archive: Archive, lost?: (parent: Path) => void): AsyncGenerator<Row> {
  // Parents come before their children in the order of paths.
  const valid = new Set<Path>([rootPath]);
  for await (const row of allRows(archive, lost)) {
    if ("aside" in row) yield row;
    else if (valid.has(parentOf(row.path))) {
      valid.add(row.path);
      yield row;
    } else yield { path: row.path, aside: "parent_invalid" satisfies AsideCode };
  }
}
