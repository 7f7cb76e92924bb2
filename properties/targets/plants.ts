/**
 * Faults planted in the production source: each a small edit of a scratch copy that must apply exactly once, built and
 * judged like the real one. Twins of the model never run `src`; these show that production itself would be caught.
 */
import type { Edit, Plant } from "./planted.ts";

export interface NamedPlant extends Plant {
  /** What the faulty one does, in a few words. */
  readonly does: string;
  /** The target that meets it; memory unless told. */
  readonly on?: "tight";
}

const plant = (name: string, does: string, file: string, from: string, to: string): NamedPlant => ({
  name,
  does,
  edits: [{ file, from, to } satisfies Edit],
});

export const plants: readonly NamedPlant[] = [
  plant(
    "keeps_result_while_starting",
    "clears the old result at admission instead of at the start",
    "registry/state.ts",
    'result: phase.is === "idle" ? phase.result : null,',
    'result: phase.is === "idle" ? phase.result : phase.is === "starting" ? phase.undo : null,',
  ),
  plant(
    "quit_leaves_starting",
    "rolls back on errors only",
    "registry/start.ts",
    'if ("held" in found) quitStart(draft, found);',
    'if ("held" in found) endOp(draft, op, { quit: true });',
  ),
  plant(
    "loses_result_on_error",
    "does not give the cleared result back when the start fails",
    "registry/start.ts",
    'result: agent.phase.is === "starting" ? agent.phase.undo : null',
    'result: "fault" in end || agent.phase.is !== "starting" ? null : agent.phase.undo',
  ),
  plant(
    "eager_hydration",
    "restore reads idle conversations",
    "registry/open.ts",
    "      const found = await readAbandoned(shell, options);",
    `      for (const row of await archive.scan("/root", null, 1_000)) {
        if (!("record" in row) || row.record.activity !== "idle") continue;
        shell.counted.hydrated += 1;
      }
      const found = await readAbandoned(shell, options);`,
  ),
  plant(
    "omitted_by_codec",
    "drops executions to owners that are not the root when a record is read",
    "archive/codec.ts",
    "record: { ...trunk, config, mail, messages }",
    'record: { ...trunk, config, mail: mail.filter((each) => each.kind !== "execution"), messages }',
  ),
  plant(
    "wake_before_commit",
    "wakes the waiter, then saves",
    "registry/shell.ts",
    "    await shell.archive.commit(commitOf(draft, options.tag));",
    `    for (const act of draft.acts) if (act.do === "wake" && act.why !== null) emit(shell, ["woke", act.path, act.why], options.tag);
    await shell.archive.commit(commitOf(draft, options.tag));`,
  ),
  plant(
    "failed_save_reported_ok",
    "ignores that a commit was not written",
    "registry/shell.ts",
    "await conclude(shell, job, fresh, unless?.(fresh, fault) ?? fault, false);",
    "await conclude(shell, job, fresh, unless?.(fresh, fault) ?? reply, false);",
  ),
  plant(
    "settled_flag_first",
    "a settlement that was not written has ended the turn all the same",
    "registry/shell.ts",
    "const fresh = beginDraft(shell.state, draft.now);",
    "const fresh = order.isSettlement === true ? draft : beginDraft(shell.state, draft.now);",
  ),
  plant(
    "drain_clears_all",
    "clears a mailbox of what arrives with the next commit after a sample",
    "registry/mail.ts",
    "    removeMail(draft, path, unread);",
    "    removeMail(draft, path, unread.slice(0, 1));",
  ),
  plant(
    "order_reversed",
    "restore delivers newest first",
    "archive/codec.ts",
    "  const mail = decodeMails(found.mail);\n  if (trunk",
    "  const mail = [...decodeMails(found.mail)].reverse();\n  if (trunk",
  ),
  plant(
    "slot_leak_on_settle",
    "a turn that settles keeps its slot",
    "registry/settle.ts",
    '  draft.active -= 1;\n  put(draft, { ...agent, owed, phase: { is: "idle", result } });',
    '  put(draft, { ...agent, owed, phase: { is: "idle", result } });',
  ),
  plant(
    "late_finish_settles_next",
    "a finish of an old turn ends the new one",
    "registry/settle.ts",
    "if (!isAdmitted(agent) || agent.phase.turn !== turn) return",
    "if (!isAdmitted(agent) || agent.phase.turn < turn) return",
  ),
  plant(
    "name_stays_taken",
    "a spawn that fails keeps its name",
    "registry/start.ts",
    "  draft.active -= 1;\n  setStart(draft, path, null);",
    '  draft.active -= 1;\n  if (start.is !== "spawn") setStart(draft, path, null);',
  ),
  plant(
    "steering_takes_slot",
    "a follow-up to an active agent is refused at capacity",
    "registry/start.ts",
    "  const full = room(draft, agent.path, agent.mail.length);",
    "  const full = slot(draft) ?? room(draft, agent.path, agent.mail.length);",
  ),
  plant(
    "recovery_skips_partial",
    "recovery forgets what an abandoned turn said",
    "registry/recover.ts",
    "isRead ? saidIn(found.messages, turn) : null",
    "null",
  ),
  plant(
    "start_half_persisted",
    "writes a start and forgets the result that it cleared",
    "registry/state.ts",
    'undo: phase.is === "starting" ? phase.undo : null,',
    "undo: null,",
  ),
  plant(
    "follow_up_through_inspection",
    "continues an inspection",
    "registry/start.ts",
    'if (residency === "writable") prepare(draft,',
    'if (residency !== "cold") prepare(draft,',
  ),
  plant(
    "marks_erased",
    "does not put the marks back after the mode was set up",
    "conversation.ts",
    "  applyMarks(marks, given);\n  return",
    "  return",
  ),
  plant(
    "one_quit_ends_shared_read",
    "the asker who quits ends the read for all",
    "registry/reading.ts",
    "setRead(draft, path, askers.length === 0 ? null : { ...read, askers });",
    "setRead(draft, path, null);",
  ),
  plant(
    "executions_climb",
    "passes on executions that were handed over by a child",
    "registry/settle.ts",
    'return mail.kind === "execution" && mail.from === owner;',
    'return mail.kind === "execution" && mail.from.startsWith(owner);',
  ),
  plant(
    "full_parent_blocks_finish",
    "a result does not reach a mailbox that is full",
    "registry/settle.ts",
    "  if (handler === null) mailResult(draft, agent, result);\n  handExecutionsOver(draft, path);",
    "  const isFull = (agent.parent === rootPath ? draft.root.mail : agentOf(draft, agent.parent).mail).length >= draft.state.setting.limits.mailMax;\n  if (handler === null && !isFull) mailResult(draft, agent, result);\n  handExecutionsOver(draft, path);",
  ),
  plant(
    "release_after_turn",
    "an old token changes a new turn's activity",
    "registry/turn.ts",
    "filter((each) => each.token !== token)",
    'filter((each) => each.token === null || each.token.split(".")[1] !== token.split(".")[1])',
  ),
  plant(
    "interrupt_loses_partial",
    "an interrupt forgets what the turn said",
    "registry/turn.ts",
    'return resultOf("interrupted", "", "interrupted", saidIn(',
    'return resultOf("interrupted", "", "interrupted", null && saidIn(',
  ),
  plant(
    "capacity_reset_by_restore",
    "a restore takes the default capacity again",
    "registry/open.ts",
    "capacity: head.capacity, kept",
    "capacity: capacityDefault, kept",
  ),
  plant(
    "live_config",
    "keeps the host's own object as an agent's configuration",
    "config.ts",
    "parameters: frozenMembers(parameters, frozenJson),",
    "parameters: {},",
  ),
  plant(
    "turn_numbers_restart",
    "numbers turns from 1 again",
    "registry/rows.ts",
    "    ...{ id, path, parent, role, turns, mail, owed, location, messages, phase },",
    "    ...{ id, path, parent, role, turns: Math.min(turns, 1), mail, owed, location, messages, phase },",
  ),
  plant(
    "aside_path_reused",
    "a new agent may take the path of one that was set aside",
    "registry/start.ts",
    "agentAt(draft, path) !== undefined || draft.state.aside.has(path) ||",
    "agentAt(draft, path) !== undefined ||",
  ),
  plant(
    "orphan_in_silence",
    "descendants of an invalid record vanish unreported",
    "registry/rows.ts",
    '      events.push(["set_aside", row.path, taken]);',
    '      if (taken !== "parent_invalid") events.push(["set_aside", row.path, taken]);',
  ),
  plant(
    "timeout_order",
    "waits that run out together end in order of arrival",
    "registry/wait.ts",
    "deadline - other || (path < otherPath ? -1 : 1));",
    "other - deadline || (path < otherPath ? 1 : -1));",
  ),
  plant(
    "held_finish_lost",
    "drops a turn's end that came inside its own dispatch",
    "registry/start.ts",
    "if (start.held !== null && isAdmitted(agent))",
    'if (start.held !== null && start.is === "spawn" && isAdmitted(agent))',
  ),
  plant(
    "acknowledges_when_closed",
    "says that it took what reaches a session that is closed",
    "registry/shell.ts",
    "if (order.closed === undefined) call.reject(closedError());",
    "if (order.closed === undefined) call.resolve(undefined as never);",
  ),
  plant(
    "wait_ends_with_its_mail",
    "writes that a wait is over together with the mail that ends it",
    "registry/wait.ts",
    "draft.woken.set(path, activityOf(asleep));",
    'draft.woken.set(path, "running");',
  ),
];
