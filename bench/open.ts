/**
 * Opening alone: the same whether 28 or 100,000 agents are kept, since idle records are looked at when somebody asks for
 * them; and what it takes to list them all, here and with what people use in the place of a registry.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { sqliteStore } from "../src/index.ts";
import { atMost, exactly } from "./claims.ts";
import { archiveOf, type Content, flushed, peerAgents } from "./fixtures.ts";
import { hosted } from "./hosting.ts";
import { type Case, interleave, type Laps, medianOf, stopwatch, type Timing } from "./measure.ts";
import {
  createJsonFile,
  createLog,
  createRows,
  openJsonFile,
  openLog,
  openRows,
  type Peer,
  type PeerAgent,
  rosterOf,
} from "./peers.ts";
import type { Findings, Setting } from "./setting.ts";
import type { Row, Section } from "./table.ts";
import { type CountedStore, counted, type Work, workSince } from "./work.ts";

const modes = ["write", "read"] as const;
type Mode = (typeof modes)[number];

interface Sized {
  readonly agents: number;
  readonly file: string;
  readonly store: CountedStore;
  /** What each opening brought into memory. */
  readonly opened: Work[];
}
export function sizesOf({ isQuick }: Setting): readonly number[] {
  return isQuick ? [28, 1_000, 10_000] : [28, 1_000, 10_000, 100_000];
}
export function sizeLabel(agents: number): string {
  return String(agents).replace(/\B(?=(\d{3})+$)/g, ",");
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
async function sampleRoster({ store, agents }: Sized): Promise<Laps> {
  const elapsed = stopwatch();
  const { session, leave } = await hosted(store, "write");
  const roster = (await session.roster()).length;
  const reached = elapsed();
  await leave();
  if (roster !== agents + 1) throw new Error(`the roster has ${roster} rows`);
  return { roster: reached };
}

export interface PeerKind {
  readonly name: string;
  readonly suffix: string;
  readonly create: (file: string, agents: readonly PeerAgent[]) => void;
  readonly open: (file: string) => Peer;
}
export const peerKinds: readonly PeerKind[] = [
  { name: "one JSON file", suffix: ".json", create: createJsonFile, open: openJsonFile },
  { name: "log of JSON lines", suffix: ".jsonl", create: createLog, open: openLog },
  { name: "JSON rows in SQLite", suffix: ".sqlite", create: createRows, open: openRows },
];
function samplePeer({ open, suffix }: PeerKind, { file, agents }: Sized): Laps {
  const elapsed = stopwatch();
  const peer = open(`${file}${suffix}`);
  const rows = rosterOf(peer).length;
  const roster = elapsed();
  peer.close();
  if (rows !== agents) throw new Error(`the peer has ${rows} agents`);
  return { roster };
}

// ── From the start of a process ──────────────────────────────────────────────────────────────────────────────────

const starts = ["nothing", "json", "rollcall"] as const;
const program = fileURLToPath(new URL("./start.js", import.meta.url));
function sampleStart(what: (typeof starts)[number], file: string): Laps {
  const elapsed = stopwatch();
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, what, file], { encoding: "utf8" });
  const roster = elapsed();
  if (status !== 0 || stdout.trim() !== (what === "nothing" ? "0" : "28"))
    throw new Error(`${what} ended with ${status}: ${stdout}${stderr}`);
  return { roster };
}

const nameOf = (what: string, { agents }: Sized) => `${what} ${agents}`;

export async function open(setting: Setting): Promise<Findings> {
  const { isQuick } = setting;
  const sized: Sized[] = [];
  for (const agents of sizesOf(setting)) {
    const content: Content = { agents, conversation: 0 };
    const file = await archiveOf(setting, content);
    const peers = peerAgents(content);
    for (const { create, suffix } of peerKinds) {
      create(`${file}${suffix}`, peers);
      flushed(`${file}${suffix}`);
    }
    sized.push({ agents, file, store: counted(sqliteStore(file)), opened: [] });
  }
  const openings: readonly Case[] = modes.flatMap((mode) =>
    sized.map((each) => ({ name: nameOf(mode, each), times: 3, sample: () => sampleOpen(each, mode) })),
  );
  const opens = await interleave(openings, { roundsMin: 15, budgetMs: isQuick ? 2_000 : 8_000 });
  // Size by size, since those of one size are compared with each other, and the largest takes seconds.
  const rosters = new Map<string, ReadonlyMap<string, Timing>>();
  for (const each of sized) {
    const times = each.agents > 1_000 ? 1 : 5;
    const listings: readonly Case[] = [
      { name: nameOf("rollcall", each), times, sample: () => sampleRoster(each) },
      ...peerKinds.map((kind) => ({
        name: nameOf(kind.name, each),
        times,
        sample: async () => samplePeer(kind, each),
      })),
    ];
    const timings = await interleave(listings, {
      roundsMin: each.agents > 10_000 ? 1 : 3,
      budgetMs: isQuick ? 400 : 1_500,
      collects: true,
    });
    for (const [name, laps] of timings) rosters.set(name, laps);
  }
  const [smallest, largest] = [sized[0], sized.at(-1)];
  if (smallest === undefined || largest === undefined) throw new Error("there is nothing to open");
  const processes = await interleave(
    starts.map((what) => ({ name: what, sample: async () => sampleStart(what, smallest.file) })),
    { roundsMin: isQuick ? 3 : 9, budgetMs: 0 },
  );

  const openRow = (label: string, mode: Mode): Row => ({
    ...{ label, unit: "ms" },
    values: sized.map((each) => medianOf(opens, nameOf(mode, each), "open")),
  });
  const rosterRow = (label: string, what: string): Row => ({
    ...{ label, unit: "ms" },
    values: sized.map((each) => medianOf(rosters, nameOf(what, each), "roster")),
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
  const listing: Section = {
    title: "Open and list all of them; idle agents kept:",
    columns,
    rows: [
      rosterRow("rollcall, each row checked", "rollcall"),
      ...peerKinds.map(({ name }) => rosterRow(`peer: ${name}`, name)),
    ],
    notes: [],
  };
  const start: Section = {
    title: "From the start of a process to the roster of 28 agents",
    columns: ["median"],
    rows: [
      { label: "node alone", unit: "ms", values: [medianOf(processes, "nothing", "roster")] },
      { label: "rollcall, writable", unit: "ms", values: [medianOf(processes, "rollcall", "roster")] },
      { label: "peer: one JSON file", unit: "ms", values: [medianOf(processes, "json", "roster")] },
    ],
    notes: [
      "A plain JSON file is faster here, and up to the sizes where listing it is: it checks nothing and owns nothing.",
    ],
  };
  const growth = (mode: Mode) =>
    medianOf(opens, nameOf(mode, largest), "open") / medianOf(opens, nameOf(mode, smallest), "open");
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
    atMost(`open at ${sizeLabel(largest.agents)} / at 28, writable`, 1.5, growth("write"), "times"),
    atMost(`open at ${sizeLabel(largest.agents)} / at 28, read-only`, 1.5, growth("read"), "times"),
  ];
  return { sections: [alone, listing, start], claims };
}
