"""The host of a registry: its roles and registrars, the handles on one archive, and the order in which steps are decided."""

from __future__ import annotations

import copy
from collections import deque
from pathlib import Path
from typing import Any, Callable, Deque, Dict, Iterable, List, Optional, Set, Tuple

import mail
import operations
import reading
import turns
import views
from archive import Archive, Counters
from damage import Damages
from operations import Operation
from outcomes import Crashed, Fault, Outcome, Quit, Refusal, Step, ok, outcome_of
from records import Malformed, Root
from registry import Draft, Session, encode_session
from restoring import Recovery, check_records, decode_session, load, recover
from shapes import ShapeError

DEFAULT_HANDLE = "w1"
LOADED: Set[Tuple[str, str]] = set()  # of the process, as tool tables are: it stays warm from story to story

Command = Callable[[Session, Step], Outcome]


class Opening:
    """A restore under way: the session is not to be seen yet, only the gate at which its recovery stands."""

    def __init__(self, session: Session, recovery: Recovery) -> None:
        self.session = session
        self.recovery = recovery
        self.operation: Optional[Operation] = None


class Handle:
    def __init__(self) -> None:
        self.session: Optional[Session] = None
        self.opening: Optional[Opening] = None


class Host:
    def __init__(self, scope: Dict[str, Any], place: Path, opening: int, faults: Iterable[str] = ()) -> None:
        self.place = place
        self.roles: Dict[str, Any] = copy.deepcopy(scope["roles"])
        self.registrars: Dict[str, Any] = scope["registrars"]
        self.limits: Dict[str, int] = scope.get("limits", {})
        self.openings = opening
        self.faults: Set[str] = set(faults)
        self.counters = Counters()
        self.handles: Dict[str, Handle] = {}
        self.events: List[Any] = []
        self.later: Deque[Step] = deque()
        self._commit = "ok"

    @classmethod
    def reset(cls, scope: Dict[str, Any], place: Path, faults: Iterable[str] = ()) -> "Host":
        """A new archive, open for writing."""
        host = cls(scope, place, 1, faults)
        session = host.create(place, DEFAULT_HANDLE, scope["capacity"], host.tools(None), host.counters)
        host.handle(DEFAULT_HANDLE).session = session
        return host

    def create(self, place: Path, label: str, capacity: int, tools: Dict[str, Tuple[str, ...]], counters: Counters) -> Session:
        archive = Archive(place, label, counters)
        archive.create({"session": encode_session(capacity, 0, Root()), "configs": {}, "records": {}})
        session = Session(self, archive, "write", self.openings, tools)
        session.capacity = capacity
        return session

    def tools(self, names: Optional[List[str]]) -> Dict[str, Tuple[str, ...]]:
        """What the registrars own, by category: the first of the list owns it. All the host has, if no list is given."""
        owned: Dict[str, Tuple[str, ...]] = {}
        for name in self.registrars if names is None else names:
            if name not in self.registrars:
                raise ShapeError(f"the scope has no registrar {name!r}")
            registrar = self.registrars[name]
            owned.setdefault(registrar["category"], tuple(registrar["tools"]))
        return owned

    def load_tools(self, tools: Iterable[Tuple[str, str]]) -> None:
        """What a turn needs is registered in this process, if it was not yet; nothing runs, and nothing may depend on it."""
        LOADED.update(tools)

    @staticmethod
    def loaded(tools: Iterable[Tuple[str, str]]) -> bool:
        return LOADED.issuperset(tools)

    def handle(self, label: str) -> Handle:
        return self.handles.setdefault(label, Handle())

    # ── Deciding ─────────────────────────────────────────────────────────────────────────────────────────────────

    def apply(self, step: Step) -> Outcome:
        """One step and all that follows from it. What callbacks do is decided after what was already issued."""
        reply = self._reply(step)
        events = reply.pop("events", [])
        thens = []
        while self.later:
            answered = self._reply(self.later.popleft())
            events += answered.pop("events", [])
            thens.append(["then", answered])
        events += thens
        return {**reply, "events": events} if events else reply

    def call_later(self, step: Step) -> None:
        self.later.append(step)

    def commit_answer(self) -> str:
        """The step's answer to its first commit; later ones succeed."""
        answer, self._commit = self._commit, "ok"
        return answer

    def _reply(self, step: Step) -> Outcome:
        if step["do"] == "together":
            return ok([self._reply(one) for one in step["steps"]])
        self.events = []
        self._commit = step.get("commit", "ok")
        label = step.get("as", DEFAULT_HANDLE)
        try:
            reply = self._decide(label, step)
        except (Refusal, Fault, Quit) as ending:
            reply = outcome_of(ending)
        except Crashed as ending:
            self.crash(label)
            reply = outcome_of(ending)
        return {**reply, "events": self.events} if self.events else reply

    def _decide(self, label: str, step: Step) -> Outcome:
        do = step["do"]
        handle = self.handle(label)
        if do == "restore":
            return self._restore(label, handle, step)
        if do == "crash":
            self.crash(label)
            return ok()
        if do in ("damage", "mend"):
            return self._damage(do, step)
        if handle.opening is not None and do == "answer":
            return self._answer_recovery(label, handle.opening, step)
        session = handle.session
        if session is None:
            if do in ("answer", "cancel", "release"):
                return ok("late")  # it concerned something that died with its session
            raise Refusal("session_closed")
        if session.mode == "read" and do not in READ_ONLY:
            raise Refusal("read_only")
        return COMMANDS[do](session, step)

    def crash(self, label: str) -> None:
        """All that is live is gone: nothing is written, nobody is told."""
        handle = self.handle(label)
        for session in (handle.session, handle.opening and handle.opening.session):
            if session is not None:
                session.archive.release()
        handle.session = handle.opening = None

    # ── Restoring ────────────────────────────────────────────────────────────────────────────────────────────────

    def _restore(self, label: str, handle: Handle, step: Step) -> Outcome:
        self.openings += 1  # also for one that is refused: no name of an operation may come twice
        if handle.session is not None or handle.opening is not None:
            raise Refusal("session_open")
        archive = Archive(self.place, label, self.counters)
        writing = step["mode"] == "write"
        try:
            document = archive.read()
            if writing:
                document = archive.take(step.get("takeover", False), step.get("epoch", "ok"))
            session = Session(self, archive, step["mode"], self.openings, self.tools(step.get("registrars")))
            load(session, document)
        except BaseException:
            archive.release()
            raise
        answers = step.get("answers", {})
        handle.opening = Opening(session, recover(session, answers) if writing else iter_nothing())
        return self._recover(label, handle.opening, None)

    def _recover(self, label: str, opening: Opening, answer: Optional[str]) -> Outcome:
        handle = self.handle(label)
        try:
            opening.operation = opening.recovery.send(answer)  # type: ignore[arg-type]
            return {"gate": opening.operation.gate, "op": opening.operation.name}
        except StopIteration:
            handle.opening, handle.session = None, opening.session
        except BaseException:
            # Quit, not written, or unexpected: the restore closes, and whoever comes next may own the archive.
            self.crash(label)
            raise
        for path, code in sorted(opening.session.aside.items()):
            self.events.append(["set_aside", path, code])
        return ok()

    def _answer_recovery(self, label: str, opening: Opening, step: Step) -> Outcome:
        operation = opening.operation
        if operation is None or operation.name != step["op"] or operation.gate != step["gate"]:
            return ok("late")
        return self._recover(label, opening, step["with"])

    def _damage(self, do: str, step: Step) -> Outcome:
        if any(handle.session or handle.opening for handle in self.handles.values()):
            raise Refusal("session_open")
        owned = list(self.tools(None)) or ["core"]
        damages = Damages(Archive(self.place, DEFAULT_HANDLE, self.counters), owned[0])
        (damages.damage if do == "damage" else damages.mend)(step)
        return ok()

    # ── Showing ──────────────────────────────────────────────────────────────────────────────────────────────────

    def view(self) -> Dict[str, Any]:
        """What the default handle sees, and beside it what the others that are not closed see."""
        view = self._view_of(self.handle(DEFAULT_HANDLE))
        others = {}
        for label, handle in sorted(self.handles.items()):
            if label != DEFAULT_HANDLE and (handle.session or handle.opening):
                others[label] = self._view_of(handle)
        if others:
            view["others"] = others
        return view

    @staticmethod
    def _view_of(handle: Handle) -> Dict[str, Any]:
        if handle.session is not None:
            return views.session_view(handle.session)
        view: Dict[str, Any] = {"mode": "closed"}
        if handle.opening is not None:
            view["open"] = views.open_view(handle.opening.session)
        return view

    def encoded(self) -> Optional[Dict[str, Any]]:
        """What a commit of the default handle would write; None if it cannot make one."""
        session = self.handle(DEFAULT_HANDLE).session
        return session.encoded() if session is not None and session.mode == "write" else None

    def stored(self) -> Optional[Dict[str, Any]]:
        """What the archive on disk holds now, whoever could use it; None while something in it is damaged or unreadable."""
        archive = Archive(self.place, DEFAULT_HANDLE, self.counters)
        try:
            document = archive.read()
            records, unreadable = check_records(document)
            capacity, _, root = decode_session(document["session"])
        except (Fault, Malformed):
            return None
        if unreadable or Damages(archive, "").any():
            return None
        return views.stored_view(capacity, root, [records[path] for path in sorted(records)])


