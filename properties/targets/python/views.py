"""What can be seen of a session, and what an archive means: the views of the contract, fields at their default left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Iterable, List

from records import Mail, Owed, Record, Result, Root
from texts import sha16, shown

if TYPE_CHECKING:
    from registry import Session

Json = Any
MARKS = {"cold": [], "inspection": ["read_only", "no_save"], "writable": []}


def without_defaults(view: Dict[str, Json]) -> Dict[str, Json]:
    """Leaves out what says nothing. (Not for an activity, a capacity or a role, which are always shown.)"""
    return {key: value for key, value in view.items() if value not in (None, False, 0, "cold") and value != [] and value != {}}


def mail_view(mail: Mail) -> List[Json]:
    if mail.kind == "result":
        return [mail.kind, mail.sender, mail.outcome, mail.digest]
    return [mail.kind, mail.sender, shown(mail.text)]


def mailbox_view(mailbox: Iterable[Mail]) -> List[Json]:
    return [mail_view(mail) for mail in mailbox]


def result_view(result: Result) -> List[Json]:
    partial = None if result.partial is None else shown(result.partial)
    return [result.outcome, shown(result.text), result.reason, partial]


def owed_view(owed: Iterable[Owed]) -> List[Json]:
    return [[one.turn, one.result.outcome, shown(one.result.text)] for one in owed]


def message_view(message: Dict[str, Json]) -> List[Json]:
    return [message["kind"], message["turn"], message["from"], shown(message["text"])]


def config_view(config: str) -> str:
    return sha16(config)  # a frozen config is its canonical text


def session_view(session: "Session") -> Dict[str, Json]:
    view: Dict[str, Json] = {"mode": session.mode, "capacity": session.capacity}
    active = session.active()
    if active:
        view["active"] = active
    view["root"] = without_defaults(
        {
            "waiting": session.root_waiter is not None,
            "mail": mailbox_view(session.root.mail),
            "messages": session.root.transcript.messages + len(session.root_buffer),
        }
    )
    view["agents"] = {path: _agent_view(session, path) for path in sorted(session.records)}
    if session.open:
        view["open"] = open_view(session)
    if session.aside:
        view["aside"] = dict(sorted(session.aside.items()))
    return view


def open_view(session: "Session") -> List[Json]:
    return [[operation.name, operation.gate] for operation in session.open.values()]


def _agent_view(session: "Session", path: str) -> Dict[str, Json]:
    record, live = session.records[path], session.live[path]
    turn = live.turn
    view = {"role": record.role, "config": config_view(record.config), "activity": record.activity}
    view.update(
        without_defaults(
            {
                "turn": turn.number if turn else None,
                "result": record.result and result_view(record.result),
                "blockers": [blocker.kind for blocker in turn.blockers] if turn else [],
                "waiting": bool(turn and turn.waiter),
                "mail": mailbox_view(record.mail),
                "owed": owed_view(record.owed),
                "residency": live.residency,
                "marks": MARKS[live.residency],
                "messages": record.transcript.messages + len(live.buffer),
            }
        )
    )
    return view


def stored_view(capacity: int, root: Root, records: Iterable[Record]) -> Dict[str, Json]:
    """The meaning of an archive."""
    return {
        "capacity": capacity,
        "root": without_defaults({"mail": mailbox_view(root.mail), "messages": root.transcript.messages}),
        "agents": {record.path: _stored_agent(record) for record in records},
    }


def _stored_agent(record: Record) -> Dict[str, Json]:
    view = {"role": record.role, "config": config_view(record.config), "activity": record.activity}
    view.update(
        without_defaults(
            {
                "turns": record.turns,
                "result": record.result and result_view(record.result),
                "undo": record.undo and result_view(record.undo),
                "owed": owed_view(record.owed),
                "mail": mailbox_view(record.mail),
                "messages": record.transcript.messages,
            }
        )
    )
    return view
