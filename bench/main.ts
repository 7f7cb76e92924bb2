/** The bench's command line: runs what is asked for, prints it, and fails where a claim does not hold. */
import { writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { compare, compared, sideOf, trials } from "./against.ts";
import { type Asked, helpOf, type Known, parse, UsageError } from "./arguments.ts";
import type { Measurement } from "./cells.ts";
import { atLeast, atMost } from "./claims.ts";
import { flat } from "./flat.ts";
import { harness } from "./harness.ts";
import { hydrate } from "./hydrate.ts";
import { life } from "./life.ts";
import { stopwatch } from "./measure.ts";
import { open } from "./open.ts";
import { install, NotInstalled } from "./peers/installed.ts";
import { asidesOf, leftOut, packaged, names as peerNames, plain, prepare } from "./peers/kinds.ts";
import { protocol } from "./protocol.ts";
import { record } from "./record.ts";
import { replay } from "./replay.ts";
import { type Report, write } from "./report.ts";
import { restore } from "./restore.ts";
import { save } from "./save.ts";
import { scheduledModelRun } from "./scheduled.ts";
import { senders } from "./senders.ts";
import { type Calibration, calibrate, type Machine, machine, type Setting, type Subject, scratch } from "./setting.ts";
import { peers } from "./sizes.ts";
import { type Claim, claimsOf, type Section, shown, tableOf, wrapped } from "./table.ts";
import { sentenceOf } from "./verdict.ts";
import { workers } from "./workers.ts";

const subjects: { readonly [name: string]: Subject } = {
  peers,
  life,
  restore,
  open,
  flat,
  hydrate,
  save,
  senders,
  harness,
  protocol,
  record,
  replay,
  scheduled: scheduledModelRun,
  workers,
};
const known: Known = {
  subjects: Object.keys(subjects),
  gated: ["peers", "open", "flat", "hydrate"],
  peers: peerNames,
  plain,
  leftOut,
};

/** What is planted to see whether it is noticed. */
const slowed = 1.1;
/** More than so much of a core wanted by others, and times mean little. */
const loadMax = 0.5;
function headOf(
  { node, platform, cpu, cores }: Machine,
  { loopsPerSecond, syncMs }: Calibration,
  load: number,
): string {
  return [
    `Rollcall bench: node ${node}, ${platform}, ${cpu}, ${cores} cores`,
    `calibration: ${shown(loopsPerSecond, "per_second")} JSON and SHA-256 loops; ${shown(syncMs, "ms")} to make 4 KB durable`,
    `load: ${load.toFixed(2)}${load > loadMax ? "; others want this machine, so only ratios count" : ""}`,
    "medians of interleaved samples; they compare within this run",
    "",
  ].join("\n");
}

async function measure(asked: Asked): Promise<number> {
  const { names, json, mode } = asked;
  const elapsed = stopwatch();
  // Before anything is made: what is measured now is of others.
  const load = loadavg()[0] ?? 0;
  const wanted = ["peers", "life"].some((name) => names.includes(name)) ? asked.peers : [];
  if (wanted.some((peer) => packaged.includes(peer)) || mode === "report") install();
  await prepare(wanted);
  const folder = scratch();
  const setting: Setting = { ...asked, folder, isGate: mode === "gate", archives: new Map() };
  const [on, calibration] = [machine(), calibrate(folder)];
  console.log(headOf(on, calibration, load));
  const asides = await asidesOf(wanted, mode === "report");
  for (const each of asides) console.log(`${wrapped(each, "").join("\n")}\n`);
  const sections: Section[] = [];
  const claims: Claim[] = [];
  const measured: Measurement[] = [];
  for (const name of names) {
    const found = await subjects[name]?.(setting);
    for (const section of found?.sections ?? []) console.log(tableOf(section));
    sections.push(...(found?.sections ?? []));
    claims.push(...(found?.claims ?? []));
    measured.push(...(found?.measured ?? []));
  }
  const missed = claims.filter((claim) => !claim.isHeld).length;
  const seconds = Math.round(elapsed() / 1_000);
  const command = `npm run bench -- ${asked.typed}`.trim();
  console.log(claimsOf(claims));
  console.log(`\n${claims.length - missed} held, ${missed} missed, ${seconds} s`);
  const report: Report = { machine: on, load, calibration, command, seconds, asides, sections, claims, measured };
  if (json !== null) writeFileSync(json, `${JSON.stringify(report, null, 2)}\n`);
  if (mode === "report")
    console.log(`written: ${(await write(report, new Date().toISOString().slice(0, 10))).join(", ")}`);
  return missed === 0 ? 0 : 1;
}

const about = { hydrate: "reading whole conversations", save: "saving mails" } as const;
async function judge({ against: build, trials: count }: Asked): Promise<number> {
  const folder = scratch();
  const now = await sideOf(folder, "now", {});
  if (build !== null) {
    const old = await sideOf(folder, "old", { build });
    let isSlower = false;
    for (const of of compared) {
      const verdict = await compare(of, old, now);
      console.log(`${sentenceOf(about[of], verdict)}; ${verdict.seconds.toFixed(0)} s`);
      isSlower ||= verdict.is === "slower";
    }
    if (count === 0) return isSlower ? 1 : 0;
  }
  const sides = {
    old: now,
    same: await sideOf(folder, "same", {}),
    slower: await sideOf(folder, "slower", { slower: slowed }),
  };
  const claims: Claim[] = [];
  for (const of of compared) {
    const { caught, planted, blamed, unchanged } = await trials(of, count, sides, console.log);
    claims.push(
      atLeast(`${about[of]}: planted slow-downs of a tenth caught, of ${planted}`, planted * 0.95, caught, "count"),
      atMost(`${about[of]}: unchanged pairs blamed, of ${unchanged}`, unchanged * 0.01, blamed, "count"),
    );
  }
  console.log(claimsOf(claims));
  return claims.every(({ isHeld }) => isHeld) ? 0 : 1;
}

async function main(argv: readonly string[]): Promise<number> {
  try {
    const asked = parse(argv, known);
    if (asked !== "help") return await (asked.mode === "against" ? judge : measure)(asked);
    console.log(helpOf(known));
    return 0;
  } catch (error) {
    if (error instanceof UsageError) {
      console.error(`${error.message}\nTry --help.`);
      return 2;
    }
    if (error instanceof NotInstalled) {
      console.error(error.message);
      return 4;
    }
    console.error(error);
    return 70;
  }
}

process.exitCode = await main(process.argv.slice(2));
