/** Commits of somebody's repository, read with git; what it holds at one of them is unpacked elsewhere, and nothing there is touched. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { Unusable } from "../unusable.ts";
import type { Commit } from "./strip.ts";

async function git(repository: string, ...args: readonly string[]): Promise<string> {
  const done = await execa("git", ["-C", repository, ...args], { reject: false });
  if (done.exitCode === 0) return done.stdout;
  const said = done.stderr.trim().split("\n").at(-1) ?? "";
  throw new Unusable(4, `git ${args[0]} in ${repository}: ${said === "" ? (done.shortMessage ?? "it failed") : said}`);
}

const format = "--format=%H%x09%cs%x09%s";
function commitOf(line: string): Commit {
  const [id = "", day = "", ...subject] = line.split("\t");
  return { id, day, subject: subject.join("\t") };
}

/** Of a range `A..B`, A and B and as many as asked for between, evenly; of a list `A,B,C`, those. */
export async function commitsOf(repository: string, range: string, count: number): Promise<readonly Commit[]> {
  const [from, to, ...rest] = range.split("..");
  if (to === undefined) {
    const named = range.split(",").filter((each) => each !== "");
    return await Promise.all(
      named.map(async (each) => commitOf(await git(repository, "show", "-s", format, `${each}^{commit}`))),
    );
  }
  if (from === undefined || from === "" || to === "" || rest.length > 0)
    throw new Unusable(2, `a range is A..B, or commits A,B,C; not ${JSON.stringify(range)}`);
  const first = commitOf(await git(repository, "show", "-s", format, `${from}^{commit}`));
  const log = await git(repository, "log", "--reverse", "--first-parent", format, `${from}..${to}`);
  const all = [
    first,
    ...log
      .split("\n")
      .filter((line) => line !== "")
      .map(commitOf),
  ];
  const many = Math.min(count, all.length);
  const picked = new Set(
    Array.from({ length: many }, (_, at) => Math.round((at * (all.length - 1)) / Math.max(1, many - 1))),
  );
  return all.filter((_, at) => picked.has(at));
}

/** Given the folder of what the repository holds at a commit; it is gone afterwards. */
export async function unpacked<Done>(
  repository: string,
  { id }: Commit,
  act: (folder: string) => Promise<Done>,
): Promise<Done> {
  const scratch = await mkdtemp(join(tmpdir(), "rollcall-history-"));
  try {
    const tar = join(scratch, "commit.tar");
    await git(repository, "archive", "--format=tar", "--prefix=commit/", "-o", tar, id);
    await execa("tar", ["-xf", tar, "-C", scratch]);
    await rm(tar);
    return await act(join(scratch, "commit"));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
