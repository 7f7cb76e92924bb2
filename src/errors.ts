/**
 * The one error class and the sentences of its codes. Messages are for people and say what to do next; only `code` is for
 * programs. The order in which codes win is the contract's; who throws them is not this file's affair.
 */
import type { AsideCode, FaultCode, RefusalCode, WarningCode } from "./contract.ts";

/** What a person reads, by code: what happened, and what to do next. */
export const sentences: Readonly<Record<RefusalCode | FaultCode | AsideCode | WarningCode, string>> = {
  session_closed: "The session is closed; open it before asking it anything.",
  session_open: "The session is open; close it first.",
  read_only: "The session was opened for reading; open it for writing to change it.",
  caller_unknown: "There is no such caller; callers are /root and published agents.",
  not_active: "The caller has no turn under way; only an agent in its turn may do this.",
  path_malformed: "That is no path; write /root/name, or a name below the caller.",
  agent_unknown: "There is no agent at that path; the roster lists those there are.",
  agent_invalid: "That agent was set aside because its record is invalid; verify says why.",
  target_root: "The root cannot be the target of this.",
  target_self: "An agent cannot do this to itself.",
  name_malformed: "That is no name; use a-z, 0-9 and _, at most 64 characters, not root, at most 32 deep.",
  text_empty: "The text is empty; say something.",
  text_malformed: "The text is not well-formed Unicode; remove the lone surrogate.",
  text_too_long: "The text is too long; shorten it or raise textMax.",
  role_unknown: "There is no such role; the host defines them when it opens the session.",
  config_invalid: "The role's configuration is invalid; it must have exactly the keys of a configuration.",
  path_taken: "That path is taken; choose another name.",
  capacity_invalid: "A capacity is a positive whole number.",
  tools_unavailable: "The session was opened without registrars; open it with some to start a turn.",
  tool_unknown: "The owner of the category has no tool of that name.",
  category_foreign: "Nobody owns that category of tools; open the session with its registrar.",
  agents_full: "The session keeps as many agents as it may; raise agentsMax.",
  at_capacity: "As many agents are active as may be; wait for one to settle or raise the capacity.",
  too_many_operations: "Too many operations are open; wait for some to end.",
  too_many_blockers: "The turn has too many blockers; release some.",
  already_waiting: "The caller waits already; one wait at a time.",
  not_waiting: "Nobody is waiting there; a user's mail is taken, and a wait cancelled, only during one.",
  mailbox_full: "The mailbox is full; its owner has to read first.",
  in_use: "The agent is in use; wait until it is idle and clean.",
  not_ready: "The agent has no result yet; wait for its turn to settle.",
  task_refused: "The host refused the task.",
  not_written: "The commit was not written; try again.",
  disk_full: "The disk is full, nothing was written; make room and try again.",
  busy: "Another process is inside a write to the archive; try again.",
  io_failed: "Reading or writing the archive failed; check the disk and try again.",
  read_only_file: "The archive may not be written to; check the permissions of the file and its folder.",
  record_invalid: "A live record cannot be written because it is invalid; this is a bug of the registry or its host.",
  owned_elsewhere: "Another session that lives owns the archive; close it, open for reading, or take over.",
  ownership_lost: "Another session took the archive over; nothing was written. Abandon this one.",
  archive_missing: "There is no archive there; check the path.",
  archive_malformed: "That is no archive, or it is damaged; restore it from a copy.",
  archive_version: "The archive was written by another version; use that version to open it.",
  session_invalid: "The session's own data is damaged; restore the archive from a copy.",
  conversation_missing: "The conversation is not in the archive; restore it from a copy.",
  conversation_corrupt: "The conversation is damaged; restore it from a copy.",
  conversation_failed: "The conversation could not be read; try again.",
  location_unsafe: "The conversation's location leads outside the session; mend the record.",
  provider_failed: "The provider failed; its own error is the cause.",
  task_failed: "Checking the task failed; the host's own error is the cause.",
  record_malformed: "The stored record is malformed; it was set aside and left as it was.",
  parent_invalid: "The record's parent is invalid; it was set aside and left as it was.",
  config_malformed: "The record's configuration is malformed; it was set aside and left as it was.",
  checksum: "The stored record does not match its checksum; it was set aside and left as it was.",
  callback_failed: "A callback threw; what it was called for is done all the same.",
  handler_failed: "A result handler threw; the result was mailed to the parent instead.",
};

/** The one error that the public interface rejects with. `at` says which record or field; `cause` what lies behind it. */
export class RollcallError extends Error {
  override readonly name = "RollcallError";
  readonly kind: "refused" | "fault";
  readonly code: RefusalCode | FaultCode;
  readonly at: string;

  constructor(kind: "refused" | "fault", code: RefusalCode | FaultCode, at: string, cause?: unknown) {
    // A refusal is an answer. It is made in the session's queue, which its stack would show in the place of the caller, at a
    // cost above that of the decision.
    const depth = Error.stackTraceLimit;
    if (kind === "refused") Error.stackTraceLimit = 0;
    super(`${code} at ${at}: ${sentences[code]}`, cause === undefined ? undefined : { cause });
    if (kind === "refused") Error.stackTraceLimit = depth;
    this.kind = kind;
    this.code = code;
    this.at = at;
  }
}

/** A fault of the world, ready to be thrown. */
export function fault(code: FaultCode, at: string, cause?: unknown): RollcallError {
  return new RollcallError("fault", code, at, cause);
}
