// Every refusal, by the first reason that applies; and that a refusal changes nothing.
import { describe, expect, test } from "vitest";
import type { RefusalCode } from "../contract.ts";
import { RollcallError } from "../errors.ts";
import type { Session } from "./api.ts";
import { endOf, enter, openWorld } from "./stage.ts";

const task = { name: "a", role: "r", text: "t" };
const limits = { agentsMax: 3, operationsMax: 2, blockersMax: 1, mailMax: 1, textMax: 8 };

/** An idle agent `a` with a result, a running `b` with an unread mail, a role that is none. */
async function stage(): Promise<Session> {
  const session = await enter(openWorld(), {}, { limits, capacity: 2 });
  await session.root.spawn(task);
  await session.finish("/root/a", 1, "completed", "R1");
  await session.root.sample();
  await session.root.spawn({ ...task, name: "b" });
  await session.agent("/root/b").send("m");
  await session.changeRole("broken", { instructions: 1 });
  return session;
}

type Case = readonly [code: RefusalCode, what: string, call: (session: Session) => Promise<unknown>];
const cases: readonly Case[] = [
  ["caller_unknown", "nobody there", (it) => it.root.send("m", { by: "/root/nobody" })],
  ["caller_unknown", "no path at all", (it) => it.agent("A").spawn(task)],
  ["not_active", "an idle caller", (it) => it.agent("/root/a").wait()],
  ["not_active", "an idle caller", (it) => it.agent("/root/a").sample()],
  ["not_active", "an idle caller", (it) => it.agent("/root/a").say(1, "t")],
  ["path_malformed", "a target that is none", (it) => it.agent("../a").send("m")],
  ["path_malformed", "a prefix that is none", (it) => it.roster("/root/")],
  ["agent_unknown", "below the caller", (it) => it.agent("x").send("m", { by: "/root/a" })],
  ["target_root", "a follow-up", (it) => it.root.followUp("u")],
  ["target_root", "a blocker", (it) => it.root.block("permission_blocked")],
  ["target_self", "an interrupt", (it) => it.agent("/root/b").interrupt({ by: "/root/b" })],
  ["name_malformed", "upper case", (it) => it.root.spawn({ ...task, name: "A" })],
  ["name_malformed", "the root's", (it) => it.root.spawn({ ...task, name: "root" })],
  ["text_empty", "a mail", (it) => it.root.send("")],
  ["text_malformed", "half a pair", (it) => it.root.send("\ud800")],
  ["text_too_long", "nine units", (it) => it.root.send("123456789")],
  ["role_unknown", "nobody's", (it) => it.root.spawn({ ...task, name: "c", role: "x" })],
  ["role_unknown", "an object's own", (it) => it.root.spawn({ ...task, name: "c", role: "constructor" })],
  ["config_invalid", "at spawn", (it) => it.root.spawn({ ...task, name: "c", role: "broken" })],
  ["path_taken", "an idle agent's", (it) => it.root.spawn(task)],
  ["capacity_invalid", "none", (it) => it.setCapacity(0)],
  ["mailbox_full", "mail", (it) => it.agent("/root/b").send("m2")],
  ["mailbox_full", "steering", (it) => it.agent("/root/b").followUp("u")],
  ["not_waiting", "the user speaks", (it) => it.steer("u")],
  ["in_use", "a running agent", (it) => it.agent("/root/b").evict()],
  ["not_ready", "a running agent", (it) => it.agent("/root/b").readResult()],
];

describe("a refusal", () => {
  test.each(cases)("%s: %s", async (code, _what, call) => {
    const session = await stage();
    const before = session.view();
    const { commits } = session.counters();
    const error: unknown = await call(session).then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(RollcallError);
    expect(error).toMatchObject({ kind: "refused", code });
    expect(session.view()).toEqual(before);
    expect(session.counters().commits).toBe(commits);
  });

  test("for want of room: agents, slots, operations, blockers, waiters", async () => {
    const world = openWorld();
    const session = await enter(world, { prepare: true }, { limits, capacity: 3 });
    const first = endOf(session.root.spawn(task));
    const second = endOf(session.root.spawn({ ...task, name: "b" }));
    expect(await endOf(session.root.spawn({ ...task, name: "c" }))).toBe("too_many_operations");
    await session.setCapacity(2);
    expect(await endOf(session.root.spawn({ ...task, name: "c" }))).toBe("at_capacity");
    session.abandon();
    expect(await Promise.all([first, second])).toEqual(["session_closed", "session_closed"]);

    const other = await enter(openWorld(), {}, { limits, capacity: 9 });
    for (const name of ["a", "b", "c"]) await other.root.spawn({ ...task, name });
    expect(await endOf(other.root.spawn({ ...task, name: "d" }))).toBe("agents_full");
    const token = await other.agent("/root/a").block("permission_blocked");
    expect(await endOf(other.agent("/root/a").block("interaction_blocked"))).toBe("too_many_blockers");
    expect(await other.release(token)).toBe("done");
    expect(await other.release(token)).toBe("late");
    void other.root.wait();
    expect(await endOf(other.root.wait())).toBe("already_waiting");
    other.abandon();
  });

  test("depth: a path may have 32 names below the root, and no more", async () => {
    const session = await enter(openWorld(), {}, { capacity: 40 });
    let agent = session.root;
    for (let depth = 1; depth <= 32; depth++) agent = await agent.spawn({ ...task, name: "n" });
    expect(await endOf(agent.spawn({ ...task, name: "n" }))).toBe("name_malformed");
  });

  test("without registrars nothing is started, with others' tools neither", async () => {
    const none = await enter(openWorld(), {}, { registrars: [] });
    expect(await endOf(none.root.spawn(task))).toBe("tools_unavailable");
    const registrar = { category: "core", names: () => [], load: () => {} };
    const empty = await enter(openWorld(), {}, { registrars: [registrar] });
    expect(await endOf(empty.root.spawn(task))).toBe("tool_unknown");
    const foreign = await enter(openWorld(), {}, { registrars: [{ ...registrar, category: "net" }] });
    expect(await endOf(foreign.root.spawn(task))).toBe("category_foreign");
  });
});

test("a refusal has no stack, which would be the queue's; a fault has one, and stacks are as they were", () => {
  const limit = Error.stackTraceLimit;
  expect(new RollcallError("refused", "text_empty", "text").stack).not.toContain("\n");
  expect(new RollcallError("fault", "io_failed", "archive").stack).toContain("\n    at ");
  expect(Error.stackTraceLimit).toBe(limit);
});
