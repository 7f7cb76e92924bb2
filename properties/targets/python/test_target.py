"""Stories worked out by hand from the contract, told to the program over its standard input and output.

    python3 -m unittest discover -s DIRECTORY -p 'test_*.py'
"""

from __future__ import annotations

import hashlib
import json
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any, Dict, List, Optional

PROGRAM = Path(__file__).with_name("rollcall_target.py")
CONFIG = {"instructions": "", "model": "m", "effort": None, "tools": [["core", "read"]], "limits": {}, "parameters": {}}
CONFIG_HASH = hashlib.sha256(
    b'{"effort":null,"instructions":"","limits":{},"model":"m","parameters":{},"tools":[["core","read"]]}'
).hexdigest()[:16]
STARTED = {"prepare": "ok", "dispatch": "ok"}
DONE = {"ok": "done"}
LATE = {"ok": "late"}


def scope(**changes: Any) -> Dict[str, Any]:
    registrars = {"core": {"category": "core", "tools": ["read"]}}
    base = {"capacity": 3, "roles": {"r": CONFIG}, "registrars": registrars, "archive": "sqlite", "process": "fresh"}
    return {**base, **changes}


def sha16(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]


class Program:
    """The target, spoken to line by line."""

    def __init__(self, *arguments: str) -> None:
        command = [sys.executable, str(PROGRAM), *arguments]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.count = 0

    def say(self, line: bytes) -> Dict[str, Any]:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def ask(self, **request: Any) -> Dict[str, Any]:
        self.count += 1
        answer = self.say(json.dumps({"id": self.count, **request}).encode("ascii"))
        assert answer.pop("id") == self.count, answer
        return answer

    def end(self) -> None:
        assert self.process.stdin and self.process.stdout
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


class Story(unittest.TestCase):
    faults: List[str] = []

    def setUp(self) -> None:
        self.place = tempfile.mkdtemp(prefix="registry-")
        self.addCleanup(shutil.rmtree, self.place)
        self.program: Optional[Program] = None
        self.greet()

    def greet(self) -> None:
        self.program = Program(*(f"--fault={fault}" for fault in self.faults))
        self.addCleanup(self.program.end)
        self.hello = self.program.ask(hello={"protocol": 1})

    def begin(self, **changes: Any) -> None:
        self.scope = scope(**changes)
        self.assertEqual(self.ask(reset=self.scope, place=self.place), {"ok": True})

    def killed(self, openings: int) -> None:
        """The process dies, and a new one finds the archive."""
        assert self.program
        self.program.end()
        self.greet()
        self.assertEqual(self.ask(resume=self.scope, place=self.place, opening=openings), {"ok": True})

    def ask(self, **request: Any) -> Dict[str, Any]:
        assert self.program
        return self.program.ask(**request)

    def step(self, do: str, **fields: Any) -> Dict[str, Any]:
        if "as_" in fields:
            fields["as"] = fields.pop("as_")
        if "with_" in fields:
            fields["with"] = fields.pop("with_")
        answer = self.ask(apply={"do": do, **fields}, want=["view", "encode", "stored"])
        self.assertNotIn("error", answer)
        self.view, self.encode, self.stored = answer["view"], answer.get("encode"), answer.get("stored")
        return answer["reply"]

    def answer(self, op: str, gate: str, answer: str, **fields: Any) -> Dict[str, Any]:
        return self.step("answer", op=op, gate=gate, with_=answer, **fields)

    def spawn(self, path: str, **fields: Any) -> None:
        """An agent whose first turn runs."""
        by, _, name = path.rpartition("/")
        reply = self.step("spawn", by=by, name=name, role="r", text="t", answers=STARTED, **fields)
        self.assertEqual(reply["ok"], path)

    def idle(self, path: str, text: str = "R1") -> None:
        """An agent that has had one turn."""
        self.spawn(path)
        self.finish(path, 1, text)

    def finish(self, path: str, turn: int, text: str, **fields: Any) -> Dict[str, Any]:
        return self.step("finish", path=path, turn=turn, outcome="completed", text=text, **fields)

    def agent(self, path: str = "/root/a") -> Dict[str, Any]:
        return self.view["agents"][path]

    def root_mail(self) -> List[Any]:
        return self.view["root"].get("mail", [])


