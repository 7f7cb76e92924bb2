"""The grammar of addresses: agents' paths, and the names of operations and blockers made from them."""

from __future__ import annotations

import re
from typing import Optional

ROOT = "/root"
USER = "user"  # who steers the root; an address of nobody
DEEPEST = 32

_SEGMENT = re.compile(r"[a-z0-9_]{1,64}")


def is_segment(text: str) -> bool:
    return _SEGMENT.fullmatch(text) is not None


def is_path(text: str) -> bool:
    """`/root`, then up to 32 segments. Case, `.`, `..`, doubled and trailing slashes are all outside the grammar."""
    if text == ROOT:
        return True
    if not text.startswith(ROOT + "/"):
        return False
    segments = text[len(ROOT) + 1 :].split("/")
    return len(segments) <= DEEPEST and all(map(is_segment, segments))


def parent(path: str) -> str:
    return path.rpartition("/")[0]


def child(path: str, name: str) -> Optional[str]:
    """The path of a new agent, or None if it may not be called so, or would lie too deep."""
    if not is_segment(name) or name == "root":
        return None
    path = f"{path}/{name}"
    return path if is_path(path) else None


def resolve(target: str, caller: Optional[str]) -> Optional[str]:
    """A target is absolute, or below the caller; None if it is neither."""
    if not target.startswith("/") and caller is not None:
        target = f"{caller}/{target}"
    return target if is_path(target) else None


def within(path: str, prefix: str) -> bool:
    return path == prefix or path.startswith(prefix + "/")


def operation_name(path: str, opening: int, ordinal: int) -> str:
    return f"{path}#{opening}.{ordinal}"


def blocker_name(path: str, turn: int, ordinal: int) -> str:
    return f"{path}@{turn}.{ordinal}"
