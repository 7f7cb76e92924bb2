"""Commands that look, and those that tidy what is looked at: roster, results, histories, residency, compaction."""

from __future__ import annotations

from itertools import islice
from typing import Any, Dict, List

import paths
from operations import Body, Operation, begin, check_hydrated, run
from outcomes import Outcome, Refusal, Step, ok
from paths import ROOT
from records import Transcript
from registry import Draft, Session, message
from views import MARKS, message_view, result_view

KEPT_MESSAGES = 20


def roster(s: Session, step: Step) -> Outcome:
    prefix = step.get("prefix", "")
    if prefix and not paths.is_path(prefix):
        raise Refusal("path_malformed")
    rows: List[Any] = [[ROOT, None, "waiting" if s.root_waiter else "running"]]
    rows += [[path, s.records[path].role, s.records[path].activity] for path in sorted(s.records)]
    return ok([row for row in rows if not prefix or paths.within(row[0], prefix)])


def read_result(s: Session, step: Step) -> Outcome:
    result = s.records[s.target(step["path"])].result
    if result is None:
        raise Refusal("not_ready")
    return ok(result_view(result))


def verify(s: Session, step: Step) -> Outcome:
    """Every row was checked when the session was opened. As long as nobody else writes, there is nothing more to find."""
    s.archive.check_ours()
    return ok([[path, code] for path, code in sorted(s.aside.items())])


# ── Conversations ────────────────────────────────────────────────────────────────────────────────────────────────


def read_history(s: Session, step: Step) -> Outcome:
    path = s.target(step["path"], root=True)
    last = natural(step.get("last"))
    if path == ROOT or s.live[path].residency != "cold":
        # Only of a writable conversation is it certain that nobody else has written to it.
        if path == ROOT or s.live[path].residency != "writable":
            s.archive.check_ours()
        return ok(history(s, path, last))
    s.check_operations()
    operation = begin(s, path, "read_history", step.get("answers"))
    return run(s, operation, reading_history(s, operation, last))


def reading_history(s: Session, operation: Operation, last: int) -> Body:
    check_hydrated((yield "hydrate"), operation.path)
    return history(s, operation.path, last)


def inspect(s: Session, step: Step) -> Outcome:
    path = s.target(step["path"])
    if s.live[path].residency != "cold":
        return ok(inspection(s, path))
    s.check_operations()
    operation = begin(s, path, "inspect", step.get("answers"))
    return run(s, operation, inspecting(s, operation))


def inspecting(s: Session, operation: Operation) -> Body:
    check_hydrated((yield "hydrate"), operation.path)
    return inspection(s, operation.path)


def inspection(s: Session, path: str) -> Dict[str, Any]:
    live = s.live[path]
    return {"messages": s.records[path].transcript.messages + len(live.buffer), "marks": MARKS[live.residency]}


def history(s: Session, path: str, last: int) -> List[Any]:
    transcript = s.root.transcript if path == ROOT else s.records[path].transcript
    unwritten = s.root_buffer if path == ROOT else s.live[path].buffer
    newest = unwritten[::-1][:last]
    newest += islice(s.archive.newest_first(transcript, path), last - len(newest))
    return [message_view(one) for one in reversed(newest)]


def natural(last: Any) -> int:
    """How many messages are meant; whatever is no natural number means the default."""
    if isinstance(last, bool) or not isinstance(last, (int, float)) or last < 0 or last != last // 1:
        return KEPT_MESSAGES
    return int(last)


def evict(s: Session, step: Step) -> Outcome:
    path = s.target(step["path"])
    check_unused(s, path)
    # Every settlement writes what was said, so an idle conversation is clean and can simply be let go.
    s.live[path].residency = "cold"
    return ok()


def compact(s: Session, step: Step) -> Outcome:
    path = s.target(step["path"])
    record = s.records[path]
    check_unused(s, path)
    last = natural(step.get("last"))
    replaced = record.transcript.messages - last
    if replaced <= 0:
        return ok()
    kept = list(islice(s.archive.newest_first(record.transcript, path), last))[::-1]
    draft = Draft(s)
    # A new file: the old one stays as it is until the commit, and for a read-only session that is looking at it.
    draft.change(path, transcript=Transcript(next_location(record.transcript.location)))
    draft.messages[path] = [message("note", path, f"{replaced} messages compacted", 0), *kept]
    s.commit(draft)
    return ok()


def check_unused(s: Session, path: str) -> None:
    """Nobody may lose a conversation that a turn goes on with, or that is being read."""
    if s.records[path].active or path in s.readers:
        raise Refusal("in_use")


def next_location(location: str) -> str:
    """agents/x.jsonl, agents/x.2.jsonl, agents/x.3.jsonl …"""
    stem = location[: -len(".jsonl")]
    name, _, generation = stem.partition(".")
    return f"{name}.{int(generation or 1) + 1}.jsonl"