def iter_nothing() -> Recovery:
    """The recovery of a read-only session: there is none."""
    yield from ()


# ── Commands of a whole session ──────────────────────────────────────────────────────────────────────────────────


def change_role(s: Session, step: Step) -> Outcome:
    s.host.roles[step["role"]] = copy.deepcopy(step["config"])
    return ok()


def set_capacity(s: Session, step: Step) -> Outcome:
    capacity = step["capacity"]
    if capacity < 1 or capacity != capacity // 1:
        raise Refusal("capacity_invalid")
    draft = Draft(s)
    draft.capacity = int(capacity)
    s.commit(draft)
    return ok()


def save(s: Session, step: Step) -> Outcome:
    s.commit()
    return ok()


def fork(s: Session, step: Step) -> Outcome:
    """A session beside this one, with its capacity and nobody in it; the step closes it again."""
    place = s.archive.place / "forks"
    # Work on another archive is not counted as work on this one.
    child = s.host.create(place / str(len(list(place.glob("*"))) + 1), "fork", s.capacity, s.tools, Counters())
    view = views.session_view(child)
    child.archive.release()
    return ok(view)


def close(s: Session, step: Step) -> Outcome:
    if s.mode == "write":
        s.commit()  # or it stays open
    s.host.crash(step.get("as", DEFAULT_HANDLE))
    return ok()


COMMANDS: Dict[str, Command] = {
    "answer": operations.answer,
    "cancel": operations.cancel,
    "spawn": turns.spawn,
    "follow_up": turns.follow_up,
    "say": turns.say,
    "finish": turns.finish,
    "interrupt": turns.interrupt,
    "block": turns.block,
    "release": turns.release,
    "send": mail.send,
    "execution": mail.execution,
    "steer": mail.steer,
    "wait": mail.wait,
    "cancel_wait": mail.cancel_wait,
    "elapse": mail.elapse,
    "sample": mail.sample,
    "roster": reading.roster,
    "read_result": reading.read_result,
    "read_history": reading.read_history,
    "inspect": reading.inspect,
    "evict": reading.evict,
    "compact": reading.compact,
    "verify": reading.verify,
    "change_role": change_role,
    "set_capacity": set_capacity,
    "save": save,
    "fork": fork,
    "close": close,
}

READ_ONLY = {
    *("answer", "cancel", "roster", "read_result", "read_history", "inspect"),
    *("evict", "verify", "change_role", "elapse", "fork", "close"),
}
