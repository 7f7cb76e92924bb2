/**
 * What the line protocol carries: round trips a second to our registry in a process of its own, one after another and with many on
 * their way, each with its view, encoding and counters checked by their schemas; beside a calibration loop.
 */
import { fileURLToPath } from "node:url";
import { type Target, targetNamed } from "../properties/index.ts";
import { atLeast } from "./claims.ts";
import { type Case, interleave, medianOf } from "./measure.ts";
import { calibrationLoop, type Findings, type Setting } from "./setting.ts";
import type { Row } from "./table.ts";

const perSecondMin = 20_000;
/** A step goes out with a request for the counters: two lines there, two back. */
const linesOfStep = 2;

const steps = async (target: Target, count: number, together: boolean): Promise<number> => {
  const began = performance.now();
  const asked: unknown[] = [];
  for (let index = 0; index < count; index++) {
    const reply = target.apply({ do: "roster" });
    if (together) asked.push(reply);
    else await reply;
  }
  await Promise.all(asked);
  return (performance.now() - began) / (count * linesOfStep);
};

export async function protocol({ isQuick }: Setting): Promise<Findings> {
  const program = fileURLToPath(new URL("../src/cli/main.js", import.meta.url));
  const target = await (await targetNamed(`"${process.execPath}" "${program}" serve memory`, { fresh: false }))();
  const count = isQuick ? 300 : 2_000;
  try {
    await target.reset({ capacity: 3, roles: {}, registrars: {}, archive: "memory", process: "same" });
    const cases: readonly Case[] = [
      { name: "calibration", sample: async () => ({ trip: calibrationLoop() }) },
      { name: "one", sample: async () => ({ trip: await steps(target, count, false) }) },
      { name: "many", sample: async () => ({ trip: await steps(target, count, true) }) },
    ];
    const timings = await interleave(cases, { roundsMin: isQuick ? 3 : 7, budgetMs: 0 });
    const rate = (name: string) => 1_000 / medianOf(timings, name, "trip");
    const row = (label: string, name: string): Row => ({ label, unit: "per_second", values: [rate(name)] });
    const rows = [
      row("a step after another", "one"),
      row("many on their way", "many"),
      row("calibration loop", "calibration"),
    ];
    const section = {
      title: "Round trips of the line protocol to rollcall serve",
      columns: ["median"],
      rows,
      notes: [],
    };
    return {
      sections: [section],
      claims: [atLeast("round trips, many on their way", perSecondMin, rate("many"), "per_second")],
    };
  } finally {
    await target.close();
  }
}
