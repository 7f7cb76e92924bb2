/**
 * Of two refusals that apply to a command the first in the order of the contract is given, whatever the command, by the
 * specification and by production. False would be: a command that asks in an order of its own, so that hosts see another code.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Limits, RefusalCode, Reply, Scope, Step, Verb } from "../../src/contract.ts";
import { run } from "../loop.ts";
import type { Target } from "../target.ts";
import { refusals, verbs } from "../words.ts";
import { targetNamed } from "./named.ts";
import { lastReply } from "./small.ts";

const root = "/root";
const ready = { hydrate: "ok", prepare: "ok", dispatch: "ok" } as const;
const config = (tools: readonly (readonly string[])[]) => ({
  ...{ instructions: "i", model: "m", effort: null, limits: {}, parameters: {} },
  tools: tools.map((each) => [...each]),
});
const scopeWith = (limits: Partial<Limits>): Scope => ({
  capacity: 3,
  limits: { textMax: 40, ...limits },
  roles: {
    r: config([["core", "read"]]),
    unlisted: config([["core", "fly"]]),
    foreign: config([["nowhere", "read"]]),
    bad: {},
  },
  registrars: { core: { category: "core", tools: ["read"] } },
  archive: "memory",
  process: "same",
});

const spawn = (name: string): Step => ({ do: "spawn", by: root, name, role: "r", text: "t", answers: ready });
const finish = (name: string): Step => ({
  do: "finish",
  path: `${root}/${name}`,
  turn: 1,
  outcome: "completed",
  text: "R",
});
const restore: Step = { do: "restore", mode: "write" };
const send = (to: string): Step => ({ do: "send", by: root, to, text: "m" });
/** One set aside, one idle and cold, one idle that was only just read, one in its turn. */
const before: readonly Step[] = [
  ...["aside", "idle"].flatMap((name) => [spawn(name), finish(name)]),
  { do: "sample", path: root },
  { do: "crash" },
  { do: "damage", what: "record", path: "/root/aside", how: "checksum" },
  restore,
  spawn("busy"),
];

/** What is wrong: with a field of the step, or with where it is said. */
interface Ailment {
  readonly code: RefusalCode;
  readonly fields?: { readonly [key: string]: unknown };
  readonly setup?: readonly Step[];
  readonly limits?: Partial<Limits>;
}
const closed: Ailment = { code: "session_closed", setup: [{ do: "crash" }] };
const readOnly: Ailment = { code: "read_only", setup: [{ do: "crash" }, { do: "restore", mode: "read" }] };
const noTools: Ailment = {
  code: "tools_unavailable",
  setup: [{ do: "crash" }, { ...restore, registrars: [], answers: ready }],
};
const callerBy: Ailment = { code: "caller_unknown", fields: { by: "/root/zz" } };
const callerPath: Ailment = { code: "caller_unknown", fields: { path: "/root/zz" } };
const restingBy: Ailment = { code: "not_active", fields: { by: "/root/idle" } };
const restingPath: Ailment = { code: "not_active", fields: { path: "/root/idle" } };
/** Wrong targets, by the field that holds them. */
const targets = (key: string): readonly Ailment[] => [
  { code: "path_malformed", fields: { [key]: "/root/A" } },
  { code: "agent_unknown", fields: { [key]: "/root/zz" } },
  { code: "agent_invalid", fields: { [key]: "/root/aside" } },
];
const toRoot = (key: string): Ailment => ({ code: "target_root", fields: { [key]: root } });
const texts: readonly Ailment[] = [
  { code: "text_empty", fields: { text: "" } },
  { code: "text_malformed", fields: { text: "\ud800" } },
  { code: "text_too_long", fields: { text: "x".repeat(41) } },
];
const full: Ailment = { code: "at_capacity", setup: [{ do: "set_capacity", capacity: 1 }] };
/** One operation is open, and one may be. */
const noOperations: Ailment = {
  code: "too_many_operations",
  limits: { operationsMax: 1 },
  setup: [{ do: "spawn", by: root, name: "waiting", role: "r", text: "t" }],
};
const mailFull = (to: string): Ailment => ({ code: "mailbox_full", limits: { mailMax: 1 }, setup: [send(to)] });
const waiting: readonly Step[] = [{ do: "wait", by: root }];
const inUse: Ailment = { code: "in_use", fields: { path: "/root/busy" } };

const open: Ailment = { code: "session_open", setup: [{ ...restore, answers: ready }] };
/** Wrong targets of damage: whatever is stored has a path. */
const stored: readonly Ailment[] = [...targets("path").slice(0, 2), toRoot("path")];

