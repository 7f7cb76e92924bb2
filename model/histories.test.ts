/**
 * Good histories are accepted by every law; a bad one, made by hand out of a good one, is rejected by the law it offends and by
 * no other (but one that says the same of less). What is made up is the last moment: what was replied, seen, would be written,
 * is in the archive.
 */
import { describe, expect, it } from "vitest";
import type { AgentView, Event, MailView, Reply, Step, StoredAgentView, StoredView, View } from "../src/contract.ts";
import { judge, smallScope, tell } from "./history.ts";
import type { Seen } from "./laws/law.ts";
import { laws } from "./laws.ts";

const a = "/root/a";
const root = "/root";
const ready = { hydrate: "ok", prepare: "ok", dispatch: "ok" } as const;
const reserve: Step = { do: "spawn", by: root, name: "a", role: "r", text: "t" };
const spawn: Step = { ...reserve, answers: ready };
const handled: Step = { ...reserve, answers: ready, handler: true };
const spawnB: Step = { ...reserve, answers: ready, name: "b" };
const finish: Step = { do: "finish", path: a, turn: 1, outcome: "completed", text: "R1" };
const followUp: Step = { do: "follow_up", by: root, to: a, text: "u" };
const again: Step = { ...followUp, answers: ready };
const prepared = (op: string): Step => ({ do: "answer", op, gate: "prepare", with: "ok" });
const save: Step = { do: "save" };
const send: Step = { do: "send", by: root, to: a, text: "m" };
const toRoot: Step = { ...send, to: root };
const crash: Step = { do: "crash" };
const restore: Step = { do: "restore", mode: "write", answers: { hydrate: "ok" } };
const reopened: readonly Step[] = [spawn, finish, crash, restore];
const waitRoot: Step = { do: "wait", by: root, timeoutMs: 10_000 };

type Change = (moment: Seen) => Seen;
const all =
  (...changes: readonly Change[]): Change =>
  (moment) =>
    changes.reduce((made, change) => change(made), moment);
const replied =
  (reply: Reply): Change =>
  (moment) => ({ ...moment, reply });
const told =
  (...events: readonly Event[]): Change =>
  (moment) => ({ ...moment, reply: { ...(moment.reply ?? { ok: "done" }), events } });
const viewed =
  (change: (view: View) => View): Change =>
  (moment) => ({ ...moment, view: change(moment.view) });
const encoded =
  (change: (archive: StoredView) => StoredView): Change =>
  (moment) =>
    "ok" in moment.encoded ? { ...moment, encoded: { ok: change(moment.encoded.ok) } } : moment;
const archived =
  (change: (archive: StoredView) => StoredView): Change =>
  (moment) => ({ ...moment, stored: moment.stored === null ? null : change(moment.stored) });
const written = (change: (archive: StoredView) => StoredView): Change => all(encoded(change), archived(change));
/** A target that cannot tell what is in its archive. */
const blind: Change = (moment) => ({ ...moment, stored: null });

const inView = (path: string, to: (agent: AgentView) => AgentView): Change =>
  viewed((view) => {
    const was = view.agents?.[path];
    return was === undefined ? view : { ...view, agents: { ...view.agents, [path]: to(was) } };
  });
const inArchive =
  (path: string, to: (agent: StoredAgentView) => StoredAgentView) =>
  (archive: StoredView): StoredView => {
    const was = archive.agents[path];
    return was === undefined ? archive : { ...archive, agents: { ...archive.agents, [path]: to(was) } };
  };
type Shared = Partial<Pick<AgentView & StoredAgentView, keyof AgentView & keyof StoredAgentView>>;
/** Of an agent: what is seen and would be written. */
const shown = (path: string, to: Shared, seen: Partial<AgentView> = {}): Change =>
  all(
    inView(path, (agent) => ({ ...agent, ...to, ...seen })),
    encoded(inArchive(path, (agent) => ({ ...agent, ...to }))),
  );
/** And is written. */
const agent = (path: string, to: Shared, seen: Partial<AgentView> = {}): Change =>
  all(shown(path, to, seen), archived(inArchive(path, (stored) => ({ ...stored, ...to }))));
const rootMail = (...mail: readonly MailView[]): Change =>
  all(
    viewed((view) => ({ ...view, root: { ...view.root, mail } })),
    written((archive) => ({ ...archive, root: { ...archive.root, mail } })),
  );
function lacking<Of extends object, Key extends keyof Of>(of: Of, key: Key): Omit<Of, Key> {
  const { [key]: _, ...rest } = of;
  return rest;
}

interface Bad {
  readonly law: number;
  /** What says the same of less. */
  readonly also?: readonly number[];
  readonly name: string;
  readonly steps: readonly Step[];
  readonly but: Change;
}
const R2 = ["completed", "R2", null, null] as const;
const orphan = { role: "r", config: "c", activity: "idle" } as const;

