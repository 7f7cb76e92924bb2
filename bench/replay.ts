/** What a corpus of recorded stories costs to replay: the package's own, told until there are five hundred. */
import { type OpenTarget, readTrace, replayTrace, targetNamed, traceFiles } from "../properties/index.ts";
import { atMost, exactly } from "./claims.ts";
import { type Case, interleave, type Laps, medianOf, stopwatch } from "./measure.ts";
import { calibrationLoop, type Findings, type Setting } from "./setting.ts";

const traces = 500;
const replayMsMax = 2_000;
const targets = ["model", "memory", "sqlite"] as const;
type Recorded = Awaited<ReturnType<typeof readTrace>>;

/** Answers how many are fixed: a replay that stops early costs nothing and says nothing. */
async function replayAll(open: OpenTarget, recorded: readonly Recorded[]): Promise<{ fixed: number; ms: number }> {
  const target = await open();
  const elapsed = stopwatch();
  let fixed = 0;
  for (let told = 0; told < traces; told++) {
    const one = recorded[told % recorded.length];
    if (one !== undefined && (await replayTrace(one.trace, target, one.rot)).is === "fixed") fixed++;
  }
  const ms = elapsed();
  await target.close();
  return { fixed, ms };
}

export async function replay({ isQuick }: Setting): Promise<Findings> {
  const recorded = await Promise.all((await traceFiles()).map(readTrace));
  const fixed: number[] = [];
  const cases: Case[] = [{ name: "calibration", sample: async () => ({ step: calibrationLoop() }) }];
  for (const name of targets) {
    const open = await targetNamed(name);
    const sample = async (): Promise<Laps> => {
      const found = await replayAll(open, recorded);
      fixed.push(found.fixed);
      return { all: found.ms };
    };
    cases.push({ name, sample });
  }
  const timings = await interleave(cases, { roundsMin: isQuick ? 1 : 3, budgetMs: 0 });
  const ms = (name: string): number => medianOf(timings, name, "all");
  const rows = targets.map((name) => ({ label: `against ${name}`, unit: "ms" as const, values: [ms(name)] }));
  const rate = {
    label: "calibration loop",
    unit: "per_second" as const,
    values: [1_000 / medianOf(timings, "calibration", "step")],
  };
  const section = {
    title: `${traces} recorded stories replayed, of ${recorded.length} different ones`,
    columns: ["median"],
    rows: [...rows, rate],
    notes: [],
  };
  return {
    sections: [section],
    claims: [
      exactly(`stories of ${traces} that are fixed on each target`, traces, fixed),
      atMost(`${traces} recorded stories against production in memory`, replayMsMax, ms("memory"), "ms"),
    ],
  };
}