interface Command {
  /** Done besides, before it. */
  readonly given?: readonly Step[];
  /** One that is not refused then. */
  readonly step: Step;
  readonly ailments: readonly Ailment[];
}
const commands: { readonly [verb in Verb]?: readonly Command[] } = {
  spawn: [
    {
      step: spawn("fresh"),
      ailments: [
        ...[closed, readOnly, callerBy],
        { code: "name_malformed", fields: { name: "R" } },
        ...texts,
        { code: "role_unknown", fields: { role: "nobody" } },
        { code: "config_invalid", fields: { role: "bad" } },
        { code: "path_taken", fields: { name: "idle" } },
        { code: "path_taken", fields: { name: "aside" } },
        noTools,
        { code: "tool_unknown", fields: { role: "unlisted" } },
        { code: "category_foreign", fields: { role: "foreign" } },
        { code: "agents_full", limits: { agentsMax: 3 } },
        ...[full, noOperations],
      ],
    },
  ],
  follow_up: [
    {
      step: { do: "follow_up", by: root, to: "/root/idle", text: "u", answers: ready },
      ailments: [closed, readOnly, callerBy, ...targets("to"), toRoot("to"), ...texts, noTools, full, noOperations],
    },
    {
      step: { do: "follow_up", by: root, to: "/root/busy", text: "u" },
      ailments: [closed, readOnly, callerBy, ...texts, mailFull("/root/busy")],
    },
  ],
  say: [
    {
      step: { do: "say", path: "/root/busy", turn: 1, text: "s" },
      ailments: [closed, readOnly, callerPath, restingPath],
    },
  ],
  finish: [{ step: { ...finish("busy") }, ailments: [closed, readOnly, ...targets("path")] }],
  interrupt: [
    {
      step: { do: "interrupt", by: root, to: "/root/busy", answers: { abort: "ok" } },
      ailments: [
        ...[closed, readOnly, callerBy, ...targets("to"), toRoot("to")],
        { code: "target_self", fields: { by: "/root/busy" } },
        noOperations,
      ],
    },
  ],
  block: [
    {
      step: { do: "block", path: "/root/busy", kind: "permission_blocked" },
      ailments: [
        ...[closed, readOnly, callerPath, restingPath, toRoot("path")],
        {
          code: "too_many_blockers",
          limits: { blockersMax: 1 },
          setup: [{ do: "block", path: "/root/busy", kind: "interaction_blocked" }],
        },
      ],
    },
  ],
  release: [{ step: { do: "release", token: "/root/busy@1.1" }, ailments: [readOnly] }],
  send: [
    {
      step: { do: "send", by: root, to: "/root/idle", text: "m" },
      ailments: [closed, readOnly, callerBy, ...targets("to"), ...texts, mailFull("/root/idle")],
    },
  ],
  execution: [
    { step: { do: "execution", owner: "/root/idle", text: "x" }, ailments: [closed, readOnly, ...targets("owner")] },
  ],
  steer: [
    {
      given: waiting,
      step: { do: "steer", text: "u" },
      ailments: [closed, readOnly, ...texts, { code: "not_waiting", setup: [{ do: "cancel_wait", by: root }] }],
    },
  ],
  wait: [
    {
      step: { do: "wait", by: "/root/busy" },
      ailments: [
        closed,
        readOnly,
        callerBy,
        restingBy,
        { code: "already_waiting", setup: [{ do: "wait", by: "/root/busy" }] },
      ],
    },
  ],
  cancel_wait: [
    {
      given: waiting,
      step: { do: "cancel_wait", by: root },
      ailments: [closed, readOnly, callerBy, { code: "not_waiting", fields: { by: "/root/busy" } }],
    },
  ],
  elapse: [{ step: { do: "elapse", ms: 1 }, ailments: [closed] }],
  sample: [{ step: { do: "sample", path: "/root/busy" }, ailments: [closed, readOnly, callerPath, restingPath] }],
  roster: [{ step: { do: "roster" }, ailments: [closed, { code: "path_malformed", fields: { prefix: "root" } }] }],
  read_result: [
    {
      step: { do: "read_result", path: "/root/idle" },
      ailments: [closed, ...targets("path"), toRoot("path"), { code: "not_ready", fields: { path: "/root/busy" } }],
    },
  ],
  read_history: [
    {
      step: { do: "read_history", path: "/root/idle", answers: ready },
      ailments: [closed, ...targets("path"), noOperations],
    },
  ],
  inspect: [
    {
      step: { do: "inspect", path: "/root/idle", answers: ready },
      ailments: [closed, ...targets("path"), toRoot("path"), noOperations],
    },
  ],
  evict: [{ step: { do: "evict", path: "/root/idle" }, ailments: [closed, ...targets("path"), toRoot("path"), inUse] }],
  compact: [
    {
      step: { do: "compact", path: "/root/idle" },
      ailments: [closed, readOnly, ...targets("path"), toRoot("path"), inUse],
    },
  ],
  change_role: [{ step: { do: "change_role", role: "r", config: {} }, ailments: [closed] }],
  set_capacity: [
    {
      step: { do: "set_capacity", capacity: 2 },
      ailments: [closed, readOnly, { code: "capacity_invalid", fields: { capacity: 0 } }],
    },
  ],
  save: [{ step: { do: "save" }, ailments: [closed, readOnly] }],
  verify: [{ step: { do: "verify" }, ailments: [closed] }],
  fork: [{ step: { do: "fork" }, ailments: [closed] }],
  close: [{ step: { do: "close" }, ailments: [closed] }],
  restore: [{ given: [{ do: "crash" }], step: { ...restore, answers: ready }, ailments: [open] }],
  damage: [
    {
      given: [{ do: "crash" }],
      step: { do: "damage", what: "record", path: "/root/idle", how: "checksum" },
      ailments: [open, ...stored],
    },
  ],
  mend: [
    {
      given: [{ do: "crash" }],
      step: { do: "mend", what: "record", path: "/root/aside" },
      ailments: [open, ...stored],
    },
  ],
};
/** What can always be said, and is answered `late` where it means nothing. */
const neverRefused: readonly Verb[] = ["cancel", "crash", "answer", "together"];

