/** It means what we say: each command in one concrete case, and refusals in the order of the contract. */
import { describe, expect, it } from "vitest";
import type { Reply, Step } from "../src/contract.ts";
import { smallScope, tell } from "./history.ts";

const a = "/root/a";
const root = "/root";
const ready = { hydrate: "ok", prepare: "ok", dispatch: "ok" } as const;
const reserve = { do: "spawn", by: root, name: "a", role: "r", text: "t" } satisfies Step;
const spawn: Step = { ...reserve, answers: ready };
const finish: Step = { do: "finish", path: a, turn: 1, outcome: "completed", text: "R" };
const followUp: Step = { do: "follow_up", by: root, to: a, text: "u" };
const crash: Step = { do: "crash" };
const restore: Step = { do: "restore", mode: "write" };
const waitRoot: Step = { do: "wait", by: root };
const toRoot: Step = { do: "send", by: root, to: root, text: "m" };
const started = ["provider", a, { started: [["core", "read"]] }] as const;

const evict: Step = { do: "evict", path: a };
const takeover: Step = { ...restore, as: "w2", takeover: true, answers: { hydrate: "ok" } };
const lost = { fault: "ownership_lost", at: "archive" } as const;
const missing = { fault: "conversation_missing", at: a } as const;

/** Steps that lead there, the step, what it answers. */
type Case = readonly [before: readonly Step[], step: Step, reply: Reply];
const cases: readonly Case[] = [
  [[], reserve, { gate: "prepare", op: `${a}#1.1` }],
  [[], spawn, { ok: a, events: [started] }],
  [[reserve], { do: "cancel", op: `${a}#1.1` }, { ok: "done", events: [["ended", `${a}#1.1`, { quit: true }]] }],
  [[spawn], followUp, { ok: "running" }],
  [[spawn, finish], followUp, { gate: "prepare", op: `${a}#1.2` }],
  [[spawn], { do: "say", path: a, turn: 1, text: "s" }, { ok: "done" }],
  [[spawn], { do: "say", path: a, turn: 2, text: "s" }, { ok: "late" }],
  [[spawn], finish, { ok: "settled", events: [["settled", a, 1]] }],
  [[spawn, finish], finish, { ok: "late" }],
  [[spawn], { do: "interrupt", by: root, to: "a" }, { gate: "abort", op: `${a}#1.2` }],
  [[spawn, finish], { do: "interrupt", by: root, to: a }, { ok: "idle" }],
  [[spawn], { do: "block", path: a, kind: "permission_blocked" }, { ok: `${a}@1.1` }],
  [[spawn], { do: "release", token: `${a}@1.1` }, { ok: "late" }],
  [[waitRoot], toRoot, { ok: "done", events: [["woke", root, "mailbox"]] }],
  [[spawn], { do: "execution", owner: a, text: "x" }, { ok: "done" }],
  [[waitRoot], { do: "steer", text: "u" }, { ok: "done", events: [["woke", root, "user"]] }],
  [[], waitRoot, { ok: "waiting" }],
  [[toRoot], waitRoot, { ok: "mailbox" }],
  [[waitRoot], { do: "cancel_wait", by: root }, { ok: "done" }],
  [[waitRoot], { do: "elapse", ms: 30_000 }, { ok: "done", events: [["woke", root, "timeout"]] }],
  [[toRoot], { do: "sample", path: root }, { ok: [["mail", root, "m"]] }],
  [[], { do: "roster" }, { ok: [[root, null, "running"]] }],
  [[spawn, finish], { do: "read_result", path: a }, { ok: ["completed", "R", null, null] }],
  [[spawn], { do: "read_history", path: a }, { ok: [["task", 1, root, "t"]] }],
  [[spawn], { do: "inspect", path: a }, { ok: { messages: 1, marks: [] } }],
  [[spawn, finish], { do: "evict", path: a }, { ok: "done" }],
  [[spawn, finish], { do: "compact", path: a, last: 0 }, { ok: "done" }],
  [[], { do: "change_role", role: "r", config: null }, { ok: "done" }],
  [[], { do: "set_capacity", capacity: 1 }, { ok: "done" }],
  [[], { do: "save", commit: "busy" }, { fault: "busy", at: "archive" }],
  [[], { do: "verify" }, { ok: [] }],
  [[], { do: "fork" }, { ok: { mode: "write", capacity: 2, root: {}, agents: {} } }],
  [[], { do: "close" }, { ok: "done" }],
  [[], crash, { ok: "done" }],
  [[crash], restore, { ok: "done" }],
  [[spawn, crash], restore, { gate: "hydrate", op: `${a}#2.1` }],
  [[spawn, crash], { do: "damage", what: "record", path: a, how: "checksum" }, { ok: "done" }],
  [[crash], { do: "mend", what: "archive" }, { ok: "done" }],
  [[reserve], { do: "answer", op: `${a}#1.1`, gate: "prepare", with: "quit" }, { quit: true }],
  // A session that was overtaken reads nothing of what is another's now; what it has in memory it has.
  [[takeover], { do: "read_history", path: root }, lost],
  [[takeover], { do: "verify" }, lost],
  [[spawn, takeover], { do: "read_history", path: a }, { ok: [["task", 1, root, "t"]] }],
  [[spawn, finish, evict, takeover], { do: "inspect", path: a, answers: ready }, lost],
  [[spawn, finish, evict, { do: "inspect", path: a, answers: ready }, takeover], { do: "read_history", path: a }, lost],
  [[spawn, finish, evict, takeover], { ...followUp, answers: { hydrate: "missing" } }, missing],
  [[], { do: "together", steps: [toRoot, waitRoot] }, { ok: [{ ok: "done" }, { ok: "mailbox" }] }],
];

describe("each command", () => {
  for (const [before, step, reply] of cases)
    it(`${step.do} after ${before.map((each) => each.do).join(", ") || "nothing"}`, () => {
      expect(tell(smallScope(2), [...before, step]).at(-1)?.reply).toEqual(reply);
    });
});

/** What is wrong with a step, taken away one thing at a time: the first in order is what is said. */
const spawnings: readonly (readonly [before: readonly Step[], step: Partial<typeof reserve>, code: string])[] = [
  [[crash], { by: "/root/x", name: "R", text: "", role: "q" }, "session_closed"],
  [[crash, { ...restore, mode: "read" }], { by: "/root/x", name: "R", text: "", role: "q" }, "read_only"],
  [[spawn], { by: "/root/x", name: "R", text: "", role: "q" }, "caller_unknown"],
  [[spawn], { name: "R", text: "", role: "q" }, "name_malformed"],
  [[spawn], { text: "", role: "q" }, "text_empty"],
  [[spawn], { text: "\ud800", role: "q" }, "text_malformed"],
  [[spawn], { role: "q" }, "role_unknown"],
  [[spawn, { do: "change_role", role: "r", config: {} }], {}, "config_invalid"],
  [[spawn], {}, "path_taken"],
  [[crash, { ...restore, registrars: [] }], {}, "tools_unavailable"],
  [[spawn, { ...spawn, name: "b" }], { name: "c" }, "at_capacity"],
];

describe("refusals of a spawn, in order", () => {
  for (const [before, changed, code] of spawnings)
    it(code, () => {
      expect(tell(smallScope(2), [...before, { ...reserve, ...changed }]).at(-1)?.reply).toEqual({ refused: code });
    });
});
