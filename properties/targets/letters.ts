/**
 * What commits said, so that it is known again when it is read: a mail that is sampled is the mail that was sent, to its number,
 * its time and the last of its text; a message that is read was written; an agent stays who it is. Views show none of that.
 */
import type { Commit, Mail, Message } from "../../src/archive/archive.ts";
import type { Path } from "../../src/contract.ts";
import { digest, hash } from "../digest.ts";

export interface Letters {
  readonly mails: Map<number, string>;
  /** Times at which it was written, by all else that it says. */
  readonly messages: Map<string, Set<number>>;
  readonly identities: Map<Path, string>;
  /** From the beginning of the archive, and not since another process ended. */
  isWhole: boolean;
  wrong: Error | null;
}
export function newLetters(): Letters {
  return { mails: new Map(), messages: new Map(), identities: new Map(), isWhole: true, wrong: null };
}

const textOf = ({ seq, kind, from, to, text, at, outcome, digest }: Mail): string =>
  JSON.stringify([seq, kind, from, to, text, at, outcome, digest]);
const lineOf = (path: Path, { kind, turn, from, text }: Message): string =>
  JSON.stringify([path, kind, turn, from, text]);

/** Before it is written. Time passes within a step between `since` and `now`. */
export function committing(letters: Letters, commit: Commit, since: number, now: number): void {
  const isNow = (at: number): boolean => at >= since && at <= now;
  for (const mail of commit.mailAdded) {
    const full = fullOf(commit, mail);
    if (full !== null && !isMailed(mail.text, full))
      letters.wrong ??= new Error(
        `a result of ${full.length} units was mailed as another text, of ${mail.text.length}`,
      );
    if (!isNow(mail.at)) letters.wrong ??= new Error(`a mail to ${mail.to} came at ${mail.at}, and it is ${now}`);
  }
  const { compact } = commit;
  const notes = compact === null ? [] : [{ path: compact.path, append: [compact.note] }];
  for (const { path, append } of [...commit.messages, ...notes])
    for (const message of append) {
      const line = lineOf(path, message);
      letters.messages.set(line, (letters.messages.get(line) ?? new Set()).add(message.at));
      // What a turn said may be written long after.
      if (!isNow(message.at) && (message.kind !== "partial" || message.at > now || message.at < 1))
        letters.wrong ??= new Error(`a message of ${path} is of ${message.at}, and it is ${now}`);
    }
}
/** The whole of a result that is settled in the same commit; null where it is not told. */
function fullOf({ records }: Commit, { kind, from, digest }: Mail): string | null {
  const record = kind === "result" ? records.find(({ path }) => path === from) : undefined;
  const results = [record?.result, ...(record?.owed ?? []).map(({ result }) => result)];
  return results.find((each) => each != null && hash(each.text) === digest)?.text ?? null;
}
const mailedMax = 32_768;
/** L18: the whole, or its beginning and its end, with how much is left out between them, and no less than there is room for. */
function isMailed(text: string, full: string): boolean {
  if (full.length <= mailedMax) return text === full;
  const [, head = "", count, tail = ""] =
    /^(.*)\n\[(\d+) characters left out here; the whole result is in [^\]\n]+\]\n(.*)$/s.exec(text) ?? [];
  const isOfIt =
    full.startsWith(head) && full.endsWith(tail) && Number(count) === full.length - head.length - tail.length;
  // Where a line ends it may be half of that; else a pair at either end, and a shorter count, make it a little less.
  const least = full.includes("\n") ? mailedMax / 2 : mailedMax - 4;
  return isOfIt && text.length <= mailedMax && text.length >= least && tail !== "";
}

/** Once it is written: a number of a mail that was not is given again. L2, L27 */
export function committed(letters: Letters, { records, mailAdded }: Commit): void {
  for (const mail of mailAdded) letters.mails.set(mail.seq, textOf(mail));
  for (const { path, id, location, role, config } of records) {
    const identity = JSON.stringify([id, location, role, digest.config(config)]);
    const known = letters.identities.get(path);
    if (known !== undefined && known !== identity)
      letters.wrong ??= new Error(`${path} was ${known} and is ${identity}`);
    letters.identities.set(path, identity);
  }
}

export function requireSent({ mails }: Letters, sampled: readonly Mail[]): void {
  for (const mail of sampled) {
    const sent = mails.get(mail.seq);
    if (sent !== undefined && sent !== textOf(mail)) throw new Error(`a mail was ${sent} and is now ${textOf(mail)}`);
  }
}
/** What it says is compared by others; here it is when it was said. */
export function requireWritten({ messages, isWhole }: Letters, path: Path, read: readonly Message[]): void {
  if (!isWhole) return;
  // What was said since the last commit is written with the next.
  const wrong = read.find(
    (each) => each.kind !== "partial" && messages.get(lineOf(path, each))?.has(each.at) === false,
  );
  if (wrong !== undefined) throw new Error(`nobody has written at ${wrong.at} what is read of ${path}: ${wrong.kind}`);
}
