/**
 * Whether the log beside an archive is the one that was left there. What was committed lies in the log until it is written back,
 * and SQLite takes an archive without its log for a whole one of long ago. So logs are numbered: the first commit into one
 * writes its number into the archive (that is, into the log), and then here, into a small file beside it.
 *
 * Of a log cut short only the beginning is missed: what is gone from its end looks like what was never written.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";

function markOf(file: string): string {
  return `${file}-log`;
}

/** The number of the log that has to be there, or be written back already; 0 where none has. */
export function markedLog(file: string): number {
  try {
    const mark = markOf(file);
    // Asked first, since most archives have none and an error costs more than the answer.
    const marked = existsSync(mark) ? Number(readFileSync(mark, "utf8").trim()) : 0;
    return Number.isSafeInteger(marked) && marked > 0 ? marked : 0;
  } catch {
    // What cannot be read says nothing.
    return 0;
  }
}
/** Only once the commit is on the disk: a mark that outlives its log in a power loss would be a false alarm. */
export function markLog(file: string, log: number): void {
  try {
    writeFileSync(markOf(file), `${log}\n`, { mode: 0o600 });
  } catch {
    // Without a mark everything works, and a log that somebody deletes is not missed.
  }
}
export function unmarkLog(file: string): void {
  try {
    rmSync(markOf(file), { force: true });
  } catch {
    // An old mark asks for a log that is in the archive by now.
  }
}
