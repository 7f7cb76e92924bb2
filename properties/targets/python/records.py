"""What the registry holds for one agent, and the row it becomes in the archive: encode, decode, and the rules for both.

Everything here is immutable. A change makes a new record, so a commit that fails has nothing to undo.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Dict, List, Mapping, Optional, Tuple

import paths
import texts

OUTCOMES = ("completed", "errored", "interrupted")
BLOCK_KINDS = ("permission_blocked", "interaction_blocked")
ADMITTED = ("running", "waiting") + BLOCK_KINDS
ACTIVITIES = ("idle", "starting") + ADMITTED
CONFIG_KEYS = {"instructions", "model", "effort", "tools", "limits", "parameters"}

_LOCATION = re.compile(r"agents/[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*")


class Malformed(Exception):
    """A stored value is not what it should be; the code says in which way."""

    def __init__(self, code: str = "record_malformed") -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True)
class Result:
    outcome: str
    text: str
    reason: Optional[str] = None
    partial: Optional[str] = None


@dataclass(frozen=True)
class Owed:
    """A result whose handler has not answered yet."""

    turn: int
    result: Result


@dataclass(frozen=True)
class Mail:
    sequence: int  # the order of arrival; `at` is only information
    kind: str
    sender: str
    text: str
    at: int
    outcome: Optional[str] = None  # of a result
    digest: Optional[str] = None  # of a result's full text: the mailed one may be shortened


@dataclass(frozen=True)
class Transcript:
    """Where a conversation is, and how much of that file is committed. What lies behind is the remains of a crash."""

    location: str
    size: int = 0
    messages: int = 0


@dataclass(frozen=True)
class Record:
    id: str
    path: str
    role: str
    config: str  # its canonical JSON: a text cannot alias or change
    activity: str
    turns: int
    transcript: Transcript
    result: Optional[Result] = None
    undo: Optional[Result] = None
    owed: Tuple[Owed, ...] = ()
    mail: Tuple[Mail, ...] = ()

    @property
    def active(self) -> bool:
        return self.activity != "idle"


@dataclass(frozen=True)
class Root:
    """The root has a mailbox and a conversation, but is no agent."""

    transcript: Transcript = Transcript("root.jsonl")
    mail: Tuple[Mail, ...] = ()


# ── Configs ──────────────────────────────────────────────────────────────────────────────────────────────────────


def freeze(config: Any) -> Optional[str]:
    """A config as its canonical text, or None if it does not follow the closed schema."""
    if not isinstance(config, dict) or set(config) != CONFIG_KEYS:
        return None
    tools, limits = config["tools"], config["limits"]
    sound = (
        isinstance(config["instructions"], str)
        and isinstance(config["model"], str)
        and (config["effort"] is None or isinstance(config["effort"], str))
        and isinstance(tools, list)
        and all(isinstance(tool, list) and len(tool) == 2 and all(isinstance(part, str) for part in tool) for tool in tools)
        and len({tuple(tool) for tool in tools}) == len(tools)
        and isinstance(limits, dict)
        and all(isinstance(limit, (int, float)) and not isinstance(limit, bool) for limit in limits.values())
        and isinstance(config["parameters"], dict)
    )
    if not sound:
        return None
    try:
        return texts.canonical(config)
    except ValueError:  # a number that is not finite, half a character
        return None


@lru_cache(maxsize=1_000)
def tools_of(config: str) -> Tuple[Tuple[str, str], ...]:
    return tuple((category, name) for category, name in json.loads(config)["tools"])


@lru_cache(maxsize=1_000)
def config_key(config: str) -> str:
    return hashlib.sha256(config.encode("utf-8")).hexdigest()


# ── The rules that hold for what is written and for what is read ─────────────────────────────────────────────────


def flaw(record: Record) -> Optional[str]:
    """Why a record must not be written, and is not believed when read; None if nothing is wrong with it."""
    if not paths.is_path(record.path) or record.path == paths.ROOT:
        return "its path is none"
    if record.activity not in ACTIVITIES:
        return "its activity is none"
    if record.active and record.result is not None:
        return "it is active and has a result"
    if record.undo is not None and record.activity != "starting":
        return "it is not starting and has something to undo"
    if record.turns < 1:
        return "it was published without a turn"
    if not safe_location(record.transcript.location):
        return "its conversation lies elsewhere"
    if not rising([owed.turn for owed in record.owed]) or any(owed.turn > record.turns for owed in record.owed):
        return "it owes a result of a turn it has not had"
    return mailbox_flaw(record.path, record.mail)


def mailbox_flaw(owner: str, mailbox: Tuple[Mail, ...]) -> Optional[str]:
    if not rising([mail.sequence for mail in mailbox]):
        return "its mail is out of order"
    for mail in mailbox:
        if mail.kind == "mail":
            right = paths.is_path(mail.sender)
        elif mail.kind == "user":
            right = mail.sender == paths.USER and owner == paths.ROOT
        elif not paths.is_path(mail.sender):
            right = False
        elif mail.kind == "result":
            right = paths.parent(mail.sender) == owner
        else:
            right = owner in (mail.sender, paths.parent(mail.sender))
        if not right:
            return f"a {mail.kind} from {mail.sender} does not belong there"
    return None


def rising(numbers: List[int]) -> bool:
    return all(earlier < later for earlier, later in zip(numbers, numbers[1:]))


def safe_location(location: str) -> bool:
    return _LOCATION.fullmatch(location) is not None


# ── Rows ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def compact_json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def checksum(row: str) -> str:
    return hashlib.sha256(row.encode("utf-8")).hexdigest()[:16]


def encode(record: Record) -> str:
    """The row of a record: a text, so that a row that is set aside can be kept to the byte."""
    return compact_json(
        {
            "id": record.id,
            "path": record.path,
            "parent": paths.parent(record.path),
            "role": record.role,
            "config": config_key(record.config),
            "activity": record.activity,
            "turns": record.turns,
            "conversation": encode_transcript(record.transcript),
            "result": record.result and _encode_result(record.result),
            "undo": record.undo and _encode_result(record.undo),
            "owed": [{"turn": owed.turn, "result": _encode_result(owed.result)} for owed in record.owed],
            "mail": encode_mailbox(record.path, record.mail),
        }
    )


def encode_transcript(transcript: Transcript) -> Dict[str, Any]:
    return {"location": transcript.location, "size": transcript.size, "messages": transcript.messages}


def encode_mailbox(owner: str, mailbox: Tuple[Mail, ...]) -> List[Dict[str, Any]]:
    return [
        {
            "sequence": mail.sequence,
            "kind": mail.kind,
            "from": mail.sender,
            "to": owner,
            "text": mail.text,
            "at": mail.at,
            "outcome": mail.outcome,
            "digest": mail.digest,
        }
        for mail in mailbox
    ]


def _encode_result(result: Result) -> List[Optional[str]]:
    return [result.outcome, result.text, result.reason, result.partial]


def decode(path: str, row: str, configs: Mapping[str, Any]) -> Record:
    """A record from its row; raises Malformed. The checksum is looked at by whoever has it."""
    try:
        value = json.loads(row)
    except ValueError:
        raise Malformed()
    fields = _fields(value, "id path parent role config activity turns conversation result undo owed mail")
    if fields["path"] != path or fields["parent"] != paths.parent(path):
        raise Malformed()
    record = Record(
        id=_text(fields["id"]),
        path=path,
        role=_string(fields["role"]),  # a name the host chose: not held to be well-formed
        config="",
        activity=_text(fields["activity"]),
        turns=_count(fields["turns"]),
        transcript=decode_transcript(fields["conversation"]),
        result=None if fields["result"] is None else _decode_result(fields["result"]),
        undo=None if fields["undo"] is None else _decode_result(fields["undo"]),
        owed=tuple(_decode_owed(item) for item in _list(fields["owed"])),
        mail=decode_mailbox(path, fields["mail"]),
    )
    if flaw(record) is not None or not record.id:
        raise Malformed()
    return _with_config(record, _text(fields["config"]), configs)


def _with_config(record: Record, key: str, configs: Mapping[str, Any]) -> Record:
    text = configs.get(key)
    try:
        config = freeze(json.loads(text)) if isinstance(text, str) else None
    except ValueError:
        config = None
    if config is None or config_key(config) != key:
        raise Malformed("config_malformed")
    return replace(record, config=config)


def decode_transcript(value: Any) -> Transcript:
    fields = _fields(value, "location size messages")
    return Transcript(_text(fields["location"]), _count(fields["size"]), _count(fields["messages"]))


def decode_mailbox(owner: str, value: Any) -> Tuple[Mail, ...]:
    return tuple(_decode_mail(owner, item) for item in _list(value))


def _decode_mail(owner: str, value: Any) -> Mail:
    fields = _fields(value, "sequence kind from to text at outcome digest")
    kind, outcome, digest = fields["kind"], fields["outcome"], fields["digest"]
    if fields["to"] != owner or kind not in ("mail", "result", "user", "execution"):
        raise Malformed()
    if kind == "result":
        if outcome not in OUTCOMES or not isinstance(digest, str):
            raise Malformed()
    elif outcome is not None or digest is not None:
        raise Malformed()
    sender, text = _text(fields["from"]), _text(fields["text"])
    return Mail(_count(fields["sequence"]), kind, sender, text, _count(fields["at"]), outcome, digest)


def _decode_owed(value: Any) -> Owed:
    fields = _fields(value, "turn result")
    return Owed(_count(fields["turn"]), _decode_result(fields["result"]))


def _decode_result(value: Any) -> Result:
    if not isinstance(value, list) or len(value) != 4:
        raise Malformed()
    outcome, text, reason, partial = value
    if outcome not in OUTCOMES:
        raise Malformed()
    return Result(outcome, _text(text), reason and _text(reason), None if partial is None else _text(partial))


def _fields(value: Any, keys: str) -> Dict[str, Any]:
    if not isinstance(value, dict) or set(value) != set(keys.split()):
        raise Malformed()
    return value


def _list(value: Any) -> List[Any]:
    if not isinstance(value, list):
        raise Malformed()
    return value


def _string(value: Any) -> str:
    if not isinstance(value, str):
        raise Malformed()
    return value


def _text(value: Any) -> str:
    if not texts.well_formed(_string(value)):
        raise Malformed()
    return value


def _count(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise Malformed()
    return value
