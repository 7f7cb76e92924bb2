/**
 * Faulty twins are told from the truth. False would be: a fault that really happened once, which lives through the stories
 * that production is judged by; or a story of it that was not shrunk to nearly the shortest.
 */
import { describe, expect, test } from "vitest";
import { check } from "./check.ts";
import { targetNamed, targetNames } from "./targets/named.ts";
import { shortest } from "./twins/shortest.ts";

/** What really happened, or what reading such an implementation suggests: each has its twin. */
const happened = [
  "keeps_result_while_starting",
  "loses_result_on_error",
  "quit_leaves_starting",
  "cold_tool_dropped",
  "tool_by_bare_name",
  "eager_hydration",
  "marks_erased",
  "follow_up_through_inspection",
  "partial_resident",
  "provider_after_failed_hydration",
  "reservation_visible",
  "name_stays_taken",
  "identity_rolled_back",
  "half_publication",
  "saved_before_id",
  "live_config",
  "wake_before_commit",
  "failed_save_reported_ok",
  "settled_flag_first",
  "old_result_after_admission",
  "sleeps_on_mail",
  "wake_calls_first",
  "undo_restores_list",
  "omitted_by_codec",
  "spoofed_execution",
  "drain_clears_all",
  "order_reversed",
  "steering_takes_slot",
  "queued_at_capacity",
  "slot_leak_on_settle",
  "result_to_initiator",
  "interrupt_cascades",
  "release_after_turn",
  "late_finish_settles_next",
  "recovered_twice",
  "recovery_skips_partial",
  "drops_valid_sibling",
  "orphan_in_silence",
  "bound_exceeded",
  "empty_prefix",
  "short_wait",
  "coarse_activity",
  "fork_clones_tree",
  "save_storm",
  "config_repeated",
  "late_dispatch_admits_next",
  "finish_before_admission_lost",
  "start_half_persisted",
  "visible_before_publication",
  "executions_climb",
  "failed_start_leaves_text",
  "aside_path_reused",
  "turn_numbers_restart",
  "one_quit_ends_shared_read",
  "full_parent_blocks_finish",
  "capacity_reset_by_restore",
  "double_send_on_throw",
];

test("every fault that really happened has a twin", () => {
  expect(happened.filter((name) => !targetNames().includes(`twin:${name}`))).toEqual([]);
  expect(new Set(happened).size).toBe(57);
});

/** Told in a few stories each; `rollcall faults` hunts all of them, with many seeds. */
const soon = [
  "drain_clears_all",
  "eager_hydration",
  "follow_up_through_inspection",
  "keeps_result_while_starting",
  "late_dispatch_admits_next",
  "loses_result_on_error",
  "marks_erased",
  "name_stays_taken",
  "order_reversed",
  "partial_resident",
  "quit_leaves_starting",
  "recovered_twice",
  "reservation_visible",
  "settled_flag_first",
  "slot_leak_on_settle",
  "start_half_persisted",
  "wake_before_commit",
];

describe("twins are found, and shrunk to nearly the shortest", () => {
  test.each(soon)("%s", { timeout: 120_000 }, async (name) => {
    const open = await targetNamed(`twin:${name}`);
    const { failed, stories } = await check({ runs: 1_000, seed: 1, open });
    expect(failed, `${stories} stories`).not.toBeNull();
    expect(failed?.shrunk.executions).toBeLessThanOrEqual(150);
    expect(failed?.shrunk.run.told.length).toBeLessThanOrEqual((shortest[name] ?? 0) + 1);
  });
});