class Turns(Story):
    def test_worked_example(self) -> None:
        self.begin(capacity=1)
        reply = self.step("spawn", by="/root", name="a", role="r", text="t")
        self.assertEqual(reply, {"gate": "prepare", "op": "/root/a#1.1"})
        reserved = {"mode": "write", "capacity": 1, "active": 1, "root": {}, "agents": {}, "open": [["/root/a#1.1", "prepare"]]}
        self.assertEqual(self.view, reserved)
        self.assertEqual(self.answer("/root/a#1.1", "prepare", "quit"), {"quit": True})
        self.assertEqual(self.view, {"mode": "write", "capacity": 1, "root": {}, "agents": {}})

    def test_a_turn(self) -> None:
        self.begin()
        self.step("spawn", by="/root", name="a", role="r", text="t")
        reply = self.answer("/root/a#1.1", "prepare", "ok")
        started = ["provider", "/root/a", {"started": [["core", "read"]]}]
        self.assertEqual(reply, {"gate": "dispatch", "op": "/root/a#1.1", "events": [started]})
        self.assertEqual(self.step("send", by="/root", to="a", text="x"), {"refused": "agent_unknown"})
        self.assertEqual(self.answer("/root/a#1.1", "dispatch", "ok"), {"ok": "/root/a"})
        running = {"role": "r", "config": CONFIG_HASH, "activity": "running", "turn": 1, "residency": "writable", "messages": 1}
        self.assertEqual(self.agent(), running)
        self.assertEqual(self.step("say", path="/root/a", turn=1, text="so far"), DONE)
        self.assertEqual(self.agent()["messages"], 2)
        self.assertEqual(self.stored["agents"]["/root/a"]["messages"], 1)
        long = "x" * 65
        self.assertEqual(self.finish("/root/a", 1, long), {"ok": "settled", "events": [["settled", "/root/a", 1]]})
        shown = {"length": 65, "sha256": sha16(long)}
        self.assertEqual(self.agent()["result"], ["completed", shown, None, None])
        self.assertEqual(self.root_mail(), [["result", "/root/a", "completed", sha16(long)]])
        self.assertEqual(self.finish("/root/a", 1, "again"), LATE)
        self.assertEqual(self.step("sample", path="/root"), {"ok": [["result", "/root/a", "completed", sha16(long)]]})
        self.assertEqual(self.view["root"], {"messages": 1})
        self.assertEqual(self.step("sample", path="/root"), {"ok": []})
        self.assertEqual(self.step("read_history", path="/root"), {"ok": [["mail", 0, "/root/a", shown]]})
        history = [["task", 1, "/root", "t"], ["partial", 1, "/root/a", "so far"]]
        self.assertEqual(self.step("read_history", path="/root/a"), {"ok": history})
        self.assertEqual(self.encode, {"ok": self.stored})

    def test_follow_up_that_fails(self) -> None:
        """While it starts the record holds no result, so others' mail can be written; however it ends, the result comes back."""
        self.begin()
        self.idle("/root/a")
        self.step("spawn", by="/root", name="b", role="r", text="t", answers={"prepare": "ok", "dispatch": "error"})
        self.assertNotIn("/root/b", self.view["agents"])
        endings = [
            ("prepare", "refuse", {"refused": "task_refused"}),
            ("prepare", "error", {"fault": "task_failed", "at": "/root/a"}),
            ("prepare", "quit", {"quit": True}),
            ("dispatch", "error", {"fault": "provider_failed", "at": "/root/a"}),
            ("dispatch", "quit", {"quit": True, "events": [["provider", "/root/a", "stopped"]]}),
        ]
        for ordinal, (gate, answer, reply) in enumerate(endings, start=2):
            op = f"/root/a#1.{ordinal}"
            self.step("follow_up", by="/root", to="/root/a", text="u", answers={"prepare": "ok"} if gate == "dispatch" else {})
            self.assertEqual(self.agent()["activity"], "starting")
            self.assertNotIn("result", self.agent())
            self.assertEqual(self.step("execution", owner="/root", text=gate), DONE)
            self.assertEqual(self.stored["agents"]["/root/a"]["undo"], ["completed", "R1", None, None])
            self.assertEqual(self.step("send", by="/root", to="a", text=gate), DONE)
            self.assertEqual(self.answer(op, gate, answer), reply)
            self.assertEqual(self.agent()["activity"], "idle")
            self.assertEqual(self.agent()["result"], ["completed", "R1", None, None])
            self.assertEqual(self.agent()["messages"], 1)
            self.assertEqual(self.answer(op, gate, "ok"), LATE)
        self.assertEqual(len(self.agent()["mail"]), 5)

    def test_commit_of_an_admission(self) -> None:
        self.begin()
        self.idle("/root/a")
        step = {"by": "/root", "to": "/root/a", "text": "u", "answers": STARTED}
        reply = self.step("follow_up", commit="disk_full", **step)
        self.assertEqual((reply["fault"], reply["at"]), ("disk_full", "archive"))
        self.assertEqual(reply["events"][-1], ["provider", "/root/a", "stopped"])
        self.assertEqual(self.agent()["result"], ["completed", "R1", None, None])
        self.assertEqual(self.step("follow_up", **step)["ok"], "/root/a")
        self.assertEqual(self.agent()["turn"], 2)
        self.assertNotIn("result", self.agent())

    def test_turn_that_ends_inside_its_dispatch(self) -> None:
        self.begin()
        self.step("spawn", by="/root", name="a", role="r", text="t", answers={"prepare": "ok"})
        early = {"op": "/root/a#1.1", "outcome": "errored", "text": ""}
        self.assertEqual(self.step("finish", **early), {"ok": "held"})
        self.assertEqual(self.step("finish", **early), LATE)
        self.assertEqual(self.step("wait", by="/root"), {"ok": "waiting"})
        reply = self.answer("/root/a#1.1", "dispatch", "ok")
        self.assertEqual(reply, {"ok": "/root/a", "events": [["settled", "/root/a", 1], ["woke", "/root", "mailbox"]]})
        self.assertEqual(self.agent()["result"], ["errored", "", "provider_failed", None])
        self.step("follow_up", by="/root", to="a", text="u", answers={"prepare": "ok"})
        self.assertEqual(self.step("finish", op="/root/a#1.2", outcome="completed", text="x"), {"ok": "held"})
        self.assertTrue(self.answer("/root/a#1.2", "dispatch", "quit")["quit"])
        self.assertEqual(self.agent()["result"], ["errored", "", "provider_failed", None])
        self.assertEqual(len(self.root_mail()), 1)

    def test_capacity_and_steering(self) -> None:
        self.begin(capacity=1)
        self.idle("/root/a")
        self.spawn("/root/b")
        self.assertEqual(self.step("follow_up", by="/root", to="a", text="u"), {"refused": "at_capacity"})
        self.assertEqual(self.step("wait", by="/root/b"), {"ok": "waiting"})
        reply = self.step("follow_up", by="/root/a", to="/root/b", text="u")
        self.assertEqual(reply, {"ok": "waiting", "events": [["woke", "/root/b", "steering"]]})
        self.assertEqual(self.agent("/root/b")["activity"], "running")
        self.assertEqual(self.agent("/root/b")["mail"], [["mail", "/root/a", "u"]])
        self.assertEqual(self.step("set_capacity", capacity=0), {"refused": "capacity_invalid"})
        self.assertEqual(self.step("set_capacity", capacity=2), DONE)
        reply = self.step("follow_up", by="/root", to="a", text="u")
        self.assertEqual(reply, {"gate": "prepare", "op": "/root/a#1.2"})

    def test_interrupts(self) -> None:
        self.begin()
        self.idle("/root/a")
        self.assertEqual(self.step("interrupt", by="/root", to="a"), {"ok": "idle"})
        self.step("follow_up", by="/root", to="a", text="u", answers={"prepare": "ok"})
        reply = self.step("interrupt", by="/root", to="a")
        events = [["provider", "/root/a", "stopped"], ["ended", "/root/a#1.2", {"quit": True}]]
        self.assertEqual(reply, {"ok": "starting", "events": events})
        self.assertEqual(len(self.root_mail()), 1)
        self.step("follow_up", by="/root", to="a", text="u", answers=STARTED)
        self.step("say", path="/root/a", turn=2, text="half ")
        self.step("say", path="/root/a", turn=2, text="way")
        self.assertEqual(self.step("interrupt", by="/root/a", to="/root/a"), {"refused": "target_self"})
        self.assertEqual(self.step("interrupt", by="/root", to="a"), {"gate": "abort", "op": "/root/a#1.4"})
        self.assertEqual(self.step("interrupt", by="/root", to="a"), {"ok": "running"})
        self.assertEqual(self.answer("/root/a#1.4", "abort", "error"), {"fault": "provider_failed", "at": "/root/a"})
        self.assertEqual(self.agent()["turn"], 2)
        reply = self.step("interrupt", by="/root", to="a", answers={"abort": "ok"})
        self.assertEqual(reply, {"ok": "running", "events": [["settled", "/root/a", 2]]})
        self.assertEqual(self.agent()["result"], ["interrupted", "", "interrupted", "half way"])
        self.spawn("/root/b")
        self.step("block", path="/root/b", kind="permission_blocked")
        self.step("interrupt", by="/root", to="b")
        reply = self.finish("/root/b", 1, "R")
        ended = ["ended", "/root/b#1.2", {"ok": "permission_blocked"}]
        self.assertEqual(reply, {"ok": "settled", "events": [["settled", "/root/b", 1], ended]})
        self.assertEqual(self.answer("/root/b#1.2", "abort", "ok"), LATE)

    def test_cancel(self) -> None:
        self.begin()
        self.step("spawn", by="/root", name="a", role="r", text="t", answers={"prepare": "ok"})
        reply = self.step("cancel", op="/root/a#1.1")
        events = [["provider", "/root/a", "stopped"], ["ended", "/root/a#1.1", {"quit": True}]]
        self.assertEqual(reply, {"ok": "done", "events": events})
        self.assertEqual(self.step("cancel", op="/root/a#1.1"), LATE)
        self.spawn("/root/a")

    def test_blockers(self) -> None:
        self.begin()
        self.spawn("/root/a")
        self.assertEqual(self.step("block", path="/root/a", kind="permission_blocked"), {"ok": "/root/a@1.1"})
        self.assertEqual(self.step("wait", by="/root/a"), {"ok": "waiting"})
        self.assertEqual(self.step("block", path="/root/a", kind="interaction_blocked"), {"ok": "/root/a@1.2"})
        self.assertEqual(self.agent()["blockers"], ["permission_blocked", "waiting", "interaction_blocked"])
        self.assertEqual(self.step("release", token="/root/a@1.2"), DONE)
        self.assertEqual(self.agent()["activity"], "waiting")
        self.assertEqual(self.step("cancel_wait", by="/root/a"), DONE)
        self.assertEqual(self.agent()["activity"], "permission_blocked")
        self.assertEqual(self.step("release", token="/root/a@1.2"), LATE)
        self.finish("/root/a", 1, "R")
        self.assertEqual(self.step("release", token="/root/a@1.1"), LATE)
        self.assertEqual(self.step("block", path="/root/a", kind="permission_blocked"), {"refused": "not_active"})
        self.assertEqual(self.step("block", path="/root", kind="permission_blocked"), {"refused": "target_root"})

    def test_handlers(self) -> None:
        self.begin()
        self.spawn("/root/a", handler=True)
        self.step("wait", by="/root")
        self.assertEqual(self.finish("/root/a", 1, "R1"), {"ok": "settled", "events": [["settled", "/root/a", 1]]})
        self.assertEqual(self.view["open"], [["/root/a#1.2", "handler"]])
        self.assertEqual(self.agent()["owed"], [[1, "completed", "R1"]])
        self.step("follow_up", by="/root", to="a", text="u", handler=True, answers=STARTED)
        reply = self.finish("/root/a", 2, "R2", answers={"handler": "ok"})
        events = [["settled", "/root/a", 2], ["handled", "/root/a", 2], ["ended", "/root/a#1.4", {"ok": "done"}]]
        self.assertEqual(reply, {"ok": "settled", "events": events})
        self.assertEqual(self.agent()["owed"], [[1, "completed", "R1"]])
        reply = self.answer("/root/a#1.2", "handler", "throw")
        events = [["warned", "handler_failed", "/root/a"], ["woke", "/root", "mailbox"]]
        self.assertEqual(reply, {"ok": "done", "events": events})
        self.assertEqual(self.root_mail(), [["result", "/root/a", "completed", sha16("R1")]])
        self.assertNotIn("owed", self.agent())

    def test_handler_whose_answer_is_not_written(self) -> None:
        self.begin()
        self.spawn("/root/a", handler=True)
        self.finish("/root/a", 1, "R1")
        reply = self.answer("/root/a#1.2", "handler", "throw", commit="io_failed")
        self.assertEqual((reply["fault"], reply["at"]), ("io_failed", "archive"))
        self.assertEqual(self.agent()["owed"], [[1, "completed", "R1"]])
        self.step("follow_up", by="/root", to="a", text="u", handler=True, answers=STARTED)
        self.finish("/root/a", 2, "R2")
        reply = self.answer("/root/a#1.4", "handler", "ok", commit="busy")
        self.assertEqual(reply, {"ok": "done", "events": [["handled", "/root/a", 2], ["warned", "busy", "/root/a"]]})
        self.assertEqual(self.agent()["owed"], [[1, "completed", "R1"]])
        self.assertEqual(len(self.stored["agents"]["/root/a"]["owed"]), 2)
        self.step("save")
        self.assertEqual(len(self.stored["agents"]["/root/a"]["owed"]), 1)
        self.killed(1)
        self.assertEqual(self.step("restore", mode="write"), DONE)
        self.assertEqual(self.root_mail(), [["result", "/root/a", "completed", sha16("R1")]])


