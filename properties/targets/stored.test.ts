/**
 * The archive in memory is read after every step, and is what the specification says it is. False would be: a commit that writes
 * something else than the session shows, or a reader that shows rows as they were before the last commit.
 */
import { expect, test } from "vitest";
import { memoryDisk, memoryStore } from "../../src/archive/memory.ts";
import { openSession } from "../../src/index.ts";
import { beginReading, storedIn } from "./stored.ts";

const undamaged = { originals: [], originalSession: null, broken: null };
const role = { instructions: "do", model: "m", effort: null, tools: [], limits: {}, parameters: {} };

test("what is stored is read anew after each commit, and never before", async () => {
  const disk = memoryDisk();
  const reader = beginReading();
  const read = () => storedIn(disk, reader, undamaged);
  expect(read()).toBeNull();
  const registrars = [{ category: "core", names: () => [], load: () => {} }];
  const session = await openSession(memoryStore(disk), {
    roles: { r: role },
    registrars,
    provider: { dispatch: () => {} },
  });
  const agent = await session.root.spawn({ name: "a", role: "r", text: "t" });
  expect(read()?.agents["/root/a"]).toMatchObject({ activity: "running", turns: 1, messages: 1 });
  await agent.block("permission_blocked");
  expect(read()?.agents["/root/a"]?.activity).toBe("running");
  await agent.send("m");
  expect(read()?.agents["/root/a"]).toMatchObject({
    activity: "permission_blocked",
    mail: [["mail", "/root", "m"]],
  });
  await session.finish("/root/a", 1, "completed", "R");
  expect(read()?.agents["/root/a"]).toMatchObject({ activity: "idle", result: ["completed", "R", null, null] });
  expect(read()?.root.mail?.map(([kind, from]) => [kind, from])).toEqual([["result", "/root/a"]]);
  await session.root.sample();
  expect(read()?.root).toEqual({ messages: 1 });
  await session.close();
});
