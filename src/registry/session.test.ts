// A session over the archive in memory, driven as a host drives it.
import { describe, expect, test } from "vitest";
import { memoryStore, openSession, type Provider, type SessionOptions } from "../index.ts";
import { enter, openWorld } from "./stage.ts";

const config = { instructions: "i", model: "m", effort: null, tools: [["core", "read"]], limits: {}, parameters: {} };
const core = { category: "core", names: () => ["read"], load: () => {} };
const provider: Provider = { dispatch: () => {} };
const options: SessionOptions = { roles: { reviewer: config }, provider, registrars: [core] };

describe("the example of the front page", () => {
  test("spawns, follows up, waits, samples and closes", async () => {
    const session = await openSession(memoryStore(), options);
    const reviewer = await session.root.spawn({ name: "reviewer", role: "reviewer", text: "Review HEAD" });
    expect(reviewer.path).toBe("/root/reviewer");
    expect(await reviewer.followUp("and the tests")).toEqual({ steered: "running" });
    const waiting = session.root.wait();
    expect(await session.finish(reviewer.path, 1, "completed", "fine")).toBe("settled");
    expect(await waiting).toBe("mailbox");
    const mail = await session.root.sample();
    expect(mail.map(({ kind, from, text }) => [kind, from, text])).toEqual([["result", "/root/reviewer", "fine"]]);
    expect(await reviewer.followUp("again")).toEqual({ started: "/root/reviewer" });
    await session.close({ timeoutMs: 2_000 });
    expect(session.view()).toEqual({ mode: "closed" });
  });
});

describe("a turn that settles", () => {
  test("hands its own executions to its parent, and keeps those that a child handed to it", async () => {
    const session = await enter(openWorld());
    const parent = await session.root.spawn({ name: "a", role: "r", text: "t" });
    await parent.spawn({ name: "b", role: "r", text: "t" });
    await session.execution("/root/a/b", "the child's");
    await session.execution("/root/a", "its own");
    await session.finish("/root/a/b", 1, "completed", "Rb");
    await session.finish("/root/a", 1, "completed", "Ra");
    const mail = await session.root.sample();
    expect(mail.map(({ kind, from, text }) => [kind, from, text])).toEqual([
      ["result", "/root/a", "Ra"],
      ["execution", "/root/a", "its own"],
    ]);
    await parent.followUp("u");
    expect((await parent.sample()).map(({ from, text }) => [from, text])).toEqual([
      ["/root/a/b", "Rb"],
      ["/root/a/b", "the child's"],
    ]);
  });
});
