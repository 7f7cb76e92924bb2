/**
 * The closed lists of the contract as values, for reading traces and for drawing stories. Each is the keys of a record
 * over the type, so that a new word in the contract does not compile until it stands here.
 */
import type {
  AbortAnswer,
  Answer,
  ArchiveDamage,
  AsideCode,
  BlockKind,
  CommitAnswer,
  DispatchAnswer,
  FaultCode,
  Gate,
  HandlerAnswer,
  HydrateAnswer,
  Outcome,
  PrepareAnswer,
  RecordDamage,
  RefusalCode,
  Verb,
  WakeReason,
  WarningCode,
} from "../src/contract.ts";

/** At least one, so that lists serve as enumerations and as something to draw from. */
export type Words<Word extends string> = readonly [Word, ...Word[]];

function words<Word extends string>(of: { readonly [word in Word]: true }): Words<Word> {
  return Object.keys(of) as [Word, ...Word[]]; // Object.keys forgets that the record's keys are its type's
}

export const verbs: Words<Verb> = words({
  spawn: true,
  follow_up: true,
  cancel: true,
  say: true,
  finish: true,
  interrupt: true,
  block: true,
  release: true,
  send: true,
  execution: true,
  steer: true,
  wait: true,
  cancel_wait: true,
  elapse: true,
  sample: true,
  roster: true,
  read_result: true,
  read_history: true,
  inspect: true,
  evict: true,
  compact: true,
  change_role: true,
  set_capacity: true,
  save: true,
  verify: true,
  fork: true,
  close: true,
  crash: true,
  restore: true,
  damage: true,
  mend: true,
  answer: true,
  together: true,
});
export const gates: Words<Gate> = words({ hydrate: true, prepare: true, dispatch: true, abort: true, handler: true });
/** By gate; the first is the one that goes on. */
export const answersOf: {
  readonly hydrate: Words<HydrateAnswer>;
  readonly prepare: Words<PrepareAnswer>;
  readonly dispatch: Words<DispatchAnswer>;
  readonly abort: Words<AbortAnswer>;
  readonly handler: Words<HandlerAnswer>;
} = {
  hydrate: ["ok", "missing", "corrupt", "error", "quit"],
  prepare: ["ok", "refuse", "error", "quit"],
  dispatch: ["ok", "error", "quit"],
  abort: ["ok", "error"],
  handler: ["ok", "throw"],
};
export const answers: Words<Answer> = words({
  ok: true,
  missing: true,
  corrupt: true,
  error: true,
  quit: true,
  refuse: true,
  throw: true,
});
export const commitAnswers: Words<CommitAnswer> = words({
  ok: true,
  not_written: true,
  disk_full: true,
  busy: true,
  io_failed: true,
  read_only_file: true,
  crash_before: true,
  crash_after: true,
});
export const outcomes: Words<Outcome> = words({ completed: true, errored: true, interrupted: true });
export const blockKinds: Words<BlockKind> = words({ permission_blocked: true, interaction_blocked: true });
export const wakeReasons: Words<WakeReason> = words({ mailbox: true, steering: true, user: true, timeout: true });
export const recordDamages: Words<RecordDamage> = words({
  malformed: true,
  checksum: true,
  config: true,
  tool: true,
  category: true,
  mail_sender: true,
  active_with_result: true,
  location: true,
});
export const archiveDamages: Words<ArchiveDamage> = words({ missing: true, malformed: true, version: true });
/** In the order of the contract: the first that applies wins. */
export const refusals: Words<RefusalCode> = words({
  session_closed: true,
  session_open: true,
  read_only: true,
  caller_unknown: true,
  not_active: true,
  path_malformed: true,
  agent_unknown: true,
  agent_invalid: true,
  target_root: true,
  target_self: true,
  name_malformed: true,
  text_empty: true,
  text_malformed: true,
  text_too_long: true,
  role_unknown: true,
  config_invalid: true,
  path_taken: true,
  capacity_invalid: true,
  tools_unavailable: true,
  tool_unknown: true,
  category_foreign: true,
  agents_full: true,
  at_capacity: true,
  too_many_operations: true,
  too_many_blockers: true,
  already_waiting: true,
  not_waiting: true,
  mailbox_full: true,
  in_use: true,
  not_ready: true,
  task_refused: true,
});
export const faults: Words<FaultCode> = words({
  not_written: true,
  disk_full: true,
  busy: true,
  io_failed: true,
  read_only_file: true,
  record_invalid: true,
  owned_elsewhere: true,
  ownership_lost: true,
  archive_missing: true,
  archive_malformed: true,
  archive_version: true,
  session_invalid: true,
  conversation_missing: true,
  conversation_corrupt: true,
  conversation_failed: true,
  location_unsafe: true,
  provider_failed: true,
  task_failed: true,
});
export const asideCodes: Words<AsideCode> = words({
  record_malformed: true,
  parent_invalid: true,
  tool_unknown: true,
  category_foreign: true,
  config_malformed: true,
  checksum: true,
});
export const warnings: Words<WarningCode> = words({
  callback_failed: true,
  handler_failed: true,
  not_written: true,
  disk_full: true,
  busy: true,
  io_failed: true,
  read_only_file: true,
  ownership_lost: true,
});
