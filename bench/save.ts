/**
 * Saving one mail: on disk before it answers, and the same however many agents are kept. Bytes are counted by the archive
 * and, where the system tells, by the kernel.
 */
import { copyFileSync } from "node:fs";
import { type Mail, sqliteStore } from "../src/index.ts";
import { atMost, exactly, within } from "./claims.ts";
import { archiveOf, type Content, flushed, peerAgents, strides } from "./fixtures.ts";
import { type Hosted, hosted } from "./hosting.ts";
import { type Case, interleave, type Laps, medianOf, stopwatch, timingOf } from "./measure.ts";
import { peerKinds, sizeLabel, sizesOf } from "./open.ts";
import type { Peer } from "./peers.ts";
import { prose } from "./prose.ts";
import { type Findings, kernelBytes, type Setting } from "./setting.ts";
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
  readonly peers: readonly { readonly name: string; readonly peer: Peer; readonly bytes: number[] }[];
}

async function send({ session }: Hosted, to: string): Promise<Laps> {
  const agent = session.agent(to);
  const elapsed = stopwatch();
  await agent.send(text);
  return { ms: elapsed() };
}
function sendPeer(peer: Peer, to: string, bytes: number[]): Laps {
  const mail: Mail = { seq: 1, kind: "mail", from: "/root", to, text, at: 0, outcome: null, digest: null };
  const before = kernelBytes();
  const elapsed = stopwatch();
  const handed = peer.saveMail(mail);
  const ms = elapsed();
  const after = kernelBytes();
  bytes.push(before === null || after === null ? handed : after - before);
  return { ms };
}

async function prepare(setting: Setting, agents: number): Promise<Sized> {
  const content: Content = { agents, conversation: 0 };
  const file = await archiveOf(setting, content);
  const copy = `${file}.normal`;
  copyFileSync(file, copy);
  flushed(copy);
  const records = peerAgents(content);
  const store = counted(sqliteStore(copy, { durability: "normal" }));
  return {
    ...{ agents, next: strides(agents), work: store.work, written: { archive: [], kernel: [], commits: [] } },
    hosts: { full: await hosted(sqliteStore(file), "write"), normal: await hosted(store, "write") },
    peers: peerKinds.map(({ name, suffix, create, open }) => {
      create(`${file}.save${suffix}`, records);
      return { name, peer: open(flushed(`${file}.save${suffix}`)), bytes: [] };
    }),
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
    ...each.peers.map(({ name, peer, bytes }) => ({
      name: `${name} ${each.agents}`,
      sample: async () => sendPeer(peer, each.next(), bytes),
    })),
  ]);
  const timings = await interleave(cases, { roundsMin: 7, budgetMs: setting.isQuick ? 1_500 : 8_000 });
  for (const { hosts, peers } of sized) {
    await hosts.full.leave();
    await hosts.normal.leave();
    for (const { peer } of peers) peer.close();
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
      ...peerKinds.flatMap(({ name }, at) => [
        row(`peer: ${name}, on disk`, name),
        bytes("  bytes written", ({ peers }) => median(peers[at]?.bytes ?? [])),
      ]),
    ],
    notes: [],
  };
  return { sections: [section], claims: sized.flatMap(claimsOf) };
}
