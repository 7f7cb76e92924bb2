"""How a command ends: a value, or one of the exceptions that stand for a refusal, a fault, a quit or a crash."""

from __future__ import annotations

from typing import Any, Dict

Outcome = Dict[str, Any]  # StepOutcome of the contract
Step = Dict[str, Any]


class Refusal(Exception):
    """The registry says no, and nothing has changed."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class Fault(Exception):
    """The world failed: an archive, a conversation, a provider."""

    def __init__(self, code: str, at: str) -> None:
        super().__init__(f"{code} at {at}")
        self.code = code
        self.at = at


class Quit(Exception):
    """The user gave up. Not an error, but whatever rolls back on an error has to roll back on this."""


class Crashed(Exception):
    """The process is to be thought dead: nothing may be tidied up on the way out."""


def ok(value: Any = "done") -> Outcome:
    return {"ok": value}


def outcome_of(ending: Exception) -> Outcome:
    if isinstance(ending, Refusal):
        return {"refused": ending.code}
    if isinstance(ending, Fault):
        return {"fault": ending.code, "at": ending.at}
    if isinstance(ending, Quit):
        return {"quit": True}
    if isinstance(ending, Crashed):
        return {"crashed": True}
    raise ending
