/** `rollcall salvage` and `rollcall backup`: an archive written to a new file, what is left of it or all of it. */
import { copyArchive } from "../archive/export.ts";
import { salvageArchive } from "../archive/salvage.ts";
import { helpOf } from "./failure.ts";
import { exit, numbered, printable, type Verb } from "./io.ts";
import { writingVerb } from "./stored.ts";

export const salvage: Verb = writingVerb(
  "salvage",
  helpOf(
    "salvage ARCHIVE NEW",
    `
Writes everything undamaged in ARCHIVE to the new archive NEW and says what is missing; exits with 4 if anything is. ARCHIVE
is only read, and nobody may be writing to it. A record that is lost, but has others below it, is replaced by one without a past.`,
  ),
  async (from, to, io) => {
    const { records, mails, messages, missing } = await salvageArchive(from, to);
    for (const each of missing) io.out(`missing  ${printable(each)}\n`);
    const kept = `${numbered(records, "record")}, ${numbered(mails, "mail")} and ${numbered(messages, "message")}`;
    io.out(
      `${kept} written to ${printable(to)}: ${missing.length === 0 ? "nothing is missing" : "what is missing stands above"}\n`,
    );
    return missing.length === 0 ? exit.held : exit.fault;
  },
);

export const backup: Verb = writingVerb(
  "backup",
  helpOf(
    "backup ARCHIVE NEW",
    `
Copies an archive, also one that a session is writing to, into the new file NEW: all that was committed when it began.`,
  ),
  async (from, to, io) => {
    copyArchive(from, to);
    io.out(`${printable(from)} copied to ${printable(to)}\n`);
    return exit.held;
  },
);
