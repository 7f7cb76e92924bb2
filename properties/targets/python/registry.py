"""One open session: its state, the checks that commands share, and the commit that makes a change true.

A command first checks, in the contract's order of refusals, and changes nothing until it can no longer be refused. What is
to be written is collected in a `Draft`; `Session.commit` writes it and only then lets it be seen.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Tuple

import paths
import texts
from archive import Archive
from outcomes import Fault, Refusal
from paths import ROOT
from records import (
    Mail,
    Record,
    Result,
    Root,
    checksum,
    compact_json,
    config_key,
    encode,
    encode_mailbox,
    encode_transcript,
    flaw,
    freeze,
    mailbox_flaw,
    tools_of,
)
from views import stored_view

if TYPE_CHECKING:
    from host import Host
    from operations import Operation

LIMITS = {"agentsMax": 100_000, "operationsMax": 10_000, "blockersMax": 1_000, "mailMax": 10_000, "textMax": 16 * 1024 * 1024}

Message = Dict[str, Any]


@dataclass
class Blocker:
    kind: str
    token: Optional[str] = None  # a wait's has none: only waking releases it


@dataclass
class Waiter:
    deadline: float
    callback: Any = None


@dataclass
class Turn:
    """An admitted turn. All of it dies with the process; what is left is the record's activity."""

    number: int
    handler: bool
    blockers: List[Blocker] = field(default_factory=list)
    tokens: int = 0  # how many were given out: a token's name never repeats
    waiter: Optional[Waiter] = None
    said: List[str] = field(default_factory=list)
    abort: Optional["Operation"] = None


@dataclass
class Live:
    """What only the process knows of an agent."""

    residency: str = "cold"
    buffer: List[Message] = field(default_factory=list)  # said, and not yet written
    turn: Optional[Turn] = None


class Draft:
    """A commit in the making. Reads see it, the session does not."""

    def __init__(self, session: "Session") -> None:
        self.session = session
        self.capacity = session.capacity
        self.sequence = session.sequence
        self.root = session.root
        self.records: Dict[str, Record] = {}
        self.messages: Dict[str, List[Message]] = {}

    def record(self, path: str) -> Record:
        return self.records.get(path) or self.session.records[path]

    def change(self, path: str, **changes: Any) -> None:
        self.records[path] = replace(self.record(path), **changes)

    def mailbox(self, path: str) -> Tuple[Mail, ...]:
        return self.root.mail if path == ROOT else self.record(path).mail

    def put_mailbox(self, path: str, mailbox: Tuple[Mail, ...]) -> None:
        if path == ROOT:
            self.root = replace(self.root, mail=mailbox)
        else:
            self.change(path, mail=mailbox)

    def post(self, to: str, mail: Mail) -> None:
        """Mail arrives: behind all that is there, with a new number even if it was elsewhere before."""
        self.sequence += 1
        self.put_mailbox(to, self.mailbox(to) + (replace(mail, sequence=self.sequence),))

    def write(self, path: str, kind: str, sender: str, text: str, turn: int) -> None:
        self.messages.setdefault(path, []).append(message(kind, sender, text, turn))


def message(kind: str, sender: str, text: str, turn: int) -> Message:
    return {"kind": kind, "turn": turn, "from": sender, "text": text, "at": now()}


def letter(kind: str, sender: str, text: str) -> Mail:
    return Mail(0, kind, sender, text, now())


def result_mail(record: Record, result: Result) -> Mail:
    text = texts.mailed(result.text, record.transcript.location)
    return Mail(0, "result", record.path, text, now(), result.outcome, texts.sha16(result.text))


def now() -> int:
    return int(time.time() * 1000)  # information for readers; no order depends on it


