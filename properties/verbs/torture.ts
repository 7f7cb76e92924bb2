/** `rollcall torture`: processes that are killed, and what they had acknowledged; the summary a person reads. */
import { mkdir } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { parseArgs } from "node:util";
import { createColors } from "picocolors";
import type { Step } from "../../src/contract.ts";
import { counted, exit, grouped, type Io, interruptible, progress, seconds, type Verb, verb, whole } from "../io.ts";
import { type Damaged, damageArchives } from "../torture/damage.ts";
import { type Failing, fail } from "../torture/failing.ts";
import { type Entry, type Tortured, torture as tortured } from "../torture/kills.ts";
import { type Owned, own } from "../torture/owners.ts";
import { type Lost, losePower } from "../torture/power.ts";
import { workerProgram } from "../torture/process.ts";
import { Unusable } from "../unusable.ts";
import { write } from "./drafts.ts";

const seedUsual = 1;

const help = `
Tells generated stories to our registry in a process of its own, over a real archive, and looks whether anything that it had
acknowledged is lost, doubled or made up when it does not come to an end by itself.

  --kills N       kills N processes: at named points (before and after each statement that the archive gives to SQLite) and at
                  any moment; a fresh process goes on, and is compared with the specification; one in ten while it brings an
                  archive of an earlier format to today's, which is then whole in one of the two
  --power N       rebuilds N disks as they may be when the power is lost: the writes and syncs of whole stories are recorded
                  (by strace), and what was not synced is dropped, kept in part, in any order, or torn within a page
  --owners N      N times two processes want one archive: how soon the second is refused, the next opens after a kill; what an owner
                  writes that was stopped and taken over; what readers see beside a writer
  --damage N      damages N archives: bits, pages, ends, cells, rows, the log; each is then asked everything, and answers as
                  before or says which code and where; a whole file that was put back to an older state cannot be seen
  --failing N     N stories over a store whose writes and syncs fail at the system's calls (by strace): no room, an error of the disk,
                  read-only; or beside somebody who is inside a write (busy); each step a fault with the state as before, and working
                  when it is tried again; and N archives whose reads fail: each answer as before, or a code and a place
  --seed N        the same stories and the same aims [${seedUsual}]; a kill at any moment is never the same one
  --workers N     so many processes at once [as many as there are cores]
  --folder DIR    where the archives are made [the folder for temporary files]
  --json FILE     what was found, for programs

Ctrl-C ends it with what there was.`;

