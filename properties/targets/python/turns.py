"""Turns: how they start (spawn, follow-up), what is said and blocked in them, and how they end (finish, interrupt)."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Dict, Optional

import paths
import texts
from mail import deliver, wake
from operations import Body, Operation, begin, check_hydrated, quit_operation, run
from outcomes import Fault, Outcome, Quit, Refusal, Step, ok
from paths import ROOT
from records import Owed, Record, Result, Transcript, tools_of
from registry import Blocker, Draft, Live, Session, Turn, message, result_mail


@dataclass
class Start:
    """What a caller asked for. `config` is a spawn's; a follow-up's agent has its own."""

    by: str
    text: str
    handler: bool
    role: str = ""
    config: Optional[str] = None

    @property
    def spawns(self) -> bool:
        return self.config is not None


# ── Starting ─────────────────────────────────────────────────────────────────────────────────────────────────────


def spawn(s: Session, step: Step) -> Outcome:
    by = s.caller(step["by"])
    path = paths.child(by, step["name"])
    if path is None:
        raise Refusal("name_malformed")
    s.check_text(step["text"])
    config = s.config_for(step["role"])
    s.check_free(path)
    s.check_tools(config)
    if s.kept() >= s.limits["agentsMax"]:
        raise Refusal("agents_full")
    s.check_capacity()
    s.check_operations()
    operation = begin(s, path, "spawn", step.get("answers"))
    s.reserved[path] = operation
    return run(s, operation, start(s, operation, Start(by, step["text"], step.get("handler", False), step["role"], config)))


def follow_up(s: Session, step: Step) -> Outcome:
    by = s.caller(step["by"])
    to = s.target(step["to"], by)
    s.check_text(step["text"])
    record = s.records[to]
    if record.active:
        # Steering: one mail, whatever the capacity is, and no turn.
        s.check_room(to)
        deliver(s, to, "mail", by, step["text"], "steering")
        return ok(record.activity)
    s.check_tools(record.config)
    s.check_capacity()
    s.check_operations()
    operation = begin(s, to, "follow_up", step.get("answers"))
    # From now on the record is active, and an active record has no result: else nobody's mailbox could be written meanwhile.
    if s.faulty("keeps_result_while_starting"):
        s.change(to, activity="starting", undo=record.result)
    else:
        s.change(to, activity="starting", undo=record.result, result=None)
    return run(s, operation, start(s, operation, Start(by, step["text"], step.get("handler", False))))


def start(s: Session, operation: Operation, asked: Start) -> Body:
    path = operation.path
    try:
        if not asked.spawns and s.live[path].residency != "writable":
            check_hydrated((yield "hydrate"), path)
        verdict = yield "prepare"
        if verdict == "refuse":
            raise Refusal("task_refused")
        if verdict == "error":
            raise Fault("task_failed", path)
        if verdict == "quit":
            raise Quit()
        yield from dispatch(s, operation, asked)
    except Quit:
        if asked.spawns or not s.faulty("quit_leaves_starting"):
            roll_back(s, path, asked, quitting=True)
        raise
    except (Refusal, Fault):
        roll_back(s, path, asked, quitting=False)
        raise
    return path


def dispatch(s: Session, operation: Operation, asked: Start) -> Body:
    """The provider is told to start, and told to stop again unless the turn is admitted or it failed by itself."""
    path = operation.path
    config = asked.config if asked.config is not None else s.records[path].config
    s.host.load_tools(tools_of(config))
    s.host.counters.providerCalls += 1
    s.emit("provider", path, {"started": [list(tool) for tool in tools_of(config)]})
    verdict = yield "dispatch"
    if verdict == "error":
        raise Fault("provider_failed", path)
    try:
        if verdict == "quit":
            raise Quit()
        admit(s, operation, asked)
    except (Quit, Fault):
        s.emit("provider", path, "stopped")
        raise


def roll_back(s: Session, path: str, asked: Start, quitting: bool) -> None:
    """As if it had not been asked for. Mail that came meanwhile stays, and so does what was hydrated."""
    if asked.spawns:
        del s.reserved[path]
        if s.faulty("name_stays_taken"):
            s.reserved[path] = None
        return
    result = s.records[path].undo
    if s.faulty("loses_result_on_error") and not quitting:
        result = None
    s.change(path, activity="idle", result=result, undo=None)


def admit(s: Session, operation: Operation, asked: Start) -> None:
    """One commit: the record runs, and the task is in its conversation. A turn that has already ended settles in it, too."""
    path = operation.path
    draft = Draft(s)
    if asked.config is not None:
        identity = secrets.token_hex(8)
        location = Transcript(f"agents/{identity}.jsonl")
        draft.records[path] = Record(identity, path, asked.role, asked.config, "running", 1, location)
    else:
        draft.change(path, activity="running", turns=s.records[path].turns + 1, undo=None, result=None)
    turn = Turn(draft.record(path).turns, asked.handler)
    draft.write(path, "task", asked.by, asked.text, turn.number)
    parent_has_mail = False
    if operation.held:
        parent_has_mail = write_settlement(draft, path, turn, operation.held[0])
    s.commit(draft)
    s.reserved.pop(path, None)
    live = s.live.setdefault(path, Live())
    live.residency = "writable"
    live.turn = turn
    if operation.held:
        # The start ends here, so it is not among the open operations that its settlement meets.
        s.open.pop(operation.name, None)
        announce_settlement(s, path, turn, parent_has_mail, {**operation.answers, **operation.held[1]})


# ── During a turn ────────────────────────────────────────────────────────────────────────────────────────────────


def say(s: Session, step: Step) -> Outcome:
    path = step["path"]
    turn = s.acting(path)
    if step["turn"] != (turn.number if turn else 0):
        return ok("late")
    said = texts.repaired(step["text"])
    buffer = s.live[path].buffer if turn else s.root_buffer
    buffer.append(message("partial", path, said, step["turn"]))
    if turn:
        turn.said.append(said)
    return ok()


def block(s: Session, step: Step) -> Outcome:
    path = step["path"]
    turn = s.acting(path)
    if turn is None:
        raise Refusal("target_root")
    if sum(1 for blocker in turn.blockers if blocker.token) >= s.limits["blockersMax"]:
        raise Refusal("too_many_blockers")
    turn.tokens += 1
    token = paths.blocker_name(path, turn.number, turn.tokens)
    turn.blockers.append(Blocker(step["kind"], token))
    s.show_activity(path)
    return ok(token)


def release(s: Session, step: Step) -> Outcome:
    token = step["token"]
    path = token.rpartition("@")[0]
    turn = s.live[path].turn if path in s.live else None
    for blocker in turn.blockers if turn else []:
        if blocker.token == token:
            turn.blockers.remove(blocker)  # type: ignore[union-attr]
            s.show_activity(path)
            return ok()
    return ok("late")


# ── Ending ───────────────────────────────────────────────────────────────────────────────────────────────────────


def finish(s: Session, step: Step) -> Outcome:
    outcome, text = step["outcome"], texts.repaired(step["text"])
    reason = "provider_failed" if outcome == "errored" and not text else None
    result = Result(outcome, text, reason)
    answers = step.get("answers", {})
    if "op" in step:
        operation = s.open.get(step["op"])
        if operation is None or operation.gate != "dispatch" or operation.held is not None:
            return ok("late")
        operation.held = (result, answers)
        return ok("held")
    path = s.target(step["path"], root=True)
    turn = s.live[path].turn if path != ROOT else None
    if turn is None:
        return ok("late")
    if turn.number != step["turn"] and not (s.faulty("late_finish_settles_next") and step["turn"] < turn.number):
        return ok("late")
    settle(s, path, turn, result, answers)
    return ok("settled")


def interrupt(s: Session, step: Step) -> Outcome:
    by = s.caller(step["by"])
    to = s.target(step["to"], by)
    if to == by:
        raise Refusal("target_self")
    seen = s.records[to].activity
    if seen == "idle":
        return ok(seen)
    turn = s.live[to].turn
    if turn is None:
        for operation in list(s.open.values()):
            if operation.path == to and operation.kind == "follow_up":
                quit_operation(s, operation)
        return ok(seen)
    if turn.abort is not None:
        return ok(seen)
    s.check_operations()
    turn.abort = begin(s, to, "abort", step.get("answers"))
    turn.abort.seen = seen
    return run(s, turn.abort, abort(s, turn.abort, turn))


def abort(s: Session, operation: Operation, turn: Turn) -> Body:
    verdict = yield "abort"
    # Over, however it ends: an agent whose abort failed must be interruptible again.
    turn.abort = None
    s.open.pop(operation.name, None)
    if verdict == "error":
        raise Fault("provider_failed", operation.path)
    result = Result("interrupted", "", "interrupted", "".join(turn.said) or None)
    settle(s, operation.path, turn, result, operation.answers)
    return operation.seen


def settle(s: Session, path: str, turn: Turn, result: Result, answers: Dict[str, str]) -> None:
    draft = Draft(s)
    parent_has_mail = write_settlement(draft, path, turn, result)
    s.commit(draft)
    announce_settlement(s, path, turn, parent_has_mail, answers)


def write_settlement(draft: Draft, path: str, turn: Turn, result: Result) -> bool:
    """What a settlement writes; answers whether the parent has got mail by it."""
    parent = paths.parent(path)
    record = draft.record(path)
    before = draft.mailbox(parent)
    if turn.handler:
        draft.change(path, owed=record.owed + (Owed(turn.number, result),))
    else:
        draft.post(parent, result_mail(record, result))
    draft.change(path, activity="idle", result=result)
    hand_over(draft, path)
    return draft.mailbox(parent) is not before


def hand_over(draft: Draft, path: str) -> None:
    """An agent's own unread executions go to its parent; those that it was handed by a child go no further."""
    own, rest = [], []
    for mail in draft.mailbox(path):
        (own if mail.kind == "execution" and mail.sender == path else rest).append(mail)
    if draft.session.faulty("drain_clears_all"):
        rest = []
    draft.put_mailbox(path, tuple(rest))
    for mail in own:
        draft.post(paths.parent(path), mail)


