/** `rollcall import`: files that a real session left behind, as a partial trace, and what they say in words. */
import { readFile, stat } from "node:fs/promises";
import { basename } from "node:path";
import { parseArgs } from "node:util";
import { createColors } from "picocolors";
import { type Capture, printCapture } from "../captures/capture.ts";
import { type Given, importCapture } from "../captures/import.ts";
import { counted, exit, type Io, type Verb, verb } from "../io.ts";
import { line } from "../report.ts";
import { Unusable } from "../unusable.ts";
import { write } from "./drafts.ts";

const bytesMax = 256 * 1024 * 1024;
const shownMax = 40;

const help = `
Reads what a session left behind as a partial trace: steps that are known, steps that have to be assumed between them, where
something may have happened unseen, what was concurrent, and what was skipped, with the reasons. FILES are of one session:

  a recording of ours (record: FILE of openSession); it imports without gaps
  mevedel's telemetry-log.el, and beside it or alone its session.meta.el, which are read as data and never evaluated
  a partial trace that was written before

  --out FILE   write the partial trace there, for rollcall reproduce
  --texts      keep texts as they are, not as stand-ins of their length that name their hash
  --all        show all moments, not the first ${shownMax}`;

export const importCaptures: Verb = verb("import", "import FILES [--out FILE] [--texts]", help, async (args, io) => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { out: { type: "string" }, texts: { type: "boolean" }, all: { type: "boolean" } },
  });
  const capture = importCapture(await readGiven(positionals), values.texts === true);
  io.out(described(capture, io, values.all === true ? Number.POSITIVE_INFINITY : shownMax));
  if (values.out !== undefined) {
    await write(values.out, printCapture(capture));
    io.out(`\nwritten:  ${values.out}\n`);
  }
  return exit.held;
});

export async function readGiven(files: readonly string[]): Promise<readonly Given[]> {
  if (files.length === 0) throw new Unusable(2, "name the files of a capture");
  return await Promise.all(
    files.map(async (file) => {
      const found = await stat(file).catch(() => null);
      if (found === null) throw new Unusable(2, `there is no file ${file}`);
      if (!found.isFile()) throw new Unusable(2, `${file} is no file; name what a session left behind`);
      if (found.size > bytesMax) throw new Unusable(2, `${file} is larger than a capture may be (${bytesMax} bytes)`);
      return { name: basename(file), text: await readFile(file, "utf8") };
    }),
  );
}

/** What is in a capture, a line each. */
export function summaryOf({ from, moments, gaps, spans, scope }: Capture): string {
  const known = moments.filter((each) => each.line !== null).length;
  const kinds = { telemetry: "event", sidecar: "record", recording: "line" } as const;
  const read = from
    .map(({ kind, file, read: count }) => `${file}: ${counted(count, kinds[kind])} (${kind})`)
    .join(", ");
  const parts = [
    counted(moments.length, "moment"),
    `${known} known, ${moments.length - known} assumed`,
    `${counted(spans.length, "operation")} with something meanwhile`,
    counted(gaps.length, "gap"),
    `capacity ${scope.capacity}`,
  ];
  return `${read}\n${parts.join(", ")}\n`;
}

function described(capture: Capture, io: Pick<Io, "color">, shown: number): string {
  const { bold, dim, yellow } = createColors(io.color);
  const { moments, gaps, skipped } = capture;
  const lines = [summaryOf(capture)];
  if (gaps.length > 0) lines.push(bold("gaps"));
  for (const { before, may, why } of gaps.slice(0, shown)) {
    const where = before === null ? "anywhere" : `before ${before + 1}`;
    lines.push(`  ${yellow(where.padEnd(12))} ${why}${may.length === 0 ? "" : dim(`: ${may.join(", ")}`)}`);
  }
  if (gaps.length > shown) lines.push(dim(`  and ${gaps.length - shown} more`));
  if (skipped.length > 0) lines.push("", bold("skipped"));
  for (const { what, why, times, line: at } of skipped)
    lines.push(`  ${counted(times, "time")}: ${what}, ${why} ${dim(`(line ${at})`)}`);
  if (moments.length > 0) lines.push("", bold("moments"));
  for (const [index, { step, line: at, why }] of moments.slice(0, shown).entries()) {
    const from = at === null ? yellow(`assumed: ${why}`) : dim(`line ${at}`);
    lines.push(`  ${String(index + 1).padStart(4)}  ${line(step, { texts: true })}  ${from}`);
  }
  if (moments.length > shown) lines.push(dim(`  and ${moments.length - shown} more; --all shows them`));
  return `${lines.join("\n")}\n`;
}
