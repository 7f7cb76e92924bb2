/**
 * The tables of an archive. Types, CHECK, UNIQUE and foreign keys say a second time what the codec checks, so that no
 * other program writes nonsense either.
 */

/** "Roll", so that an archive is told from any other database. */
export const applicationId = 0x526f6c6c;
/** Raised whenever the tables change; what became of older archives is in migrate.ts. */
export const formatVersion = 2;

export const versionPragma: string = `PRAGMA user_version = ${formatVersion};`;
/**
 * One row. epoch: who may write; owner: the label of who wrote it; log: which log was begun last; owned: the checksum of these
 * three; session: capacity, how many records, highest number of a mail, checksum.
 */
export const metaTable = `CREATE TABLE meta (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  epoch INTEGER NOT NULL,
  owner TEXT NOT NULL,
  log INTEGER NOT NULL,
  owned TEXT NOT NULL,
  session TEXT NOT NULL
) STRICT;
`;
/** How many there are of each set that is not empty, and their digest: an owner's mail, its children; the root's urgent ones. */
export const tallyTable = `CREATE TABLE tally (
  whose TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('mail', 'children', 'urgent')),
  count INTEGER NOT NULL CHECK (count >= 0),
  digest TEXT NOT NULL,
  sum TEXT NOT NULL,
  PRIMARY KEY (whose, kind)
) STRICT, WITHOUT ROWID;
`;
/** Numbers of mail are the session's to give: it knows the highest. */
export const mailTable = `CREATE TABLE mail (
  seq INTEGER PRIMARY KEY,
  owner TEXT REFERENCES agent (path) DEFERRABLE INITIALLY DEFERRED,
  kind TEXT NOT NULL CHECK (kind IN ('mail', 'result', 'user', 'execution')),
  sender TEXT NOT NULL,
  text TEXT NOT NULL,
  at INTEGER NOT NULL CHECK (at >= 0),
  outcome TEXT,
  digest TEXT,
  sum TEXT NOT NULL,
  CHECK ((kind = 'result') = (outcome IS NOT NULL) AND (kind = 'result') = (digest IS NOT NULL)),
  CHECK (kind <> 'user' OR (owner IS NULL AND sender = 'user'))
) STRICT;
CREATE INDEX mail_owner ON mail (owner);
`;
/** The number of the first message, how many there are, and their digest. */
export const conversationCounts: readonly string[] = [
  "first INTEGER NOT NULL DEFAULT 1",
  "count INTEGER NOT NULL DEFAULT 0 CHECK (count >= 0)",
  "digest TEXT NOT NULL DEFAULT ''",
  "sum TEXT NOT NULL DEFAULT ''",
];

export const schema: string = `
PRAGMA application_id = ${applicationId};
${versionPragma}
${metaTable}${tallyTable}
CREATE TABLE config (hash TEXT PRIMARY KEY CHECK (length(hash) = 64), text TEXT NOT NULL) STRICT;
CREATE TABLE agent (
  path TEXT PRIMARY KEY,
  -- NULL is /root, which has no row: so parents and owners of mail can be foreign keys.
  parent TEXT REFERENCES agent (path) DEFERRABLE INITIALLY DEFERRED,
  id TEXT NOT NULL UNIQUE,
  role TEXT NOT NULL,
  config TEXT NOT NULL REFERENCES config (hash),
  activity TEXT NOT NULL CHECK (activity IN
    ('idle', 'starting', 'running', 'waiting', 'permission_blocked', 'interaction_blocked')),
  turns INTEGER NOT NULL CHECK (turns >= 0),
  location TEXT NOT NULL UNIQUE CHECK (location GLOB 'agents/?*' AND '/' || location || '/' NOT GLOB '*/../*'),
  owes INTEGER NOT NULL CHECK (owes >= 0),
  sum TEXT NOT NULL,
  CHECK (path GLOB coalesce(parent, '/root') || '/?*'),
  CHECK (instr(substr(path, length(coalesce(parent, '/root')) + 2), '/') = 0)
) STRICT, WITHOUT ROWID;
CREATE INDEX agent_parent ON agent (parent);
CREATE INDEX agent_urgent ON agent (path) WHERE activity <> 'idle' OR owes <> 0;
CREATE TABLE result (
  path TEXT NOT NULL REFERENCES agent (path) DEFERRABLE INITIALLY DEFERRED,
  slot TEXT NOT NULL CHECK (slot IN ('result', 'undo', 'owed')),
  turn INTEGER NOT NULL CHECK ((turn = 0) = (slot <> 'owed')),
  outcome TEXT NOT NULL CHECK (outcome IN ('completed', 'errored', 'interrupted')),
  text TEXT NOT NULL,
  reason TEXT,
  partial TEXT,
  sum TEXT NOT NULL,
  PRIMARY KEY (path, slot, turn)
) STRICT;
${mailTable}
CREATE TABLE conversation (
  number INTEGER PRIMARY KEY,
  location TEXT NOT NULL UNIQUE,
  ${conversationCounts.join(",\n  ")}
) STRICT;
CREATE TABLE message (
  conversation INTEGER NOT NULL REFERENCES conversation (number),
  n INTEGER NOT NULL CHECK (n > 0),
  kind TEXT NOT NULL CHECK (kind IN ('task', 'partial', 'mail', 'note')),
  turn INTEGER NOT NULL CHECK (turn >= 0),
  sender TEXT NOT NULL,
  text TEXT NOT NULL,
  at INTEGER NOT NULL CHECK (at >= 0),
  sum TEXT NOT NULL,
  PRIMARY KEY (conversation, n)
) STRICT;
`;
