/** Whether two processes tell a run's stories nearly twice as fast as one, starting them and putting their tales together included. */
import { checkTarget, targetNamed } from "../properties/index.ts";
import { atLeast, exactly } from "./claims.ts";
import { type Case, interleave, type Laps, medianOf } from "./measure.ts";
import { calibrationLoop, type Findings, type Setting } from "./setting.ts";

const name = "memory";
const timesAsked = 1.6;

export async function workers({ isQuick }: Setting): Promise<Findings> {
  const runs = isQuick ? 400 : 1_500;
  const open = await targetNamed(name);
  const held: number[] = [];
  const sample = async (count: number): Promise<Laps> => {
    const found = await checkTarget({ runs, seed: 1, open, shrinksMax: 0, workers: { name, options: {}, count } });
    held.push(found.failed === null ? found.stories : found.stories - 1);
    return { story: found.ms / found.stories };
  };
  const cases: readonly Case[] = [
    { name: "calibration", sample: async () => ({ story: calibrationLoop() }) },
    { name: "one", sample: () => sample(1) },
    { name: "two", sample: () => sample(2) },
  ];
  const timings = await interleave(cases, { roundsMin: isQuick ? 2 : 3, budgetMs: 0 });
  const rate = (of: string): number => 1_000 / medianOf(timings, of, "story");
  const section = {
    title: `Stories of one run of ${runs}, told by one process and by two`,
    columns: ["median"],
    rows: [
      { label: "one", unit: "per_second", values: [rate("one")] },
      { label: "two", unit: "per_second", values: [rate("two")] },
      { label: "calibration loop", unit: "per_second", values: [rate("calibration")] },
    ],
    notes: ["Says something on a machine with two cores that nothing else wants."],
  } as const;
  const claims = [
    exactly("stories that held, however many processes told them", runs, held),
    atLeast("two workers, of what one does", timesAsked, rate("two") / rate("one"), "times"),
  ];
  return { sections: [section], claims };
}