const bad: readonly Bad[] = [
  {
    law: 1,
    name: "somebody without a parent",
    steps: reopened,
    but: all(
      viewed((view) => ({ ...view, agents: { ...view.agents, "/root/x/c": orphan } })),
      encoded((archive) => ({ ...archive, agents: { ...archive.agents, "/root/x/c": orphan } })),
      blind,
    ),
  },
  {
    law: 2,
    name: "turn numbers begin again",
    steps: [...reopened, again],
    but: all(
      inView(a, (was) => ({ ...was, turn: 1 })),
      written(inArchive(a, (was) => ({ ...was, turns: 1 }))),
    ),
  },
  {
    law: 3,
    name: "more are active than there is room for",
    steps: [spawn, spawnB],
    but: all(
      viewed((view) => ({ ...view, capacity: 1 })),
      written((archive) => ({ ...archive, capacity: 1 })),
    ),
  },
  { law: 4, name: "an idle agent counts", steps: [spawn, finish], but: viewed((view) => ({ ...view, active: 1 })) },
  { law: 5, name: "a reservation gets mail", steps: [reserve, send], but: replied({ ok: "done" }) },
  {
    law: 6,
    name: "a path is returned that is not committed",
    steps: [
      reserve,
      prepared(`${a}#1.1`),
      { do: "answer", op: `${a}#1.1`, gate: "dispatch", with: "ok", commit: "not_written" },
    ],
    but: replied({ ok: a }),
  },
  {
    law: 7,
    name: "an agent is gone after a restore",
    steps: reopened,
    but: all(
      viewed((view) => ({ ...view, agents: {} })),
      encoded((archive) => ({ ...archive, agents: {} })),
      blind,
    ),
  },
  {
    law: 8,
    name: "a start shows the old result",
    steps: [spawn, finish, followUp],
    but: shown(a, { result: R2 }),
  },
  {
    law: 9,
    name: "a record does not encode",
    steps: [spawn, save],
    but: (moment) => ({ ...moment, encoded: { fault: "record_invalid", at: a } }),
  },
  {
    law: 10,
    name: "an error keeps the old result",
    steps: [spawn, finish, followUp, { do: "answer", op: `${a}#1.2`, gate: "prepare", with: "error" }],
    but: all(
      inView(a, (was) => lacking(was, "result")),
      encoded(inArchive(a, (was) => lacking(was, "result"))),
    ),
  },
  {
    law: 11,
    also: [15],
    name: "a quit takes the mail that came meanwhile",
    steps: [spawn, finish, followUp, send, { do: "answer", op: `${a}#1.2`, gate: "prepare", with: "quit" }],
    but: all(
      inView(a, (was) => lacking(was, "mail")),
      encoded(inArchive(a, (was) => lacking(was, "mail"))),
    ),
  },
  {
    law: 12,
    name: "steering is refused for want of a slot",
    steps: [spawn, { ...followUp, text: "" }],
    but: replied({ refused: "at_capacity" }),
  },
  {
    law: 13,
    name: "mail makes somebody else wait",
    steps: [spawn, toRoot],
    but: agent(a, { activity: "waiting" }, { waiting: true, blockers: ["waiting"] }),
  },
  {
    law: 14,
    name: "the newer mail comes first",
    steps: [toRoot, { ...toRoot, text: "n" }],
    but: rootMail(["mail", root, "n"], ["mail", root, "m"]),
  },
  {
    law: 15,
    name: "a mail is doubled",
    steps: [toRoot],
    but: rootMail(["mail", root, "m"], ["mail", root, "m"]),
  },
  {
    law: 16,
    name: "an execution from a stranger",
    steps: [spawn, finish, { do: "execution", owner: a, text: "x" }, crash, restore],
    but: all(shown(a, { mail: [["execution", "/root/b", "x"]] }), blind),
  },
  { law: 17, name: "a turn settles twice", steps: [spawn, finish, finish], but: replied({ ok: "settled" }) },
  { law: 18, name: "a result of something else", steps: [spawn, finish], but: agent(a, { result: R2 }) },
  {
    law: 19,
    name: "what was not written holds",
    steps: [{ do: "set_capacity", capacity: 2, commit: "not_written" }],
    but: all(
      viewed((view) => ({ ...view, capacity: 2 })),
      encoded((archive) => ({ ...archive, capacity: 2 })),
    ),
  },
  {
    law: 20,
    name: "a handler is called before the result is written",
    steps: [handled, { ...finish, commit: "busy" }],
    but: viewed((view) => ({ ...view, open: [[`${a}#1.2`, "handler"]] })),
  },
  {
    law: 21,
    name: "a handler answers once more",
    steps: [handled, finish, { do: "answer", op: `${a}#1.2`, gate: "handler", with: "ok" }, save],
    but: told(["handled", a, 1]),
  },
  {
    law: 22,
    name: "somebody sleeps on his mail",
    steps: [toRoot, crash, restore],
    but: all(
      viewed((view) => ({ ...view, root: { ...view.root, waiting: true } })),
      blind,
    ),
  },
  {
    law: 23,
    name: "a wait ends without a word",
    steps: [waitRoot, save],
    but: viewed((view) => ({ ...view, root: {} })),
  },
  {
    law: 24,
    name: "blocked by nothing",
    steps: [spawn, save],
    but: agent(a, { activity: "permission_blocked" }),
  },
  {
    law: 25,
    name: "a dead token is released",
    steps: [spawn, { do: "release", token: `${a}@1.1` }],
    but: replied({ ok: "done" }),
  },
  {
    law: 26,
    name: "an idle agent is interrupted",
    steps: [spawn, finish, { do: "interrupt", by: root, to: a }],
    but: replied({ ok: "running" }),
  },
  { law: 27, name: "a config follows its role", steps: reopened, but: all(shown(a, { config: "other" }), blind) },
  {
    law: 28,
    name: "other mail is written than is there",
    steps: [spawn, save],
    but: written(inArchive(a, (was) => ({ ...was, mail: [["mail", root, "m"]] }))),
  },
  {
    law: 29,
    name: "a recovered turn said what it never said",
    steps: [spawn, crash, restore],
    but: agent(a, { result: ["interrupted", "", "abandoned", "words"] }),
  },
  {
    law: 30,
    name: "set aside for another reason",
    steps: [spawn, finish, crash, { do: "damage", what: "record", path: a, how: "checksum" }, restore],
    but: all(
      viewed((view) => ({ ...view, aside: { [a]: "record_malformed" } })),
      told(["set_aside", a, "record_malformed"]),
    ),
  },
  {
    law: 31,
    name: "a restore reads an idle conversation",
    steps: reopened,
    but: inView(a, (was) => ({ ...was, residency: "writable" })),
  },
  {
    law: 32,
    name: "an eviction changes a result",
    steps: [spawn, finish, { do: "evict", path: a }],
    but: shown(a, { result: R2 }),
  },
  {
    law: 33,
    name: "a failed read leaves half a conversation",
    steps: [...reopened, { do: "inspect", path: a, answers: { hydrate: "corrupt" } }],
    but: inView(a, (was) => ({ ...was, residency: "inspection", marks: ["read_only", "no_save"] })),
  },
  {
    law: 34,
    name: "an inspection loses its marks",
    steps: [...reopened, { do: "inspect", path: a, answers: { hydrate: "ok" } }],
    but: inView(a, (was) => lacking(was, "marks")),
  },
  {
    law: 35,
    name: "another category's tool",
    steps: [spawn, finish, followUp, prepared(`${a}#1.2`)],
    but: told(["provider", a, { started: [["other", "read"]] }]),
  },
  {
    law: 36,
    name: "a roster writes",
    steps: [spawn, { do: "roster" }],
    but: archived((archive) => ({ ...archive, capacity: 9 })),
  },
  {
    law: 37,
    name: "a block writes",
    steps: [spawn, { do: "block", path: a, kind: "permission_blocked" }],
    but: archived((archive) => ({ ...archive, capacity: 9 })),
  },
  {
    law: 38,
    name: "a fork has its source's agents",
    steps: [{ do: "fork" }],
    but: replied({ ok: { mode: "write", capacity: 3, root: {}, agents: { [a]: orphan } } }),
  },
  {
    law: 39,
    name: "what was acknowledged is not in the archive",
    steps: [toRoot],
    but: archived((archive) => ({ ...archive, root: {} })),
  },
  { law: 40, name: "a second writer", steps: [{ ...restore, as: "w2" }], but: replied({ ok: "done" }) },
  {
    law: 41,
    name: "a wait outlasts its time",
    steps: [waitRoot, { do: "elapse", ms: 10_000 }],
    but: all(
      viewed((view) => ({ ...view, root: { waiting: true } })),
      replied({ ok: "done" }),
    ),
  },
];

