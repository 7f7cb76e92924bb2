/**
 * Peers do the same as ours, or a comparison says nothing: the same day leaves the same agents with the same unread mail and
 * the same conversations, also once it is opened anew. Of those that need no package, and of mevedel where ROLLCALL_MEVEDEL
 * names its checkouts; the bench itself checks the others.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { performer, rosterHash } from "./acts.ts";
import { fillingOf, messageCount, pathOf, range } from "./content.ts";
import { day, turns } from "./day.ts";
import { imageOf } from "./peers/emacs.ts";
import { asidesOf, kindNamed, leftOut, names, packaged, plain } from "./peers/kinds.ts";
import type { Kept } from "./peers/peer.ts";

const folder = mkdtempSync(join(tmpdir(), "rollcall-peers-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const content = { agents: 28, conversation: 5_000 };
const paths = range(0, content.agents).map(pathOf);
const idle = rosterHash(paths.map((path) => [path, "idle"]));

async function filled(name: string): Promise<{ readonly place: string; readonly open: () => Promise<Kept> }> {
  const place = mkdtempSync(join(folder, `${name}-`));
  const kind = await kindNamed(name);
  await kind.create(place, fillingOf(content));
  return { place, open: async () => kind.open(place) };
}
async function mailboxes(kept: Kept): Promise<readonly number[]> {
  const all: number[] = [];
  for (const path of paths) all.push(await kept.unread(path));
  return all;
}
async function lengths(kept: Kept): Promise<readonly number[]> {
  const all: number[] = [];
  for (const path of paths) all.push((await kept.history(path, null)).length);
  return all;
}
/** What a peer did in a day, and what is there when it is opened again. */
async function lived(name: string) {
  const { open } = await filled(name);
  const first = await open();
  const done = await day(first, content.agents, 120, 7);
  await turns(first, content.agents, 5, "They pass.");
  await first.close();
  const again = await open();
  const roster = rosterHash(await again.roster());
  const left = { roster, mails: await mailboxes(again), messages: await lengths(again) };
  await again.close();
  return { done, left };
}

describe("a peer that needs no package", () => {
  it.each(plain.filter((name) => name !== "rollcall"))("ends a day as ours does: %s", async (name) => {
    const [ours, theirs] = [await lived("rollcall"), await lived(name)];
    expect(theirs.done).toEqual(ours.done);
    expect(ours.left.roster).toBe(idle);
    expect(theirs.left).toEqual(ours.left);
    expect(Math.max(...ours.left.messages)).toBeGreaterThan(messageCount(content));
  });

  it.each(plain)("shows a turn while it runs, and the last messages: %s", async (name) => {
    const kept = await (await filled(name)).open();
    const path = pathOf(5);
    await kept.begin(path, "And the tests?");
    expect(new Map(await kept.roster()).get(path)).toBe("running");
    expect(await kept.history(path, 2)).toHaveLength(2);
    await kept.settle(path, "They pass.");
    expect(new Map(await kept.roster()).get(path)).toBe("idle");
    await kept.close();
  });

  it("answers every act with what can be checked, in the process that times it", async () => {
    const { place } = await filled("files");
    const { perform } = performer(await kindNamed("files"), place);
    const restored = await perform({ do: "restore", until: "all", path: pathOf(5) });
    expect(restored.found).toEqual({ agents: 28, roster: idle, messages: 28 * messageCount(content) });
    expect(Object.keys(restored.laps)).toEqual(["open", "roster", "all"]);
    await expect(perform({ do: "list" })).rejects.toThrow("nothing is open");
    await perform({ do: "open" });
    expect((await perform({ do: "drain", mails: 3, text: "m" })).found).toEqual({ mails: 3 });
    const before = Number((await perform({ do: "unread", path: pathOf(1) })).found["mails"]);
    await perform({ do: "mail", to: pathOf(1), text: "m" });
    expect((await perform({ do: "unread", path: pathOf(1) })).found).toEqual({ mails: before + 1 });
  });
});

describe("the peer in Emacs", () => {
  const isThere = names.includes("mevedel");
  it.skipIf(!isThere)(
    `answers from an archive of its own what was done to it${isThere ? "" : ` (left out: ${leftOut.join()})`}`,
    { timeout: 600_000 },
    async () => {
      const { open, place } = await filled("mevedel");
      const [letters, works, lead] = [pathOf(3), pathOf(5), pathOf(0)];
      const kept = await open();
      expect(rosterHash(await kept.roster())).toBe(idle);
      expect(await lengths(kept)).toEqual(paths.map(() => messageCount(content)));
      const before = await mailboxes(kept);
      expect(before).toEqual(paths.map((_, index) => (index % 10 === 3 ? 1 : 0)));
      await kept.begin(works, "And the tests?");
      expect(new Map(await kept.roster()).get(works)).toBe("running");
      expect(await kept.history(works, 2)).toHaveLength(2);
      await kept.settle(works, "They pass.");
      expect(new Map(await kept.roster()).get(works)).toBe("idle");
      for (const text of ["one", "two"]) await kept.send("/root", text);
      expect([await kept.drain(), await kept.drain()]).toEqual([2, 0]);
      await kept.send(letters, "Mail — in two lines,\nand «quoted».");
      await kept.send(letters, "One more.");
      // Written when it is answered, and not only when the session is closed.
      const { session }: { session: string } = JSON.parse(readFileSync(join(place, "found.json"), "utf8"));
      expect(readFileSync(join(session, "session.meta.el"), "utf8")).toContain("One more.");
      await kept.close();
      const again = await open();
      expect(rosterHash(await again.roster())).toBe(idle);
      const gained = (path: string) => (path === letters ? 2 : path === lead ? 1 : 0);
      expect(await mailboxes(again)).toEqual(paths.map((path, index) => (before[index] ?? 0) + gained(path)));
      // A task, and what was said.
      expect((await again.history(works, null)).length).toBe(messageCount(content) + 2);
      await expect((async () => await again.unread("/root/nobody"))()).rejects.toThrow(
        "There is no agent /root/nobody",
      );
      const theirs = await day(again, content.agents, 20, 7);
      await again.close();
      const ours = await (await filled("rollcall")).open();
      expect(theirs).toEqual(await day(ours, content.agents, 20, 7));
      await ours.close();
    },
  );

  it("is not made of a folder that has no checkouts", () => {
    expect(() => imageOf(folder)).toThrow(`ROLLCALL_MEVEDEL names ${folder}, which has no checkout emacs-websocket`);
  });

  it("is left out by name and reason, or is a peer", () => {
    expect(leftOut.some((each) => each.startsWith("mevedel, because"))).toBe(!isThere);
    expect(packaged).not.toContain("mevedel");
  });

  it("is said to be left out, or less durable, wherever all are asked for", async () => {
    const [plainOnes, all] = [
      await asidesOf(plain, false),
      await asidesOf(
        names.filter((name) => !packaged.includes(name)),
        true,
      ),
    ];
    expect(plainOnes).toEqual([]);
    expect(all).toEqual([
      expect.stringMatching(isThere ? /^mevedel: .*does not wait for the disk/ : /^left out: mevedel, because/),
    ]);
  });
});

it("names every peer once, and refuses others", async () => {
  expect(new Set(names).size).toBe(names.length);
  await expect(kindNamed("nobody")).rejects.toThrow("there is no peer nobody");
});
