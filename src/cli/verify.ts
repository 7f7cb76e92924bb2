/** `rollcall verify`: reads everything in an archive and reports what a session would have to set aside. */
import { createColors } from "picocolors";
import type { Archive, Row } from "../archive/archive.ts";
import { flawsOfFile } from "../archive/sqlite-file.ts";
import { RollcallError, sentences } from "../errors.ts";
import { helpOf } from "./failure.ts";
import { exit, type Io, numbered, printable, type Verb } from "./io.ts";
import { archiveVerb, judgedRows, reading } from "./stored.ts";

const help = helpOf(
  "verify ARCHIVE",
  `
Reads every record and every conversation in an archive, and the file itself, and reports what is damaged; exits with 4
if anything is. Whether tools can be resolved is the host's to say and not checked here.
Works beside a session that is running, and writes nothing.`,
);

interface Counted {
  records: number;
  messages: number;
  damaged: number;
}

const lost = "archive_malformed: its children are not those that were written; rollcall salvage keeps what is left";
/** What is wrong with a record, or null. */
async function flawOf(archive: Archive, row: Row, counted: Counted): Promise<string | null> {
  if ("aside" in row) return `${row.aside}: ${sentences[row.aside]}`;
  return await conversationFlaw(archive, row.path, row.record.location, counted);
}
async function conversationFlaw(
  archive: Archive,
  path: string,
  location: string,
  counted: Counted,
): Promise<string | null> {
  try {
    const messages = await archive.messages({ path, location, intent: "history" });
    counted.messages += messages.length;
    return null;
  } catch (error) {
    if (!(error instanceof RollcallError) || !error.code.startsWith("conversation_")) throw error;
    return `${error.code}: ${sentences[error.code]}`;
  }
}

async function verified(file: string, io: Io): Promise<number> {
  const colors = createColors(io.color);
  const counted: Counted = { records: 0, messages: 0, damaged: 0 };
  const report = (where: string, flaw: string | null) => {
    if (flaw === null) return;
    counted.damaged++;
    io.out(`${colors.red(printable(where))}  ${printable(flaw)}\n`);
  };
  await reading(file, async (archive) => {
    await archive.head();
    report("/root", await conversationFlaw(archive, "/root", "root", counted));
    for await (const row of judgedRows(archive, (parent) => report(parent, lost))) {
      counted.records++;
      report(row.path, await flawOf(archive, row, counted));
    }
  });
  for (const flaw of flawsOfFile(file)) report(file, flaw);
  const { records, messages, damaged } = counted;
  const found = damaged === 0 ? "no damage found" : `${damaged} damaged; their rows are as they were`;
  io.out(`${numbered(records, "record")} and ${numbered(messages, "message")} read: ${found}\n`);
  return damaged === 0 ? exit.held : exit.fault;
}

export const verify: Verb = archiveVerb("verify", help, verified);
