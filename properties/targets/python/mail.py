"""Mailboxes and those who wait on them: send, execution, steer, wait, the clock, and the sample that empties a mailbox."""

from __future__ import annotations

from typing import Any, Iterable, List, Optional

import texts
from outcomes import Outcome, Refusal, Step, ok
from paths import ROOT, USER
from registry import Blocker, Draft, Session, Waiter, letter
from views import mailbox_view

SHORTEST_MS, DEFAULT_MS, LONGEST_MS = 10_000, 30_000, 3_600_000


def deliver(s: Session, to: str, kind: str, sender: str, text: str, why: str) -> None:
    """One mail, one commit, and only then is its reader woken: a mail that was not written must wake nobody."""
    draft = Draft(s)
    draft.post(to, letter(kind, sender, text))
    if s.faulty("wake_before_commit"):
        wake(s, [to], why)
    s.commit(draft)
    wake(s, [to], why)


def send(s: Session, step: Step) -> Outcome:
    by = s.caller(step["by"])
    to = s.target(step["to"], by, root=True)
    s.check_text(step["text"])
    s.check_room(to)
    deliver(s, to, "mail", by, step["text"], "mailbox")
    return ok()


def execution(s: Session, step: Step) -> Outcome:
    owner = s.target(step["owner"], root=True)
    # The world cannot be refused: its text is repaired, and no limit applies.
    deliver(s, owner, "execution", owner, texts.repaired(step["text"]), "mailbox")
    return ok()


def steer(s: Session, step: Step) -> Outcome:
    s.check_text(step["text"])
    if s.root_waiter is None:
        raise Refusal("not_waiting")
    s.check_room(ROOT)
    deliver(s, ROOT, "user", USER, step["text"], "user")
    return ok()


# ── Waiting ──────────────────────────────────────────────────────────────────────────────────────────────────────


def wait(s: Session, step: Step) -> Outcome:
    by = step["by"]
    turn = s.acting(by)
    if waiter_of(s, by) is not None:
        raise Refusal("already_waiting")
    if s.mailbox(by):
        return ok("mailbox")
    waiter = Waiter(s.clock + clamped(step.get("timeoutMs")), step.get("callback"))
    if turn is None:
        s.root_waiter = waiter
    else:
        turn.waiter = waiter
        turn.blockers.append(Blocker("waiting"))
        s.show_activity(by)
    return ok("waiting")


def clamped(timeout: Any) -> float:
    if isinstance(timeout, bool) or not isinstance(timeout, (int, float)):
        return DEFAULT_MS
    return min(max(timeout, SHORTEST_MS), LONGEST_MS)


def cancel_wait(s: Session, step: Step) -> Outcome:
    if take_waiter(s, s.caller(step["by"])) is None:
        raise Refusal("not_waiting")
    return ok()


def elapse(s: Session, step: Step) -> Outcome:
    s.clock += max(0, step["ms"])
    waiting = [path for path in [ROOT, *s.records] if waiter_of(s, path)]
    due = sorted((waiter_of(s, path).deadline, path) for path in waiting)  # type: ignore[union-attr]
    wake(s, [path for deadline, path in due if deadline <= s.clock], "timeout")
    return ok()


def waiter_of(s: Session, path: str) -> Optional[Waiter]:
    if path == ROOT:
        return s.root_waiter
    turn = s.live[path].turn
    return turn.waiter if turn else None


def take_waiter(s: Session, path: str) -> Optional[Waiter]:
    """Ends a wait without a reason."""
    waiter = waiter_of(s, path)
    if waiter is None:
        return None
    if path == ROOT:
        s.root_waiter = None
    else:
        turn = s.live[path].turn
        assert turn is not None
        turn.waiter = None
        turn.blockers = [blocker for blocker in turn.blockers if blocker.token is not None]
        s.show_activity(path)
    return waiter


def wake(s: Session, readers: Iterable[str], why: str) -> None:
    """End the waits of those of them who wait. All have ended before the first callback runs."""
    woken: List[Any] = []
    for path in readers:
        waiter = take_waiter(s, path)
        if waiter is not None:
            s.emit("woke", path, why)
            woken.append((path, waiter.callback))
    for path, callback in woken:
        if callback == "throws":
            s.emit("warned", "callback_failed", path)
        elif callback is not None:
            s.host.call_later(callback["then"])


# ── Reading ──────────────────────────────────────────────────────────────────────────────────────────────────────


def sample(s: Session, step: Step) -> Outcome:
    """Before the model is called: exactly what is unread goes into the conversation and out of the mailbox, in one commit."""
    path = step["path"]
    turn = s.acting(path)
    mailbox = s.mailbox(path)
    if not mailbox:
        return ok([])
    if s.faulty("order_reversed"):
        mailbox = mailbox[::-1]
    draft = Draft(s)
    for mail in mailbox:
        draft.write(path, "mail", mail.sender, mail.text, turn.number if turn else 0)
    draft.put_mailbox(path, ())
    s.commit(draft)
    return ok(mailbox_view(mailbox))
