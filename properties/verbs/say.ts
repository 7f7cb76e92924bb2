/** What a check found, in words: a line or two where it held, the story where it did not. */
import { createColors } from "picocolors";
import type { Checked } from "../check.ts";
import type { Failed } from "../failed.ts";
import { counted, grouped, type Io, seconds } from "../io.ts";
import { reasons, story, unlike } from "../report.ts";
import { leftOut } from "./budget.ts";
import { type Kept, keep } from "./drafts.ts";
import { asked, type Chosen } from "./on-target.ts";

/** One line on what was done, and lines on what a reader must know of it. */
export function summary(found: Checked, io: Pick<Io, "color">, budgetMs?: number): string {
  const { green, red, dim, yellow } = createColors(io.color);
  const {
    target,
    asked: due,
    stories,
    steps,
    seed,
    ms,
    goals,
    failed,
    interrupted,
    spent,
    diverged,
    beyond,
    level,
  } = found;
  const mark = failed === null ? green("held") : red("failed");
  const reached = [...goals.values()].filter((times) => times > 0).length;
  const lines = [
    `${mark}  ${target}: ${counted(stories, "story", "stories")}, ${counted(steps, "step")}, ${reached} of ${counted(goals.size, "goal")}  ${dim(`seed ${seed}, ${seconds(ms)}`)}`,
  ];
  if (interrupted) lines.push(yellow("      interrupted; this is what there was"));
  if (spent) lines.push(yellow(`      ${leftOut(due, stories, budgetMs)}`));
  for (const [kind, times] of diverged) lines.push(yellow(`      known divergence ${kind}: ${counted(times, "time")}`));
  const helped = found.shims.filter(({ on }) => on).map(({ name }) => name);
  if (helped.length > 0) lines.push(dim(`      with the shims ${helped.join(", ")}`));
  if (beyond.size > 0) lines.push(dim(`      beyond ${level}, and no failure:`));
  const often = [...beyond].sort(([, one], [, other]) => other - one);
  for (const [what, times] of often) lines.push(dim(`        ${what}: in ${counted(times, "story", "stories")}`));
  const gone = absent(found);
  if (gone !== null)
    lines.push(red(`      known divergence ${gone} no longer occurs: take it out of the target's capabilities`));
  return `${lines.join("\n")}\n`;
}

/** A known divergence that did not occur. */
export const absent = ({ missing, failed, interrupted }: Checked): string | null =>
  failed === null && !interrupted ? (missing[0] ?? null) : null;

export interface Telling {
  /** As it was asked for. */
  readonly target: Chosen;
  readonly texts: boolean;
  readonly drafts: string;
}

/** The command that tells this story again. */
export function again({ seed, oracle }: Checked, { story: number }: Failed, target: Chosen): string {
  const judging = oracle === "both" ? "" : ` --oracle ${oracle}`;
  return `rollcall check ${asked(target)}${judging} --seed ${seed} --story ${number}`;
}

export async function failure(
  found: Checked,
  failed: Failed,
  { target, texts, drafts }: Telling,
  io: Pick<Io, "color" | "columns">,
): Promise<{ readonly text: string; readonly kept: Kept }> {
  const { bold, red } = createColors(io.color);
  const { name } = target;
  const { shrunk, executions, length, fickle } = failed;
  const paper = { columns: Math.min(io.columns, 160), texts };
  const told = again(found, failed, target);
  const kept = await keep(failed, name, told, drafts);
  if (fickle !== null) {
    const last = fickle.parting?.step ?? shrunk.run.told.length;
    const lines = [
      "",
      red(bold(`${name} is not deterministic; that is no verdict on the laws`)),
      ...unlike(fickle, failed.story, texts),
      "",
      `${counted(last, "step")} to where it differs:`,
      story(shrunk.run.told.slice(0, last), null, name, paper),
      "",
      `again:    ${told}`,
      `written:  ${kept.file}`,
      "",
    ];
    return { text: lines.join("\n"), kept };
  }
  const how = `shrunk from ${counted(length, "step")} in ${counted(executions, "execution")}, and ${grouped(shrunk.checks)} to see that no more can go`;
  const broken = failed.failure.broken.length > 0 ? "breaks the law" : "differs from the specification";
  const lines = [
    "",
    red(bold(`${name} ${broken}`)),
    reasons(failed.failure, name, found.oracle !== "laws"),
    "",
    `${counted(shrunk.run.told.length, "step")}, ${how}:`,
    story(shrunk.run.told, failed.failure, name, paper),
    "",
    `again:    ${told}`,
    `written:  ${kept.file}`,
    `replay:   rollcall replay ${kept.file} ${asked(target)}`,
    "",
  ];
  return { text: lines.join("\n"), kept };
}
