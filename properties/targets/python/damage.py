"""What happens to an archive while nobody has it open: damage of a stored record, of the session, of the archive; and mending.

The originals are kept in a file beside the archive, so that a mend works in a fresh process too.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Dict, Optional

import paths
from archive import Archive, Document
from outcomes import Refusal, Step
from records import checksum, compact_json, config_key
from texts import canonical

UNKNOWN = "damaged"
UNOWNED = "nowhere"


class Damages:
    """The damage done so far to the archive in a folder. CATEGORY is one that somebody owns: of it, no such tool."""

    def __init__(self, archive: Archive, category: str) -> None:
        self.archive = archive
        self.category = category
        self.kept = archive.place / "archive.kept"
        self.notes = archive.place / "damage.json"

    def damage(self, step: Step) -> None:
        document = self.archive.read()  # damage to the archive hides the rest: the fault is its own
        what, how = step["what"], step["how"]
        if what == "archive":
            self._damage_archive(document, how)
            return
        notes = self._read_notes()
        if what == "session":
            if notes["session"] is None:
                notes["session"] = document["session"]
            document["session"] = compact_json("no session")
        else:
            path = self._stored(document, step["path"])
            note = notes["records"].setdefault(path, {"row": document["records"][path]["row"], "how": ""})
            note["row"] = self._mended(document, path, note)
            note["how"] = how
            document["records"][path] = self._damaged(document, note)
        # The originals first: a process killed between the two writes has damaged nothing.
        write(self.notes, notes)
        write(self.archive.document, document)

    def mend(self, step: Step) -> None:
        what = step["what"]
        if what == "archive":
            if self.kept.exists():
                os.replace(self.kept, self.archive.document)
            return
        document = self.archive.read()
        notes = self._read_notes()
        if what == "session":
            if notes["session"] is not None:
                document["session"], notes["session"] = notes["session"], None
        else:
            path = self._stored(document, step["path"])
            note = notes["records"].pop(path, None)
            if note is not None:
                row = self._mended(document, path, note)
                document["records"][path] = {"row": row, "sum": checksum(row)}
        write(self.archive.document, document)
        write(self.notes, notes)

    def any(self) -> bool:
        """Whether something is damaged that was not mended."""
        notes = self._read_notes()
        return bool(notes["records"]) or notes["session"] is not None

    def _damage_archive(self, document: Document, how: str) -> None:
        # A fresh copy is damaged and then takes the place of the original, which is kept as it was.
        damaged: Optional[bytes] = None
        if how == "malformed":
            damaged = b'{"format":'
        elif how == "version":
            damaged = json.dumps({**document, "version": 99}).encode("ascii")
        os.replace(self.archive.document, self.kept)
        if damaged is not None:
            self.archive.document.write_bytes(damaged)

    @staticmethod
    def _stored(document: Document, path: str) -> str:
        if not paths.is_path(path):
            raise Refusal("path_malformed")
        if path == paths.ROOT:
            raise Refusal("target_root")
        if path not in document["records"]:
            raise Refusal("agent_unknown")
        return path

    @staticmethod
    def _mended(document: Document, path: str, note: Dict[str, Any]) -> str:
        """The row without the damage.

        A session without registrars checks no tools: there a record with a damaged reference lives on, and its row has
        changed since. Of such a one only the config is put back.
        """
        if note["how"] not in ("tool", "category"):
            return note["row"]
        try:
            row = json.loads(document["records"][path]["row"])
            row["config"] = json.loads(note["row"])["config"]
        except (ValueError, TypeError, KeyError):
            return note["row"]
        return compact_json(row)

    def _damaged(self, document: Document, note: Dict[str, Any]) -> Dict[str, str]:
        """The row with its damage, which takes the place of any that was done before."""
        how: str = note["how"]
        row = json.loads(note["row"])
        config = json.loads(document["configs"][row["config"]])
        if how == "tool":
            config["tools"].append([self.category, UNKNOWN])
        if how == "category":
            config["tools"].append([UNOWNED, UNKNOWN])
        if how == "config":
            config["unknown"] = True
        # Equal configs are stored once: this record gets a config of its own, or its siblings would be damaged with it.
        text = canonical(config)
        row["config"] = config_key(text)
        document["configs"][row["config"]] = text
        if how == "mail_sender":
            row["mail"].append(
                {
                    "sequence": 2**40,  # behind all that came
                    "kind": "execution",
                    "from": "/root/somebody/else",
                    "to": row["path"],
                    "text": "not yours",
                    "at": 0,
                    "outcome": None,
                    "digest": None,
                }
            )
        if how == "active_with_result":
            row["activity"] = "running"
            row["result"] = ["completed", "both", None, None]
        if how == "location":
            row["conversation"]["location"] = "agents/../../elsewhere"
        text = compact_json(row)
        if how == "malformed":
            text = compact_json("no record")
        if how == "checksum":
            # Changed behind the back of its checksum, and still a record in every other respect.
            row["role"] += "_changed"
            return {"row": compact_json(row), "sum": checksum(text)}
        return {"row": text, "sum": checksum(text)}

    def _read_notes(self) -> Dict[str, Any]:
        try:
            return json.loads(self.notes.read_bytes())
        except FileNotFoundError:
            return {"session": None, "records": {}}


def write(path: Path, value: Any) -> None:
    fresh = path.with_suffix(".new")
    fresh.write_bytes(json.dumps(value, separators=(",", ":")).encode("ascii"))
    os.replace(fresh, path)
