"""Restoring a session: take ownership, check what is stored, set aside what is invalid, recover what was abandoned."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, Dict, Generator, List, Optional, Tuple

import paths
from archive import Document
from operations import UNREAD, Operation, begin
from outcomes import Fault, Quit
from paths import ROOT
from records import (
    ADMITTED,
    Malformed,
    Record,
    Result,
    Root,
    checksum,
    decode,
    decode_mailbox,
    decode_transcript,
    mailbox_flaw,
    tools_of,
)
from registry import Draft, Live, Session, result_mail
from turns import hand_over

Recovery = Generator[Operation, str, None]


# ── Reading what is stored ───────────────────────────────────────────────────────────────────────────────────────


def load(s: Session, document: Document) -> None:
    """Fill a session from a document. Nothing is written, and no conversation is looked at."""
    try:
        s.capacity, s.sequence, s.root = decode_session(document["session"])
    except Malformed:
        raise Fault("session_invalid", "session")
    s.configs = document["configs"]
    s.records, s.aside = check_records(document, s)
    s.aside_rows = {path: document["records"][path] for path in s.aside}
    if s.mode == "read":
        s.records = {path: as_snapshot(record) for path, record in s.records.items()}
    s.live = {path: Live() for path in s.records}


def decode_session(text: str) -> Tuple[int, int, Root]:
    try:
        value = json.loads(text)
    except ValueError:
        raise Malformed()
    if not isinstance(value, dict) or set(value) != {"capacity", "sequence", "conversation", "mail"}:
        raise Malformed()
    capacity, sequence = value["capacity"], value["sequence"]
    if not isinstance(capacity, int) or capacity < 1 or not isinstance(sequence, int):
        raise Malformed()
    root = Root(decode_transcript(value["conversation"]), decode_mailbox(ROOT, value["mail"]))
    if root.transcript.location != "root.jsonl" or mailbox_flaw(ROOT, root.mail):
        raise Malformed()
    return capacity, sequence, root


def check_records(document: Document, s: Optional[Session] = None) -> Tuple[Dict[str, Record], Dict[str, str]]:
    """The valid records, and the codes of the rest. Without a session, or in one without registrars, no tools are checked."""
    records: Dict[str, Record] = {}
    aside: Dict[str, str] = {}
    identities: Dict[str, str] = {}
    for path in sorted(document["records"]):  # parents before their children
        try:
            record = check_row(path, document["records"][path], document["configs"])
            if identities.setdefault(record.id, path) != path:
                raise Malformed()
            parent = paths.parent(path)
            if parent != ROOT and parent not in records:
                raise Malformed("parent_invalid")
            if s is not None and s.tools:
                check_tools(s, record)
            records[path] = record
        except Malformed as malformed:
            aside[path] = malformed.code
    return records, aside


def check_tools(s: Session, record: Record) -> None:
    """Could its references be resolved? The owners are asked for names; nothing is loaded for it."""
    code = s.unresolved(record.config)
    if not code and s.faulty("cold_tool_table") and not s.host.loaded(tools_of(record.config)):
        code = "tool_unknown"
    if code:
        raise Malformed(code)


def check_row(path: str, stored: Any, configs: Dict[str, Any]) -> Record:
    if not isinstance(stored, dict) or not isinstance(stored.get("row"), str):
        raise Malformed()
    row = stored["row"]
    try:
        record = decode(path, row, configs)
        code = None
    except Malformed as malformed:
        code = malformed.code
    if code != "record_malformed" and checksum(row) != stored.get("sum"):
        code = "checksum"
    if code is not None:
        raise Malformed(code)
    return record


def as_snapshot(record: Record) -> Record:
    """A read-only session shows what a restore would make of it, as far as that can be said without writing anything."""
    if record.activity == "starting":
        return replace(record, activity="idle", result=record.undo, undo=None)
    return replace(record, activity="idle")


# ── Recovering ───────────────────────────────────────────────────────────────────────────────────────────────────


def recover(s: Session, answers: Dict[str, str]) -> Recovery:
    """Hydrate the abandoned turns one after the other, then write what became of them, all in one commit.

    A generator like any operation, but of operations: each is one gate, answered before the next is begun.
    """
    results: Dict[str, Result] = {}
    for path in sorted(path for path, record in s.records.items() if record.activity in ADMITTED):
        operation = begin(s, path, "recover")
        operation.gate = "hydrate"
        verdict = answers.get("hydrate") or (yield operation)
        del s.open[operation.name]
        if verdict == "quit":
            raise Quit()
        results[path] = abandoned(s, s.records[path], verdict)
    draft = Draft(s)
    for path in sorted(s.records):
        recover_record(draft, path, results.get(path))
    if draft.records:
        s.commit(draft)
    for path in results:
        s.emit("settled", path, s.records[path].turns)


def abandoned(s: Session, record: Record, verdict: str) -> Result:
    """The result of a turn that no longer has a process. The conversation is read for what was said in it, and let go."""
    s.host.counters.conversationsHydrated += 1
    if verdict != "ok":
        return Result("interrupted", "", UNREAD[verdict])
    said: List[str] = []
    try:
        for message in s.archive.newest_first(record.transcript, record.path):
            if message["turn"] != record.turns:
                break
            if message["kind"] == "partial":
                said.append(message["text"])
    except Fault as fault:
        return Result("interrupted", "", fault.code)
    return Result("interrupted", "", "abandoned", "".join(reversed(said)) or None)


def recover_record(draft: Draft, path: str, result: Optional[Result]) -> None:
    """What is owed becomes mail, oldest first; then the abandoned turn settles; a start is rolled back without a word."""
    record = draft.record(path)
    parent = paths.parent(path)
    if record.owed:
        draft.change(path, owed=())
        for owed in record.owed:
            draft.post(parent, result_mail(record, owed.result))
    if result is not None:
        draft.change(path, activity="idle", result=result)
        for _ in range(2 if draft.session.faulty("recovered_twice") else 1):
            draft.post(parent, result_mail(record, result))
        hand_over(draft, path)
    elif record.activity == "starting":
        draft.change(path, activity="idle", result=record.undo, undo=None)
