/**
 * Three small registries, each as a host of its own framework would have it, for trying exported stories on: the same few commands in
 * TypeScript, in Python and in Emacs Lisp, as the text of a file. A fault by name is the honest mistake that its story is about.
 */

export const hostInLisp = `
(require 'cl-lib)
(defun host-with (fault)
  (let ((mail nil) (agents nil) (start nil))
    (cl-labels
        ((agent (path) (cdr (assoc path agents)))
         (put (path &rest members)
           (cl-loop for (key value) on members by #'cddr
                    do (setf (alist-get path agents nil nil #'equal) (plist-put (agent path) key value))))
         (mail-of (path) (if (equal path "/root") mail (plist-get (agent path) :mail)))
         (queue (path entry)
           (if (equal path "/root") (setq mail (append mail (list entry)))
             (put path :mail (append (mail-of path) (list entry)))))
         (back (path said)
           (setq start nil)
           (unless (and (equal said "quit") (equal fault "catches_errors_only"))
             (put path :activity "idle")
             (unless (and (equal fault "forgets_result") (not (equal said "quit")))
               (put path :result (plist-get (agent path) :undo))))
           (if (equal said "quit") '(:quit t) '(:failed t)))
         (advance ()
           (let ((path (plist-get start :path)))
             (catch 'done
               (dolist (gate (member (plist-get start :gate) '("hydrate" "prepare" "dispatch")))
                 (unless (and (equal gate "hydrate") (not (plist-get (agent path) :cold)))
                   (setq start (plist-put start :gate gate))
                   (let ((said (plist-get (plist-get start :answers) (intern (concat ":" gate)))))
                     (cond ((null said) (throw 'done (list :stops gate)))
                           ((not (equal said "ok")) (throw 'done (back path said)))
                           ((equal gate "hydrate") (put path :cold nil))))))
               (put path :activity "running" :result nil)
               (setq start nil)
               (list :ok path))))
         (saves ()
           (cl-every (lambda (one) (or (equal (plist-get (cdr one) :activity) "idle") (null (plist-get (cdr one) :result)))) agents)))
      (lambda (verb given)
        (let ((path (or (plist-get given :path) (plist-get given :to))))
          (pcase verb
            ('spawn (let ((new (concat (plist-get given :by) "/" (plist-get given :name))))
                      (setq agents (append agents (list (cons new (list :activity "running" :role (plist-get given :role))))))
                      (list :ok new)))
            ('finish (put path :activity "idle" :result (vector (plist-get given :outcome) (plist-get given :text)))
                     (queue "/root" (vector "result" path (plist-get given :outcome)))
                     '(:ok "settled"))
            ('follow_up (put path :activity "starting" :undo (plist-get (agent path) :result))
                        (unless (equal fault "keeps_result") (put path :result nil))
                        (setq start (list :path path :gate "hydrate" :answers (copy-sequence (plist-get given :answers))))
                        (advance))
            ('answer (setq start (plist-put start :answers
                                            (plist-put (plist-get start :answers)
                                                       (intern (concat ":" (plist-get given :gate))) (plist-get given :with))))
                     (advance))
            ('evict (put path :cold t) '(:ok "done"))
            ('send (queue path (vector "mail" (plist-get given :by) (plist-get given :text))) '(:ok "done"))
            ('execution (queue (plist-get given :owner) (vector "execution" (plist-get given :owner) (plist-get given :text)))
                        '(:ok "done"))
            ('save (if (saves) '(:ok "done") '(:failed t)))
            ('sample (prog1 (list :ok (vconcat (mail-of path)))
                       (if (equal path "/root") (setq mail nil) (put path :mail nil))))
            ('read_result (list :ok (vconcat (plist-get (agent path) :result) [nil nil])))
            ('roster (list :ok (vconcat (list ["/root" nil "running"])
                                        (mapcar (lambda (one) (vector (car one) (plist-get (cdr one) :role)
                                                                      (plist-get (cdr one) :activity))) agents))))
            ('seen (append (list :/root (list :mail (vconcat mail)))
                           (cl-loop for (name . one) in agents
                                    append (list (intern (concat ":" name))
                                                 (list :activity (plist-get one :activity) :result (plist-get one :result)
                                                       :mail (vconcat (plist-get one :mail)))))))
            ('saves (saves))))))))
`;

/** By trace, the fault that its exported test must find. */
export const hostFaults: { readonly [trace: string]: string } = {
  "2026-09-23-execution-during-a-follow-ups-start": "keeps_result",
  "2026-11-30-a-dispatch-error-gives-the-result-back": "forgets_result",
  "2026-11-30-a-quit-gives-the-result-back": "catches_errors_only",
};

