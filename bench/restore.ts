/**
 * Restoring a session of 28 idle agents: to the roster, to the first follow-up, and after touching all of them. Lazy is
 * what the registry does; eager is the same restore with every conversation brought into memory first. L31
 */
import { type Message, type Session, type Store, sqliteStore } from "../src/index.ts";
import { atLeast, exactly } from "./claims.ts";
import { messageCount, pathOf } from "./content.ts";
import { archiveOf } from "./fixtures.ts";
import { hosted } from "./hosting.ts";
import { type Case, interleave, type Laps, medianOf, stopwatch, type Timings } from "./measure.ts";
import type { Findings, Setting } from "./setting.ts";
import type { Claim, Row, Section } from "./table.ts";
import { type CountedStore, counted, eager, type Work, workSince } from "./work.ts";

const agents = 28;
const laps = ["open", "roster", "first", "all"] as const;
type Lap = (typeof laps)[number];
type Mode = "read" | "write";

interface Size {
  readonly label: string;
  readonly conversation: number;
  readonly rounds: number;
}
const sizes: readonly Size[] = [
  { label: "50 KB", conversation: 50_000, rounds: 9 },
  { label: "500 KB", conversation: 500_000, rounds: 7 },
  { label: "5 MB", conversation: 5_000_000, rounds: 2 },
];
/** The size that claims are made about. */
const judged = 500_000;

/** Conversations read until each lap, sample by sample. */
type Reads = { readonly [lap in Lap]: number[] };

async function touch(session: Session, mode: Mode, path: string, count: number): Promise<void> {
  const agent = session.agent(path);
  if (mode === "write") {
    await agent.followUp("And the tests?");
    return;
  }
  const history: readonly Message[] = await agent.readHistory({ last: count + 1_000 });
  if (history.length < count) throw new Error(`${path} has ${history.length} messages, not ${count}`);
}

interface Restore {
  readonly name: string;
  readonly mode: Mode;
  readonly count: number;
  readonly work: Work;
  readonly reads: Reads;
}
/** One restore and what follows it until a lap, with what was read until each. */
async function sample(store: Store, { mode, count, work, reads }: Restore, until: "first" | "all"): Promise<Laps> {
  const before = { ...work };
  const found: { [lap: string]: number } = {};
  const elapsed = stopwatch();
  const reached = (lap: Lap) => {
    found[lap] = elapsed();
    reads[lap].push(workSince(work, before).conversations);
  };
  const { session, leave } = await hosted(store, mode);
  reached("open");
  const roster = await session.roster();
  reached("roster");
  if (roster.length !== agents + 1) throw new Error(`the roster has ${roster.length} rows`);
  await touch(session, mode, pathOf(0), count);
  reached("first");
  if (until === "first") {
    await leave();
    return found;
  }
  for (let index = 1; index < agents; index++) await touch(session, mode, pathOf(index), count);
  reached("all");
  await leave();
  return found;
}

interface Measured {
  readonly size: Size;
  readonly timings: Timings;
  readonly restores: readonly Restore[];
}
async function measure(size: Size, setting: Setting): Promise<Measured> {
  const content = { agents, conversation: size.conversation };
  const file = await archiveOf(setting, content);
  const store: CountedStore = counted(sqliteStore(file));
  const restores: Restore[] = [];
  const begin = (how: "lazy" | "eager", mode: Mode): Restore => {
    const reads: Reads = { open: [], roster: [], first: [], all: [] };
    return { name: `${mode} ${how}`, mode, count: messageCount(content), work: store.work, reads };
  };
  const cases: Case[] = [];
  for (const mode of ["read", "write"] as const) {
    const [lazily, eagerly] = [begin("lazy", mode), begin("eager", mode)];
    restores.push(lazily, eagerly);
    cases.push(
      { name: lazily.name, times: 5, sample: () => sample(store, lazily, "first") },
      { name: lazily.name, sample: async () => ({ all: (await sample(store, lazily, "all"))["all"] ?? Number.NaN }) },
      { name: eagerly.name, sample: () => sample(eager(store), eagerly, "all") },
    );
  }
  const timings = await interleave(cases, { roundsMin: size.rounds, budgetMs: 0, collects: true });
  return { size, timings, restores };
}

function ratio({ timings }: Measured, mode: Mode, lap: Lap): number {
  return medianOf(timings, `${mode} eager`, lap) / medianOf(timings, `${mode} lazy`, lap);
}
const lapLabels: { readonly [lap in Lap]: { readonly [mode in Mode]: string } } = {
  open: { read: "restored", write: "restored" },
  roster: { read: "to the roster", write: "to the roster" },
  first: { read: "to the first history", write: "to the first follow-up" },
  all: { read: "after all 28 histories", write: "after 28 follow-ups" },
};
const meaning: readonly string[] = [
  "Lazy is what the registry does: no conversation is read before somebody asks for it. Eager is the same restore with all of " +
    "them in memory first.",
];
function sectionOf(mode: Mode, all: readonly Measured[]): Section {
  const rows = laps.flatMap((lap): readonly Row[] => {
    const label = lapLabels[lap][mode];
    const of = (how: string) => all.map(({ timings }) => medianOf(timings, `${mode} ${how}`, lap));
    return [
      { label: `${label}, lazy`, unit: "ms", values: of("lazy") },
      { label: `${label}, eager`, unit: "ms", values: of("eager") },
      { label: "  eager / lazy", unit: "times", values: all.map((each) => ratio(each, mode, lap)) },
    ];
  });
  return {
    title: `Restore ${agents} idle agents, ${mode === "write" ? "writable" : "read-only"}; a conversation each of`,
    columns: all.map(({ size }) => size.label),
    rows,
    notes: mode === "write" ? meaning : [],
  };
}

function claimsOf({ size, restores }: Measured): readonly Claim[] {
  return restores.flatMap(({ name, reads }) => {
    const isLazy = name.endsWith("lazy");
    const what = `${name}, ${agents} x ${size.label}: conversations read`;
    return [
      exactly(`${what} by the restore`, isLazy ? 0 : agents, reads.open),
      exactly(`${what} to the roster`, isLazy ? 0 : agents, reads.roster),
      exactly(`${what} after touching one`, isLazy ? 1 : agents, reads.first),
      exactly(`${what} after touching all`, agents, reads.all),
    ];
  });
}

export async function restore(setting: Setting): Promise<Findings> {
  const { isQuick } = setting;
  const all: Measured[] = [];
  for (const size of sizes) {
    if (isQuick && size.conversation > judged) continue;
    all.push(await measure(isQuick ? { ...size, rounds: 3 } : size, setting));
  }
  const floors = all
    .filter(({ size }) => size.conversation === judged)
    .flatMap((each) => [
      atLeast(`restore of ${agents} x 500 KB, writable: eager / lazy`, 50, ratio(each, "write", "open"), "times"),
      atLeast(`restore of ${agents} x 500 KB, read-only: eager / lazy`, 100, ratio(each, "read", "open"), "times"),
    ]);
  return {
    sections: [sectionOf("write", all), sectionOf("read", all)],
    claims: [...all.flatMap(claimsOf), ...floors],
  };
}
