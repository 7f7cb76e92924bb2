/**
 * Many senders at once: durable mails a second with one sender and with 64, who share a sync; how long one mail waits for it;
 * and how long the longest waits take while the log is written back.
 */
import { copyFileSync } from "node:fs";
import { sqliteStore } from "../src/index.ts";
import { atLeast, within } from "./claims.ts";
import { type Content, strides } from "./content.ts";
import { archiveOf, flushed } from "./fixtures.ts";
import { type Hosted, hosted } from "./hosting.ts";
import { stopwatch } from "./measure.ts";
import { prose } from "./prose.ts";
import type { Findings, Setting } from "./setting.ts";

const agents = 1_000;
const sendersMany = 64;
const ratioMin = 10;
const text = prose(7, 200);
const rounds = 3;

interface Sent {
  readonly mails: number;
  readonly ms: number;
  readonly commits: number;
  /** From the call to its answer, in ms. */
  readonly waits: readonly number[];
}

/** So many senders, each with one mail on its way at a time. */
async function sent({ session }: Hosted, senders: number, each: number, next: () => string): Promise<Sent> {
  const waits: number[] = [];
  const before = session.counters().commits;
  const elapsed = stopwatch();
  const sender = async () => {
    for (let count = 0; count < each; count++) {
      const one = stopwatch();
      await session.agent(next()).send(text);
      waits.push(one());
    }
  };
  await Promise.all(Array.from({ length: senders }, sender));
  return { mails: senders * each, ms: elapsed(), commits: session.counters().commits - before, waits };
}
function quantile(waits: readonly number[], of: number): number {
  const sorted = [...waits].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * of))] ?? Number.NaN;
}
const rateOf = (all: readonly Sent[]): number =>
  (all.reduce((sum, { mails }) => sum + mails, 0) / all.reduce((sum, { ms }) => sum + ms, 0)) * 1_000;

export async function senders(setting: Setting): Promise<Findings> {
  const content: Content = { agents, conversation: 0 };
  const file = `${await archiveOf(setting, content)}.senders`;
  copyFileSync(await archiveOf(setting, content), file);
  const host = await hosted(sqliteStore(flushed(file)), "write");
  const next = strides(agents);
  const [one, many]: [Sent[], Sent[]] = [[], []];
  const [alone, crowd] = setting.isQuick ? [100, 20] : [700, 60];
  // In turn, so that whatever slows the machine slows both.
  for (let round = 0; round < rounds; round++) {
    one.push(await sent(host, 1, alone, next));
    many.push(await sent(host, sendersMany, crowd, next));
  }
  host.session.abandon();
  const waits = (all: readonly Sent[]) => all.flatMap((each) => each.waits);
  const perCommit = (all: readonly Sent[]) =>
    all.reduce((sum, { mails }) => sum + mails, 0) / all.reduce((sum, { commits }) => sum + commits, 0);
  const values = (of: (all: readonly Sent[]) => number) => [of(one), of(many)];
  const section = {
    title: "Durable mails; senders at once:",
    columns: ["1", String(sendersMany)],
    rows: [
      { label: "mails a second", unit: "per_second" as const, values: values(rateOf) },
      { label: "  mails a commit", unit: "times" as const, values: values(perCommit) },
      { label: "  one mail, median", unit: "ms" as const, values: values((all) => quantile(waits(all), 0.5)) },
      { label: "  p99", unit: "ms" as const, values: values((all) => quantile(waits(all), 0.99)) },
      {
        label: "  p99.9, the log written back within",
        unit: "ms" as const,
        values: values((all) => quantile(waits(all), 0.999)),
      },
    ],
    notes: [],
  };
  const claims = [
    within(`${sendersMany} senders: commits for a mail`, 1 / 16, 1 / perCommit(many), "times"),
    atLeast(`durable mails a second, ${sendersMany} senders against 1`, ratioMin, rateOf(many) / rateOf(one), "times"),
  ];
  return { sections: [section], claims };
}