class Mailboxes(Story):
    def test_waits(self) -> None:
        self.begin()
        self.spawn("/root/a")
        self.spawn("/root/b")
        self.assertEqual(self.step("steer", text="x"), {"refused": "not_waiting"})
        self.step("wait", by="/root/b", timeoutMs=1)
        self.step("wait", by="/root/a", timeoutMs=10_000, callback="throws")
        self.assertEqual(self.step("wait", by="/root/a"), {"refused": "already_waiting"})
        self.step("wait", by="/root", timeoutMs="soon", callback={"then": {"do": "send", "by": "/root/a", "to": "/root/b", "text": "m"}})
        self.assertEqual(self.step("elapse", ms=9_999), DONE)
        reply = self.step("elapse", ms=1)
        events = [["woke", "/root/a", "timeout"], ["woke", "/root/b", "timeout"], ["warned", "callback_failed", "/root/a"]]
        self.assertEqual(reply, {"ok": "done", "events": events})
        reply = self.step("steer", text="go on")
        self.assertEqual(reply, {"ok": "done", "events": [["woke", "/root", "user"], ["then", DONE]]})
        self.assertEqual(self.root_mail(), [["user", "user", "go on"]])
        self.assertEqual(self.agent("/root/b")["mail"], [["mail", "/root/a", "m"]])
        self.assertEqual(self.step("wait", by="/root/b"), {"ok": "mailbox"})

    def test_mail_that_is_not_written_wakes_nobody(self) -> None:
        self.begin()
        self.step("wait", by="/root")
        reply = self.step("send", by="/root", to="/root", text="m", commit="not_written")
        self.assertEqual(reply, {"fault": "not_written", "at": "archive"})
        self.assertEqual(self.view["root"], {"waiting": True})
        reply = self.step("send", by="/root", to="/root", text="m")
        self.assertEqual(reply, {"ok": "done", "events": [["woke", "/root", "mailbox"]]})

    def test_executions_go_up_once(self) -> None:
        self.begin()
        self.spawn("/root/a")
        self.spawn("/root/a/b")
        self.step("execution", owner="/root/a/b", text="of b")
        self.step("send", by="/root", to="/root/a/b", text="stays")
        self.finish("/root/a/b", 1, "Rb")
        handed = [["result", "/root/a/b", "completed", sha16("Rb")], ["execution", "/root/a/b", "of b"]]
        self.assertEqual(self.agent("/root/a")["mail"], handed)
        self.assertEqual(self.agent("/root/a/b")["mail"], [["mail", "/root", "stays"]])
        self.step("execution", owner="/root/a", text="of a")
        self.finish("/root/a", 1, "Ra")
        self.assertEqual(self.root_mail(), [["result", "/root/a", "completed", sha16("Ra")], ["execution", "/root/a", "of a"]])
        self.assertEqual(self.agent("/root/a")["mail"], handed)

    def test_limits_and_texts(self) -> None:
        self.begin(limits={"mailMax": 1, "textMax": 4, "operationsMax": 1, "blockersMax": 1, "agentsMax": 2})
        self.spawn("/root/a")
        self.assertEqual(self.step("send", by="/root", to="a", text=""), {"refused": "text_empty"})
        self.assertEqual(self.step("send", by="/root", to="a", text="\ud800"), {"refused": "text_malformed"})
        self.assertEqual(self.step("send", by="/root", to="a", text="\U0001f600" * 3), {"refused": "text_too_long"})
        self.assertEqual(self.step("send", by="/root", to="a", text="\U0001f600" * 2), DONE)
        self.assertEqual(self.step("send", by="/root", to="a", text="x"), {"refused": "mailbox_full"})
        self.assertEqual(self.step("follow_up", by="/root", to="a", text="x"), {"refused": "mailbox_full"})
        self.assertEqual(self.step("execution", owner="/root/a", text="lone \udfff, much longer"), DONE)
        self.assertEqual(self.agent()["mail"][1], ["execution", "/root/a", "lone \ufffd, much longer"])
        self.step("block", path="/root/a", kind="permission_blocked")
        self.assertEqual(self.step("block", path="/root/a", kind="permission_blocked"), {"refused": "too_many_blockers"})
        self.step("spawn", by="/root", name="b", role="r", text="t")
        self.assertEqual(self.step("spawn", by="/root", name="c", role="r", text="t"), {"refused": "agents_full"})
        self.assertEqual(self.step("interrupt", by="/root", to="a"), {"refused": "too_many_operations"})

    def test_together(self) -> None:
        self.begin()
        then = {"then": {"do": "wait", "by": "/root"}}
        self.step("wait", by="/root", callback=then)
        send = {"do": "send", "by": "/root", "to": "/root", "text": "1"}
        reply = self.step("together", steps=[send, {"do": "sample", "path": "/root"}, {"do": "read_result", "path": "/root"}])
        self.assertEqual(
            reply["ok"],
            [
                {"ok": "done", "events": [["woke", "/root", "mailbox"]]},
                {"ok": [["mail", "/root", "1"]]},
                {"refused": "target_root"},
            ],
        )
        # What the waiter does is decided after all that was issued: by then the mailbox is empty.
        self.assertEqual(reply["events"], [["then", {"ok": "waiting"}]])


