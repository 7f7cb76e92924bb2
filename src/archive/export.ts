/**
 * An archive for people and other programs: everything in it as JSON lines, each saying by its one key what it is. And a
 * copy of an archive that may be in use: the file alone is not one, part of it may still be in the log beside it.
 */
import { existsSync } from "node:fs";
import type { Path } from "../contract.ts";
import { fault } from "../errors.ts";
import { rootPath } from "../paths.ts";
import type { Archive, Row } from "./archive.ts";
import { openDatabase } from "./binding.ts";
import { translated } from "./faults.ts";
import { createFile } from "./ownership.ts";
import { look, realFile } from "./sqlite-file.ts";

/** The layout of the lines; raised whenever it changes. */
const linesVersion = 1;
const pageRows = 500;

/** Every row of an archive, in the order of paths, a page at a time; `lost` as for `scan`. */
export async function* allRows(archive: Archive, lost?: (parent: Path) => void): AsyncGenerator<Row> {
  let after: Path | null = null;
  for (;;) {
    const page: readonly Row[] = await archive.scan(rootPath, after, pageRows, lost);
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.path;
  }
}

/** `session`, then the root's `mail` and `message`; then each `record` with its messages, or `aside` where it is invalid. */
export async function* exportLines(archive: Archive): AsyncGenerator<string> {
  const { capacity, agents, seq, rootMail } = await archive.head();
  yield JSON.stringify({ session: { rollcall: linesVersion, capacity, agents, seq } });
  for (const mail of rootMail) yield JSON.stringify({ mail });
  yield* messageLines(archive, rootPath, "root");
  for await (const row of allRows(archive)) {
    if ("aside" in row) {
      yield JSON.stringify({ aside: row });
      continue;
    }
    yield JSON.stringify({ record: row.record });
    yield* messageLines(archive, row.path, row.record.location);
  }
}
async function* messageLines(archive: Archive, path: Path, location: string): AsyncGenerator<string> {
  const messages = await archive.messages({ path, location, intent: "history" });
  for (const message of messages) yield JSON.stringify({ message: { path, ...message } });
}

/** A whole archive in a file of its own, owned by nobody, while the original may be written. Never over another file. */
export function copyArchive(from: string, to: string): void {
  const file = realFile(from);
  const target = realFile(to);
  try {
    if (look(file) === "blank") throw fault("archive_malformed", "archive");
    if (existsSync(target)) throw fault("not_written", target, new Error("there is a file already"));
    createFile(target);
    const db = openDatabase(file, "ro");
    try {
      db.run("VACUUM INTO ?", target);
    } finally {
      db.close();
    }
  } catch (error) {
    throw translated(error);
  }
}
