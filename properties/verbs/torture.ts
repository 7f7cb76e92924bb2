/** `rollcall torture`: processes that are killed, and what they had acknowledged; the summary a person reads. */
import { mkdir } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { parseArgs } from "node:util";
import { createColors } from "picocolors";
import { counted, exit, grouped, type Io, interruptible, progress, seconds, type Verb, verb, whole } from "../io.ts";
import { type Entry, type Tortured, torture as tortured } from "../torture/kills.ts";
import { workerProgram } from "../torture/process.ts";
import { Unusable } from "../unusable.ts";
import { write } from "./drafts.ts";

const seedUsual = 1;

const help = `
Tells generated stories to our registry in a process of its own, over a real archive, and looks whether anything that it had
acknowledged is lost, doubled or made up when it does not come to an end by itself.

  --kills N       kills N processes: at named points (before and after each statement that the archive gives to SQLite) and at
                  any moment; a fresh process goes on, and is compared with the specification
  --seed N        the same stories and the same aims [${seedUsual}]; a kill at any moment is never the same one
  --workers N     so many processes at once [as many as there are cores]
  --folder DIR    where the archives are made [the folder for temporary files]
  --json FILE     what was found, for programs

Ctrl-C ends it with what there was.`;

export const torture: Verb = verb("torture", "torture --kills N [--seed N]", help, async (args, io) => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      kills: { type: "string" },
      seed: { type: "string" },
      workers: { type: "string" },
      folder: { type: "string" },
      json: { type: "string" },
    },
  });
  if (values.kills === undefined) throw new Unusable(2, "it needs to know what to do: --kills N");
  const seed = whole(values.seed, seedUsual, "--seed");
  const workers = whole(values.workers, availableParallelism(), "--workers", 1);
  const folder = values.folder ?? tmpdir();
  await mkdir(folder, { recursive: true });
  const kills = whole(values.kills, 0, "--kills", 1);
  const line = progress(io);
  const began = performance.now();
  const found = await interruptible((signal) =>
    tortured({
      ...{ kills, seed, workers, folder, signal, program: workerProgram(), durability: "full" },
      progress: (done, steps) =>
        line.tell(`killed ${grouped(done)} of ${grouped(kills)}, ${counted(steps, "step")} acknowledged`),
    }),
  );
  line.done();
  const ms = performance.now() - began;
  io.out(killed(found, seed, ms, io));
  if (values.json !== undefined)
    await write(values.json, `${JSON.stringify({ seed, seconds: ms / 1_000, kills: machine(found) }, null, 2)}\n`);
  return found.wrong === null ? exit.held : exit.broken;
});

function killed(found: Tortured, seed: number, ms: number, { color }: Io): string {
  const { green, red, dim, yellow } = createColors(color);
  const { kills, steps, stories, points, moments, rests, wrong } = found;
  const atPoints = [...points.values()].reduce((sum, each) => sum + each, 0);
  const reached = [...points.values()].filter((each) => each > 0).length;
  const rate = dim(`seed ${seed}, ${seconds(ms)}, ${((kills / ms) * 1_000).toFixed(1)} a second`);
  const lines = [
    `${wrong === null ? green("held") : red("failed")}  ${counted(kills, "kill")} in ${counted(stories, "story", "stories")}, ${counted(steps, "step")} acknowledged; ${wrong === null ? "0 lost, 0 doubled" : "see below"}  ${rate}`,
    `      ${grouped(atPoints)} at ${reached} of ${counted(points.size, "named point")}, ${grouped(moments)} at any moment, ${grouped(rests)} at rest`,
    `      steps that a kill cut off: ${grouped(found.without)} found undone, ${grouped(found.with)} done`,
  ];
  if (found.interrupted) lines.push(yellow("      interrupted; this is what there was"));
  if (wrong !== null)
    lines.push("", red(`story ${wrong.story}: ${wrong.what}`), ...wrong.ledger.map(told), `kept: ${wrong.folder}`);
  return `${lines.join("\n")}\n`;
}
const told = (entry: Entry): string =>
  typeof entry === "string" ? `  ── ${entry} ──` : `  ${JSON.stringify(entry[0])}\n      ${JSON.stringify(entry[1])}`;

const machine = ({ points, ...counts }: Tortured): object => ({ ...counts, points: Object.fromEntries(points) });
