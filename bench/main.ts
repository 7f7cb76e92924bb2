/** The bench's command line: runs the subjects asked for, prints their tables, and fails where a claim does not hold. */
import { writeFileSync } from "node:fs";
import { type Asked, helpOf, parse, UsageError } from "./arguments.ts";
import { harness } from "./harness.ts";
import { hydrate } from "./hydrate.ts";
import { stopwatch } from "./measure.ts";
import { open } from "./open.ts";
import { protocol } from "./protocol.ts";
import { replay } from "./replay.ts";
import { restore } from "./restore.ts";
import { save } from "./save.ts";
import { scheduledModelRun } from "./scheduled.ts";
import { type Calibration, calibrate, type Machine, machine, type Setting, type Subject, scratch } from "./setting.ts";
import { type Claim, claimsOf, type Section, shown, tableOf } from "./table.ts";
import { workers } from "./workers.ts";

const subjects: { readonly [name: string]: Subject } = {
  restore,
  open,
  hydrate,
  save,
  harness,
  protocol,
  replay,
  scheduled: scheduledModelRun,
  workers,
};
const names: readonly string[] = Object.keys(subjects);

function headOf({ node, platform, cpu, cores }: Machine, { loopsPerSecond, syncMs }: Calibration): string {
  return [
    `Rollcall bench: node ${node}, ${platform}, ${cpu}, ${cores} cores`,
    `calibration: ${shown(loopsPerSecond, "per_second")} JSON and SHA-256 loops; ${shown(syncMs, "ms")} to make 4 KB durable`,
    "medians of interleaved samples; they compare within this run",
    "",
  ].join("\n");
}

async function run({ names, isQuick, json }: Asked): Promise<number> {
  const elapsed = stopwatch();
  const folder = scratch();
  const setting: Setting = { folder, isQuick, archives: new Map() };
  const [on, calibration] = [machine(), calibrate(folder)];
  console.log(headOf(on, calibration));
  const sections: Section[] = [];
  const claims: Claim[] = [];
  for (const name of names) {
    const found = await subjects[name]?.(setting);
    for (const section of found?.sections ?? []) console.log(tableOf(section));
    sections.push(...(found?.sections ?? []));
    claims.push(...(found?.claims ?? []));
  }
  const missed = claims.filter((claim) => !claim.isHeld).length;
  const seconds = Math.round(elapsed() / 1_000);
  console.log(claimsOf(claims));
  console.log(`\n${claims.length - missed} held, ${missed} missed, ${seconds} s`);
  const report = { machine: on, calibration, isQuick, seconds, sections, claims };
  if (json !== null) writeFileSync(json, `${JSON.stringify(report, null, 2)}\n`);
  return missed === 0 ? 0 : 1;
}

async function main(argv: readonly string[]): Promise<number> {
  try {
    const asked = parse(argv, names);
    if (asked !== "help") return await run(asked);
    console.log(helpOf(names));
    return 0;
  } catch (error) {
    if (error instanceof UsageError) {
      console.error(`${error.message}\nTry --help.`);
      return 2;
    }
    console.error(error);
    return 70;
  }
}

process.exitCode = await main(process.argv.slice(2));
