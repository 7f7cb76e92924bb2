/**
 * The floor: plain tables in SQLite, the same SQLite that the archive uses, written as somebody would who needs just this. Nothing
 * is checked on the way in or out, and nobody else is kept out.
 */
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Message } from "../../src/index.ts";
import { messageNow } from "./disk.ts";
import { type Filling, type Kept, type PeerKind, parentOf } from "./peer.ts";

interface Statement {
  run(...values: unknown[]): unknown;
  get(...values: unknown[]): unknown;
  all(...values: unknown[]): unknown;
}
interface Connection {
  prepare(sql: string): Statement;
  exec(sql: string): void;
  close(): void;
}
function connect(file: string): Connection {
  const runtime = process as { getBuiltinModule?: (id: string) => unknown }; // the types of Node 20 lack it
  const builtin = runtime.getBuiltinModule?.("node:sqlite");
  if (builtin !== undefined) {
    const { DatabaseSync } = builtin as { DatabaseSync: new (file: string) => Connection }; // documented shape
    return new DatabaseSync(file);
  }
  const Libsql = createRequire(import.meta.url)("libsql") as new (file: string) => Connection; // documented shape
  return new Libsql(file);
}
function opened(folder: string): Connection {
  const connection = connect(join(folder, "table.sqlite"));
  connection.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
  return connection;
}

const schema = `
CREATE TABLE role (name TEXT PRIMARY KEY, config TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE agent (path TEXT PRIMARY KEY, role TEXT, activity TEXT, result TEXT, turns INTEGER);
CREATE TABLE mail (seq INTEGER PRIMARY KEY, kind TEXT, sender TEXT, owner TEXT, text TEXT, at INTEGER);
CREATE INDEX mail_owner ON mail (owner);
CREATE TABLE message (path TEXT, n INTEGER, kind TEXT, turn INTEGER, sender TEXT, text TEXT, at INTEGER, PRIMARY KEY (path, n)) WITHOUT ROWID;
`;
const addMessage =
  "INSERT INTO message VALUES (?, (SELECT coalesce(max(n), -1) + 1 FROM message WHERE path = ?), ?, ?, ?, ?, ?)";

function create(folder: string, { agents, messages, roles }: Filling): void {
  const db = opened(folder);
  db.exec(`PRAGMA synchronous = OFF; ${schema} BEGIN`);
  const role = db.prepare("INSERT INTO role VALUES (?, ?)");
  for (const [name, config] of Object.entries(roles)) role.run(name, JSON.stringify(config));
  const agent = db.prepare("INSERT INTO agent VALUES (?, ?, ?, ?, ?)");
  const mail = db.prepare("INSERT INTO mail VALUES (?, ?, ?, ?, ?, ?)");
  const message = db.prepare("INSERT INTO message VALUES (?, ?, ?, ?, ?, ?, ?)");
  for (const [index, each] of agents.entries()) {
    agent.run(each.path, each.role, each.activity, each.result, each.turns);
    for (const { seq, kind, from, to, text, at } of each.mail) mail.run(seq, kind, from, to, text, at);
    for (const [n, { kind, turn, from, text, at }] of messages(index).entries())
      message.run(each.path, n, kind, turn, from, text, at);
  }
  // A log as long as the table would be what the first saves are measured at.
  db.exec("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)");
  db.close();
}

function open(folder: string): Kept {
  const db = opened(folder);
  const statements = new Map<string, Statement>();
  const sql = (text: string): Statement => {
    const known = statements.get(text) ?? db.prepare(text);
    statements.set(text, known);
    return known;
  };
  const inOne = (act: () => void) => {
    db.exec("BEGIN IMMEDIATE");
    act();
    db.exec("COMMIT");
  };
  const added = (path: string, { kind, turn, from, text, at }: Message) =>
    sql(addMessage).run(path, path, kind, turn, from, text, at);
  const mailed = (kind: string, from: string, to: string, text: string) =>
    sql("INSERT INTO mail (kind, sender, owner, text, at) VALUES (?, ?, ?, ?, ?)").run(
      kind,
      from,
      to,
      text,
      Date.now(),
    );
  const history = (path: string, last: number | null): readonly unknown[] =>
    sql("SELECT kind, turn, sender, text, at FROM message WHERE path = ? ORDER BY n DESC LIMIT ?").all(
      path,
      last ?? -1,
    ) as unknown[]; // rows, as documented
  return {
    roster: () => {
      const found = sql("SELECT path, activity FROM agent").all() as { path: string; activity: string }[]; // as selected
      return found.map(({ path, activity }) => [path, activity] as const);
    },
    history,
    begin: (path, text) => {
      history(path, null);
      inOne(() => {
        sql("UPDATE agent SET activity = 'running', result = NULL, turns = turns + 1 WHERE path = ?").run(path);
        const { turns } = sql("SELECT turns FROM agent WHERE path = ?").get(path) as { turns: number }; // as selected
        added(path, messageNow("task", "/root", turns, text));
      });
    },
    settle: (path, text) =>
      inOne(() => {
        sql("UPDATE agent SET activity = 'idle', result = ? WHERE path = ?").run(text, path);
        mailed("result", path, parentOf(path), text);
      }),
    send: (to, text) => void mailed("mail", "/root", to, text),
    drain: () => {
      const unread = "SELECT seq, sender, text FROM mail WHERE owner = '/root' ORDER BY seq";
      const found = sql(unread).all() as { seq: number; sender: string; text: string }[]; // as selected
      inOne(() => {
        for (const { seq, sender, text } of found) {
          added("/root", messageNow("mail", sender, 0, text));
          sql("DELETE FROM mail WHERE seq = ?").run(seq);
        }
      });
      return found.length;
    },
    unread: (path) => {
      const { n } = sql("SELECT count(*) AS n FROM mail WHERE owner = ?").get(path) as { n: number }; // as selected
      return n;
    },
    close: () => db.close(),
  };
}

const table: PeerKind = {
  name: "table",
  label: "SQLite table (the floor)",
  about: "plain tables in SQLite with the durability of the archive: the floor, since nothing is checked or owned",
  cannot: () => null,
  create,
  open,
};
export const kinds: readonly PeerKind[] = [table];
