/**
 * What a session's own recording costs: the same turn, once with and once without it, over an archive that is durable, one that is not,
 * and one in memory, where nothing hides it.
 */
import { join } from "node:path";
import { type DispatchRequest, memoryStore, openSession, type Store, sqliteStore } from "../src/index.ts";
import { atMost, exactly } from "./claims.ts";
import { host } from "./content.ts";
import { type Case, interleave, type Laps, medianOf, stopwatch } from "./measure.ts";
import { prose } from "./prose.ts";
import type { Findings, Setting } from "./setting.ts";
import { counted, type Work, workSince } from "./work.ts";

/** Slower by no more than this. */
const slowerMax = 1.05;
/** A follow-up, its task check and its dispatch, the end of the turn, and the mail that is read. */
export const linesOfTurn = 5;
const [task, result] = [prose(3, 400), prose(4, 2_000)];

interface Working {
  readonly name: string;
  readonly work: Work;
  turn(): Promise<void>;
  leave(): Promise<void>;
}

export async function working(name: string, store: Store, file: string | null): Promise<Working> {
  const running: DispatchRequest[] = [];
  const provider = { dispatch: (request: DispatchRequest) => void running.push(request) };
  const found = counted(store);
  const session = await openSession(found, { ...host, provider, ...(file === null ? {} : { record: file }) });
  const role = Object.keys(host.roles)[0] ?? "";
  const agent = await session.root.spawn({ name: "a", role, text: task });
  const end = async (): Promise<void> => {
    await running.pop()?.finish("completed", result);
    await session.root.sample();
  };
  await end();
  return {
    ...{ name, work: found.work },
    turn: async () => {
      await agent.followUp(task);
      await end();
    },
    leave: () => session.close(),
  };
}

/** Turns a sample: one alone is over before a clock has moved. */
const turnsOf: { readonly [kind: string]: number } = { "on disk": 4, "durability normal": 20, "in memory": 60 };

async function sample({ turn }: Working, times: number): Promise<Laps> {
  const elapsed = stopwatch();
  for (let done = 0; done < times; done++) await turn();
  return { ms: elapsed() / times };
}

export async function record({ folder, isQuick }: Setting): Promise<Findings> {
  const stores: { readonly [kind: string]: (name: string) => Store } = {
    "on disk": (name) => sqliteStore(join(folder, `record-full-${name}.rollcall`)),
    "durability normal": (name) => sqliteStore(join(folder, `record-${name}.rollcall`), { durability: "normal" }),
    "in memory": () => memoryStore(),
  };
  const pairs: { readonly kind: string; readonly plain: Working; readonly recorded: Working }[] = [];
  for (const [kind, store] of Object.entries(stores))
    pairs.push({
      kind,
      plain: await working(`${kind}, plain`, store("plain"), null),
      recorded: await working(`${kind}, recorded`, store("recorded"), join(folder, `${kind}.jsonl`)),
    });
  const commits: number[] = [];
  const cases: readonly Case[] = pairs.flatMap(({ kind, plain, recorded }) =>
    [plain, recorded].map((each) => ({
      name: each.name,
      sample: async () => {
        const before = { ...each.work };
        const times = turnsOf[kind] ?? 1;
        const laps = await sample(each, times);
        commits.push(workSince(each.work, before).commits / times);
        return laps;
      },
    })),
  );
  const timings = await interleave(cases, { roundsMin: 15, budgetMs: isQuick ? 2_000 : 10_000 });
  for (const { plain, recorded } of pairs) {
    await plain.leave();
    await recorded.leave();
  }
  const ms = (each: Working): number => medianOf(timings, each.name, "ms");
  const ratios = pairs.map(({ plain, recorded }) => ms(recorded) / ms(plain));
  const section = {
    title: "One turn, recorded and not; archive:",
    columns: pairs.map(({ kind }) => kind),
    rows: [
      { label: "not recorded", unit: "ms", values: pairs.map(({ plain }) => ms(plain)) },
      { label: "recorded", unit: "ms", values: pairs.map(({ recorded }) => ms(recorded)) },
      { label: "recorded against not", unit: "times", values: ratios },
    ],
    notes: [],
  } as const;
  return {
    sections: [section],
    claims: [
      exactly("commits of a turn, recorded or not", 3, commits),
      atMost("a turn on disk, recorded against not", slowerMax, ratios[0] ?? Number.NaN, "times"),
    ],
  };
}
