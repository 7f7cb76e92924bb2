#!/usr/bin/env python3
"""A registry of agents as a target: one JSON request a line on standard input, one JSON answer a line on standard output."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from pathlib import Path
from typing import Any, BinaryIO, Dict, Iterable, Optional

from faults import FAULTS
from host import Host
from shapes import ShapeError, request

PROTOCOL = 1
LONGEST_LINE = 16 * 1024 * 1024
CAPABILITIES = {
    "level": "house",
    "passes": [],
    "nesting": "any",
    "encodes": True,
    "stores": True,
    "commits": True,
    "handles": True,
    "checksLate": False,
    "abandonedStart": "rolls_back",
}


class Target:
    def __init__(self, faults: Iterable[str] = ()) -> None:
        self.faults = list(faults)
        self.greeted = False
        self.host: Optional[Host] = None

    def answer(self, asked: Any) -> Dict[str, Any]:
        """The answer to one request, without its id."""
        kind = request(asked)
        if kind == "hello":
            return self._hello(asked["hello"]["protocol"])
        if not self.greeted:
            raise ShapeError("the first request is hello")
        if kind == "close":
            self._leave()
            return {"ok": True}
        if kind == "counters":
            return {"counters": dataclasses.asdict(self.host.counters) if self.host else None}
        if kind == "apply":
            return self._apply(asked["apply"], asked.get("want", []))
        return self._begin(asked, kind)

    def _hello(self, protocol: Any) -> Dict[str, Any]:
        if self.greeted:
            raise ShapeError("hello comes once")
        if protocol != PROTOCOL:
            raise ShapeError(f"this target speaks protocol {PROTOCOL}, not {protocol}")
        self.greeted = True
        name = "python registry" + "".join(f", {fault}" for fault in self.faults)
        return {"hello": {"protocol": PROTOCOL, "name": name, "capabilities": CAPABILITIES}}

    def _begin(self, asked: Dict[str, Any], kind: str) -> Dict[str, Any]:
        self._leave()
        place = Path(asked["place"])
        if kind == "resume":
            # Nothing is open: the restore step that follows finds what the process before this one has committed.
            self.host = Host(asked["resume"], place, int(asked["opening"]), self.faults)
        elif (place / "archive.json").exists():
            raise ShapeError(f"{place} is not empty: it holds an archive")
        else:
            self.host = Host.reset(asked["reset"], place, self.faults)
        return {"ok": True}

    def _apply(self, step: Dict[str, Any], want: Iterable[str]) -> Dict[str, Any]:
        if self.host is None:
            raise ShapeError("a story begins with reset or resume")
        shown: Dict[str, Any] = {"reply": self.host.apply(step)}
        for what in want:
            value = {"view": self.host.view, "encode": self.host.encoded, "stored": self.host.stored}[what]()
            if value is not None:  # a closed session has nothing to encode, a broken archive means nothing
                shown[what] = value
        return shown

    def _leave(self) -> None:
        """Let go of the story before: its handles die, its archive stays where it is."""
        if self.host is not None:
            for label in list(self.host.handles):
                self.host.crash(label)
        self.host = None


def read(line: bytes) -> Any:
    """A request as the other side meant it: numbers are doubles there, and there is no NaN in JSON."""
    try:
        return json.loads(line.decode("utf-8"), parse_int=_integer, parse_constant=_no_constant)
    except ValueError as error:
        raise ShapeError(f"this line is no JSON: {error}")


def _integer(digits: str) -> "int | float":
    return int(digits) if len(digits) <= 15 else _double(digits)


def _double(digits: str) -> "int | float":
    double = float(digits)
    return int(double) if abs(double) < 2**53 else double


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def serve(source: BinaryIO, sink: BinaryIO, target: Target) -> None:
    while True:
        line = source.readline(LONGEST_LINE + 1)
        if not line:
            return
        asked: Any = None
        try:
            if not line.endswith(b"\n"):
                while line and not line.endswith(b"\n"):
                    line = source.readline(LONGEST_LINE)
                raise ShapeError("A line is too long, or was not ended")
            asked = read(line)
            answer = target.answer(asked)
        except ShapeError as error:
            answer = {"error": f"{str(error)[:1].upper()}{str(error)[1:]}."}
        except Exception as error:  # a mistake in this program: the checker shows it and stops
            answer = {"error": f"The target failed: {type(error).__name__}: {error}."}
        identity = asked.get("id") if isinstance(asked, dict) else None
        # ASCII only: a lone surrogate can be written as an escape, but not as UTF-8.
        sink.write(json.dumps({"id": identity, **answer}, separators=(",", ":"), allow_nan=False).encode("ascii") + b"\n")
        sink.flush()
        if answer == {"ok": True} and isinstance(asked, dict) and "close" in asked:
            return


def main() -> None:
    faults = "Faults: " + "; ".join(f"{name}: {what}" for name, what in FAULTS.items()) + "."
    parser = argparse.ArgumentParser(description=__doc__, epilog=faults)
    parser.add_argument("--fault", action="append", default=[], choices=sorted(FAULTS), help="deviate on purpose (repeatable)")
    target = Target(parser.parse_args().fault)
    sink = sys.stdout.buffer
    sys.stdout = sys.stderr  # whatever prints by mistake must not get between the answers
    try:
        serve(sys.stdin.buffer, sink, target)
    except (BrokenPipeError, KeyboardInterrupt):
        pass


if __name__ == "__main__":
    main()