class Conversations(Story):
    def test_two_askers_of_one_hydration(self) -> None:
        self.begin()
        self.idle("/root/a")
        self.step("evict", path="/root/a")
        self.assertNotIn("residency", self.agent())
        self.assertEqual(self.step("read_history", path="/root/a", last=1), {"gate": "hydrate", "op": "/root/a#1.2"})
        self.assertEqual(self.step("follow_up", by="/root", to="a", text="u"), {"gate": "hydrate", "op": "/root/a#1.3"})
        self.assertEqual(self.answer("/root/a#1.3", "hydrate", "quit"), {"quit": True})
        self.assertEqual(self.step("inspect", path="/root/a"), {"gate": "hydrate", "op": "/root/a#1.4"})
        reply = self.answer("/root/a#1.4", "hydrate", "ok")
        ended = ["ended", "/root/a#1.2", {"ok": [["task", 1, "/root", "t"]]}]
        self.assertEqual(reply, {"ok": {"messages": 1, "marks": ["read_only", "no_save"]}, "events": [ended]})
        self.assertEqual(self.agent()["residency"], "inspection")
        self.assertEqual(self.step("follow_up", by="/root", to="a", text="u"), {"gate": "hydrate", "op": "/root/a#1.5"})
        fault = {"fault": "conversation_missing", "at": "/root/a"}
        self.assertEqual(self.answer("/root/a#1.5", "hydrate", "missing"), fault)
        self.assertEqual(self.agent()["residency"], "inspection")
        self.step("evict", path="/root/a")
        self.step("follow_up", by="/root", to="a", text="u", answers={"prepare": "ok"})
        self.step("inspect", path="/root/a")
        reply = self.answer("/root/a#1.7", "hydrate", "ok")
        self.assertEqual(reply["ok"], {"messages": 1, "marks": []})
        self.assertEqual(self.view["open"], [["/root/a#1.6", "dispatch"]])
        self.assertEqual(self.agent()["residency"], "writable")

    def test_what_is_really_missing(self) -> None:
        self.begin()
        self.idle("/root/a")
        self.step("evict", path="/root/a")
        for file in Path(self.place, "agents").iterdir():
            file.unlink()
        reply = self.step("read_history", path="/root/a", answers={"hydrate": "ok"})
        self.assertEqual(reply, {"fault": "conversation_missing", "at": "/root/a"})

    def test_compaction(self) -> None:
        self.begin()
        self.spawn("/root/a")
        for number in range(30):
            self.step("say", path="/root/a", turn=1, text=str(number))
        self.assertEqual(self.step("compact", path="/root/a"), {"refused": "in_use"})
        self.assertEqual(self.step("read_history", path="/root/a", last=2), {"ok": [["partial", 1, "/root/a", "28"], ["partial", 1, "/root/a", "29"]]})
        self.finish("/root/a", 1, "R")
        self.assertEqual(self.step("compact", path="/root/a", last=2, commit="busy"), {"fault": "busy", "at": "archive"})
        self.assertEqual(self.agent()["messages"], 31)
        self.assertEqual(self.step("compact", path="/root/a", last=2), DONE)
        note = ["note", 0, "/root/a", "29 messages compacted"]
        rest = [["partial", 1, "/root/a", "28"], ["partial", 1, "/root/a", "29"]]
        self.assertEqual(self.step("read_history", path="/root/a"), {"ok": [note, *rest]})
        self.killed(1)
        self.step("restore", mode="write")
        self.assertEqual(self.step("read_history", path="/root/a", answers={"hydrate": "ok"}), {"ok": [note, *rest]})
        self.assertEqual(self.step("compact", path="/root/a", last=3), DONE)
        self.assertEqual(self.agent()["messages"], 3)


