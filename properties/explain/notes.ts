/** What the reasons amount to, in sentences: which order is the race, which values carry it, where the two part. */
import { sayUnlike } from "./differs.ts";
import type { Explanation, Failing, Told, Worth } from "./explanation.ts";
import { plainly, sentence } from "./say.ts";
import { visible } from "./visible.ts";

/** `5`, or `5.2` inside a `together`. */
export const numberOf = ({ at }: Pick<Told, "at">): string => at.map((each) => (each ?? 0) + 1).join(".");

/** Neighbours whose order the failure depends on, though either could come first. */
export function races({ told }: Explanation): readonly (readonly [earlier: Told, later: Told])[] {
  return told.flatMap((each) => {
    if (each.swap === null || each.swap.causal || (each.swap.verdict !== "gone" && each.swap.verdict !== "changed"))
      return [];
    const next = told.find(({ at }) =>
      each.at.length === 1
        ? at.length === 1 && at[0] === each.at[0] + 1
        : at.length === 2 && at[0] === each.at[0] && at[1] === (each.at[1] ?? 0) + 1,
    );
    return next === undefined ? [] : [[each, next] as const];
  });
}

/** The whole in one line. */
export function headline({ failing, target, frames }: Explanation): string {
  const name = visible(target);
  const steps = frames.length - 1;
  if (failing === null) return `${name} holds in all ${steps} steps`;
  const when = failing.step < 0 ? "before the first step" : `at step ${failing.step + 1} of ${steps}`;
  if (failing.both) return `${name} and the model break a law ${when}`;
  return parted(failing) ? `${name} and the model part ${when}` : `${name} breaks a law ${when}`;
}

/** Something differs to be seen; not only what it cost. */
export const parted = ({ unlike, thrown }: Failing): boolean => unlike.length > 0 || thrown !== null;

const list = (items: readonly string[], last = "and"): string =>
  items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} ${last} ${items.at(-1)}`;

/** `1–3 5` for `1 2 3 5`; those inside a `together` stand for themselves. */
function runs(steps: readonly string[]): string {
  const said: string[] = [];
  for (let at = 0; at < steps.length; at++) {
    const first = steps[at] ?? "";
    let last = first;
    while (!last.includes(".") && steps[at + 1] === String(Number(last) + 1)) last = steps[++at] ?? last;
    said.push(last === first ? first : `${first}${Number(last) - Number(first) > 1 ? "–" : " "}${last}`);
  }
  return said.join(" ");
}

/** Steps that could be left out; none in a story that was shrunk. */
export function neededNote({ told }: Explanation): string | null {
  const free = told.filter(({ need }) => need === "free").map(numberOf);
  const order = told.filter(({ need }) => need === "order").map(numberOf);
  const said = [
    ...(free.length === 0 ? [] : [`Not needed: ${runs(free)}.`]),
    ...(order.length === 0 ? [] : [`Needed only for their order: ${runs(order)}.`]),
  ];
  return said.length === 0 ? null : said.join(" ");
}

export function orderNote(explanation: Explanation): string | null {
  const pairs = races(explanation);
  if (pairs.length === 0) return null;
  const said = pairs.map(([one, other]) => `${numberOf(one)} before ${numberOf(other)}`);
  const gone = pairs.every(([{ swap }]) => swap?.verdict === "gone");
  return `The order matters: ${list(said)}; the other way round ${gone ? "all holds" : "it is another story"}.`;
}

const words: { readonly [key: string]: string } = { with: "answer", by: "caller" };
const called = (key: string): string => words[key] ?? key.replace("answers.", "");

/** By what it is, the steps in which it may be anything. */
export function freeNote({ told }: Explanation): string | null {
  const found = new Map<string, string[]>();
  const put = (what: string, step: Told): void => {
    found.set(what, [...(found.get(what) ?? []), numberOf(step)]);
  };
  for (const step of told)
    for (const { key, matters } of step.worths) {
      if (matters === "no") put(called(key), step);
      if (matters === "length") put(`${called(key)} but for its length`, step);
    }
  if (found.size === 0) return null;
  const said = [...found].map(([what, steps]) => `${what} (${runs(steps)})`);
  return `Does not matter: ${said.join(", ")}.`;
}

/** Values other than the plain `ok` that the failure needs as they are. */
export function valueNote({ told }: Explanation): string | null {
  const said = told.flatMap((step) =>
    step.worths.flatMap((worth) => {
      const held = heldBy(step, worth);
      if (worth.matters !== "yes" || held === "ok" || worth.key === "name") return [];
      const others = worth.keeps.length === 0 ? "" : `, or ${list(worth.keeps, "or")}`;
      const not = worth.breaks.length === 0 ? "" : `, not ${list(worth.breaks, "or")}`;
      return [`${called(worth.key)} ${held}${others} in ${numberOf(step)}${not}`];
    }),
  );
  return said.length === 0 ? null : `Matters: ${said.join("; ")}.`;
}

function heldBy({ step }: Told, { key }: Worth): string {
  const piece = sentence(step).find((each) => typeof each !== "string" && each.key === key);
  return piece === undefined || typeof piece === "string" ? "" : piece.says;
}

/** Said only where the two part before that was noticed. */
export function partingNote({ parting, failing, target }: Explanation): string | null {
  if (parting === null || failing === null || parting.step >= failing.step) return null;
  const when = parting.step < 0 ? "Before the first step" : `After step ${parting.step + 1}`;
  const by = parting.by === null ? "they show it themselves" : `if ${plainly(sentence(parting.by))}`;
  const { unlike } = parting;
  const differs = unlike === null ? null : sayUnlike(unlike);
  const what = differs === null ? "" : ` (model ${differs.model}, ${target} ${differs.target})`;
  return `${when} the two can already be told apart: ${by}${what}.`;
}

export function effortNote({ executions, complete }: Explanation): string {
  const told = `Found out by telling the story ${executions} times`;
  return complete ? `${told}.` : `${told}, not enough for all questions.`;
}
