/**
 * Opening alone: the same whether 28 or 100,000 agents are kept, since idle records are looked at when somebody asks for
 * them.
 */
import { sqliteStore } from "../src/index.ts";
import { sizeLabel } from "./cells.ts";
import { atMost, exactly } from "./claims.ts";
import type { Content } from "./content.ts";
import { archiveOf } from "./fixtures.ts";
import { hosted } from "./hosting.ts";
import { type Case, interleave, type Laps, medianOf, ratios, stopwatch, timingAt } from "./measure.ts";
import type { Findings, Setting } from "./setting.ts";
import type { Row, Section } from "./table.ts";
import { type CountedStore, counted, type Work, workSince } from "./work.ts";

const modes = ["write", "read"] as const;
type Mode = (typeof modes)[number];

interface Sized {
  readonly agents: number;
  readonly store: CountedStore;
  /** What each opening brought into memory. */
  readonly opened: Work[];
}
export function sizesOf({ isQuick }: Setting): readonly number[] {
  return isQuick ? [28, 1_000, 10_000] : [28, 1_000, 10_000, 100_000];
}

async function sampleOpen({ store, opened }: Sized, mode: Mode): Promise<Laps> {
  const before = { ...store.work };
  const elapsed = stopwatch();
  const { leave } = await hosted(store, mode);
  const open = elapsed();
  opened.push(workSince(store.work, before));
  await leave();
  return { open };
}
const nameOf = (what: string, { agents }: Sized) => `${what} ${agents}`;

export async function open(setting: Setting): Promise<Findings> {
  const { isQuick } = setting;
  const sized: Sized[] = [];
  for (const agents of sizesOf(setting)) {
    const content: Content = { agents, conversation: 0 };
    const file = await archiveOf(setting, content);
    sized.push({ agents, store: counted(sqliteStore(file)), opened: [] });
  }
  const openings: readonly Case[] = modes.flatMap((mode) =>
    sized.map((each) => ({ name: nameOf(mode, each), times: 3, sample: () => sampleOpen(each, mode) })),
  );
  const opens = await interleave(openings, { roundsMin: 15, budgetMs: isQuick ? 2_000 : 8_000 });
  const [smallest, largest] = [sized[0], sized.at(-1)];
  if (smallest === undefined || largest === undefined) throw new Error("there is nothing to open");
  const openRow = (label: string, mode: Mode): Row => ({
    ...{ label, unit: "ms" },
    values: sized.map((each) => medianOf(opens, nameOf(mode, each), "open")),
  });
  const counts = (of: keyof Work): Row => ({
    ...{ label: `  ${of} read by it`, unit: "count" },
    values: sized.map(({ opened }) => Math.max(...opened.map((each) => each[of]))),
  });
  const columns = sized.map(({ agents }) => sizeLabel(agents));
  const alone: Section = {
    title: "Open alone; idle agents kept:",
    columns,
    rows: [openRow("writable", "write"), openRow("read-only", "read"), counts("rows"), counts("conversations")],
    notes: [],
  };
  const opensOf = (mode: Mode, each: Sized) => timingAt(opens, nameOf(mode, each), "open");
  const growth = (mode: Mode) => ratios(opensOf(mode, largest), opensOf(mode, smallest)).median;
  const growthMax = setting.isGate ? 4 : 1.5;
  const claims = [
    ...sized.flatMap(({ agents, opened }) => [
      exactly(
        `open at ${sizeLabel(agents)}: rows read`,
        0,
        opened.map(({ rows }) => rows),
      ),
      exactly(
        `open at ${sizeLabel(agents)}: conversations read`,
        0,
        opened.map(({ conversations }) => conversations),
      ),
    ]),
    atMost(`open at ${sizeLabel(largest.agents)} / at 28, writable`, growthMax, growth("write"), "times"),
    atMost(`open at ${sizeLabel(largest.agents)} / at 28, read-only`, growthMax, growth("read"), "times"),
  ];
  return { sections: [alone], claims };
}