export const torture: Verb = verb(
  "torture",
  "torture --kills N | --power N | --owners N | --damage N | --failing N [--seed N]",
  help,
  async (args, io) => {
    const { values } = parseArgs({
      args: [...args],
      options: {
        kills: { type: "string" },
        power: { type: "string" },
        owners: { type: "string" },
        damage: { type: "string" },
        failing: { type: "string" },
        seed: { type: "string" },
        workers: { type: "string" },
        folder: { type: "string" },
        json: { type: "string" },
      },
    });
    const kills = whole(values.kills, 0, "--kills", 1);
    const states = whole(values.power, 0, "--power", 1);
    const rounds = whole(values.owners, 0, "--owners", 1);
    const damages = whole(values.damage, 0, "--damage", 1);
    const stories = whole(values.failing, 0, "--failing", 1);
    if (kills + states + rounds + damages + stories === 0)
      throw new Unusable(2, "it needs to know what to do: --kills N, --power N, --owners N, --damage N, --failing N");
    const seed = whole(values.seed, seedUsual, "--seed");
    const workers = whole(values.workers, availableParallelism(), "--workers", 1);
    const folder = values.folder ?? tmpdir();
    await mkdir(folder, { recursive: true });
    const usual = { seed, folder, program: workerProgram(), durability: "full" } as const;
    const line = progress(io);
    const told: { [campaign: string]: object } = {};
    let holds = true;
    await interruptible(async (signal) => {
      if (states > 0) {
        const began = performance.now();
        const tell = (done: number): void => line.tell(`power lost ${grouped(done)} of ${counted(states, "time")}`);
        const lost = await losePower({ ...usual, states, signal, progress: tell });
        line.done();
        io.out(powerless(lost, seed, performance.now() - began, io));
        told["power"] = { ...lost, losses: Object.fromEntries(lost.losses) };
        holds &&= lost.wrong === null;
      }
      if (rounds > 0 && !signal.aborted) {
        const tell = (done: number): void => line.tell(`two processes ${grouped(done)} of ${counted(rounds, "time")}`);
        const owned = await own({ ...usual, rounds, signal, progress: tell });
        line.done();
        io.out(owners(owned, io));
        told["owners"] = owned;
        holds &&= owned.wrong === null;
      }
      if (damages > 0 && !signal.aborted) {
        const began = performance.now();
        const tell = (done: number): void => line.tell(`damaged ${grouped(done)} of ${counted(damages, "archive")}`);
        const found = await damageArchives({ damages, seed, folder, workers, signal, progress: tell });
        line.done();
        io.out(damaged(found, seed, performance.now() - began, io));
        told["damage"] = { ...found, kinds: Object.fromEntries(found.kinds) };
        holds &&= found.wrong === null;
      }
      if (stories > 0 && !signal.aborted) {
        const tell = (done: number): void =>
          line.tell(`failing store ${grouped(done)} of ${counted(stories, "story", "stories")}`);
        const failed = await fail({ ...usual, stories, signal, progress: tell });
        line.done();
        io.out(failing(failed, seed, io));
        told["failing"] = { ...failed, faults: Object.fromEntries(failed.faults) };
        holds &&= failed.wrong === null;
      }
      if (kills > 0 && !signal.aborted) {
        const began = performance.now();
        const tell = (done: number, steps: number): void =>
          line.tell(`killed ${grouped(done)} of ${grouped(kills)}, ${counted(steps, "step")} acknowledged`);
        const found = await tortured({ ...usual, kills, workers, signal, progress: tell });
        line.done();
        io.out(killed(found, seed, performance.now() - began, io));
        told["kills"] = { ...found, points: Object.fromEntries(found.points) };
        holds &&= found.wrong === null;
      }
    });
    if (values.json !== undefined) await write(values.json, `${JSON.stringify({ seed, ...told }, null, 2)}\n`);
    return holds ? exit.held : exit.broken;
  },
);

function powerless(found: Lost, seed: number, ms: number, { color }: Io): string {
  const { green, red, dim, yellow } = createColors(color);
  const { states, tapes, writes, syncs, wrong } = found;
  const kinds = [...found.losses].map(([loss, times]) => `${grouped(times)} ${loss}`).join(", ");
  const lines = [
    `${wrong === null ? green("held") : red("failed")}  ${counted(states, "power-loss state")} of ${counted(tapes, "story", "stories")} (${counted(writes, "write")}, ${counted(syncs, "sync")}); ${wrong === null ? "0 lost, 0 doubled" : "see below"}  ${dim(`seed ${seed}, ${seconds(ms)}`)}`,
    `      what was not synced: ${kinds}; steps under way: ${grouped(found.without)} found undone, ${grouped(found.with)} done`,
  ];
  if (found.interrupted) lines.push(yellow("      interrupted; this is what there was"));
  if (wrong !== null) {
    const { story, loss, acts, what, acknowledged, under } = wrong;
    const step = (each: Step): string => `  ${JSON.stringify(each)}`;
    lines.push("", red(`story ${story}, ${loss} after ${counted(acts, "act")}: ${what}`), ...acknowledged.map(step));
    lines.push(
      under === null ? "  ── nothing was under way ──" : `  ── under way ──\n${step(under)}`,
      `kept: ${wrong.folder}`,
    );
  }
  return `${lines.join("\n")}\n`;
}

function damaged(found: Damaged, seed: number, ms: number, { color }: Io): string {
  const { green, red, dim, yellow } = createColors(color);
  const { damages, kinds, rss, wrong } = found;
  const each = [...kinds].map(([kind, { made, reported }]) => `${grouped(reported)} of ${grouped(made)} ${kind}`);
  const lines = [
    `${wrong === null ? green("held") : red("failed")}  ${counted(damages, "damaged archive")}; ${wrong === null ? "0 silent wrong answers, 0 crashes, 0 hangs" : "see below"}, at most ${grouped(Math.round(rss / 2 ** 20))} MiB  ${dim(`seed ${seed}, ${seconds(ms)}, ${((damages / ms) * 1_000).toFixed(1)} a second`)}`,
    `      reported: ${each.join(", ")}; the others answered as before`,
  ];
  if (found.interrupted) lines.push(yellow("      interrupted; this is what there was"));
  if (wrong !== null) lines.push("", red(`damage ${wrong.at}, ${wrong.kind} (${wrong.says}): ${wrong.what}`));
  return `${lines.join("\n")}\n`;
}