export const hostInTypeScript = `
interface Agent { role: string; activity: string; result: unknown[] | null; undo: unknown[] | null; turn: number; cold: boolean; mail: unknown[][] }
interface Answers { [gate: string]: string }
interface Given { by: string; to: string; path: string; owner: string; name: string; role: string; text: string; outcome: string; gate: string; with: string; answers?: Answers }
const gates = ["hydrate", "prepare", "dispatch"];

export function hostWith(fault: string) {
  const mail: { [path: string]: unknown[][] } = { "/root": [] };
  const agents: { [path: string]: Agent } = {};
  let start: { path: string; gate: string; answers: Answers } | null = null;
  const agent = (path: string): Agent => agents[path]!;
  const box = (path: string) => (path === "/root" ? mail["/root"]! : agent(path).mail);

  function advance(): object {
    const at = agent(start!.path);
    for (const gate of gates.slice(gates.indexOf(start!.gate))) {
      if (gate === "hydrate" && !at.cold) continue;
      const said = start!.answers[gate];
      start!.gate = gate;
      if (said === undefined) return { stops: gate };
      if (said !== "ok") return back(at, said);
      if (gate === "hydrate") at.cold = false;
    }
    Object.assign(at, { activity: "running", turn: at.turn + 1, result: null, undo: null });
    const { path } = start!;
    start = null;
    return { ok: path };
  }
  function back(at: Agent, said: string): object {
    start = null;
    if (said !== "quit" || fault !== "catches_errors_only") {
      at.activity = "idle";
      if (said === "quit" || fault !== "forgets_result") at.result = at.undo;
    }
    return said === "quit" ? { quit: true } : { failed: true };
  }
  return {
    async spawn({ by, name, role }: Given) {
      const path = by + "/" + name;
      agents[path] = { role, activity: "running", result: null, undo: null, turn: 1, cold: false, mail: [] };
      return { ok: path };
    },
    async finish({ path, outcome, text }: Given) {
      Object.assign(agent(path), { activity: "idle", result: [outcome, text] });
      mail["/root"]!.push(["result", path, outcome]);
      return { ok: "settled" };
    },
    async followUp({ to, answers = {} }: Given) {
      const at = agent(to);
      Object.assign(at, { activity: "starting", undo: at.result, result: fault === "keeps_result" ? at.result : null });
      start = { path: to, gate: "hydrate", answers };
      return advance();
    },
    async answer({ gate, with: said }: Given) {
      start!.answers = { ...start!.answers, [gate]: said };
      return advance();
    },
    async evict({ path }: Given) { agent(path).cold = true; return { ok: "done" }; },
    async send({ by, to, text }: Given) { box(to).push(["mail", by, text]); return { ok: "done" }; },
    async execution({ owner, text }: Given) { box(owner).push(["execution", owner, text]); return { ok: "done" }; },
    async save() { return (await this.saves()) ? { ok: "done" } : { failed: true }; },
    async sample({ path }: Given) { return { ok: box(path).splice(0) }; },
    async readResult({ path }: Given) { return { ok: [...agent(path).result!, null, null] }; },
    async roster() {
      return { ok: [["/root", null, "running"], ...Object.entries(agents).map(([path, at]) => [path, at.role, at.activity])] };
    },
    async seen() {
      const all = Object.entries(agents).map(([path, { activity, result, mail: unread }]) => [path, { activity, result, mail: unread }]);
      return { "/root": { mail: mail["/root"] }, ...Object.fromEntries(all) };
    },
    async saves() { return Object.values(agents).every(({ activity, result }) => activity === "idle" || result === null); },
  };
}
`;

export const hostInPython = `
GATES = ["hydrate", "prepare", "dispatch"]


class Host:
    def __init__(self, fault=None):
        self.fault, self.mail, self.agents, self.start = fault, [], {}, None

    def box(self, path):
        return self.mail if path == "/root" else self.agents[path]["mail"]

    def advance(self):
        path, at = self.start["path"], self.agents[self.start["path"]]
        for gate in GATES[GATES.index(self.start["gate"]):]:
            if gate == "hydrate" and not at["cold"]:
                continue
            self.start["gate"], said = gate, self.start["answers"].get(gate)
            if said is None:
                return {"stops": gate}
            if said != "ok":
                return self.back(at, said)
            if gate == "hydrate":
                at["cold"] = False
        at.update(activity="running", result=None, undo=None)
        self.start = None
        return {"ok": path}

    def back(self, at, said):
        self.start = None
        if said != "quit" or self.fault != "catches_errors_only":
            at["activity"] = "idle"
            if said == "quit" or self.fault != "forgets_result":
                at["result"] = at["undo"]
        return {"quit": True} if said == "quit" else {"failed": True}

    def spawn(self, given):
        path = given["by"] + "/" + given["name"]
        self.agents[path] = {"role": given["role"], "activity": "running", "result": None, "undo": None, "cold": False, "mail": []}
        return {"ok": path}

    def finish(self, given):
        self.agents[given["path"]].update(activity="idle", result=[given["outcome"], given["text"]])
        self.mail.append(["result", given["path"], given["outcome"]])
        return {"ok": "settled"}

    def follow_up(self, given):
        at = self.agents[given["to"]]
        at.update(activity="starting", undo=at["result"], result=at["result"] if self.fault == "keeps_result" else None)
        self.start = {"path": given["to"], "gate": "hydrate", "answers": dict(given.get("answers", {}))}
        return self.advance()

    def answer(self, given):
        self.start["answers"][given["gate"]] = given["with"]
        return self.advance()

    def evict(self, given):
        self.agents[given["path"]]["cold"] = True
        return {"ok": "done"}

    def send(self, given):
        self.box(given["to"]).append(["mail", given["by"], given["text"]])
        return {"ok": "done"}

    def execution(self, given):
        self.box(given["owner"]).append(["execution", given["owner"], given["text"]])
        return {"ok": "done"}

    def save(self, given):
        return {"ok": "done"} if self.saves() else {"failed": True}

    def sample(self, given):
        taken = list(self.box(given["path"]))
        self.box(given["path"]).clear()
        return {"ok": taken}

    def read_result(self, given):
        return {"ok": [*self.agents[given["path"]]["result"], None, None]}

    def roster(self, given):
        return {"ok": [["/root", None, "running"], *([path, at["role"], at["activity"]] for path, at in self.agents.items())]}

    def seen(self):
        shown = {path: {key: at[key] for key in ("activity", "result", "mail")} for path, at in self.agents.items()}
        return {"/root": {"mail": self.mail}, **shown}

    def saves(self):
        return all(at["activity"] == "idle" or at["result"] is None for at in self.agents.values())
`;