class Restoring(Story):
    def test_killed_in_the_middle(self) -> None:
        self.begin()
        self.idle("/root/c", "R1")
        self.step("sample", path="/root")
        self.spawn("/root/a")
        self.step("say", path="/root/a", turn=1, text="half")
        self.spawn("/root/a/b")  # its commit writes what was said, too
        self.step("say", path="/root/a", turn=1, text=" lost")
        self.step("evict", path="/root/c")
        self.step("follow_up", by="/root", to="c", text="u")
        self.step("execution", owner="/root/a", text="x")
        self.step("say", path="/root/a", turn=1, text=" for good")
        self.assertEqual(self.stored["agents"]["/root/c"]["activity"], "starting")
        self.killed(1)
        reply = self.step("restore", mode="write")
        self.assertEqual(reply, {"gate": "hydrate", "op": "/root/a#2.1"})
        self.assertEqual(self.view, {"mode": "closed", "open": [["/root/a#2.1", "hydrate"]]})
        self.assertEqual(self.step("roster"), {"refused": "session_closed"})
        self.assertEqual(self.step("cancel", op="/root/a#2.1"), LATE)
        self.assertEqual(self.answer("/root/a#2.1", "hydrate", "ok"), {"gate": "hydrate", "op": "/root/a/b#2.1"})
        before = self.stored
        self.assertEqual(self.answer("/root/a/b#2.1", "hydrate", "ok", commit="not_written"), {"fault": "not_written", "at": "archive"})
        self.assertEqual((self.view, self.stored), ({"mode": "closed"}, before))
        reply = self.step("restore", mode="write", answers={"hydrate": "ok"}, commit="crash_before")
        self.assertEqual(reply, {"crashed": True})
        self.step("restore", mode="write")
        self.answer("/root/a#4.1", "hydrate", "ok")
        reply = self.answer("/root/a/b#4.1", "hydrate", "corrupt")
        self.assertEqual(reply, {"ok": "done", "events": [["settled", "/root/a", 1], ["settled", "/root/a/b", 1]]})
        empty = sha16("")
        self.assertEqual(self.root_mail(), [["result", "/root/a", "interrupted", empty], ["execution", "/root/a", "x"]])
        self.assertEqual(self.agent("/root/a")["result"], ["interrupted", "", "abandoned", "half lost"])
        self.assertEqual(self.agent("/root/a")["mail"], [["result", "/root/a/b", "interrupted", empty]])
        self.assertEqual(self.agent("/root/a/b")["result"], ["interrupted", "", "conversation_corrupt", None])
        self.assertEqual(self.agent("/root/c")["result"], ["completed", "R1", None, None])
        self.assertNotIn("residency", self.agent("/root/a"))
        self.killed(4)
        seen = self.view
        self.assertEqual(self.step("restore", mode="write"), DONE)
        self.assertEqual(self.view, seen)
        self.assertEqual(self.step("follow_up", by="/root", to="c", text="u"), {"gate": "hydrate", "op": "/root/c#5.1"})

    def test_commits_that_crash(self) -> None:
        self.begin()
        self.assertEqual(self.step("send", by="/root", to="/root", text="1", commit="crash_before"), {"crashed": True})
        self.assertEqual(self.view, {"mode": "closed"})
        self.assertEqual(self.step("save"), {"refused": "session_closed"})
        self.step("restore", mode="write")
        self.assertEqual(self.view["root"], {})
        self.assertEqual(self.step("send", by="/root", to="/root", text="2", commit="crash_after"), {"crashed": True})
        self.step("restore", mode="write")
        self.assertEqual(self.root_mail(), [["mail", "/root", "2"]])
        self.assertEqual(self.step("close", commit="read_only_file"), {"fault": "read_only_file", "at": "archive"})
        self.assertEqual(self.step("restore", mode="write"), {"refused": "session_open"})
        self.assertEqual(self.step("close"), DONE)
        self.assertEqual(self.step("restore", mode="write", epoch="crash_after"), {"crashed": True})
        self.assertEqual(self.step("restore", mode="write"), DONE)

    def test_damage(self) -> None:
        codes = {
            "malformed": "record_malformed",
            "checksum": "checksum",
            "config": "config_malformed",
            "tool": "tool_unknown",
            "category": "category_foreign",
            "mail_sender": "record_malformed",
            "active_with_result": "record_malformed",
            "location": "record_malformed",
        }
        self.begin()
        self.idle("/root/a")
        self.spawn("/root/a/b")
        self.finish("/root/a/b", 1, "Rb")
        self.idle("/root/c")
        whole = self.view["agents"]
        self.assertEqual(self.step("damage", what="session", how="malformed"), {"refused": "session_open"})
        for how, code in codes.items():
            self.step("close")
            self.assertEqual(self.step("damage", what="record", path="/root/a", how=how), DONE)
            reply = self.step("restore", mode="write")
            events = [["set_aside", "/root/a", code], ["set_aside", "/root/a/b", "parent_invalid"]]
            self.assertEqual(reply, {"ok": "done", "events": events})
            self.assertEqual(self.view["aside"], {"/root/a": code, "/root/a/b": "parent_invalid"})
            self.assertEqual(list(self.view["agents"]), ["/root/c"])
            self.assertEqual(self.step("send", by="/root", to="/root/a", text="x"), {"refused": "agent_invalid"})
            self.assertEqual(self.step("send", by="/root/a", to="/root", text="x"), {"refused": "caller_unknown"})
            self.assertEqual(self.step("spawn", by="/root", name="a", role="r", text="t"), {"refused": "path_taken"})
            self.assertEqual(self.step("verify"), {"ok": [["/root/a", code], ["/root/a/b", "parent_invalid"]]})
            self.step("close")
            self.killed(1)
            self.assertEqual(self.step("mend", what="record", path="/root/a"), DONE)
            self.assertEqual(self.step("restore", mode="write"), DONE)
        for view in whole.values():
            view.pop("residency")
        self.assertEqual(self.view["agents"], whole)
        self.step("close")
        self.step("damage", what="session", how="malformed")
        self.assertEqual(self.step("restore", mode="write"), {"fault": "session_invalid", "at": "session"})
        self.step("mend", what="session")
        for how in ("missing", "malformed", "version"):
            fault = {"fault": f"archive_{how}", "at": "archive"}
            self.assertEqual(self.step("damage", what="archive", how=how), DONE)
            self.assertEqual(self.step("restore", mode="write"), fault)
            self.assertEqual(self.step("mend", what="session"), fault)
            self.assertEqual(self.step("mend", what="archive"), DONE)
        self.assertEqual(self.step("damage", what="record", path="/root/x", how="tool"), {"refused": "agent_unknown"})
        self.assertEqual(self.step("restore", mode="write"), DONE)
        self.assertEqual(self.view["agents"], whole)

    def test_a_record_that_lived_on_without_registrars(self) -> None:
        self.begin()
        self.idle("/root/a")
        self.step("close")
        self.step("damage", what="record", path="/root/a", how="tool")
        self.assertEqual(self.step("restore", mode="write", registrars=[]), DONE)
        self.assertEqual(self.step("send", by="/root", to="a", text="kept"), DONE)
        self.assertEqual(self.step("follow_up", by="/root", to="a", text="u"), {"refused": "tools_unavailable"})
        self.step("close")
        self.step("mend", what="record", path="/root/a")
        self.assertEqual(self.step("restore", mode="write"), DONE)
        self.assertEqual(self.agent()["mail"], [["mail", "/root", "kept"]])
        self.assertEqual(self.agent()["config"], CONFIG_HASH)

    def test_handles(self) -> None:
        self.begin()
        self.spawn("/root/a")
        elsewhere = {"fault": "owned_elsewhere", "at": "w1"}
        self.assertEqual(self.step("restore", mode="write", as_="w2"), elsewhere)
        self.assertEqual(self.step("restore", mode="read", as_="w2"), DONE)
        beside = self.view["others"]["w2"]
        self.assertEqual((beside["mode"], beside["agents"]["/root/a"]["activity"]), ("read", "idle"))
        self.assertEqual(self.step("send", by="/root", to="a", text="x", as_="w2"), {"refused": "read_only"})
        self.assertEqual(self.step("read_result", path="/root/a", as_="w2"), {"refused": "not_ready"})
        history = {"ok": [["task", 1, "/root", "t"]]}
        self.step("say", path="/root/a", turn=1, text="later")
        self.step("save")
        self.assertEqual(self.step("read_history", path="/root/a", as_="w2", answers={"hydrate": "ok"}), history)
        self.step("close", as_="w2")
        self.assertNotIn("others", self.view)
        self.assertEqual(self.step("restore", mode="write", as_="w2", takeover=True, answers={"hydrate": "ok"})["ok"], "done")
        before = self.stored
        for step in ({"do": "save"}, {"do": "send", "by": "/root", "to": "a", "text": "x"}, {"do": "close"}):
            self.assertEqual(self.step(**step), {"fault": "ownership_lost", "at": "archive"})
        self.assertEqual(self.step("save", commit="busy"), {"fault": "busy", "at": "archive"})
        self.assertEqual((self.stored, self.view["mode"]), (before, "write"))
        self.assertEqual(self.step("crash"), DONE)
        self.assertEqual(self.step("restore", mode="write"), {"fault": "owned_elsewhere", "at": "w2"})
        self.step("crash", as_="w2")
        self.assertEqual(self.step("restore", mode="write"), DONE)

    def test_live_owner_in_another_process(self) -> None:
        self.begin()
        other = Program()
        self.addCleanup(other.end)
        other.ask(hello={"protocol": 1})
        other.ask(resume=self.scope, place=self.place, opening=1)
        restore = {"do": "restore", "mode": "write"}
        self.assertEqual(other.ask(apply=restore), {"reply": {"fault": "owned_elsewhere", "at": "w1"}})
        self.assertEqual(other.ask(apply={**restore, "takeover": True}), {"reply": DONE})
        self.assertEqual(self.step("save"), {"fault": "ownership_lost", "at": "archive"})

    def test_fork_and_roster(self) -> None:
        self.begin()
        self.idle("/root/a")
        self.spawn("/root/a/b")
        before = self.view
        self.assertEqual(self.step("fork"), {"ok": {"mode": "write", "capacity": 3, "root": {}, "agents": {}}})
        self.assertEqual(self.view, before)
        rows = [["/root/a", "r", "idle"], ["/root/a/b", "r", "running"]]
        self.assertEqual(self.step("roster"), {"ok": [["/root", None, "running"], *rows]})
        self.assertEqual(self.step("roster", prefix="/root/a"), {"ok": rows})
        self.assertEqual(self.step("roster", prefix="a"), {"refused": "path_malformed"})


