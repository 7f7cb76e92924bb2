/** Faults that only a process that dies, or a disk that loses what was not synced, can show; each an edit of a copy of the source. */
import type { Plant } from "../targets/planted.ts";

/** Found by killing. */
export const killed: readonly Plant[] = [
  {
    // A commit is acknowledged, and written a little later.
    name: "acknowledged_before_written",
    edits: [
      {
        file: "registry/shell.ts",
        from: "await shell.archive.commit(commitOf(draft, options.tag));",
        to: "const given = commitOf(draft, options.tag); setTimeout(() => void shell.archive.commit(given).catch(() => {}), 4);",
      },
    ],
  },
  {
    // Mail first and by itself, then the records that it is about: a recovery that was cut off between them mails again.
    name: "recovered_twice",
    edits: [
      {
        file: "archive/sqlite.ts",
        from: "const added = write(db, written, given);",
        to: `const rest = { ...given.commit, mailRemoved: [], messages: [], compact: null };
        write(db, written, { ...given, agents: [], capacity: null, commit: rest });
        if (given.mail.length > 0) db.exec("COMMIT; BEGIN IMMEDIATE");
        const added = write(db, written, { ...given, mail: [] });`,
      },
    ],
  },
  {
    // Records by themselves, then the mail about them.
    name: "half_a_commit",
    edits: [
      {
        file: "archive/sqlite.ts",
        from: "const added = write(db, written, given);",
        to: `const added = write(db, written, { ...given, mail: [] });
        if (given.agents.length > 0) db.exec("COMMIT; BEGIN IMMEDIATE");
        const rest = { ...given.commit, mailRemoved: [], messages: [], compact: null };
        write(db, written, { ...given, agents: [], capacity: null, commit: rest });`,
      },
    ],
  },
];

/** Found by killing migrations. */
export const halfMigrated: readonly Plant[] = [
  {
    // The session's own row by itself, then all the rest.
    name: "migrated_in_parts",
    edits: [
      {
        file: "archive/migrate.ts",
        from: "  migrateMeta(db);\n",
        to: '  migrateMeta(db);\n  db.exec("COMMIT; BEGIN IMMEDIATE");\n',
      },
    ],
  },
];

/** As it stands in the source. */
const asked = ["$", "{durability}"].join("");

/** Found by losing power: a process that is killed leaves the system's cache, in which nothing is missing. */
export const unsynced: readonly Plant[] = [
  {
    name: "synchronous_off",
    edits: [
      {
        file: "archive/sqlite-file.ts",
        from: `PRAGMA foreign_keys = ON; PRAGMA synchronous = ${asked};`,
        to: "PRAGMA foreign_keys = ON; PRAGMA synchronous = OFF;",
      },
      {
        file: "archive/sqlite-file.ts",
        from: `db.exec(\`PRAGMA synchronous = ${asked}\`);`,
        to: "void durability;",
      },
    ],
  },
  {
    name: "normal_on_reopen",
    edits: [
      {
        file: "archive/sqlite-file.ts",
        from: `db.exec(\`PRAGMA synchronous = ${asked}\`);`,
        to: 'const again = Number(db.get("SELECT epoch FROM meta")?.["epoch"]) > 1; db.exec("PRAGMA synchronous = " + (again ? "NORMAL" : durability));',
      },
    ],
  },
];

/** Found between two processes. */
export const disowned: readonly Plant[] = [
  {
    // The epoch is not looked at when it writes.
    name: "epoch_unchecked",
    edits: [
      {
        file: "archive/sqlite.ts",
        from: 'if (!isOwner()) throw fault("ownership_lost", "archive"); // L40\n      const',
        to: "const",
      },
    ],
  },
  {
    // A lock file that is there counts, whether or not anybody holds it.
    name: "dead_owner_lives",
    edits: [
      {
        file: "archive/ownership.ts",
        from: '    db = openDatabase(lock, "rw");\n    db.exec("SELECT',
        to: '    if (lock !== "") return true;\n    db = openDatabase(lock, "rw");\n    db.exec("SELECT',
      },
    ],
  },
  {
    // Whoever comes takes it.
    name: "nobody_is_refused",
    edits: [
      {
        file: "archive/ownership.ts",
        from: 'if (!takeover && lives(file, epoch)) throw fault("owned_elsewhere", owner);',
        to: "void [owner, takeover, lives];",
      },
    ],
  },
];

/** Found where writes and syncs fail. */
export const unfailing: readonly Plant[] = [
  {
    // A commit whose sync failed stays in the log, for whoever opens it after a crash.
    name: "failed_commit_comes_back",
    edits: [{ file: "archive/sqlite.ts", from: "if (isEnding) undo(db);", to: "" }],
  },
];
