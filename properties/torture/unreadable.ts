/**
 * Reads that fail at the system's own call (strace makes them), any one of them and again and again: each answer is what it was or
 * says code and place, mail that was acknowledged is there once, and with reads that work all is as before.
 */
import { spawnSync } from "node:child_process";
import { mkdtemp, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { equal } from "../compare.ts";
import { type Answers, answersOf, silent } from "../targets/damaged/answers.ts";
import { baseOf } from "../targets/damaged/archives.ts";
import type { AskerLine, Asking } from "../targets/damaged/asker.ts";
import { removeFolder } from "../targets/settled.ts";
import { chanceOf } from "./chance.ts";
import { Found } from "./judge.ts";

export interface Asked {
  readonly seed: number;
  readonly folder: string;
  /** The process under test; the one that asks is built beside it. */
  readonly program: string;
}
export interface Unreadable {
  /** Reads that failed, as strace has it; questions and mails that were told so. */
  readonly failed: number;
  readonly told: number;
  /** Mails acknowledged in spite of it. */
  readonly sent: number;
}

const answerMs = 120_000;
const mailsMax = 6;
/** libsql goes on with a page of nothing where it could not read one: a row that is not found there is told as well, by code and place. */
const takenForNothing = ["conversation_missing", "record_invalid"];
/**
 * What a read that fails is told as. SQLite takes EIO of a read for damage of the file system and says "malformed" itself, so these
 * cannot be told apart; a record that is set aside for it, or a session that is refused, would be a wrong answer.
 */
const codes = ["io_failed", "archive_malformed", "conversation_corrupt", "conversation_failed", ...takenForNothing];

/** One archive, asked by a process and written to by another. Throws `Found` for an answer that is neither. */
export async function unreadable(index: number, { seed, folder: parent, program }: Asked): Promise<Unreadable> {
  const asker = join(dirname(program), "..", "damaged", "asker.js");
  const folder = await mkdtemp(join(parent, "rollcall-unreadable-"));
  const chance = chanceOf(seed, index);
  const base = await baseOf(folder, seed + (index % 4));
  const file = join(folder, "asked.rollcall");
  await writeFile(file, base.closed);
  const whole = await answersOf(file, base.paths);
  const counts = { failed: 0, told: 0, sent: 0 };
  for (const mails of [0, 1 + chance.below(mailsMax)]) {
    // From the first read on that is not of the head, so many of them, each so many-th.
    const [from, each] = [1 + chance.below(30), 1 + chance.below(6)];
    const when = `${from}..${from + each * (1 + chance.below(12))}+${each}`;
    const { lines, failed } = asked(asker, { file, paths: base.paths, mails }, when, join(folder, "calls"));
    counts.failed += failed;
    for (const line of lines) {
      if ("answers" in line) counts.told += judged(whole, line.answers, when);
      else if ("failed" in line) counts.told += toldOnly(line.code, line.at, line.failed);
      else counts.sent += 1;
    }
    if (mails === 0) {
      const after = await answersOf(file, base.paths);
      if (!equal(after, whole))
        throw new Found(`reads failed (${when}), and afterwards the archive is another: ${file}`);
    } else await once(file, base.paths, lines, when);
  }
  await removeFolder(folder);
  return counts;
}

/** Every answer, in both sessions and both times. */
function judged(whole: Answers, found: Answers, when: string): number {
  if (found.refused !== null) return toldOnly(found.refused.split(" ")[0] ?? "", "archive", "opening");
  for (const [question, answer] of [...Object.entries(found.given), ...Object.entries(found.again)])
    if (typeof answer === "object" && answer !== null && "code" in answer && !equal(answer, whole.given[question]))
      toldOnly(String(answer.code), String("at" in answer ? answer.at : ""), question);
  if (found.aside.length > whole.aside.length)
    throw new Found(`reads failed (${when}), and records were set aside for it`);
  const { wrong, reported } = silent(whole, found);
  if (wrong !== null) throw new Found(`reads failed (${when}): ${wrong}`);
  return reported - whole.aside.length;
}
function toldOnly(code: string, at: string, what: string): number {
  if (!codes.includes(code) || at === "") throw new Found(`a read failed, and ${what} was answered ${code} at ${at}`);
  return 1;
}

/** In a process of its own, under strace. */
function asked(
  asker: string,
  asking: Asking,
  when: string,
  log: string,
): { lines: readonly AskerLine[]; failed: number } {
  const { file } = asking;
  const trace = ["-f", "-qq", "-o", log, "-P", file, "-P", `${file}-wal`, "-e", "trace=pread64"];
  const inject = ["-e", `inject=pread64:error=EIO:when=${when}`];
  const args = [...trace, ...inject, process.execPath, asker, JSON.stringify(asking)];
  const ran = spawnSync("strace", args, { encoding: "utf8", timeout: answerMs, maxBuffer: 64 * 1024 * 1024 });
  if (ran.status !== 0) throw new Found(`reads failed (${when}), and the process ended: ${ran.stderr.slice(-1_000)}`);
  const lines = ran.stdout.trim().split("\n");
  const failed = spawnSync("grep", ["-c", "INJECTED", log], { encoding: "utf8" }).stdout;
  return { lines: lines.map((line): AskerLine => JSON.parse(line)), failed: Number(failed) };
}

/** Each mail that was acknowledged is there, in order, once; one that was not is not. */
async function once(file: string, paths: readonly string[], lines: readonly AskerLine[], when: string): Promise<void> {
  const path = paths.find((each) => each !== "/root") ?? "/root";
  const sent = lines.flatMap((line) => ("sent" in line ? [line.sent] : []));
  const found = (await answersOf(file, paths)).given[`${path} record`];
  const mail =
    typeof found === "object" && found !== null && "mail" in found && Array.isArray(found.mail) ? found.mail : [];
  const texts = mail.map((each: unknown) => (Array.isArray(each) ? each[2] : null));
  const there = texts.filter((text) => /^mail \d+$/.test(String(text)));
  if (!equal(there, sent))
    throw new Found(`reads failed (${when}): ${sent.join(", ")} acknowledged, ${there.join(", ")} there`);
}
