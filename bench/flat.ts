/** What stays the same whatever is kept: opening reads as many pages beside long conversations as beside none. L31 */
import { sqliteStore } from "../src/index.ts";
import { bytesLabel, sizeLabel } from "./cells.ts";
import { atMost, within } from "./claims.ts";
import { archiveOf } from "./fixtures.ts";
import { hosted } from "./hosting.ts";
import { traffic } from "./kernel.ts";
import { type Case, interleave, type Laps, medianOf, ratios, stopwatch, timingAt } from "./measure.ts";
import type { Findings, Setting } from "./setting.ts";
import type { Row } from "./table.ts";

const agents = 2_000;
const pageBytes = 4_096;
/** The root's conversation is looked up among all of them, in an index that is as deep as there are many. */
const indexPages = 3;

export async function flat(setting: Setting): Promise<Findings> {
  const { isQuick, isGate } = setting;
  const conversations = [0, isQuick || isGate ? 5_000 : 500_000];
  const pages = new Map<string, number[]>();
  const cases: Case[] = [];
  for (const conversation of conversations) {
    const file = await archiveOf(setting, { agents, conversation });
    const read: number[] = [];
    pages.set(bytesLabel(conversation), read);
    const sample = async (): Promise<Laps> => {
      const before = traffic();
      const elapsed = stopwatch();
      const { leave } = await hosted(sqliteStore(file), "write");
      const open = elapsed();
      const after = traffic();
      if (before !== null && after !== null) read.push((after.read - before.read) / pageBytes);
      await leave();
      return { open };
    };
    cases.push({ name: bytesLabel(conversation), times: 3, sample });
  }
  const timings = await interleave(cases, { roundsMin: 9, budgetMs: isQuick || isGate ? 500 : 3_000 });
  const names = conversations.map(bytesLabel);
  const [small = "", large = ""] = names;
  // The count itself is read through a file, and its digits are more or fewer.
  const counted = names.map((name) => Math.floor(Math.min(...(pages.get(name) ?? []))));
  const times = ratios(timingAt(timings, large, "open"), timingAt(timings, small, "open")).median;
  const rows: readonly Row[] = [
    { label: "open", unit: "ms", values: names.map((name) => medianOf(timings, name, "open")) },
    ...(counted.every(Number.isFinite)
      ? [{ label: "  pages read by it", unit: "count", values: counted } satisfies Row]
      : []),
  ];
  const title = `Open for writing, ${sizeLabel(agents)} agents with conversations of`;
  const [few = Number.NaN, many = Number.NaN] = counted;
  return {
    sections: [{ title, columns: names, rows, notes: [] }],
    claims: [
      ...(Number.isFinite(many)
        ? [within(`open beside ${large} each: pages read, as beside none`, few + indexPages, many, "count")]
        : []),
      atMost(`open beside ${large} each / beside none`, isGate ? 3 : 1.25, times, "times"),
    ],
  };
}
