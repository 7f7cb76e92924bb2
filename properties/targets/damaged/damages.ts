/** Ways in which a file goes bad: bits, pages, ends, cells, rows, the log. Each is drawn from the seed and its number, and said in words. */
import { rmSync, writeFileSync } from "node:fs";
import { openDatabase, textOf } from "../../../src/archive/binding.ts";
import type { Chance } from "../../torture/chance.ts";
import type { Base } from "./archives.ts";

const pageBytes = 4_096;
const kinds = [
  "bit",
  "bits",
  "zeroed page",
  "cut off",
  "swapped pages",
  "cell",
  "deleted row",
  "swapped rows",
  "log",
] as const;
export type Kind = (typeof kinds)[number];
export const damageKinds: readonly Kind[] = kinds;

export interface Damage {
  readonly kind: Kind;
  readonly says: string;
}

/** Writes the damaged archive; `null` where what was drawn changes nothing. */
export function damage(base: Base, file: string, kind: Kind, chance: Chance): Damage | null {
  for (const end of ["", "-wal", "-shm", "-log"]) rmSync(`${file}${end}`, { force: true });
  if (kind === "log") {
    writeFileSync(file, base.left.file);
    writeFileSync(`${file}-log`, base.left.mark);
    // Deleted, or so short that SQLite finds nothing in it.
    const kept = chance.in100(50) ? null : chance.below(32);
    if (kept !== null) writeFileSync(`${file}-wal`, base.left.log.subarray(0, kept));
    return { kind, says: kept === null ? "the log is deleted" : `of the log ${kept} bytes are left` };
  }
  const bytes = Buffer.from(base.closed);
  const pages = Math.floor(bytes.length / pageBytes);
  const says = inFile(bytes, pages, kind, chance);
  if (says !== null) {
    writeFileSync(file, says.bytes);
    return { kind, says: says.says };
  }
  writeFileSync(file, bytes);
  const edited = inRows(file, kind, chance);
  return edited === null ? null : { kind, says: edited };
}

function inFile(
  bytes: Buffer,
  pages: number,
  kind: Kind,
  chance: Chance,
): { readonly bytes: Buffer; readonly says: string } | null {
  const page = chance.below(pages);
  switch (kind) {
    case "bit":
    case "bits": {
      const places: number[] = [];
      for (let left = kind === "bit" ? 1 : 2 + chance.below(14); left > 0; left--) {
        const at = chance.below(bytes.length * 8);
        places.push(at);
        bytes[at >> 3] = (bytes[at >> 3] ?? 0) ^ (1 << (at & 7));
      }
      return { bytes, says: `bits ${places.join(", ")} flipped` };
    }
    case "zeroed page":
      return { bytes: bytes.fill(0, page * pageBytes, (page + 1) * pageBytes), says: `page ${page + 1} zeroed` };
    case "cut off": {
      const length = chance.below(bytes.length);
      return { bytes: bytes.subarray(0, length), says: `cut off after ${length} bytes` };
    }
    case "swapped pages": {
      const other = (page + 1 + chance.below(Math.max(1, pages - 1))) % pages;
      const [one, two] = [page, other].map((each) =>
        Buffer.from(bytes.subarray(each * pageBytes, (each + 1) * pageBytes)),
      );
      if (one === undefined || two === undefined) return null;
      two.copy(bytes, page * pageBytes);
      one.copy(bytes, other * pageBytes);
      return { bytes, says: `pages ${page + 1} and ${other + 1} swapped` };
    }
    default:
      return null;
  }
}

// ── Rows, as another program would change them ───────────────────────────────────────────────────────────────────

const tables: { readonly [table: string]: { readonly key: string; readonly columns: readonly string[] } } = {
  meta: { key: "one", columns: ["epoch", "owner", "log", "owned", "session"] },
  tally: { key: "whose || ' ' || kind", columns: ["count", "digest", "sum"] },
  config: { key: "hash", columns: ["text"] },
  agent: {
    key: "path",
    columns: ["path", "parent", "id", "role", "config", "activity", "turns", "location", "owes", "sum"],
  },
  result: {
    key: "path || ' ' || slot || turn",
    columns: ["path", "slot", "turn", "outcome", "text", "reason", "partial", "sum"],
  },
  mail: { key: "seq", columns: ["seq", "owner", "kind", "sender", "text", "at", "outcome", "digest", "sum"] },
  conversation: { key: "number", columns: ["number", "location", "first", "count", "digest", "sum"] },
  message: {
    key: "conversation || ' ' || n",
    columns: ["conversation", "n", "kind", "turn", "sender", "text", "at", "sum"],
  },
};

function inRows(file: string, kind: Kind, chance: Chance): string | null {
  const db = openDatabase(file, "rw");
  try {
    db.exec(
      "PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON; PRAGMA synchronous = OFF; PRAGMA journal_mode = DELETE",
    );
    const table = chance.of(Object.keys(tables)) ?? "agent";
    const { key, columns } = tables[table] ?? { key: "", columns: [] };
    const keys = db.all(`SELECT CAST(${key} AS BLOB) AS key FROM ${table}`).map((each) => textOf(each["key"]));
    const [one, two] = [chance.of(keys), chance.of(keys)];
    if (one === undefined || two === undefined) return null;
    const where = `WHERE CAST(${key} AS TEXT) = ?`;
    switch (kind) {
      case "deleted row":
        return db.run(`DELETE FROM ${table} ${where}`, one) === 0 ? null : `${table} ${one} deleted`;
      case "swapped rows": {
        // All that is not the key goes the other way.
        const moved = columns.filter((each) => !key.split(/ \|\| ' ' \|\| | \|\| /).includes(each));
        if (one === two) return null;
        db.exec(`CREATE TEMP TABLE before AS SELECT * FROM ${table}`);
        for (const [to, from] of [
          [one, two],
          [two, one],
        ] as const)
          db.run(
            `UPDATE OR REPLACE ${table} SET (${moved.join(", ")}) = (SELECT ${moved.join(", ")} FROM before ${where}) ${where}`,
            from,
            to,
          );
        return `${table} ${one} and ${two} swapped`;
      }
      default: {
        const column = chance.of(columns) ?? "sum";
        const edited = editOf(column, table, chance);
        return db.run(`UPDATE OR IGNORE ${table} SET ${column} = ${edited} ${where}`, one) === 0
          ? null
          : `${table} ${one}: ${column} is ${edited}`;
      }
    }
  } catch (error) {
    // A strict table refuses some of it.
    if (error instanceof Error) return null;
    throw error;
  } finally {
    db.close();
  }
}
function editOf(column: string, table: string, chance: Chance): string {
  const isNumber = /^(epoch|log|count|turns|owes|turn|seq|at|number|first|conversation|n)$/.test(column);
  if (isNumber) return chance.of([`${column} + 1`, `${column} - 1`, "0", "9007199254740993"]) ?? "0";
  const other = `(SELECT ${column} FROM ${table} LIMIT 1 OFFSET ${chance.below(5)})`;
  const texts = [`${column} || 'x'`, "''", `replace(${column}, 'e', 'a')`, other, "NULL", `substr(${column}, 2)`];
  return chance.of(texts) ?? "''";
}
