/**
 * The named points at which a process under test can be killed: before and after each statement that the archive gives to
 * SQLite, each file it opens and closes, named after what goes on and what is asked. Hooked in from outside, for tests alone.
 */
import type { Archive, Commit, ReadRequest } from "../../../src/archive/archive.ts";
import { type Database, standBetween } from "../../../src/archive/binding.ts";
import type { Store } from "../../../src/index.ts";
import { isContext } from "../context.ts";

/** What is asked of SQLite, from its first words. */
const words: readonly (readonly [RegExp, string])[] = [
  [/^BEGIN EXCLUSIVE|BEGIN EXCLUSIVE$/, "lock"],
  [/^BEGIN/, "begin"],
  [/^COMMIT/, "commit"],
  [/^ROLLBACK/, "roll back"],
  [/wal_checkpoint/, "checkpoint"],
  [/SET epoch/, "epoch"],
  [/journal_mode = WAL/, "log"],
  [/user_version = |^ *(ALTER|DROP|CREATE) (TABLE|INDEX|TRIGGER)/m, "tables"],
  [/^(INSERT|UPDATE|DELETE)/, "write"],
  [/^SELECT/, "read"],
];
const wordOf = (sql: string): string => words.find(([pattern]) => pattern.test(sql))?.[1] ?? "setting";

/** Where the process is to die: the n-th time it comes to any of these points, or to any at all. */
export interface Death {
  readonly points: readonly string[] | null;
  readonly nth: number;
  /** It only stops, until it is told to go on. */
  readonly stops?: true;
}

export interface Points {
  /** Put around the store, so that points know what goes on: what opening it is called, where the request does not say it. */
  readonly around: (store: Store, opening?: string) => Store;
  arm(death: Death | null): void;
  /** Points that were passed since they were last asked for, and how often. */
  passed(): { readonly [point: string]: number };
}

/** `die` kills or stops this process. */
export function points(die: (signal: "SIGKILL" | "SIGSTOP", point: string) => void): Points {
  let phase = "open";
  let death: Death | null = null;
  let wanted = new Set<string>();
  let met = 0;
  let passed: { [point: string]: number } = {};
  const pass = (point: string): void => {
    passed[point] = (passed[point] ?? 0) + 1;
    if (death === null || (death.points !== null && !wanted.has(point))) return;
    if (++met === death.nth) die(death.stops === true ? "SIGSTOP" : "SIGKILL", point);
  };
  const around = <Value>(what: string, act: () => Value): Value => {
    pass(`${phase}: before ${what}`);
    const value = act();
    pass(`${phase}: after ${what}`);
    return value;
  };
  standBetween((_, open) => watched(around("open", open), around));
  async function during<Value>(now: string, call: () => Promise<Value>): Promise<Value> {
    const before = phase;
    phase = now;
    try {
      return await call();
    } finally {
      phase = before;
    }
  }
  return {
    around: (store, opening) => ({
      open: async (request) => {
        const now = opening ?? (request.mode === "read" ? "read-only" : request.create === null ? "restore" : "create");
        const archive = await during(now, () => store.open(request));
        return phased(archive, during);
      },
    }),
    arm: (given) => {
      [death, met, passed, wanted] = [given, 0, {}, new Set(given?.points)];
    },
    passed: () => passed,
  };
}

type Around = <Value>(what: string, act: () => Value) => Value;
function watched(db: Database, around: Around): Database {
  return {
    run: (sql, ...values) => around(wordOf(sql), () => db.run(sql, ...values)),
    get: (sql, ...values) => around(wordOf(sql), () => db.get(sql, ...values)),
    all: (sql, ...values) => around(wordOf(sql), () => db.all(sql, ...values)),
    exec: (sql) => around(wordOf(sql), () => db.exec(sql)),
    close: () => around("close", () => db.close()),
  };
}

type During = <Value>(phase: string, call: () => Promise<Value>) => Promise<Value>;
function phased(archive: Archive, during: During): Archive {
  const reads: { readonly [intent in ReadRequest["intent"]]: string } = {
    recover: "recovery",
    writable: "hydrate",
    inspection: "hydrate",
    history: "hydrate",
  };
  return {
    ...archive,
    head: () => during("restore", () => archive.head()),
    rows: (paths) => during("look", () => archive.rows(paths)),
    scan: (prefix, after, count) => during("look", () => archive.scan(prefix, after, count)),
    messages: (request) => during(reads[request.intent], () => archive.messages(request)),
    // A session's commits carry the step behind them, that of a restore none.
    commit: (commit: Commit) => {
      const isRecovery = isContext(commit.tag) && commit.tag.step === null;
      return during(isRecovery ? "recovery" : "commit", () => archive.commit(commit));
    },
    close: () => during("close", () => archive.close()),
  };
}