def announce_settlement(s: Session, path: str, turn: Turn, parent_has_mail: bool, answers: Dict[str, str]) -> None:
    """After the commit: the turn is gone, with its blockers and its wait; then others hear of it."""
    s.live[path].turn = None
    s.emit("settled", path, turn.number)
    if turn.abort is not None:
        s.open.pop(turn.abort.name, None)
        s.emit("ended", turn.abort.name, ok(turn.abort.seen))
    if parent_has_mail:
        wake(s, [paths.parent(path)], "mailbox")
    if turn.handler:
        handling = begin(s, path, "handler", {gate: said for gate, said in answers.items() if gate == "handler"})
        outcome = run(s, handling, handle(s, handling, turn.number))
        if "gate" not in outcome:
            s.emit("ended", handling.name, outcome)


def handle(s: Session, operation: Operation, number: int) -> Body:
    """A result handler of the caller's. Until it has answered, the result is owed, and only restore makes mail of it."""
    path = operation.path
    verdict = yield "handler"
    record = s.records[path]
    owing = [owed for owed in record.owed if owed.turn == number]
    rest = tuple(owed for owed in record.owed if owed.turn != number)
    if verdict == "ok":
        # Handled is handled: if this cannot be written now, it goes with the next commit.
        s.change(path, owed=rest)
        s.emit("handled", path, number)
        try:
            s.commit()
        except Fault as fault:
            s.emit("warned", fault.code, path)
        return "done"
    draft = Draft(s)
    draft.change(path, owed=rest)
    if not s.faulty("handler_forgets"):
        for owed in owing:
            draft.post(paths.parent(path), result_mail(record, owed.result))
    s.commit(draft)
    s.emit("warned", "handler_failed", path)
    wake(s, [paths.parent(path)], "mailbox")
    return "done"

