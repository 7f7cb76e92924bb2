/**
 * Rollcall, the embeddable registry: everything a host needs, on one screen. Importing it loads no checker, and the
 * binding of an archive only once a session is opened in a file.
 */
export type {
  Archive,
  Commit,
  Head,
  Mail,
  Message,
  OpenRequest,
  Owed,
  ReadRequest,
  Result,
  Row,
  Store,
  StoredRecord,
} from "./archive/archive.ts";
export { copyArchive, exportLines } from "./archive/export.ts";
export { memoryStore } from "./archive/memory.ts";
export { type SqliteOptions, sqliteStore } from "./archive/sqlite.ts";
export type {
  Activity,
  AsideCode,
  BlockKind,
  Code,
  Config,
  Counters,
  Encoded,
  Event,
  FaultCode,
  Limits,
  Mark,
  Op,
  Outcome,
  Path,
  RefusalCode,
  RosterRow,
  Token,
  ToolRef,
  View,
  WakeReason,
  WarningCode,
} from "./contract.ts";
export { RollcallError } from "./errors.ts";
export type {
  Agent,
  ByOptions,
  ForkOptions,
  LastOptions,
  Place,
  Session,
  TaskOptions,
  WaitOptions,
} from "./registry/api.ts";
export type { CallOptions } from "./registry/calls.ts";
export type { Inspection } from "./registry/look.ts";
export { openSession, type SessionOptions } from "./registry/open.ts";
export type {
  Clock,
  Deadlines,
  DispatchRequest,
  Handler,
  PrepareRequest,
  Provider,
  Registrar,
  SettledTurn,
  Viewer,
} from "./registry/ports.ts";
export type { RecordOptions } from "./registry/record.ts";
export type { FollowedUp } from "./registry/start.ts";
