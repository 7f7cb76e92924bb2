#!/usr/bin/env python3
"""The least that is a target: agents in memory that are spawned, send mail and finish. `TARGETS.md` goes through it."""
import hashlib
import json
import re
import sys

CAPABILITIES = {
    "level": "core",
    "verbs": ["spawn", "finish", "send", "sample", "roster"],
    # Starts do not wait here: what the world says rides on the step, and it may only say yes.
    "passes": ["prepare", "dispatch", "handler"],
    "answers": {"prepare": ["ok"], "dispatch": ["ok"], "handler": ["ok"]},
    "hides": {"fields": ["config", "residency", "messages"]},
    "encodes": False,
    "stores": False,
    "commits": False,
    "handles": False,
}
SEGMENT = re.compile(r"[a-z0-9_]{1,64}")


class Refused(Exception):
    pass


class Registry:
    def __init__(self, scope):
        self.scope, self.agents, self.mail = scope, {}, {"/root": []}

    def check(self, fine, code):
        if not fine:
            raise Refused(code)

    def is_path(self, path):
        parts = path.split("/")
        return parts[:2] == ["", "root"] and len(parts) <= 34 and all(map(SEGMENT.fullmatch, parts[2:]))

    def caller(self, path):
        self.check(path in self.mail, "caller_unknown")
        return path

    def target(self, to, by):
        path = to if to.startswith("/") else f"{by}/{to}"
        self.check(self.is_path(path), "path_malformed")
        self.check(path in self.mail, "agent_unknown")
        return path

    def text(self, text):
        self.check(text and not re.search("[\ud800-\udfff]", text), "text_bad")
        return text

    def role(self, name):
        config = self.scope["roles"].get(name)
        keys = {"instructions", "model", "effort", "tools", "limits", "parameters"}
        self.check(isinstance(config, dict) and set(config) == keys, "role_bad")
        self.check(not re.search("[\ud800-\udfff]", json.dumps(config, ensure_ascii=False)), "role_bad")
        self.check(len(set(map(tuple, config["tools"]))) == len(config["tools"]), "tools_bad")
        owned = {}
        for registrar in self.scope["registrars"].values():
            owned.setdefault(registrar["category"], registrar["tools"])  # the first that lists it owns a category
        self.check(all(tool in owned.get(category, []) for category, tool in config["tools"]), "tools_bad")
        return name

    def spawn(self, by, name, role, text, handler=False, answers=None):
        path = f"{self.caller(by)}/{name}"
        self.check(SEGMENT.fullmatch(name) and name != "root" and self.is_path(path), "name_malformed")
        self.text(text)
        self.role(role)
        self.check(path not in self.mail, "path_taken")
        self.check(self.active() < self.scope["capacity"], "at_capacity")
        self.agents[path] = {"role": role, "activity": "running", "turn": 1, "handler": handler}
        self.mail[path] = []
        return path

    def finish(self, outcome, text, path=None, turn=None, op=None, answers=None):
        if op is not None or path == "/root":
            return "late"
        agent = self.agents[self.target(path, "/root")]
        if agent.get("turn") != turn:
            return "late"
        text = re.sub("[\ud800-\udfff]", "\ufffd", text)  # the world's texts are repaired, people's are refused
        reason = "provider_failed" if outcome == "errored" and not text else None
        agent.update(activity="idle", result=[outcome, shown(text), reason, None])
        del agent["turn"]
        if not agent["handler"]:
            self.mail[path.rpartition("/")[0]].append(["result", path, outcome, sha16(text)])
        return "settled"

    def send(self, by, to, text):
        to = self.target(to, self.caller(by))
        self.mail[to].append(["mail", by, shown(self.text(text))])
        return "done"

    def sample(self, path):
        self.check(path == "/root" or "turn" in self.agents.get(self.caller(path), {}), "not_active")
        taken, self.mail[path] = self.mail[path], []
        return taken

    def roster(self, prefix=""):
        self.check(not prefix or self.is_path(prefix), "path_malformed")
        rows = [["/root", None, "running"]]
        rows += [[path, agent["role"], agent["activity"]] for path, agent in sorted(self.agents.items())]
        return [row for row in rows if not prefix or f"{row[0]}/".startswith(f"{prefix}/")]

    def active(self):
        return sum(agent["activity"] != "idle" for agent in self.agents.values())

    def view(self):
        """What can be seen; whatever is nothing is left out."""
        agents = {}
        for path, agent in self.agents.items():
            agents[path] = {"config": "", **{key: agent[key] for key in ("role", "activity", "turn", "result") if key in agent}}
            if self.mail[path]:
                agents[path]["mail"] = self.mail[path]
        root = {"mail": self.mail["/root"]} if self.mail["/root"] else {}
        view = {"mode": "write", "capacity": self.scope["capacity"], "root": root, "agents": agents}
        return {**view, "active": self.active()} if self.active() else view


def sha16(text):
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def shown(text):
    units = len(text.encode("utf-16-le", "surrogatepass")) // 2
    return text if units <= 64 else {"length": units, "sha256": sha16(text)}


registry = None
for line in sys.stdin:
    asked = json.loads(line)
    answer = {"ok": True}
    if "hello" in asked:
        answer = {"hello": {"protocol": 1, "name": "minimal", "capabilities": CAPABILITIES}}
    elif "reset" in asked:
        registry = Registry(asked["reset"])
    elif "counters" in asked:
        answer = {"counters": None}
    elif "apply" in asked:
        step = asked["apply"]
        try:
            reply = {"ok": getattr(registry, step.pop("do"))(**step)}
        except Refused as refusal:
            reply = {"refused": str(refusal)}
        answer = {"reply": reply, "view": registry.view()}
    print(json.dumps({"id": asked["id"], **answer}), flush=True)
    if "close" in asked:
        break
