"""What is on disk: one document replaced by atomic rename, transcripts that are only appended to, and who may write.

A commit appends to the transcripts first and then replaces the document, which says how much of each transcript counts.
The rename is therefore the moment of the commit: killed before it, nothing has happened; killed after it, all has.
(Nothing is synced: what must survive here is the death of a process, not of the machine.)

Ownership is the epoch in the document, and every commit is conditional on it. A lock on the file `owner-EPOCH.lock` only
says that somebody lives; the system drops it when they die.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import stat
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, Iterator, Mapping, Optional, Tuple

from outcomes import Crashed, Fault
from records import Transcript, safe_location

FORMAT = "rollcall-registry"
VERSION = 1
BLOCK = 65_536

Document = Dict[str, Any]


@dataclass
class Counters:
    """Work done, so that tests need no clock."""

    conversationsHydrated: int = 0
    providerCalls: int = 0
    commits: int = 0
    bytesWritten: int = 0
    toolRuns: int = 0


class Archive:
    """One handle's access to the archive in a folder; it owns the archive after `create` or `take`, until `release`."""

    def __init__(self, place: Path, label: str, counters: Counters) -> None:
        self.place = place
        self.label = label
        self.counters = counters
        self.document = place / "archive.json"
        self.epoch: Optional[int] = None
        self._lock: Optional[int] = None
        self._ours: Optional[Tuple[int, int, int]] = None  # what the document looked like when we last wrote it

    # ── Ownership ────────────────────────────────────────────────────────────────────────────────────────────────

    def create(self, document: Document) -> None:
        (self.place / "agents").mkdir(parents=True, exist_ok=True)
        self.epoch = 1
        self._lock = self._hold(1)
        self._replace({**document, "epoch": self.epoch, "owner": self.label})

    def take(self, takeover: bool, answer: str) -> Document:
        """Become the owner by writing the next epoch, by itself; what the document said is answered."""
        with self._writing():
            document = self.read()
            if self._alive(document["epoch"]) and not takeover:
                raise Fault("owned_elsewhere", document["owner"])
            before(answer)
            epoch = document["epoch"] + 1
            lock = self._hold(epoch)
            document.update(epoch=epoch, owner=self.label)
            try:
                self._replace(document)
            except Fault:
                os.close(lock)
                raise
            self.epoch, self._lock = epoch, lock
        after(answer)
        return document

    def release(self) -> None:
        """Give up ownership, or die: either way nobody lives here any more, and nothing is written."""
        if self._lock is not None:
            os.close(self._lock)
            try:
                os.unlink(self._lock_path(self.epoch or 0))
            except OSError:
                pass
        self._lock = self.epoch = None

    def _lock_path(self, epoch: int) -> Path:
        return self.place / f"owner-{epoch}.lock"

    def _hold(self, epoch: int) -> int:
        file = os.open(self._lock_path(epoch), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return file

    def _alive(self, epoch: int) -> bool:
        try:
            file = os.open(self._lock_path(epoch), os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError:
            return False
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(file)
        return False

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Between the look at the epoch and the rename nobody else may write: they would be overwritten."""
        file = os.open(self.place / "writing.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield
        except BlockingIOError:
            raise Fault("busy", "archive")
        finally:
            os.close(file)

    # ── The document ─────────────────────────────────────────────────────────────────────────────────────────────

    def read(self) -> Document:
        """The document as it is on disk now, decoded from its bytes."""
        try:
            raw = self.document.read_bytes()
        except FileNotFoundError:
            raise Fault("archive_missing", "archive")
        try:
            document = json.loads(raw.decode("utf-8"))
        except ValueError:
            raise Fault("archive_malformed", "archive")
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            raise Fault("archive_malformed", "archive")
        if document.get("version") != VERSION:
            raise Fault("archive_version", "archive")
        sound = (
            isinstance(document.get("epoch"), int)
            and isinstance(document.get("owner"), str)
            and isinstance(document.get("session"), str)
            and isinstance(document.get("configs"), dict)
            and isinstance(document.get("records"), dict)
        )
        if not sound:
            raise Fault("archive_malformed", "archive")
        return document

    def commit(self, document: Document, appended: Mapping[str, Tuple[int, bytes]], answer: str) -> None:
        """Write all of it, or nothing. APPENDED says for a location from where on its bytes are new."""
        before(answer)
        with self._writing():
            self.check_ours()
            for location, (start, data) in appended.items():
                self._append(location, start, data)
            self._replace({**document, "epoch": self.epoch, "owner": self.label})
        after(answer)

    def check_ours(self) -> None:
        """What another owner writes fits nothing that this session has in memory, so it is not read either."""
        if self.epoch is not None and self._epoch_now() != self.epoch:
            raise Fault("ownership_lost", "archive")

    def _epoch_now(self) -> int:
        """The truth is on disk; but if the document is the very file that we wrote, its epoch is ours."""
        if self.epoch is not None and self._identity() == self._ours:
            return self.epoch
        return self.read()["epoch"]

    def _identity(self) -> Optional[Tuple[int, int, int]]:
        try:
            status = os.stat(self.document)
        except FileNotFoundError:
            return None
        return status.st_ino, status.st_mtime_ns, status.st_size

    def _replace(self, document: Document) -> None:
        data = json.dumps({"format": FORMAT, "version": VERSION, **document}, separators=(",", ":")).encode("ascii")
        fresh = self.document.with_suffix(".new")
        with world():
            fresh.write_bytes(data)
            os.replace(fresh, self.document)
        self._ours = self._identity()
        self.counters.commits += 1
        self.counters.bytesWritten += len(data)

    def _append(self, location: str, start: int, data: bytes) -> None:
        with world():
            file = os.open(self.place / location, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            try:
                os.ftruncate(file, start)  # what a killed commit left behind goes
                os.lseek(file, start, os.SEEK_SET)
                written = 0
                while written < len(data):
                    written += os.write(file, data[written:])
            finally:
                os.close(file)
        self.counters.bytesWritten += len(data)

    # ── Transcripts ──────────────────────────────────────────────────────────────────────────────────────────────

    def check(self, transcript: Transcript, path: str) -> None:
        """What hydration looks at; raises the fault that keeps PATH's conversation from being used."""
        with self._open(transcript, path):
            pass

    def newest_first(self, transcript: Transcript, path: str) -> Iterator[Dict[str, Any]]:
        """The messages, read from the end in blocks: the last twenty of a long conversation cost no more than of a short one."""
        with self._open(transcript, path) as file:
            end, rest = transcript.size, b""
            while end > 0:
                start = max(0, end - BLOCK)
                data = os.pread(file, end - start, start) + rest
                end = start
                # All lines but the first are whole; the first is, once the start of the file is reached.
                rest, *lines = data.split(b"\n")
                for line in reversed(lines):
                    if line:
                        yield self._message(line, path)
            if rest:
                yield self._message(rest, path)

    @staticmethod
    def _message(line: bytes, path: str) -> Dict[str, Any]:
        try:
            message = json.loads(line.decode("utf-8"))
        except ValueError:
            raise Fault("conversation_corrupt", path)
        if not isinstance(message, dict) or set(message) != {"kind", "turn", "from", "text", "at"}:
            raise Fault("conversation_corrupt", path)
        return message

    @contextmanager
    def _open(self, transcript: Transcript, path: str) -> Iterator[int]:
        location = self.place / transcript.location
        if transcript.location != "root.jsonl" and not safe_location(transcript.location):
            raise Fault("location_unsafe", path)
        try:
            file = os.open(location, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        except FileNotFoundError:
            if transcript.size == 0:
                file = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)  # nothing was ever said: there is no file yet
            else:
                raise Fault("conversation_missing", path)
        except OSError as error:
            # A link may lead out of the session, so none is followed.
            raise Fault("location_unsafe" if error.errno == errno.ELOOP else "conversation_failed", path)
        try:
            status = os.fstat(file)
            if stat.S_ISREG(status.st_mode) and status.st_size < transcript.size:
                raise Fault("conversation_corrupt", path)
            yield file
        finally:
            os.close(file)


# ── The answers that a step has ready for its commit ─────────────────────────────────────────────────────────────


def before(answer: str) -> None:
    """An injected fault comes before everything that could go wrong by itself."""
    if answer == "crash_before":
        raise Crashed()
    if answer not in ("ok", "crash_after"):
        raise Fault(answer, "archive")


def after(answer: str) -> None:
    if answer == "crash_after":
        raise Crashed()


@contextmanager
def world() -> Iterator[None]:
    """What the system says, in the words of the contract."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            code = "disk_full"
        elif error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
            code = "read_only_file"
        else:
            code = "io_failed"
        raise Fault(code, "archive")
