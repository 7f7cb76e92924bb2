/**
 * Saving one mail: on disk before it answers, and the same however many agents are kept. Bytes are counted by the archive
 * and, where the system tells, by the kernel.
 */
import { copyFileSync } from "node:fs";
import { sqliteStore } from "../src/index.ts";
import { sizeLabel } from "./cells.ts";
import { atMost, exactly, within } from "./claims.ts";
import { type Content, strides } from "./content.ts";
import { archiveOf, flushed } from "./fixtures.ts";
import { type Hosted, hosted } from "./hosting.ts";
import { kernelBytes } from "./kernel.ts";
import { type Case, interleave, type Laps, medianOf, stopwatch, timingOf } from "./measure.ts";
import { sizesOf } from "./open.ts";
import { prose } from "./prose.ts";
import type { Findings, Setting } from "./setting.ts";
import type { Claim, Row } from "./table.ts";
import { counted, type Work, workSince } from "./work.ts";

export const bytesMax: number = 32 * 1024;
/** Enough for the log to be written back at least once, so that its cost is in the mean. */
const inARow = 600;
const text = prose(7, 200);

/** What was written for each mail. */
interface Written {
  readonly archive: number[];
  readonly kernel: number[];
  readonly commits: number[];
}
interface Sized {
  readonly agents: number;
  readonly next: () => string;
  /** By durability. */
  readonly hosts: { readonly full: Hosted; readonly normal: Hosted };
  readonly work: Work;
  readonly written: Written;
}

async function send({ session }: Hosted, to: string): Promise<Laps> {
  const agent = session.agent(to);
  const elapsed = stopwatch();
  await agent.send(text);
  return { ms: elapsed() };
}

async function prepare(setting: Setting, agents: number): Promise<Sized> {
  const content: Content = { agents, conversation: 0 };
  const file = await archiveOf(setting, content);
  const copy = `${file}.normal`;
  copyFileSync(file, copy);
  flushed(copy);
  const store = counted(sqliteStore(copy, { durability: "normal" }));
  return {
    ...{ agents, next: strides(agents), work: store.work, written: { archive: [], kernel: [], commits: [] } },
    hosts: { full: await hosted(sqliteStore(file), "write"), normal: await hosted(store, "write") },
  };
}
/** One mail after the other, each counted. */
async function writeInARow({ hosts, next, work, written }: Sized): Promise<void> {
  for (let at = 0; at < inARow; at++) {
    const to = next();
    const [before, kernelBefore] = [{ ...work }, kernelBytes()];
    await send(hosts.normal, to);
    const kernelAfter = kernelBytes();
    const { bytes, commits } = workSince(work, before);
    written.archive.push(bytes);
    written.commits.push(commits);
    if (kernelBefore !== null && kernelAfter !== null) written.kernel.push(kernelAfter - kernelBefore);
  }
}
function mean(all: readonly number[]): number {
  return all.reduce((sum, each) => sum + each, 0) / all.length;
}
const median = (all: readonly number[]) => timingOf(all).median;

function claimsOf({ agents, written }: Sized): readonly Claim[] {
  const what = `one mail at ${sizeLabel(agents)}`;
  const kernel = written.kernel.length === 0 ? [] : [["by the kernel's count", written.kernel] as const];
  return [
    exactly(`${what}: commits`, 1, written.commits),
    ...[["by the archive's count", written.archive] as const, ...kernel].flatMap(([by, all]) => [
      within(`${what}: bytes written, ${by}`, bytesMax, median(all), "bytes"),
      within(`${what}: the same with its share of writing the log back, ${by}`, bytesMax, mean(all), "bytes"),
    ]),
    atMost(`${what}: bytes written`, bytesMax, Math.max(median(written.archive), median(written.kernel)), "bytes"),
  ];
}

export async function save(setting: Setting): Promise<Findings> {
  const sized: Sized[] = [];
  for (const agents of sizesOf(setting)) sized.push(await prepare(setting, agents));
  for (const each of sized) await writeInARow(each);
  const cases: readonly Case[] = sized.flatMap((each) => [
    { name: `full ${each.agents}`, sample: () => send(each.hosts.full, each.next()) },
    { name: `normal ${each.agents}`, sample: () => send(each.hosts.normal, each.next()) },
  ]);
  const timings = await interleave(cases, { roundsMin: 7, budgetMs: setting.isQuick ? 1_500 : 8_000 });
  for (const { hosts } of sized) {
    await hosts.full.leave();
    await hosts.normal.leave();
  }

  const row = (label: string, name: string): Row => ({
    ...{ label, unit: "ms" },
    values: sized.map(({ agents }) => medianOf(timings, `${name} ${agents}`, "ms")),
  });
  const bytes = (label: string, of: (each: Sized) => number): Row => ({
    ...{ label, unit: "bytes" },
    values: sized.map(of),
  });
  const section = {
    title: "Save one mail; agents kept:",
    columns: sized.map(({ agents }) => sizeLabel(agents)),
    rows: [
      row("rollcall, on disk", "full"),
      row("rollcall, durability normal", "normal"),
      bytes("  bytes written", ({ written }) => median(written.archive)),
      bytes("  with its share of the log", ({ written }) => mean(written.archive)),
    ],
    notes: [],
  };
  return { sections: [section], claims: sized.flatMap(claimsOf) };
}