class Session:
    def __init__(self, host: "Host", archive: Archive, mode: str, opening: int, tools: Mapping[str, Tuple[str, ...]]) -> None:
        self.host = host
        self.archive = archive
        self.mode = mode
        self.opening = opening
        self.tools = tools  # category → the names its owner lists; nothing is loaded to know them
        self.limits = {**LIMITS, **host.limits}
        self.capacity = 1
        self.sequence = 0
        self.root = Root()
        self.root_waiter: Optional[Waiter] = None
        self.root_buffer: List[Message] = []
        self.records: Dict[str, Record] = {}
        self.live: Dict[str, Live] = {}
        self.aside: Dict[str, str] = {}
        self.aside_rows: Dict[str, Any] = {}
        self.configs: Dict[str, Any] = {}  # as stored; what set-aside rows refer to among them
        self.reserved: Dict[str, Optional["Operation"]] = {}
        self.open: Dict[str, "Operation"] = {}
        self.readers: Dict[str, List["Operation"]] = {}  # by path: who waits for the one read of its conversation
        self.ordinals: Dict[str, int] = {}
        self.clock: float = 0
        self._rows: Dict[str, Tuple[Record, Any]] = {}

    # ── Telling ──────────────────────────────────────────────────────────────────────────────────────────────────

    def emit(self, *event: Any) -> None:
        self.host.events.append(list(event))

    def faulty(self, name: str) -> bool:
        return name in self.host.faults

    # ── Checks, each for one refusal or a run of them ────────────────────────────────────────────────────────────

    def caller(self, path: str) -> str:
        if path != ROOT and path not in self.records:
            raise Refusal("caller_unknown")
        return path

    def acting(self, path: str) -> Optional[Turn]:
        """The caller's admitted turn; None for the root, which has no turns."""
        if self.caller(path) == ROOT:
            return None
        turn = self.live[path].turn
        if turn is None:
            raise Refusal("not_active")
        return turn

    def target(self, to: str, by: Optional[str] = None, root: bool = False) -> str:
        path = paths.resolve(to, by)
        if path is None:
            raise Refusal("path_malformed")
        if path == ROOT:
            if not root:
                raise Refusal("target_root")
        elif path in self.aside:
            raise Refusal("agent_invalid")
        elif path not in self.records:
            raise Refusal("agent_unknown")
        return path

    def check_text(self, text: str) -> None:
        if not text:
            raise Refusal("text_empty")
        if not texts.well_formed(text):
            raise Refusal("text_malformed")
        if texts.units(text) > self.limits["textMax"]:
            raise Refusal("text_too_long")

    def config_for(self, role: str) -> str:
        if role not in self.host.roles:
            raise Refusal("role_unknown")
        config = freeze(self.host.roles[role])
        if config is None:
            raise Refusal("config_invalid")
        return config

    def check_free(self, path: str) -> None:
        if path in self.records or path in self.reserved or path in self.aside:
            raise Refusal("path_taken")

    def check_tools(self, config: str) -> None:
        if not self.tools:
            raise Refusal("tools_unavailable")
        code = self.unresolved(config)
        if code:
            raise Refusal(code)

    def unresolved(self, config: str) -> Optional[str]:
        """Why a reference of this config would not resolve. The owner of a category is asked, and nobody else."""
        tools = tools_of(config)
        if any(category in self.tools and name not in self.tools[category] for category, name in tools):
            return "tool_unknown"
        if any(category not in self.tools for category, _ in tools):
            return "category_foreign"
        return None

    def check_capacity(self) -> None:
        if self.active() >= self.capacity:
            raise Refusal("at_capacity")

    def check_operations(self) -> None:
        if len(self.open) >= self.limits["operationsMax"]:
            raise Refusal("too_many_operations")

    def check_room(self, to: str) -> None:
        if len(self.mailbox(to)) >= self.limits["mailMax"]:
            raise Refusal("mailbox_full")

    # ── State ────────────────────────────────────────────────────────────────────────────────────────────────────

    def active(self) -> int:
        """The slots in use: set-aside records and the root take none, a spawn under way does."""
        reserved = sum(1 for operation in self.reserved.values() if operation is not None)
        return reserved + sum(1 for record in self.records.values() if record.active)

    def kept(self) -> int:
        return len(self.records) + len(self.reserved) + len(self.aside)

    def mailbox(self, path: str) -> Tuple[Mail, ...]:
        return self.root.mail if path == ROOT else self.records[path].mail

    def change(self, path: str, **changes: Any) -> None:
        """A change that commits nothing by itself: it is written along with the next commit."""
        self.records[path] = replace(self.records[path], **changes)

    def show_activity(self, path: str) -> None:
        """The newest blocker decides what an admitted agent is doing."""
        turn = self.live[path].turn
        if turn is not None:
            self.change(path, activity=turn.blockers[-1].kind if turn.blockers else "running")

    # ── Committing ───────────────────────────────────────────────────────────────────────────────────────────────

    def commit(self, draft: Optional[Draft] = None) -> None:
        """Write the session as it is with DRAFT, or raise and leave both the archive and the session as they were."""
        draft = draft or Draft(self)
        appended = self._transcribe(draft)
        records = {**self.records, **draft.records}
        rows = self._encode(records)
        if mailbox_flaw(ROOT, draft.root.mail):
            raise Fault("record_invalid", ROOT)
        configs = dict(self.configs)
        for record in draft.records.values():
            configs[config_key(record.config)] = record.config
        document = {
            "session": encode_session(draft.capacity, draft.sequence, draft.root),
            "configs": configs,
            "records": {**self.aside_rows, **rows},
        }
        self.archive.commit(document, appended, self.host.commit_answer())
        self.capacity, self.sequence, self.root = draft.capacity, draft.sequence, draft.root
        self.records, self.configs = records, configs
        self.root_buffer = []
        for live in self.live.values():
            live.buffer = []

    def _transcribe(self, draft: Draft) -> Dict[str, Tuple[int, bytes]]:
        """The new messages as bytes, by location; the draft's transcripts grow by them. Any commit writes what was said."""
        appended = {}
        buffers = {path: live.buffer for path, live in self.live.items() if live.buffer}
        if self.root_buffer:
            buffers[ROOT] = self.root_buffer
        for path in sorted({*buffers, *draft.messages}):
            messages = buffers.get(path, []) + draft.messages.get(path, [])
            data = b"".join(compact_json(one).encode("ascii") + b"\n" for one in messages)
            old = draft.root.transcript if path == ROOT else draft.record(path).transcript
            new = replace(old, size=old.size + len(data), messages=old.messages + len(messages))
            if path == ROOT:
                draft.root = replace(draft.root, transcript=new)
            else:
                draft.change(path, transcript=new)
            appended[old.location] = (old.size, data)
        return appended

    def _encode(self, records: Mapping[str, Record]) -> Dict[str, Any]:
        """The rows of all records, made anew where they changed. One that must not be written fails the commit and is named."""
        rows = {}
        for path in sorted(records):
            record = records[path]
            cached = self._rows.get(path)
            if cached is None or cached[0] is not record:
                if flaw(record) is not None:
                    raise Fault("record_invalid", path)
                row = encode(record)
                cached = self._rows[path] = (record, {"row": row, "sum": checksum(row)})
            rows[path] = cached[1]
        return rows

    def encoded(self) -> Dict[str, Any]:
        """What a commit would write now, as the contract's ENCODED."""
        draft = Draft(self)
        self._transcribe(draft)
        records = {**self.records, **draft.records}
        try:
            self._encode(records)
        except Fault as fault:
            return {"fault": fault.code, "at": fault.at}
        return {"ok": stored_view(draft.capacity, draft.root, [records[path] for path in sorted(records)])}


def encode_session(capacity: int, sequence: int, root: Root) -> str:
    return compact_json(
        {
            "capacity": capacity,
            "sequence": sequence,
            "conversation": encode_transcript(root.transcript),
            "mail": encode_mailbox(ROOT, root.mail),
        }
    )
