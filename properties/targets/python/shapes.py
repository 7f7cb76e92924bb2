"""The shapes of requests, steps and scopes: what is not described here is an error, unknown keys above all."""

from __future__ import annotations

from typing import Any, Callable, Dict, Tuple

from operations import GATES
from records import BLOCK_KINDS, OUTCOMES

Check = Callable[[Any, str], None]
Fields = Dict[str, Check]  # a key that ends in `?` may be missing


class ShapeError(Exception):
    """A sentence about what is wrong with a request."""


def anything(value: Any, where: str) -> None:
    pass


def text(value: Any, where: str) -> None:
    if not isinstance(value, str):
        raise ShapeError(f"{where} is no text")


def number(value: Any, where: str) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ShapeError(f"{where} is no number")


def flag(value: Any, where: str) -> None:
    if not isinstance(value, bool):
        raise ShapeError(f"{where} is neither true nor false")


def one_of(*values: str) -> Check:
    def check(value: Any, where: str) -> None:
        if not isinstance(value, str) or value not in values:
            raise ShapeError(f"{where} is none of {', '.join(values)}")

    return check


def list_of(item: Check) -> Check:
    def check(value: Any, where: str) -> None:
        if not isinstance(value, list):
            raise ShapeError(f"{where} is no list")
        for index, one in enumerate(value):
            item(one, f"{where}[{index}]")

    return check


def map_of(item: Check) -> Check:
    def check(value: Any, where: str) -> None:
        if not isinstance(value, dict):
            raise ShapeError(f"{where} is no object")
        for key, one in value.items():
            item(one, f"{where}.{key}")

    return check


def closed(fields: Fields) -> Check:
    required = {key for key in fields if not key.endswith("?")}
    known = {key.rstrip("?"): check for key, check in fields.items()}

    def check(value: Any, where: str) -> None:
        if not isinstance(value, dict):
            raise ShapeError(f"{where} is no object")
        for key in value:
            if key not in known:
                raise ShapeError(f"{where} has the unknown key {key!r}")
        for key in required:
            if key not in value:
                raise ShapeError(f"{where} has no {key!r}")
        for key, one in value.items():
            known[key](one, f"{where}.{key}")

    return check


COMMIT = one_of("ok", "not_written", "disk_full", "busy", "io_failed", "read_only_file", "crash_before", "crash_after")
ANSWERS = closed({f"{gate}?": one_of(*answers) for gate, answers in GATES.items()})

COMMON: Fields = {"do": text, "as?": text, "commit?": COMMIT}
OPENING: Fields = {**COMMON, "answers?": ANSWERS}


def step(value: Any, where: str = "step") -> None:
    if not isinstance(value, dict) or not isinstance(value.get("do"), str):
        raise ShapeError(f"{where} does nothing: it has no 'do'")
    do = value["do"]
    if do == "finish":
        by_op = "op" in value
        name: Fields = {"op": text} if by_op else {"path": text, "turn": number}
        fields: Fields = {**OPENING, **name, "outcome": one_of(*OUTCOMES), "text": text}
    elif do in ("damage", "mend"):
        fields = _disaster(do, value, where)
    elif do == "answer":
        gate = value.get("gate")
        one_of(*GATES)(gate, f"{where}.gate")
        fields = {**OPENING, "op": text, "gate": text, "with": one_of(*GATES[gate])}
    elif do in STEPS:
        fields = STEPS[do]
    else:
        raise ShapeError(f"{where} does {do!r}, which is no command")
    closed(fields)(value, where)


def _disaster(do: str, value: Dict[str, Any], where: str) -> Fields:
    one_of(*DAMAGES)(value.get("what"), f"{where}.what")
    what = value["what"]
    fields: Fields = {**COMMON, "what": text}
    if what == "record":
        fields["path"] = text
    if do == "damage":
        fields["how"] = one_of(*DAMAGES[what])
    return fields


def _callback(value: Any, where: str) -> None:
    if value != "throws":
        closed({"then": step})(value, where)


DAMAGES: Dict[str, Tuple[str, ...]] = {
    "record": ("malformed", "checksum", "config", "tool", "category", "mail_sender", "active_with_result", "location"),
    "session": ("malformed",),
    "archive": ("missing", "malformed", "version"),
}

STEPS: Dict[str, Fields] = {
    "spawn": {**OPENING, "by": text, "name": text, "role": text, "text": text, "handler?": flag},
    "follow_up": {**OPENING, "by": text, "to": text, "text": text, "handler?": flag},
    "cancel": {**COMMON, "op": text},
    "say": {**COMMON, "path": text, "turn": number, "text": text},
    "interrupt": {**OPENING, "by": text, "to": text},
    "block": {**COMMON, "path": text, "kind": one_of(*BLOCK_KINDS)},
    "release": {**COMMON, "token": text},
    "send": {**COMMON, "by": text, "to": text, "text": text},
    "execution": {**COMMON, "owner": text, "text": text},
    "steer": {**COMMON, "text": text},
    "wait": {**COMMON, "by": text, "timeoutMs?": anything, "callback?": _callback},
    "cancel_wait": {**COMMON, "by": text},
    "elapse": {**COMMON, "ms": number},
    "sample": {**COMMON, "path": text},
    "roster": {**COMMON, "prefix?": text},
    "read_result": {**COMMON, "path": text},
    "read_history": {**OPENING, "path": text, "last?": anything},
    "inspect": {**OPENING, "path": text},
    "evict": {**COMMON, "path": text},
    "compact": {**COMMON, "path": text, "last?": anything},
    "change_role": {**COMMON, "role": text, "config": anything},
    "set_capacity": {**COMMON, "capacity": number},
    "save": COMMON,
    "verify": COMMON,
    "fork": COMMON,
    "close": COMMON,
    "crash": COMMON,
    "restore": {
        **OPENING,
        "mode": one_of("write", "read"),
        "registrars?": list_of(text),
        "takeover?": flag,
        "epoch?": COMMIT,
    },
    "together": {**COMMON, "steps": list_of(step)},
}

LIMITS = closed({f"{name}?": number for name in ("agentsMax", "operationsMax", "blockersMax", "mailMax", "textMax")})

SCOPE = closed(
    {
        "capacity": number,
        "limits?": LIMITS,
        "roles": map_of(anything),
        "registrars": map_of(closed({"category": text, "tools": list_of(text)})),
        "archive": one_of("memory", "sqlite"),
        "process": one_of("same", "fresh"),
    }
)

REQUESTS: Dict[str, Check] = {
    "hello": closed({"id": anything, "hello": closed({"protocol": number})}),
    "reset": closed({"id": anything, "reset": SCOPE, "place": text}),
    "resume": closed({"id": anything, "resume": SCOPE, "place": text, "opening": number}),
    "apply": closed({"id": anything, "apply": step, "want?": list_of(one_of("view", "encode", "stored"))}),
    "counters": closed({"id": anything, "counters": flag}),
    "close": closed({"id": anything, "close": flag}),
}


def request(value: Any) -> str:
    """The kind of a request, once it is known to be in order."""
    if not isinstance(value, dict):
        raise ShapeError("a request is an object")
    kinds = [kind for kind in REQUESTS if kind in value]
    if len(kinds) != 1:
        raise ShapeError(f"a request is one of {', '.join(REQUESTS)}")
    REQUESTS[kinds[0]](value, "request")
    return kinds[0]