class Refusals(Story):
    def test_order_and_names(self) -> None:
        self.begin(capacity=1, roles={"r": CONFIG, "odd": {}, "tool": {**CONFIG, "tools": [["core", "x"], ["y", "z"]]}})
        spawn = {"by": "/root", "name": "a", "role": "r", "text": "t"}
        for change, code in [
            ({"by": "/root/x", "name": "A"}, "caller_unknown"),
            ({"name": "A", "text": ""}, "name_malformed"),
            ({"name": "root"}, "name_malformed"),
            ({"name": "a" * 65}, "name_malformed"),
            ({"text": "", "role": "s"}, "text_empty"),
            ({"role": "s"}, "role_unknown"),
            ({"role": "odd"}, "config_invalid"),
            ({"role": "tool"}, "tool_unknown"),
        ]:
            self.assertEqual(self.step("spawn", **{**spawn, **change}), {"refused": code})
        self.step("spawn", **spawn)
        self.assertEqual(self.step("spawn", **spawn), {"refused": "path_taken"})
        self.assertEqual(self.step("spawn", **{**spawn, "name": "b"}), {"refused": "at_capacity"})
        for target in ("", ".", "..", "/", "/root/", "/root//a", "/other", "A", "a/../b", "a/", "/root/" + "/".join("a" * 33)):
            self.assertEqual(self.step("send", by="/root", to=target, text="x"), {"refused": "path_malformed"}, target)
        self.assertEqual(self.step("follow_up", by="/root", to="/root", text=""), {"refused": "target_root"})

    def test_changed_role_leaves_agents_alone(self) -> None:
        self.begin()
        self.idle("/root/a")
        self.step("change_role", role="r", config={**CONFIG, "model": "n"})
        self.assertEqual(self.agent()["config"], CONFIG_HASH)
        self.spawn("/root/b")
        self.assertNotEqual(self.agent("/root/b")["config"], CONFIG_HASH)


