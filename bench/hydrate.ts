/**
 * Reading one conversation among 28: the whole of it, its last 20 messages, or to continue it with a turn. The last few
 * cost the same however long it is.
 */
import { sqliteStore } from "../src/index.ts";
import { atLeast, exactly } from "./claims.ts";
import { messageCount, pathOf } from "./content.ts";
import { archiveOf } from "./fixtures.ts";
import { type Hosted, hosted } from "./hosting.ts";
import { type Case, interleave, type Laps, medianOf, ratios, stopwatch, timingAt } from "./measure.ts";
import type { Findings, Setting } from "./setting.ts";
import type { Claim, Row } from "./table.ts";
import { counted, type Work, workSince } from "./work.ts";

const agents = 28;
const lastFew = 20;
const sizes = [50_000, 500_000, 5_000_000] as const;
const labels: { readonly [size: number]: string } = { 50000: "50 KB", 500000: "500 KB", 5000000: "5 MB" };
const path = pathOf(5);

interface Sized {
  readonly label: string;
  readonly count: number;
  readonly file: string;
  readonly host: Hosted;
  readonly work: Work;
  /** Messages read by each sample, by what was done. */
  readonly read: { readonly whole: number[]; readonly last: number[] };
}

async function history({ host, work }: Sized, last: number, read: number[]): Promise<Laps> {
  const before = { ...work };
  const agent = host.session.agent(path);
  const elapsed = stopwatch();
  const messages = await agent.readHistory({ last });
  const ms = elapsed();
  if (messages.length !== last) throw new Error(`${messages.length} messages were read, not ${last}`);
  read.push(workSince(work, before).messages);
  await agent.evict();
  return { ms };
}
/** Every sample a session of its own: the turns it starts are settled when it is left, and the archive stays small. */
async function followUp({ file }: Sized): Promise<Laps> {
  const { session, leave } = await hosted(sqliteStore(file), "write");
  await session.agent(path).inspect();
  const elapsed = stopwatch();
  await session.agent(path).followUp("And the tests?");
  const ms = elapsed();
  await leave();
  return { ms };
}

async function prepare(setting: Setting, conversation: number): Promise<Sized> {
  const content = { agents, conversation };
  const file = await archiveOf(setting, content);
  const store = counted(sqliteStore(file));
  const host = await hosted(store, "read");
  const label = labels[conversation] ?? String(conversation);
  return { label, count: messageCount(content), file, host, work: store.work, read: { whole: [], last: [] } };
}

export async function hydrate(setting: Setting): Promise<Findings> {
  const sized: Sized[] = [];
  for (const size of setting.isQuick ? sizes.slice(0, 2) : sizes) sized.push(await prepare(setting, size));
  const cases: readonly Case[] = sized.flatMap((each) => [
    { name: `whole ${each.label}`, sample: () => history(each, each.count, each.read.whole) },
    { name: `last ${each.label}`, sample: () => history(each, lastFew, each.read.last) },
    { name: `turn ${each.label}`, sample: () => followUp(each) },
  ]);
  const timings = await interleave(cases, { roundsMin: 9, budgetMs: setting.isQuick ? 1_000 : 5_000, collects: true });
  for (const { host } of sized) await host.leave();

  const row = (label: string, name: string): Row => ({
    ...{ label, unit: "ms" },
    values: sized.map((each) => medianOf(timings, `${name} ${each.label}`, "ms")),
  });
  const longest = sized.at(-1);
  if (longest === undefined) throw new Error("there is nothing to read");
  const lapOf = (what: string) => timingAt(timings, `${what} ${longest.label}`, "ms");
  const times = ratios(lapOf("whole"), lapOf("last")).median;
  // Of 5 MB; a tenth of it, for whoever is in a hurry, promises a tenth.
  const timesMin = setting.isGate ? 2 : setting.isQuick ? 5 : 50;
  const claims: readonly Claim[] = [
    ...sized.flatMap(({ label, count, read }) => [
      exactly(`whole history of ${label}: messages read`, count, read.whole),
      exactly(`last ${lastFew} of ${label}: messages read`, lastFew, read.last),
    ]),
    atLeast(`all of ${longest.label} / its last ${lastFew} messages`, timesMin, times, "times"),
  ];
  const section = {
    title: "Read one conversation of 28; its size:",
    columns: sized.map(({ label }) => label),
    rows: [
      row(`last ${lastFew} messages`, "last"),
      row("all of it, each message checked", "whole"),
      row("to continue it: hydrate, admit a turn, on disk", "turn"),
    ],
    notes: [],
  };
  return { sections: [section], claims };
}
