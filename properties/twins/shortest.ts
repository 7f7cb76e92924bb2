/**
 * The shortest stories known to tell a twin from the truth, in steps, answers in advance counted with the step that begins.
 * A shrunk story is to be at most one step longer.
 */
export const shortest: { readonly [twin: string]: number } = {
  drain_clears_all: 2,
  eager_hydration: 3,
  follow_up_through_inspection: 5,
  keeps_result_while_starting: 3,
  late_dispatch_admits_next: 2,
  late_finish_settles_next: 2,
  loses_result_on_error: 3,
  marks_erased: 4,
  name_stays_taken: 2,
  order_reversed: 4,
  partial_resident: 4,
  quit_leaves_starting: 3,
  recovered_twice: 4,
  reservation_visible: 2,
  settled_flag_first: 2,
  slot_leak_on_settle: 2,
  start_half_persisted: 3,
  wake_before_commit: 2,
};