describe("good histories", () => {
  const stories: { readonly [name: string]: readonly Step[] } = {
    "a life": [spawn, waitRoot, finish, { do: "sample", path: root }, followUp, { do: "cancel", op: `${a}#1.2` }],
    "a crash during a start": [spawn, finish, followUp, prepared(`${a}#1.2`), save, crash, restore],
    "an abandoned turn": [spawn, send, { do: "say", path: a, turn: 1, text: "s" }, save, crash, restore],
    "a takeover": [spawn, { ...restore, as: "w2", takeover: true }, toRoot, { ...save, as: "w2" }],
    "a start that was not written, and a reader that its hydration answered": [
      ...reopened,
      { do: "inspect", path: a },
      { ...again, commit: "not_written" },
      { do: "read_history", path: a },
    ],
    "an owner that lost everything": [spawn, { ...restore, as: "w2", takeover: true }, finish, crash, restore],
  };
  for (const [name, steps] of Object.entries(stories))
    it(name, () => {
      expect(judge(tell(smallScope(3), steps))).toBeNull();
    });
});

describe("bad histories", () => {
  for (const { law, also, name, steps, but } of bad)
    it(`L${law}: ${name}`, () => {
      const good = tell(smallScope(3), steps);
      expect(judge(good)).toBeNull();
      const made = good.map((moment, i) => (i === good.length - 1 ? but(moment) : moment));
      const verdict = judge(made);
      expect(verdict?.broken.map((each) => each.law.number)).toEqual([law, ...(also ?? [])]);
      expect(verdict?.at).toBe(steps.length);
    });

  it("each law has one", () => {
    expect(bad.map(({ law }) => law)).toEqual(laws.map(({ number }) => number));
  });
});
