"""Text and JSON as the contract counts, repairs and hashes them: UTF-16 units, well-formed Unicode, RFC 8785."""

from __future__ import annotations

import hashlib
import math
import re
from typing import Any

SHOWN_UNITS = 64  # a longer text appears in views as its length and hash
MAILED_UNITS = 32_768  # a longer result is mailed as head and tail

_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}
_ESCAPED = re.compile('["\\\\\x00-\x1f]')


def paired(text: str) -> str:
    """The same UTF-16 units, with every surrogate pair read as the one character that it is.

    Python strings are sequences of code points: the two halves of a pair, joined by concatenation, would stay two lone
    surrogates here, while the other side of the protocol sees a character.
    """
    if not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def well_formed(text: str) -> bool:
    return not _SURROGATE.search(paired(text))


def repaired(text: str) -> str:
    """Texts from the world are kept, with U+FFFD for what is no character; people's texts are refused instead."""
    return _SURROGATE.sub("\ufffd", paired(text))


def units(text: str) -> int:
    """Length in UTF-16 units: characters beyond the basic plane count twice."""
    return len(text) + sum(1 for character in text if character > "\uffff")


def sha16(text: str) -> str:
    return hashlib.sha256(repaired(text).encode("utf-8")).hexdigest()[:16]


def shown(text: str) -> Any:
    """A text as views show it."""
    length = units(text)
    return text if length <= SHOWN_UNITS else {"length": length, "sha256": sha16(text)}


# ── RFC 8785 ─────────────────────────────────────────────────────────────────────────────────────────────────────


def canonical(value: Any) -> str:
    """Canonical JSON. Raises ValueError for what has no such form: infinities, lone surrogates."""
    if value is None:
        return "null"
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, (int, float)):
        return number(value)
    if isinstance(value, list):
        return "[" + ",".join(canonical(item) for item in value) + "]"
    if isinstance(value, dict):
        # The standard sorts keys by UTF-16 units; Python would sort by code points, which differs beyond the basic plane.
        keys = sorted(value, key=lambda key: key.encode("utf-16-be", "surrogatepass"))
        return "{" + ",".join(_string(key) + ":" + canonical(value[key]) for key in keys) + "}"
    raise ValueError(f"{type(value).__name__} is no JSON")


def _string(text: str) -> str:
    def escape(match: "re.Match[str]") -> str:
        return _ESCAPES.get(match.group()) or f"\\u{ord(match.group()):04x}"

    if not well_formed(text):
        raise ValueError("a text has a lone surrogate")
    return '"' + _ESCAPED.sub(escape, paired(text)) + '"'


def number(value: "int | float") -> str:
    """A finite double as ECMAScript's Number::toString writes it: shortest digits, exponents only from 1e21 and below 1e-6."""
    try:
        double = float(value)
    except OverflowError:
        double = math.inf
    if not math.isfinite(double):
        raise ValueError("a number is not finite")
    if double == 0:
        return "0"  # -0 too
    # repr finds the same shortest digits; only their layout differs. The value is 0.DIGITS times ten to the POINT.
    mantissa, _, exponent = repr(abs(double)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    leading = len(whole + fraction) - len(digits)
    point = len(whole) - leading + int(exponent or 0)
    digits = digits.rstrip("0")
    count = len(digits)
    if count <= point <= 21:
        body = digits + "0" * (point - count)
    elif 0 < point <= 21:
        body = digits[:point] + "." + digits[point:]
    elif -6 < point <= 0:
        body = "0." + "0" * -point + digits
    else:
        power = point - 1
        body = digits[0] + ("." + digits[1:] if count > 1 else "") + ("e+" if power > 0 else "e-") + str(abs(power))
    return ("-" if double < 0 else "") + body


# ── The mailed form of a result ──────────────────────────────────────────────────────────────────────────────────


def mailed(text: str, location: str) -> str:
    """What a parent finds in its mailbox: the text itself if short, else head and tail on line ends, and where the rest is."""
    length = units(text)
    if length <= MAILED_UNITS:
        return text
    # The location is cut too, or a long one would break the bound; the count is given room for as many digits as LENGTH has.
    where = _head(location, 1_000)
    room = MAILED_UNITS - units(_note(length, where))
    head = _head(text, room // 2)
    head = head[: head.rfind("\n") + 1] or head
    tail = _tail(text, room - room // 2)
    first_line = tail.find("\n") + 1
    tail = tail[first_line:] if 0 < first_line < len(tail) else tail
    return head + _note(length - units(head) - units(tail), where) + tail


def _note(omitted: int, where: str) -> str:
    return f"\n[{omitted} UTF-16 units left out here; the whole text: read_result, or {where}]\n"


def _head(text: str, most: int) -> str:
    """The first MOST units, less half a surrogate pair."""
    return text.encode("utf-16-le")[: 2 * most].decode("utf-16-le", "ignore")


def _tail(text: str, most: int) -> str:
    encoded = text.encode("utf-16-le")
    start = max(0, len(encoded) - 2 * most)
    if start and 0xDC <= encoded[start + 1] <= 0xDF:  # the second half of a pair
        start += 2
    return encoded[start:].decode("utf-16-le")
