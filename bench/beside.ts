/**
 * Ours beside what people have, at every size: whole processes, warm restores, and one act at a time. Every peer is in a
 * process of its own and all take turns; every sample ends at what can be checked, and a wrong answer ends the run.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Ask, type Reply, rosterHash, type Until } from "./acts.ts";
import { type Measurement, measurementOf, type Sampled, tooMuch, type Workload } from "./cells.ts";
import { type Content, mailOf, messageCount, pathOf, range, strides } from "./content.ts";
import { type Case, type Effort, interleave } from "./measure.ts";
import { kindNamed } from "./peers/kinds.ts";
import { prose } from "./prose.ts";
import type { Setting } from "./setting.ts";
import { type Place, type Staged, staged, whole } from "./staged.ts";

/** What is measured of one content. */
export interface Plan {
  readonly content: Content;
  readonly processes: readonly Until[];
  readonly warm: readonly Until[];
  readonly acts: boolean;
}
interface Site {
  readonly content: Content;
  readonly places: readonly Place[];
  readonly cannot: ReadonlyMap<string, string>;
  /** Gives the disk back. */
  clear(): void;
}

/** Archives of one content, one a peer, on the disk. */
async function prepare({ folder, peers }: Setting, content: Content): Promise<Site> {
  const cannot = new Map<string, string>();
  const places: Place[] = [];
  const home = join(folder, `${content.agents}x${content.conversation}`);
  for (const peer of peers) {
    const kind = await kindNamed(peer);
    const why = tooMuch(content) ?? kind.cannot(content.agents, content.agents * content.conversation);
    if (why !== null) {
      cannot.set(peer, why);
      continue;
    }
    const place = { peer, folder: join(home, peer) };
    mkdirSync(place.folder, { recursive: true });
    const maker = staged(place);
    await maker.ask({ do: "create", content });
    await maker.end();
    places.push(place);
  }
  // So that nothing that is measured later waits for what was written now.
  spawnSync("sync", ["-f", folder]);
  return { content, places, cannot, clear: () => rmSync(home, { recursive: true, force: true }) };
}

type LapNames = readonly (readonly [what: Workload, lap: string])[];
class Wrong extends Error {}
/** Every path and activity, whoever tells them, and no fewer messages than there are. */
function checked(peer: string, content: Content, until: Until, { found }: Reply, expected: string): void {
  const messages = content.agents * messageCount(content);
  if (found["agents"] !== content.agents || found["roster"] !== expected)
    throw new Wrong(`${peer} shows ${found["agents"]} agents, or not those of the fixture, at ${content.agents}`);
  if (until === "all" && Number(found["messages"]) < messages)
    throw new Wrong(`${peer} read ${found["messages"]} messages, not ${messages}`);
}

type Sampler = (place: Place) => Promise<Reply>;
/** All peers in turn, by whatever takes one sample of one of them. */
async function sample({ content, places, cannot }: Site, sampler: Sampler, effort: Effort): Promise<Sampled> {
  const replies = new Map<string, Reply[]>(places.map(({ peer }) => [peer, []]));
  const cases = places.map((place): Case => {
    const take = async () => {
      const reply = await sampler(place);
      replies.get(place.peer)?.push(reply);
      return reply.laps;
    };
    return { name: place.peer, sample: take };
  });
  return { content, timings: await interleave(cases, effort), replies, cannot };
}

const lapsOfProcess = { roster: "process_roster", first: "process_first", all: "process_all" } as const;
async function measureProcesses(site: Site, until: Until, effort: Effort): Promise<readonly Measurement[]> {
  const { content } = site;
  const expected = rosterHash(range(0, content.agents).map((index) => [pathOf(index), "idle"]));
  const next = strides(content.agents);
  const sampled = await sample(
    site,
    async (place) => {
      const reply = await whole(place, { do: "restore", until, path: next() });
      checked(place.peer, content, until, reply, expected);
      return reply;
    },
    effort,
  );
  return measurements(sampled, [[lapsOfProcess[until], "answered"]]);
}

async function measureWarm(site: Site, until: Until, effort: Effort): Promise<readonly Measurement[]> {
  const { content } = site;
  const expected = rosterHash(range(0, content.agents).map((index) => [pathOf(index), "idle"]));
  const next = strides(content.agents);
  return withStages(site, async (stageOf) => {
    const sampled = await sample(
      site,
      async (place) => {
        const reply = await stageOf(place).ask({ do: "restore", until, path: next() });
        checked(place.peer, content, until, reply, expected);
        return reply;
      },
      effort,
    );
    const laps: LapNames = [
      ["open", "open"],
      ["roster", "roster"],
      ...(until === "roster" ? [] : [[until, until] as const]),
    ];
    return measurements(sampled, until === "roster" ? laps : laps.slice(2));
  });
}