function owners(found: Owned, { color }: Io): string {
  const { green, red, yellow } = createColors(color);
  const { rounds, wrong, looks, states, staleBytes } = found;
  const times = (all: readonly number[]): string => {
    const sorted = all.toSorted((one, other) => one - other);
    const at = (share: number): string => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(1);
    return `${at(0.5)} ms (most ${at(1)})`;
  };
  const lines = [
    `${wrong === null ? green("held") : red("failed")}  ${counted(rounds, "time")} two processes wanted one archive; second writer refused in ${times(found.refused)}, open after a kill in ${times(found.reopened)}, takeover in ${times(found.takenOver)}`,
    `      bytes written by owners that were taken over: ${grouped(staleBytes)}; ${counted(looks, "look")} of readers beside a writer, ${counted(states, "state")}, all committed`,
  ];
  if (found.interrupted) lines.push(yellow("      interrupted; this is what there was"));
  if (wrong !== null) lines.push("", red(wrong.what), `kept: ${wrong.folder}`);
  return `${lines.join("\n")}\n`;
}

function failing(found: Failing, seed: number, { color }: Io): string {
  const { green, red, dim, yellow } = createColors(color);
  const { stories, steps, faults, retried, wrong } = found;
  const kinds = [...faults].map(([code, times]) => `${grouped(times)} ${code}`).join(", ");
  const lines = [
    `${wrong === null ? green("held") : red("failed")}  ${counted(stories, "story", "stories")} over a failing store, ${counted(steps, "step")}; faults: ${kinds}; ${grouped(retried)} worked when tried again; ${counted(found.reads, "read")} failed, ${counted(found.told, "answer")} said so  ${dim(`seed ${seed}`)}`,
  ];
  if (found.interrupted) lines.push(yellow("      interrupted; this is what there was"));
  if (wrong !== null) lines.push("", red(`story ${wrong.story}: ${wrong.what}`), `kept: ${wrong.folder}`);
  return `${lines.join("\n")}\n`;
}

function killed(found: Tortured, seed: number, ms: number, { color }: Io): string {
  const { green, red, dim, yellow } = createColors(color);
  const { kills, steps, stories, points, moments, rests, wrong } = found;
  const atPoints = [...points.values()].reduce((sum, each) => sum + each, 0);
  const reached = [...points.values()].filter((each) => each > 0).length;
  const rate = dim(`seed ${seed}, ${seconds(ms)}, ${((kills / ms) * 1_000).toFixed(1)} a second`);
  const lines = [
    `${wrong === null ? green("held") : red("failed")}  ${counted(kills, "kill")} in ${counted(stories, "story", "stories")}, ${counted(steps, "step")} acknowledged; ${wrong === null ? "0 lost, 0 doubled" : "see below"}  ${rate}`,
    `      ${grouped(atPoints)} at ${reached} of ${counted(points.size, "named point")}, ${grouped(moments)} at any moment, ${grouped(rests)} at rest`,
    `      steps that a kill cut off: ${grouped(found.without)} found undone, ${grouped(found.with)} done; ${counted(found.migrations, "migration")} cut off`,
  ];
  if (found.interrupted) lines.push(yellow("      interrupted; this is what there was"));
  if (wrong !== null)
    lines.push("", red(`story ${wrong.story}: ${wrong.what}`), ...wrong.ledger.map(told), `kept: ${wrong.folder}`);
  return `${lines.join("\n")}\n`;
}
const told = (entry: Entry): string =>
  typeof entry === "string" ? `  ── ${entry} ──` : `  ${JSON.stringify(entry[0])}\n      ${JSON.stringify(entry[1])}`;