class Protocol(Story):
    def test_errors_are_answered(self) -> None:
        assert self.program
        self.assertEqual(self.hello["hello"]["capabilities"]["level"], "house")
        for line in (b"garbage", b"[]", b'{"id":1}', b'{"id":1,"apply":{"do":"save"}}', b'{"id":1,"hello":{"protocol":1}}', b"\xff", b'{"id":NaN}'):
            self.assertIn("error", self.program.say(line), line)
        self.begin()
        for step in ({"do": "dance"}, {"do": "save", "now": True}, {"do": "send", "by": "/root"}, {"do": "answer", "op": "x", "gate": "abort", "with": "quit"}):
            self.assertIn("error", self.ask(apply=step), step)
        self.assertEqual(self.ask(apply={"do": "save"}), {"reply": DONE})
        self.assertEqual(self.ask(counters=True)["counters"]["toolRuns"], 0)
        self.assertEqual(self.ask(close=True), {"ok": True})
        self.assertEqual(self.program.process.wait(10), 0)


class Faults(Story):
    """Each deviation shows in a short story of its own."""

    def deviate(self, fault: str, **changes: Any) -> None:
        self.faults = [fault]
        self.greet()
        self.begin(**changes)

    def test_keeps_result_while_starting(self) -> None:
        self.deviate("keeps_result_while_starting")
        self.idle("/root/a")
        self.step("follow_up", by="/root", to="a", text="u")
        self.assertEqual(self.step("send", by="/root", to="/root", text="m"), {"fault": "record_invalid", "at": "/root/a"})
        self.assertEqual(self.encode, {"fault": "record_invalid", "at": "/root/a"})

    def test_roll_back(self) -> None:
        self.deviate("loses_result_on_error")
        self.idle("/root/a")
        self.step("follow_up", by="/root", to="a", text="u", answers={"prepare": "quit"})
        self.assertIn("result", self.agent())
        self.step("follow_up", by="/root", to="a", text="u", answers={"prepare": "error"})
        self.assertNotIn("result", self.agent())

    def test_quit_leaves_starting(self) -> None:
        self.deviate("quit_leaves_starting")
        self.idle("/root/a")
        self.step("follow_up", by="/root", to="a", text="u", answers={"prepare": "quit"})
        self.assertEqual(self.agent()["activity"], "starting")

    def test_wake_before_commit(self) -> None:
        self.deviate("wake_before_commit")
        self.step("wait", by="/root")
        reply = self.step("send", by="/root", to="/root", text="m", commit="busy")
        self.assertEqual(reply["events"], [["woke", "/root", "mailbox"]])

    def test_order_reversed(self) -> None:
        self.deviate("order_reversed")
        for text in ("1", "2"):
            self.step("send", by="/root", to="/root", text=text)
        self.assertEqual(self.step("sample", path="/root"), {"ok": [["mail", "/root", "2"], ["mail", "/root", "1"]]})

    def test_late_finish_settles_next(self) -> None:
        self.deviate("late_finish_settles_next")
        self.idle("/root/a")
        self.step("follow_up", by="/root", to="a", text="u", answers=STARTED)
        self.assertEqual(self.finish("/root/a", 1, "late")["ok"], "settled")

    def test_recovered_twice(self) -> None:
        self.deviate("recovered_twice")
        self.spawn("/root/a")
        self.step("crash")
        self.step("restore", mode="write", answers={"hydrate": "ok"})
        self.assertEqual(len(self.root_mail()), 2)

    def test_name_stays_taken(self) -> None:
        self.deviate("name_stays_taken")
        self.step("spawn", by="/root", name="a", role="r", text="t", answers={"prepare": "error"})
        self.assertEqual(self.step("spawn", by="/root", name="a", role="r", text="t"), {"refused": "path_taken"})

    def test_drain_clears_all(self) -> None:
        self.deviate("drain_clears_all")
        self.spawn("/root/a")
        self.step("send", by="/root", to="a", text="m")
        self.finish("/root/a", 1, "R")
        self.assertNotIn("mail", self.agent())

    def test_cold_tool_table(self) -> None:
        self.deviate("cold_tool_table")
        self.idle("/root/a")
        self.step("close")
        self.assertEqual(self.step("restore", mode="write"), DONE)
        self.killed(2)
        self.assertEqual(self.step("restore", mode="write")["events"], [["set_aside", "/root/a", "tool_unknown"]])

    def test_handler_forgets(self) -> None:
        self.deviate("handler_forgets")
        self.spawn("/root/a", handler=True)
        self.finish("/root/a", 1, "R", answers={"handler": "throw"})
        self.assertEqual(self.root_mail(), [])


if __name__ == "__main__":
    unittest.main()
