"""Deviations that can be switched on with `--fault NAME`, to see that a checker finds them. Each is one honest mistake."""

from __future__ import annotations

FAULTS = {
    "keeps_result_while_starting": "a follow-up clears the old result only when the turn is admitted",
    "loses_result_on_error": "a start that fails does not give the old result back; one that is quit does",
    "quit_leaves_starting": "a follow-up rolls back on errors only, so a quit leaves its agent starting",
    "wake_before_commit": "mail wakes its reader before it is written",
    "order_reversed": "a sample takes the newest mail first",
    "late_finish_settles_next": "a finish of an earlier turn settles the one under way",
    "recovered_twice": "a restore mails the result of an abandoned turn twice",
    "name_stays_taken": "a failed spawn keeps its name",
    "drain_clears_all": "handing executions to the parent empties the whole mailbox",
    "cold_tool_table": "tools are known once this process has started a turn that uses them, and not before",
    "handler_forgets": "a result whose handler throws is dropped instead of mailed",
}