/** How many of the mails that were acknowledged are looked for, of each peer. */
const lookedFor = 3;
/** One act at a time on a session that is open; then, opened anew, the mail that was acknowledged is there. */
async function measureActs(site: Site, effort: Effort): Promise<readonly Measurement[]> {
  const { content, places } = site;
  const [next, text] = [strides(content.agents), prose(7, 200)];
  const workers = () => {
    for (let path = next(); ; path = next()) if (path.includes("worker")) return path;
  };
  return withStages(site, async (stageOf) => {
    const all: Measurement[] = [];
    const before = new Map(range(0, content.agents).map((index) => [pathOf(index), mailOf(index).length]));
    const takers = new Set<string>();
    for (const { peer } of places) if ((await kindNamed(peer)).takesMail === true) takers.add(peer);
    const act = async (laps: LapNames, ask: (peer: string) => Ask, effortOf = effort) => {
      const sampled = await sample(site, (place) => stageOf(place).ask(ask(place.peer)), effortOf);
      all.push(...measurements(sampled, laps));
    };
    for (const place of places) await stageOf(place).ask({ do: "open" });
    await act([["list", "ms"]], () => ({ do: "list" }));
    const mailed = new Map<string, Map<string, number>>(places.map(({ peer }) => [peer, new Map()]));
    await act([["mail", "ms"]], (peer) => {
      // Only they have no children, whose results would be mail of theirs as well.
      const to = workers();
      const of = mailed.get(peer);
      of?.set(to, (of.get(to) ?? 0) + 1);
      return { do: "mail", to, text };
    });
    const few = { ...effort, budgetMs: effort.budgetMs / 2 };
    await act([["drain", "ms"]], () => ({ do: "drain", mails: 10, text }), few);
    // A conversation that nobody ever wrote to is not there to be continued or read.
    if (content.conversation > 0) {
      const turn: LapNames = [
        ["begin", "begin"],
        ["settle", "settle"],
      ];
      await act(
        turn,
        (peer) => {
          const path = workers();
          if (takers.has(peer)) mailed.get(peer)?.delete(path);
          return { do: "turn", path, text };
        },
        few,
      );
      await act([["last", "ms"]], () => ({ do: "history", path: next(), last: 20 }), few);
      await act([["whole", "ms"]], () => ({ do: "history", path: next(), last: null }), few);
    }
    for (const place of places) {
      const of = [...(mailed.get(place.peer) ?? [])];
      // A turn of one of these may have been measured before, and have taken what was there from the beginning.
      const sure = takers.has(place.peer) ? of.filter(([path]) => (before.get(path) ?? 0) === 0) : of;
      await lookFor(stageOf(place), place.peer, sure, before);
    }
    return all;
  });
}
/** Closed and opened: what was sent to these is unread there, and what was unread before. */
async function lookFor(
  stage: Staged,
  peer: string,
  mailed: readonly (readonly [path: string, count: number])[],
  before: ReadonlyMap<string, number>,
) {
  await stage.ask({ do: "close" });
  await stage.ask({ do: "open" });
  for (const [path, count] of mailed.slice(-lookedFor)) {
    const asked = count + (before.get(path) ?? 0);
    const there = (await stage.ask({ do: "unread", path })).found["mails"];
    if (there !== asked) throw new Wrong(`${peer}, opened anew, has ${there} mails of ${path}, not ${asked}`);
  }
  await stage.ask({ do: "close" });
}

async function withStages<Value>(
  { places }: Site,
  use: (stageOf: (place: Place) => Staged) => Promise<Value>,
): Promise<Value> {
  const stages = new Map(places.map((place) => [place.peer, staged(place)]));
  try {
    return await use((place) => {
      const found = stages.get(place.peer);
      if (found === undefined) throw new Error(`there is no process of ${place.peer}`);
      return found;
    });
  } finally {
    for (const stage of stages.values()) await stage.end();
  }
}

function measurements(sampled: Sampled, laps: LapNames): readonly Measurement[] {
  const peers = [...sampled.timings.keys(), ...sampled.cannot.keys()];
  return laps.flatMap(([what, lap]) => peers.flatMap((peer) => measurementOf(what, lap, peer, sampled) ?? []));
}

/** Everything that the plan asks of this content, its archives made before and removed after. */
export async function measureContent(setting: Setting, plan: Plan): Promise<readonly Measurement[]> {
  const site = await prepare(setting, plan.content);
  const { isQuick, isGate } = setting;
  const brief = isQuick || isGate;
  const effort: Effort = { roundsMin: brief ? 3 : 5, budgetMs: brief ? 600 : 2_000 };
  const all: Measurement[] = [];
  try {
    if (site.places.length === 0)
      return [...site.cannot].map(([peer, cannot]) => blank("roster", plan.content, peer, cannot));
    for (const until of plan.processes)
      all.push(...(await measureProcesses(site, until, { roundsMin: 5, budgetMs: effort.budgetMs })));
    for (const until of plan.warm) all.push(...(await measureWarm(site, until, effort)));
    if (plan.acts) all.push(...(await measureActs(site, effort)));
    return all;
  } finally {
    site.clear();
  }
}
function blank(what: Workload, content: Content, peer: string, cannot: string): Measurement {
  return { what, ...content, peer, timing: null, cannot, ratio: null, written: null, read: null, memory: 0 };
}
