/** A recording that cannot be: who asks for one is told before anything is owned, and one that ends does not end the session. */
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { endOf, enter, openWorld } from "./stage.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "rollcall-record-"));
});
afterAll(() => rm(folder, { recursive: true }));

describe("a recording", () => {
  it("that cannot be opened fails the opening, and nothing is owned", async () => {
    const world = openWorld();
    await expect(enter(world, {}, { record: folder })).rejects.toMatchObject({
      ...{ kind: "fault", code: "io_failed", at: "recording" },
    });
    const session = await enter(world);
    await session.close();
  });

  // A device that is always full; Linux has it.
  it.runIf(existsSync("/dev/full"))(
    "that cannot be written any more is warned about once, and the session goes on",
    async () => {
      const world = openWorld();
      const session = await enter(world, {}, { record: "/dev/full" });
      const warned = () => world.events.filter(([kind]) => kind === "warned");
      await session.root.send("one");
      await session.root.send("two");
      expect(warned()).toEqual([["warned", "disk_full", "recording"]]);
      expect(await endOf(session.root.sample())).toHaveLength(2);
      await session.close();
      expect(warned()).toHaveLength(1);
    },
  );

  it("goes on in the same file at the next opening, and a fork is not in it", async () => {
    const world = openWorld();
    const file = join(folder, "session.jsonl");
    for (const text of ["one", "two"]) {
      const session = await enter(world, {}, { record: { file, texts: true } });
      await session.root.send(text);
      await session.fork(openWorld().store);
      await session.close();
    }
    const lines = (await readFile(file, "utf8")).trimEnd().split("\n");
    const kinds = lines.map((line) => Object.keys(JSON.parse(line))[0]);
    const one = ["recording", "hydrated", "at", "at", "at"];
    expect(kinds).toEqual([...one, ...one]);
    expect(lines[2]).toContain('"text":"one"');
  });
});
