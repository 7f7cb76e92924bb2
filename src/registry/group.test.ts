// What would have to be false: that commands which share a commit come to what they come to one after another. The same lists
// are issued at once and one by one; outcomes, events and what is stored must be the same. Against the specification, with
// commits that fail and sessions that die in the middle, see the properties of concurrent callers.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { exportLines } from "../archive/export.ts";
import { memoryStore } from "../archive/memory.ts";
import type { Session } from "./api.ts";
import { endOf, enter, openWorld, rest, type World } from "./stage.ts";

const agents = ["/root/a", "/root/b"];
const owners = fc.constantFrom("/root", ...agents, "/root/nobody");
const acts = fc.oneof(
  fc.record({ is: fc.constant("send" as const), by: fc.constantFrom("/root", "/root/b", "/root/x"), to: owners }),
  fc.record({ is: fc.constant("execution" as const), to: owners }),
  fc.record({ is: fc.constant("sample" as const), to: owners }),
  fc.record({ is: fc.constant("empty" as const), to: owners }),
  fc.record({ is: fc.constant("steer" as const), to: owners }),
);
type Act = typeof acts extends fc.Arbitrary<infer Each> ? Each : never;

function call(session: Session, act: Act, n: number): Promise<unknown> {
  const to = session.agent(act.to);
  switch (act.is) {
    case "send":
      return to.send(`mail ${n}`, { by: act.by });
    case "execution":
      return session.execution(act.to, `execution ${n}`);
    case "sample":
      return to.sample();
    case "empty":
      return to.send("");
    case "steer":
      return session.steer(`steered ${n}`);
  }
}
/** A turn that waits, an idle agent, and a root that waits; mailboxes hold three. */
async function entered(world: World): Promise<Session> {
  const session = await enter(world, {}, { limits: { mailMax: 3 } });
  for (const name of ["a", "b"]) await session.root.spawn({ name, role: "r", text: "t" });
  await session.finish("/root/b", 1, "completed", "R1");
  await session.root.sample();
  void session.agent("/root/a").wait();
  void session.root.wait();
  await rest();
  world.events.length = 0;
  return session;
}
async function linesOf(world: World): Promise<readonly string[]> {
  const archive = await memoryStore(world.disk).open({ mode: "read", owner: "", takeover: false, create: null });
  const lines: string[] = [];
  for await (const line of exportLines(archive)) lines.push(line.replace(/"id":"[^"]*"/g, ""));
  return lines;
}

describe("commands that share a commit", () => {
  test("always come to what they come to one by one", async () => {
    let shared = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(acts, { minLength: 2, maxLength: 10 }), async (list) => {
        const [one, other] = [openWorld(), openWorld()];
        const alone = await entered(one);
        const together = await entered(other);
        const [before, beforeTogether] = [alone.counters().commits, together.counters().commits];
        const first: unknown[] = [];
        for (const [n, act] of list.entries()) first.push(await endOf(call(alone, act, n)));
        const second = await Promise.all(list.map((act, n) => endOf(call(together, act, n))));
        expect(second).toEqual(first);
        expect(other.events).toEqual(one.events);
        expect(together.view()).toEqual(alone.view());
        expect(await linesOf(other)).toEqual(await linesOf(one));
        const [commits, fewer] = [alone.counters().commits - before, together.counters().commits - beforeTogether];
        expect(fewer).toBe(Math.min(1, commits));
        shared += commits - fewer;
      }),
      { numRuns: 150 },
    );
    expect(shared).toBeGreaterThan(150);
  });

  test("are told nothing, not even a refusal, before it is written", async () => {
    const world = openWorld();
    const session = await entered(world);
    world.holdsCommits = true;
    const told: unknown[] = [];
    const calls = ["one", "", "two"].map((text) => endOf(session.root.send(text)).then((end) => told.push(end)));
    await rest();
    expect([told, world.events, world.commits.size]).toEqual([[], [], 1]);
    world.holdsCommits = false;
    for (const gate of world.commits.values()) gate.resolve();
    await Promise.all(calls);
    expect(told).toEqual([undefined, "text_empty", undefined]);
    expect(world.events).toEqual([["woke", "/root", "mailbox"]]);
  });

  test("are few enough for one transaction", async () => {
    const session = await entered(openWorld());
    const { commits } = session.counters();
    await Promise.all(Array.from({ length: 600 }, () => endOf(session.agent("/root/b").send("m"))));
    await Promise.all(Array.from({ length: 3 }, () => session.execution("/root/b", "x".repeat(2_000_000))));
    // 512 and 88, the latter refused by a mailbox that is full; then two and one.
    expect(session.counters().commits).toBe(commits + 1 + 2);
  });
});
