/**
 * A day in a life, 1,000 mixed operations in the same order for every peer: how long, what was written, what lies on the disk
 * after it, and the most memory it took. And what 10,000 turns leave behind.
 */
import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Reply } from "./acts.ts";
import type { Measurement } from "./cells.ts";
import { exactly, within } from "./claims.ts";
import type { Content } from "./content.ts";
import { type Case, interleave, ratios } from "./measure.ts";
import { prose } from "./prose.ts";
import type { Findings, Setting } from "./setting.ts";
import { type Place, staged } from "./staged.ts";
import { type Claim, type Row, type Section, shown } from "./table.ts";

const content: Content = { agents: 28, conversation: 1_000 };
const operations = 1_000;
const seed = 1;
const turnsAll = 10_000;
/** What a turn may leave for good: its task in the conversation, its answer as mail in the root's, and rows around them. */
const turnBytesMax = 4_096;
const text = prose(7, 200);

/** Bytes of all files below a folder. */
function onDisk(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

interface Day extends Reply {
  readonly disk: number;
}
async function day(place: Place): Promise<Day> {
  const stage = staged(place);
  try {
    await stage.ask({ do: "create", content });
    await stage.ask({ do: "open" });
    const reply = await stage.ask({ do: "day", agents: content.agents, operations, seed });
    await stage.ask({ do: "close" });
    return { ...reply, disk: onDisk(place.folder) };
  } finally {
    await stage.end();
  }
}

/** Bytes on the disk before and after so many turns. */
async function growth(folder: string, peer: string, count: number): Promise<{ before: number; after: number }> {
  const place: Place = { peer, folder: join(folder, `growth-${peer}`), manner: { durability: "normal" } };
  mkdirSync(place.folder);
  const stage = staged(place);
  try {
    await stage.ask({ do: "create", content });
    const before = onDisk(place.folder);
    await stage.ask({ do: "open" });
    await stage.ask({ do: "turns", agents: content.agents, count, text });
    await stage.ask({ do: "close" });
    return { before, after: onDisk(place.folder) };
  } finally {
    await stage.end();
    rmSync(place.folder, { recursive: true, force: true });
  }
}

export async function life({ folder, peers, isQuick }: Setting): Promise<Findings> {
  const days = new Map<string, Day[]>(peers.map((peer) => [peer, []]));
  const cases = peers.map((peer): Case => {
    const sample = async () => {
      // A day of its own each time: what the one before left would be carried along.
      const place = { peer, folder: join(folder, `day-${peer}`) };
      mkdirSync(place.folder);
      const lived = await day(place);
      rmSync(place.folder, { recursive: true, force: true });
      days.get(peer)?.push(lived);
      return lived.laps;
    };
    return { name: peer, sample };
  });
  const timings = await interleave(cases, { roundsMin: isQuick ? 1 : 3, budgetMs: 0 });
  const ours = timings.get("rollcall")?.get("ms");
  const rows: Row[] = [];
  const measured: Measurement[] = [];
  for (const peer of peers) {
    const [timing, all] = [timings.get(peer)?.get("ms"), days.get(peer) ?? []];
    const last = all.at(-1);
    if (timing === undefined || ours === undefined || last === undefined) continue;
    const memory = Math.max(...all.map((each) => each.memory));
    rows.push({ label: peer, unit: "ms", units, values: [timing.median, last.written, last.disk, memory] });
    const ratio = peer === "rollcall" ? null : ratios(timing, ours);
    const { written, read } = last;
    measured.push({ what: "day", ...content, peer, timing, cannot: null, ratio, written, read, memory });
  }
  const lived: Section = {
    title: `${operations} mixed operations, ${content.agents} agents x 1 KB`,
    columns: ["time", "written", "on disk", "memory"],
    rows,
    notes: [],
  };
  const grown = await growthOf(folder, isQuick ? turnsAll / 20 : turnsAll);
  return { sections: [lived, ...grown.sections], claims: [...alike(days), ...grown.claims], measured };
}
const units = ["ms", "bytes", "bytes", "bytes"] as const;

/** The same was done by all, or the times say nothing. Sessions find a mail in the conversation, and count it when it is read. */
function alike(days: ReadonlyMap<string, readonly Day[]>): readonly Claim[] {
  const [first] = days.get("rollcall") ?? [];
  return Object.entries(first?.found ?? {}).map(([what, asked]) =>
    exactly(
      `a day of every peer: ${what}`,
      Number(asked),
      [...days.values()].flat().map(({ found }) => Number(found[what])),
    ),
  );
}
async function growthOf(folder: string, count: number): Promise<Findings> {
  const rows: Row[] = [];
  const claims: Claim[] = [];
  for (const peer of ["rollcall", "journal"]) {
    const { before, after } = await growth(folder, peer, count);
    const each = (after - before) / count;
    rows.push({ label: peer, unit: "bytes", values: [before, after, each] });
    if (peer === "rollcall")
      claims.push(within(`on the disk for each of ${count} turns, mail read`, turnBytesMax, each, "bytes"));
  }
  const section: Section = {
    title: `On the disk, before and after ${shown(count, "count")} turns`,
    columns: ["before", "after", "a turn"],
    rows,
    notes: [],
  };
  return { sections: [section], claims };
}
