"""Operations that wait for the world. Each is a generator: it yields the gate at which it stops and is sent the answer.

So the story of a start reads from top to bottom (`turns.start`), whoever answers and whenever, and what rolls it back is an
`except` clause. What an operation returns or raises is its end.
"""

from __future__ import annotations

from typing import Any, Dict, Generator, Optional, Tuple

import paths
from outcomes import Fault, Outcome, Quit, Refusal, Step, ok, outcome_of
from records import Result
from registry import Session

Body = Generator[str, str, Any]

GATES = {
    "hydrate": ("ok", "missing", "corrupt", "error", "quit"),
    "prepare": ("ok", "refuse", "error", "quit"),
    "dispatch": ("ok", "error", "quit"),
    "abort": ("ok", "error"),
    "handler": ("ok", "throw"),
}
UNREAD = {"missing": "conversation_missing", "corrupt": "conversation_corrupt", "error": "conversation_failed"}
CANCELLABLE = ("spawn", "follow_up", "read_history", "inspect")


class Operation:
    def __init__(self, name: str, path: str, kind: str, answers: Dict[str, str]) -> None:
        self.name = name
        self.path = path
        self.kind = kind
        self.gate = ""
        self.answers = answers  # given in advance: the operation does not stop at these gates
        self.body: Optional[Body] = None
        self.seen = ""  # of an abort: the activity that the interrupt answers
        self.held: Optional[Tuple[Result, Dict[str, str]]] = None  # of a start: a turn that ended inside its dispatch


def begin(s: Session, path: str, kind: str, answers: Optional[Dict[str, str]] = None) -> Operation:
    """A new operation, by the next name for its path: names never repeat, so that late answers are told apart."""
    s.ordinals[path] = s.ordinals.get(path, 0) + 1
    operation = Operation(paths.operation_name(path, s.opening, s.ordinals[path]), path, kind, dict(answers or {}))
    s.open[operation.name] = operation
    return operation


def run(s: Session, operation: Operation, body: Body) -> Outcome:
    operation.body = body
    return _advance(s, operation, None)


def _advance(s: Session, operation: Operation, answer: Optional[str]) -> Outcome:
    """Take an operation to its next gate or its end, which is the outcome."""
    assert operation.body is not None
    try:
        operation.gate = operation.body.send(answer)  # type: ignore[arg-type]
    except StopIteration as stop:
        outcome = ok(stop.value)
    except (Refusal, Fault, Quit) as ending:
        outcome = outcome_of(ending)
    else:
        if operation.gate == "hydrate":
            s.readers.setdefault(operation.path, []).append(operation)
        if operation.gate in operation.answers:
            return give(s, operation, operation.answers.pop(operation.gate))
        return {"gate": operation.gate, "op": operation.name}
    s.open.pop(operation.name, None)
    return outcome


def give(s: Session, operation: Operation, answer: str) -> Outcome:
    """The world's answer to the gate at which an operation is."""
    if operation.gate == "hydrate":
        return _hydrated(s, operation, answer)
    return _advance(s, operation, answer)


def _hydrated(s: Session, operation: Operation, answer: str) -> Outcome:
    """The read of a conversation belongs to its path: an answer to one who asked serves all, a quit only detaches."""
    askers = s.readers[operation.path]
    if answer == "quit":
        askers.remove(operation)
        if not askers:
            del s.readers[operation.path]
        return _advance(s, operation, "quit")
    del s.readers[operation.path]
    writable = any(asker.kind == "follow_up" for asker in askers)
    verdict = make_resident(s, operation.path, writable) if answer == "ok" else UNREAD[answer]
    answered: Outcome = {}
    for asker in askers:
        outcome = _advance(s, asker, verdict)
        if asker is operation:
            answered = outcome
        elif "gate" not in outcome:
            s.emit("ended", asker.name, outcome)
    return answered


def make_resident(s: Session, path: str, writable: bool) -> str:
    """The one way for a conversation to become resident: after full success, or not at all. Answers `ok` or the fault."""
    s.host.counters.conversationsHydrated += 1
    try:
        s.archive.check_ours()
        s.archive.check(s.records[path].transcript, path)
    except Fault as fault:
        return fault.code
    # An inspection's marks follow from its residency (`views.MARKS`), so no viewer's set-up can erase them.
    s.live[path].residency = "writable" if writable else "inspection"
    return "ok"


def check_hydrated(verdict: str, path: str) -> None:
    if verdict == "quit":
        raise Quit()
    if verdict == "ownership_lost":
        raise Fault(verdict, "archive")
    if verdict != "ok":
        raise Fault(verdict, path)


def quit_operation(s: Session, operation: Operation) -> None:
    """The user gives up an operation by some other step than its answer, so its end is told."""
    s.emit("ended", operation.name, give(s, operation, "quit"))


# ── The commands that are about operations ───────────────────────────────────────────────────────────────────────


def answer(s: Session, step: Step) -> Outcome:
    operation = s.open.get(step["op"])
    if operation is None or operation.gate != step["gate"]:
        return ok("late")
    operation.answers.update(step.get("answers", {}))
    return give(s, operation, step["with"])


def cancel(s: Session, step: Step) -> Outcome:
    operation = s.open.get(step["op"])
    if operation is None or operation.kind not in CANCELLABLE:
        return ok("late")
    quit_operation(s, operation)
    return ok()
