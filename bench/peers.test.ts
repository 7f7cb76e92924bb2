/**
 * Peers do the same as ours, or a comparison says nothing: the same day leaves the same agents with the same unread mail and
 * the same conversations, also once it is opened anew. Of those that need no package; the bench itself checks the others.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { performer, rosterHash } from "./acts.ts";
import { fillingOf, messageCount, pathOf, range } from "./content.ts";
import { day, turns } from "./day.ts";
import { kindNamed, names, plain } from "./peers/kinds.ts";
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

it("names every peer once, and refuses others", async () => {
  expect(new Set(names).size).toBe(names.length);
  await expect(kindNamed("nobody")).rejects.toThrow("there is no peer nobody");
});
