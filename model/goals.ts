/**
 * What a hunt must have met, or its stories are too tame: every answer of every gate, every way a commit ends, every code,
 * traffic during every gate, and the situations in which registries were found to be wrong.
 */
import type { Answer, AsideCode, CommitAnswer, FaultCode, Gate, RefusalCode, WarningCode } from "../src/contract.ts";
import { met } from "./goals/met.ts";
import type { Ledger, Seen } from "./laws/law.ts";
import type { CommitKind } from "./laws/signs.ts";
import type { World } from "./state.ts";

export interface Goal {
  readonly name: string;
  /** Whether this step met it; the ledger is the one before the step. */
  reached(ledger: Ledger, before: Seen | null, now: Seen, world: World): boolean;
}

const answers: { readonly [gate in Gate]: readonly Answer[] } = {
  hydrate: ["ok", "missing", "corrupt", "error", "quit"],
  prepare: ["ok", "refuse", "error", "quit"],
  dispatch: ["ok", "error", "quit"],
  abort: ["ok", "error"],
  handler: ["ok", "throw"],
};
const kinds: { readonly [kind in CommitKind]: true } = {
  spawn: true,
  follow_up: true,
  steering: true,
  finish: true,
  interrupt: true,
  "handler ok": true,
  "handler throw": true,
  send: true,
  execution: true,
  steer: true,
  sample: true,
  compact: true,
  set_capacity: true,
  save: true,
  close: true,
  restore: true,
  recovery: true,
};
const failures: { readonly [answer in Exclude<CommitAnswer, "ok">]: true } = {
  not_written: true,
  disk_full: true,
  busy: true,
  io_failed: true,
  read_only_file: true,
  crash_before: true,
  crash_after: true,
};
const refusals: { readonly [code in RefusalCode]: true } = {
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
};
/**
 * False: no true registry ever says it in a story. `record_invalid` is a bug told (L9), and what a location leads to is for
 * the tests of the conversation's door.
 */
const faults: { readonly [code in FaultCode]: boolean } = {
  not_written: true,
  disk_full: true,
  busy: true,
  io_failed: true,
  read_only_file: true,
  record_invalid: false,
  owned_elsewhere: true,
  ownership_lost: true,
  archive_missing: true,
  archive_malformed: true,
  archive_version: true,
  session_invalid: true,
  conversation_missing: true,
  conversation_corrupt: true,
  conversation_failed: true,
  location_unsafe: false,
  provider_failed: true,
  task_failed: true,
};
const asides: { readonly [code in AsideCode]: true } = {
  record_malformed: true,
  parent_invalid: true,
  tool_unknown: true,
  category_foreign: true,
  config_malformed: true,
  checksum: true,
};
const warnings: { readonly [code in WarningCode]: true } = {
  callback_failed: true,
  handler_failed: true,
  not_written: true,
  disk_full: true,
  busy: true,
  io_failed: true,
  read_only_file: true,
  ownership_lost: true,
};

/** Each is named in `met` where it is recognised. */
const situations: readonly string[] = [
  "interrupt while starting",
  "interrupt while aborting",
  "late answer to a replaced start",
  "turn that ends inside its dispatch",
  "capacity lowered during a start",
  "follow-up to an idle agent at capacity",
  "follow-up to an active agent at capacity",
  "steering a waiting agent",
  "waits that run out together",
  "a wait that outlasts another",
  "release after settle",
  "late finish during the next turn",
  "double finish",
  "nested child with executions",
  "executions handed to a waiting parent, the result to a handler",
  "two askers of one hydration, one quits",
  "handler throws, put-back fails",
  "follow-up while a handler is open",
  "recovery with its conversation missing",
  "killed in recovery",
  "inspection, then follow-up",
  "compaction between save and restore",
  "traffic to a set-aside agent, then mended",
];

const gates = Object.keys(answers);
const names: readonly string[] = [
  ...["mail", "execution", "save", "crash"].flatMap((what) => gates.map((gate) => `${what} during ${gate}`)),
  ...Object.entries(answers).flatMap(([gate, all]) => all.map((answer) => `${gate} answered ${answer}`)),
  ...Object.keys(kinds).flatMap((kind) => Object.keys(failures).map((how) => `${kind}: ${how}, then written`)),
  ...situations,
  ...Object.keys(refusals).map((code) => `refused ${code}`),
  ...Object.entries(faults).flatMap(([code, seen]) => (seen ? [`fault ${code}`] : [])),
  ...Object.keys(asides).map((code) => `set aside ${code}`),
  ...Object.keys(warnings).map((code) => `warned ${code}`),
];

export const goals: readonly Goal[] = names.map((name) => ({
  name,
  reached: (ledger, before, now) => met(ledger, before, now).includes(name),
}));
