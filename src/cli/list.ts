/** `rollcall list`: who is in an archive, one agent a line. */
import { createColors } from "picocolors";
import type { Row } from "../archive/archive.ts";
import { helpOf } from "./failure.ts";
import { exit, type Io, numbered, printable, type Verb } from "./io.ts";
import { archiveVerb, judgedRows, reading } from "./stored.ts";

const help = helpOf(
  "list ARCHIVE",
  `
Lists the agents kept in an archive, as stored: path, role, activity, turns so far, unread mail, last outcome.
Works beside a session that is running, and writes nothing.`,
);

const headings = ["PATH", "ROLE", "ACTIVITY", "TURNS", "MAIL", "RESULT"];

function cellsOf(row: Row): readonly string[] {
  if ("aside" in row) return [row.path, "", "set aside", "", "", row.aside];
  const { path, role, activity, turns, mail, result, owed } = row.record;
  const owes = owed.length === 0 ? "" : ` (owes ${owed.length})`;
  return [path, role, activity, String(turns), String(mail.length), `${result?.outcome ?? ""}${owes}`];
}
function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = headings.map((_, column) => rows.reduce((most, row) => Math.max(most, row[column]?.length ?? 0), 0));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

async function listed(file: string, io: Io): Promise<number> {
  const colors = createColors(io.color);
  return await reading(file, async (archive) => {
    const { capacity, rootMail } = await archive.head();
    const rows: (readonly string[])[] = [headings, ["/root", "", "", "", String(rootMail.length), ""]];
    const seen = { kept: 0, active: 0, aside: 0 };
    const lost: string[] = [];
    for await (const row of judgedRows(archive, (parent) => lost.push(parent))) {
      rows.push(cellsOf(row).map(printable));
      seen.kept++;
      if ("aside" in row) seen.aside++;
      else if (row.record.activity !== "idle") seen.active++;
    }
    const [first = "", ...rest] = table(rows);
    io.out(`${colors.dim(first)}\n`);
    for (const line of rest) io.out(`${line.includes("  set aside") ? colors.red(line) : line}\n`);
    const aside = seen.aside === 0 ? "" : `, ${seen.aside} set aside (rollcall verify says why)`;
    io.out(`\n${numbered(seen.kept, "agent")} kept, ${seen.active} active, capacity ${capacity}${aside}\n`);
    // A list without them is no answer.
    for (const parent of lost)
      io.err(
        `rollcall list: ${printable(file)}, ${printable(parent)}: children are missing, or are not those that were written\n`,
      );
    return lost.length === 0 ? exit.held : exit.fault;
  });
}

export const list: Verb = archiveVerb("list", help, listed);
