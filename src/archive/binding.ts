/**
 * The seam to SQLite: the runtime's own where it takes URIs (Node 22.15 and later), else the optional package `libsql`, which
 * has the same synchronous shape. Neither is touched before the first archive is opened. One process uses one of the two:
 * two copies of SQLite would drop each other's locks on a file (POSIX locks belong to the process).
 */
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import type { Cell } from "./codec.ts";

export type Found = { readonly [column: string]: unknown };

export interface Database {
  /** Rows changed. Statements are prepared once for each text. */
  run(sql: string, ...values: readonly Cell[]): number;
  get(sql: string, ...values: readonly Cell[]): Found | undefined;
  all(sql: string, ...values: readonly Cell[]): readonly Found[];
  /** Several statements at once; never with values in the text. */
  exec(sql: string): void;
  close(): void;
}

/** `ro` and `rw` never create. `immutable` reads the main file alone and leaves nothing beside it. */
export type Access = "ro" | "rw" | "immutable";

interface Statement {
  run(...values: unknown[]): { readonly changes: number | bigint };
  get(...values: unknown[]): unknown;
  all(...values: unknown[]): unknown;
}
interface Connection {
  prepare(sql: string): Statement;
  exec(sql: string): void;
  close(): void;
}
interface Binding {
  readonly connect: (uri: string) => Connection;
  /** node:sqlite takes values one by one; libsql a list, and dies of a lone null that is not in one. */
  readonly spreads: boolean;
}

/** No fault of an archive: nothing was looked at. */
export class SqliteMissing extends Error {
  override readonly name = "SqliteMissing";
  constructor(cause: unknown) {
    super(
      "There is no SQLite to keep an archive with: use Node 22.15 or later, or install the package libsql (npm install libsql).",
      { cause },
    );
  }
}

let binding: Binding | null = null;

/** Throws `SqliteMissing` where there is none. */
export function requireSqlite(): void {
  binding ??= bind();
}
/** How a file is opened stands in its URI. Before these versions node:sqlite took one for the name of a file. */
export function takesUris(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major >= 24 || (major === 23 && minor >= 10) || (major === 22 && minor >= 15);
}
function bind(): Binding {
  const host = process as { getBuiltinModule?: (id: string) => unknown }; // newer than the types of Node 20
  const builtin = host.getBuiltinModule?.("node:sqlite");
  if (builtin !== undefined && takesUris(process.versions.node)) {
    const { DatabaseSync } = builtin as { DatabaseSync: new (uri: string) => Connection }; // documented shape
    return { connect: (uri) => new DatabaseSync(uri), spreads: true };
  }
  try {
    const Libsql = createRequire(import.meta.url)("libsql") as new (uri: string) => Connection; // documented shape
    return { connect: (uri) => new Libsql(uri), spreads: false };
  } catch (cause) {
    throw new SqliteMissing(cause);
  }
}

/**
 * Bytes as text. Rows are read as blobs, never as text: libsql cuts a text at NUL, and kills the process where a damaged
 * file holds bytes that are no UTF-8. It brings blobs in three shapes.
 */
export function textOf(value: unknown): string {
  if (value instanceof Uint8Array)
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("utf8");
  if (value instanceof ArrayBuffer) return Buffer.from(value).toString("utf8");
  return typeof value === "string" ? value : "";
}

/** Stands between the archive and SQLite: sees each file opened and each statement, may fail there, or end the process. */
export type Between = (file: string, open: () => Database) => Database;
let between: Between | null = null;
/** For campaigns that kill and fail; nobody stands there unless told, and then nothing is paid for it. */
export function standBetween(given: Between | null): void {
  between = given;
}

/** Of a real path, not of a symbolic link: the files beside it are named after it. */
export function openDatabase(file: string, access: Access): Database {
  return between === null ? connected(file, access) : between(file, () => connected(file, access));
}
function connected(file: string, access: Access): Database {
  binding ??= bind();
  const { connect, spreads } = binding;
  const query = access === "immutable" ? "immutable=1" : `mode=${access}`;
  const connection = connect(`${pathToFileURL(file).href}?${query}`);
  const statements = new Map<string, Statement>();
  const prepared = (sql: string): Statement => {
    const known = statements.get(sql);
    if (known !== undefined) return known;
    const made = connection.prepare(sql);
    statements.set(sql, made);
    return made;
  };
  const given = (values: readonly Cell[]): unknown[] => (spreads ? [...values] : [values]);
  const forget = (): void => {
    try {
      connection.exec("PRAGMA shrink_memory");
    } catch {
      // What is told is why the statement failed.
    }
  };
  const used = <Value>(sql: string, use: (statement: Statement) => Value): Value => {
    try {
      return use(prepared(sql));
    } catch (error) {
      // libsql keeps a page that could not be read as if it had been: let go of, it is read again when the disk is well.
      if (!spreads) forget();
      throw error;
    }
  };
  return {
    run: (sql, ...values) => Number(used(sql, (statement) => statement.run(...given(values))).changes),
    // Rows are plain objects in both; what their columns hold is `unknown` and is checked by whoever reads it.
    get: (sql, ...values) => used(sql, (statement) => statement.get(...given(values))) as Found | undefined, // as documented
    all: (sql, ...values) => used(sql, (statement) => statement.all(...given(values))) as Found[], // as documented
    exec: (sql) => connection.exec(sql),
    close: () => {
      statements.clear();
      connection.close();
    },
  };
}
