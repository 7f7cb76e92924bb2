/**
 * What a process has asked the system to do to the files of a folder, and what it said meanwhile, in the order of the calls: read
 * from the log of strace. Only what a power loss can tell from its absence is kept.
 */
import { readdir, readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Unusable } from "../unusable.ts";

/** Files by their names in the folder; `create` where there was none. */
export type Act =
  | { readonly is: "create" | "remove" | "sync"; readonly file: string }
  | { readonly is: "write"; readonly file: string; readonly at: number; readonly data: Buffer }
  | { readonly is: "size"; readonly file: string; readonly size: number }
  | { readonly is: "sync folder" }
  /** A whole line on standard output: an acknowledgement. */
  | { readonly is: "said"; readonly line: string };

const calls =
  "openat,creat,pwrite64,pwritev,write,writev,ftruncate,fallocate,fdatasync,fsync,unlink,unlinkat,rename,renameat,renameat2";

/** Before the command; a log for each thread, so that no line is cut in two by another one's. */
export function tracer(log: string): readonly string[] {
  return ["strace", "-ff", "-qq", "-y", "-xx", "-s", "100000000", "--seccomp-bpf", "-e", `trace=${calls}`, "-o", log];
}

export async function readTape(log: string, folder: string): Promise<readonly Act[]> {
  const names = (await readdir(dirname(log))).filter((each) => each.startsWith(`${basename(log)}.`));
  const tapes = await Promise.all(
    names.map(async (each) => actsIn(await readFile(join(dirname(log), each), "latin1"), folder)),
  );
  const busy = tapes.filter((acts) => acts.some(({ is }) => is !== "said"));
  const [only, another] = busy;
  // The order between threads is not in the logs.
  if (another !== undefined) throw new Unusable(4, "several threads wrote to the archive: their order cannot be told");
  if (only === undefined) throw new Unusable(4, "nothing was recorded: may this process be traced by strace?");
  return only;
}

const unhex = (text: string): Buffer => Buffer.from(text.replaceAll("\\x", ""), "hex");
const quoted = /"((?:\\x[0-9a-f]{2})*)"(\.\.\.)?/;

function actsIn(text: string, folder: string): readonly Act[] {
  const acts: Act[] = [];
  const there = new Set<string>();
  /** Where `write` goes on, by descriptor. */
  const ends = new Map<string, number>();
  let said = "";
  const within = (hexed: string | undefined): string | null => {
    if (hexed === undefined) return null;
    const path = unhex(hexed).toString("utf8");
    return path === folder ? "" : path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : null;
  };
  const open = (line: string, result: number): void => {
    const file = within(quoted.exec(line)?.[1]);
    ends.set(String(result), 0);
    if (file === null || file === "" || !/O_(CREAT|TRUNC)/.test(line)) return;
    if (!there.has(file)) acts.push({ is: "create", file });
    else if (line.includes("O_TRUNC")) acts.push({ is: "size", file, size: 0 });
    there.add(file);
  };
  for (const line of text.split("\n")) {
    const [, call = "", fd, at, gone] = /^(\w+)\((\d+)?(?:<((?:\\x[0-9a-f]{2})*)>(\(deleted\))?)?/.exec(line) ?? [];
    const result = Number(/ = (-?\d+)(?:<[^>]*>)?(?:\(deleted\))?(?: \S.*)?$/.exec(line)?.[1]);
    if (!(result >= 0)) continue;
    const file = within(at);
    if (call === "openat" || call === "creat") open(line, result);
    else if (call === "write" && fd === "1") {
      const parts = (said + unhex(quoted.exec(line)?.[1] ?? "").toString("utf8")).split("\n");
      said = parts.pop() ?? "";
      for (const part of parts) acts.push({ is: "said", line: part });
    } else if (call === "unlink" || call === "unlinkat") {
      const removed = within(quoted.exec(line)?.[1]);
      if (removed === null) continue;
      there.delete(removed);
      acts.push({ is: "remove", file: removed });
    } else if (file === null || gone !== undefined) continue;
    else if (call === "fsync" || call === "fdatasync")
      acts.push(file === "" ? { is: "sync folder" } : { is: "sync", file });
    else if (call === "ftruncate") acts.push({ is: "size", file, size: Number(/, (\d+)\)/.exec(line)?.[1]) });
    else if (call === "pwrite64" || call === "write") {
      const [, data = "", cut] = quoted.exec(line) ?? [];
      const end = ends.get(fd ?? "") ?? Number.NaN;
      const where = call === "write" ? end : Number(/, (\d+)\)\s+= \d+$/.exec(line)?.[1]);
      if (call === "write") ends.set(fd ?? "", end + result);
      if (cut !== undefined || Number.isNaN(where))
        throw new Unusable(4, `the log of strace cannot be read: ${line.slice(-80)}`);
      acts.push({ is: "write", file, at: where, data: unhex(data).subarray(0, result) });
    } else throw new Unusable(4, `${call} on a file of the archive is not understood by this recorder`);
  }
  return acts;
}
