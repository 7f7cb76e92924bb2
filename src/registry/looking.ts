/**
 * Looking at many rows: for a roster, those not seen yet; for verify, all of them once more. A page at a time.
 */
import type { Row } from "../archive/archive.ts";
import type { AsideCode, Path } from "../contract.ts";
import { ancestorsOf, rootPath } from "../paths.ts";
import { isComplete, unseen } from "./rows.ts";
import { type Shell, takeAll } from "./shell.ts";

const pageRows = 1_000;

async function lookBelow(
  shell: Shell,
  prefix: Path,
  tag: unknown,
  seen: (rows: readonly Row[]) => void,
): Promise<void> {
  // A record is taken only once its parent is known.
  const above = unseen(shell.state, ancestorsOf(prefix));
  if (above.length > 0) takeAll(shell, await shell.archive.rows(above), tag);
  for (let after: Path | null = null; ; ) {
    const rows: readonly Row[] = await shell.archive.scan(prefix, after, pageRows);
    takeAll(shell, rows, tag);
    seen(rows);
    const last = rows.at(-1);
    if (rows.length < pageRows || last === undefined) break;
    after = last.path;
  }
  if (prefix === rootPath) shell.state.isListed = true;
}
/** Null when nothing is left to look at. */
export function lookAtAll(shell: Shell, prefix: string, tag: unknown): Promise<void> | null {
  if (isComplete(shell.state)) return null;
  return lookBelow(shell, prefix === "" ? rootPath : prefix, tag, () => {});
}
/** Also what was seen before and may have been damaged since. */
export async function verifyAll(shell: Shell, found: Map<Path, AsideCode>, tag: unknown): Promise<void> {
  await lookBelow(shell, rootPath, tag, (rows) => {
    for (const row of rows) if ("aside" in row) found.set(row.path, row.aside);
  });
}
