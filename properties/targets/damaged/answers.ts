/**
 * Everything that can be asked of an archive through the public interface, and whether what a damaged one answers is what the
 * whole one did, or says which code and where. What is neither is a silent wrong answer.
 */
import { openSession, RollcallError, type Session, sqliteStore } from "../../../src/index.ts";
import { equal } from "../../compare.ts";
import { host } from "./archives.ts";

type Given = { readonly [question: string]: unknown };
export interface Answers {
  /** By question; a fault is its code and place. */
  readonly given: Given;
  /** The same questions once more, in the same session: what an answer leaves behind must not make the next one wrong. */
  readonly again: Given;
  /** Told by events or by `verify`, and not answered for. */
  readonly aside: readonly string[];
  /** Refused as a whole. */
  readonly refused: string | null;
}
interface Told {
  readonly code: string;
  readonly at: string;
}
const isTold = (answer: unknown): answer is Told => typeof answer === "object" && answer !== null && "code" in answer;

const provider = { dispatch: () => {} };

async function answered(act: () => Promise<unknown>): Promise<unknown> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof RollcallError) return { code: error.code, at: error.at } satisfies Told;
    throw error;
  }
}

/** Read-only, as a host looks at an archive. */
export async function answersOf(file: string, paths: readonly string[]): Promise<Answers> {
  const aside = new Set<string>();
  const opened = await answered(() =>
    openSession(sqliteStore(file), {
      ...{ ...host, provider, mode: "read", create: false },
      onEvent: (event) => event[0] === "set_aside" && aside.add(event[1]),
    }),
  );
  if (isTold(opened)) return { given: {}, again: {}, aside: [], refused: `${opened.code} at ${opened.at}` };
  const session = opened as Session; // what openSession resolves to
  try {
    const given = await askedAll(session, paths, aside);
    const again = await askedAll(session, paths, aside);
    return { given, again, aside: [...aside].sort(), refused: null };
  } finally {
    await answered(() => session.close());
  }
}
async function askedAll(session: Session, paths: readonly string[], aside: Set<string>): Promise<Given> {
  const given: { [question: string]: unknown } = {};
  for (const path of [...paths, "/root/nobody", "/root/ann/nobody"]) {
    const agent = session.agent(path);
    given[`${path} result`] = await answered(() => agent.readResult());
    given[`${path} last`] = await answered(() => agent.readHistory({ last: 2 }));
    given[`${path} history`] = await answered(() => agent.readHistory({ last: 10_000 }));
    if (path !== "/root") given[`${path} inspect`] = await answered(() => agent.inspect());
  }
  given["roster"] = await answered(() => session.roster());
  given["below"] = await answered(() => session.roster("/root/ann"));
  const verified = await answered(() => session.verify());
  if (Array.isArray(verified)) for (const [path] of verified) aside.add(path);
  given["verify"] = isTold(verified) ? verified : [];
  const { capacity, root, agents = {} } = session.view();
  given["root"] = { capacity, mail: root?.mail };
  for (const [path, { residency: _, marks: __, messages: ___, ...agent }] of Object.entries(agents))
    given[`${path} record`] = agent;
  return given;
}

/** What is answered wrongly without a word, or null; `reported` counts what was said. */
export function silent(whole: Answers, found: Answers): { readonly wrong: string | null; readonly reported: number } {
  if (found.refused !== null) return { wrong: null, reported: 1 };
  const first = silentIn(whole.given, found.given, found.aside);
  if (first.wrong !== null) return first;
  const { wrong } = silentIn(whole.again, found.again, found.aside);
  return { wrong: wrong === null ? null : `asked again, ${wrong}`, reported: first.reported };
}
function silentIn(whole: Given, found: Given, aside: readonly string[]): ReturnType<typeof silent> {
  let reported = aside.length;
  for (const [question, expected] of Object.entries(whole)) {
    const answer = found[question];
    const [path = ""] = question.split(" ");
    if (isTold(answer) && !equal(answer, expected)) {
      // That nobody is there, or has nothing, is an answer and no report, unless the record was set aside.
      const isAnswer = ["agent_unknown", "not_ready", "path_malformed"].includes(answer.code);
      if (isAnswer && !aside.includes(path)) return { wrong: `${question}: ${answer.code}`, reported };
      reported++;
      continue;
    }
    const due = Array.isArray(expected) && !question.includes(" ") ? withoutAside(expected, aside) : expected;
    if (answer === undefined && (aside.includes(path) || isLost(found, path))) continue;
    // Seen whole before, and found damaged by whoever read it again: shown and reported, which is neither wrong nor silent.
    const shown = Array.isArray(answer) && due !== expected ? withoutAside(answer, aside) : answer;
    if (!equal(shown, due)) {
      const wrong = `${question}: ${JSON.stringify(answer)?.slice(0, 300)} for ${JSON.stringify(due).slice(0, 300)}`;
      return { wrong, reported };
    }
  }
  const more = Object.keys(found).find((question) => !(question in whole));
  return { wrong: more === undefined ? null : `${more}: nobody was there`, reported };
}
/** A record that no list would answer for is reported where it is asked for. */
const isLost = (given: Given, path: string): boolean => isTold(given[`${path} result`]) && isTold(given["roster"]);
function withoutAside(rows: readonly unknown[], aside: readonly string[]): readonly unknown[] {
  return rows.filter((row) => !(Array.isArray(row) && aside.includes(String(row[0]))));
}

/** Opened as its next owner would: recovered, read, written to. Faults are told; the rest is a bug. */
export async function survives(file: string): Promise<void> {
  const session = await answered(() =>
    openSession(sqliteStore(file, { durability: "off" }), { ...host, provider, create: false }),
  );
  if (isTold(session)) return;
  const open = session as Session; // what openSession resolves to
  await answered(() => open.roster());
  await answered(() => open.verify());
  await answered(() => open.root.sample());
  await answered(() => open.agent("/root/ann").send("after the damage"));
  await answered(() => open.agent("/root/ann").followUp("and a turn"));
  await answered(() => open.save());
  if (isTold(await answered(() => open.close()))) open.abandon();
}