/** What changes the session comes last, and what closes it after that. */
const rank = ({ code }: Ailment): number =>
  ["tools_unavailable", "read_only", "session_closed"].indexOf(code) + (code === "session_open" ? 9 : 0);

function told({ given = [], step }: Command, ailments: readonly Ailment[]): { scope: Scope; steps: readonly Step[] } {
  const setups = ailments.toSorted((one, other) => rank(one) - rank(other)).flatMap(({ setup = [] }) => setup);
  const changed = Object.assign({}, step, ...ailments.map(({ fields }) => fields ?? {}));
  const limits = Object.assign({}, ...ailments.map(({ limits: few }) => few ?? {}));
  return { scope: scopeWith(limits), steps: [...before, ...given, ...setups, changed] };
}

const answerTo = ({ scope, steps }: ReturnType<typeof told>): Reply => lastReply(scope, steps);

const order = (code: RefusalCode): number => refusals.indexOf(code);
/** Two that can be wrong with one step: not with the same field. */
function meet(one: Ailment, other: Ailment): boolean {
  const keys = Object.keys(one.fields ?? {});
  return one.code !== other.code && !keys.some((key) => Object.hasOwn(other.fields ?? {}, key));
}
function* pairsOf<Held>(all: readonly Held[]): Generator<readonly [Held, Held]> {
  for (const [index, one] of all.entries()) for (const other of all.slice(index + 1)) yield [one, other];
}

let memory: Target | null = null;
beforeAll(async () => {
  memory = await (await targetNamed("memory"))();
});
afterAll(() => memory?.close());

const rows = Object.entries(commands).flatMap(([verb, forms]) =>
  forms.map((command, index) => [forms.length === 1 ? verb : `${verb}, form ${index + 1}`, command] as const),
);

test("every command is here, or is never refused", () => {
  expect([...Object.keys(commands), ...neverRefused].toSorted()).toEqual([...verbs].toSorted());
});

describe.each(rows)("%s", (_, command) => {
  test("is not refused where nothing is wrong, and with each refusal where that alone is", async () => {
    expect(answerTo(told(command, []))).not.toHaveProperty("refused");
    for (const ailment of command.ailments)
      expect([ailment, answerTo(told(command, [ailment]))]).toEqual([ailment, { refused: ailment.code }]);
  });

  test("gives the first of any two, and production the same", async () => {
    for (const [one, other] of pairsOf(command.ailments)) {
      if (!meet(one, other)) continue;
      const story = told(command, [one, other]);
      const first = order(one.code) < order(other.code) ? one.code : other.code;
      expect([one, other, answerTo(story)]).toEqual([one, other, { refused: first }]);
      if (memory === null) continue;
      const { failure } = await run(memory, story.scope, (__, index) => story.steps[index] ?? null);
      expect([one.code, other.code, failure?.kinds]).toEqual([one.code, other.code, undefined]);
    }
  });
});
