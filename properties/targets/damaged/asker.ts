/**
 * A process whose reads of an archive fail: it asks everything, in one session and again in the next, or writes mail until it is told
 * that it is written; and says what was answered, a JSON line each. Whoever started it makes the reads fail, and judges.
 */
import { openSession, RollcallError, type Session, sqliteStore } from "../../../src/index.ts";
import { type Answers, answersOf } from "./answers.ts";
import { host } from "./archives.ts";

/** What it is told on its command line. */
export interface Asking {
  readonly file: string;
  readonly paths: readonly string[];
  /** So many mails to the first of the paths below the root; none: it asks. */
  readonly mails: number;
}
export type AskerLine =
  | { readonly answers: Answers }
  /** Acknowledged, or not and why. */
  | { readonly sent: string }
  | { readonly failed: string; readonly code: string; readonly at: string };

const triesMax = 60;

function say(line: AskerLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
/** Until it works; each fault is told. */
async function tried<Value>(what: string, act: () => Promise<Value>): Promise<Value> {
  for (let tries = 0; tries < triesMax; tries++)
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof RollcallError)) throw error;
      say({ failed: what, code: error.code, at: error.at });
    }
  throw new Error(`${what} does not work when it is tried again`);
}

async function ask({ file, paths, mails }: Asking): Promise<void> {
  if (mails === 0) {
    for (const _ of [1, 2]) say({ answers: await answersOf(file, paths) });
    return;
  }
  const options = { ...host, provider: { dispatch: () => {} }, create: false };
  const session: Session = await tried("open", () => openSession(sqliteStore(file), options));
  const agent = session.agent(paths.find((path) => path !== "/root") ?? "/root");
  for (let number = 1; number <= mails; number++) {
    const text = `mail ${number}`;
    await tried(text, () => agent.send(text));
    say({ sent: text });
  }
  // As if it died: whatever was not acknowledged must not come with an orderly end.
  session.abandon();
}

const [asking] = process.argv.slice(2);
if (asking === undefined) throw new Error("it is told what to ask by whoever starts it");
const given: Asking = JSON.parse(asking);
await ask(given);
