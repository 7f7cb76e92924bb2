// A session over the archive in memory, driven as a host drives it.
import { describe, expect, test } from "vitest";
import { memoryStore, openSession, type Provider, type SessionOptions } from "../index.ts";

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
