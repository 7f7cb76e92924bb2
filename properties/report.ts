/**
 * A failure for a person: the law by number and sentence, the story a step a line, model and target side by side at the step
 * that differs, and how to see it again. Texts of somebody's session are shown as lengths and hashes unless asked for.
 */
import type { Reply, Step } from "../src/contract.ts";
import { difference, equal } from "./compare.ts";
import { hash } from "./digest.ts";
import type { Failed, Fickle } from "./failed.ts";
import type { Failure } from "./loop.ts";
import { specification } from "./specification.ts";
import type { Told, Trace } from "./trace.ts";

export interface Paper {
  /** Columns of a line. */
  readonly columns: number;
  /** Whether texts are shown as they are. */
  readonly texts: boolean;
}

const spoken: readonly string[] = ["text", "partial"];

/** A step or a reply on one line. */
export function line(value: Step | Reply | unknown, { texts }: Pick<Paper, "texts">): string {
  const veiled = (key: string, held: unknown): unknown =>
    !texts && spoken.includes(key) && typeof held === "string"
      ? { length: held.length, sha256: hash(held) }
      : long(held);
  return value === undefined ? "nothing" : JSON.stringify(value, veiled);
}

/** Nobody reads the middle of a text of thousands. */
function long(held: unknown): unknown {
  return typeof held === "string" && held.length > 120 ? `${held.slice(0, 40)}… (${held.length} units)` : held;
}

export function story(told: readonly Told[], failure: Failure | null, target: string, paper: Paper): string {
  const width = String(told.length).length;
  const lines = told.map(([step, reply], index) => {
    const number = String(index + 1).padStart(width);
    const last = failure !== null && index === told.length - 1;
    return `  ${number}  ${line(step, paper)}\n${last ? sides(failure, target, paper, width) : `  ${" ".repeat(width)}    ${line(reply, paper)}`}`;
  });
  return lines.join("\n");
}

/** The reply and what differs of the views, in two columns where they fit. */
function sides(failure: Failure, target: string, paper: Paper, indent: number): string {
  const rows = differing(failure).map(
    ([name, model, other]) => [name, line(model, paper), line(other, paper)] as const,
  );
  const room = Math.floor((paper.columns - indent - 8) / 2);
  const margin = " ".repeat(indent + 4);
  const heads = ["", "specification", target] as const;
  return [heads, ...rows]
    .map(([name, model, other]) => {
      const title = name === "" ? "" : `${margin}${name}\n`;
      if (model.length <= room && other.length <= room) return `${title}${margin}  ${model.padEnd(room)}| ${other}`;
      return name === "" ? `${margin}  ${model} | ${other}` : `${title}${margin}  ${model}\n${margin}| ${other}`;
    })
    .join("\n");
}

type Row = readonly [name: string, model: unknown, target: unknown];

function differing({ expected, found, thrown }: Failure): readonly Row[] {
  if (found === null)
    return [["reply", expected.reply, `it threw: ${thrown instanceof Error ? thrown.message : String(thrown)}`]];
  const rows: Row[] = [["reply", expected.reply, found.reply]];
  const add = (name: string, model: unknown, target: unknown): void => {
    if (equal(model, target)) return;
    const at = difference(model, target, name)?.at ?? name;
    const agent = /\.agents\.(\/[^.]*)/.exec(at)?.[1];
    if (agent === undefined)
      rows.push([at, at === name ? model : inside(model, at, name), at === name ? target : inside(target, at, name)]);
    else
      rows.push([`${name} of ${agent}`, inside(model, `.agents.${agent}`, ""), inside(target, `.agents.${agent}`, "")]);
  };
  add("view", expected.view, found.view);
  add("encode", expected.encoded, found.encoded);
  if (found.stored !== null) add("archive", expected.stored, found.stored);
  return rows;
}

/** What stands at a place such as `view.agents./root/a`. */
function inside(value: unknown, at: string, from: string): unknown {
  const keys = at
    .slice(from.length)
    .split(".")
    .filter((key) => key !== "");
  return keys.reduce<unknown>((held, key) => {
    if (typeof held !== "object" || held === null) return undefined;
    const own = Object.entries(held).find(([name]) => name === key)?.[1];
    return own ?? ("ok" in held ? inside(held.ok, `.${key}`, "") : undefined);
  }, value);
}

/** Laws by number and sentence, and the first difference. */
export function reasons(failure: Failure, target: string, compared = true): string {
  const laws = failure.broken.map(({ law, what }) => `  L${law.number}  ${law.sentence}\n      ${what}`);
  const { difference: first, thrown } = failure;
  if (first !== null)
    laws.push(
      `  differs at ${first.at}: the specification has ${line(first.model, { texts: true })}, ${target} ${line(first.target, { texts: true })}`,
    );
  else if (thrown === null && compared) laws.push("  What can be seen agrees with the specification.");
  if (thrown !== null) laws.push(`  ${target} threw: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  return laws.join("\n");
}

/** What was not the same twice, and where that comes from as far as it is known. */
export function unlike({ parting, sources, why }: Fickle, number: number, texts: boolean): readonly string[] {
  const held = (value: unknown): string => line(value, { texts });
  const differs =
    parting === null
      ? [`  story ${number} failed, and then it did not`]
      : [
          `  story ${number} was not the same twice: at step ${parting.step} it first differs at ${parting.at}`,
          `      once   ${held(parting.first)}`,
          `      again  ${held(parting.second)}`,
        ];
  return [...differs, `  source: ${sources.length === 0 ? "unknown" : sources.join(" or ")}: ${why}`];
}

/** The failure as a trace: what the model answers stands beside each step. */
export function draft({ shrunk, failure, fickle }: Failed, target: string, found: string): Trace {
  const broken = fickle === null ? failure.broken : [];
  const laws = [...new Set(broken.map(({ law }) => law.number))].sort((one, other) => one - other);
  const [kind] = failure.kinds;
  const wrong = `differs from the specification at the last step: ${broken[0]?.law.sentence ?? kind}`;
  return {
    trace: 2,
    spec: specification,
    why: `${target} ${fickle === null ? wrong : `was not the same twice, first at ${fickle.parting?.at ?? kind}`}`,
    laws,
    found,
    ...(/^twin:[\w.-]+$/.test(target) ? { fault: target } : {}),
    scope: shrunk.scope,
    steps: shrunk.run.told,
  };
}
