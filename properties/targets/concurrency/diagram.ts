/**
 * An unexplainable history for people: the shortest beginning that no order explains, a line for each call, answer, commit
 * and event with time from left to right, and an order that explains everything but its last moment.
 */
import type { World } from "../../../model/index.ts";
import { explain, type Order } from "./explain.ts";
import type { Asked, Call, History } from "./history.ts";
import type { Item } from "./items.ts";

/** Columns of the drawing. */
const columnsMax = 72;

/** The first moment up to which nothing explains what was seen: a beginning of what is explainable is explainable. */
function firstWrong(start: World, history: History, order: Order): number {
  let [good, bad] = [0, history.end];
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (explain(start, history, order, middle).is === "explained") good = middle;
    else bad = middle;
  }
  return bad;
}

const short = (value: unknown): string => {
  const text = JSON.stringify(value);
  return text.length <= 90 ? text : `${text.slice(0, 87)}...`;
};
function said(asked: Asked): string {
  const { do: verb, ...rest } = asked;
  return `${verb} ${Object.values(rest)
    .filter((each) => each !== false)
    .map((each) => (typeof each === "string" ? each : JSON.stringify(each)))
    .join(" ")}`.slice(0, 44);
}

interface Line {
  readonly at: number;
  readonly who: string;
  readonly what: string;
  readonly until: number | null;
  readonly marks: readonly (readonly [at: number, mark: string])[];
  readonly end: string;
}

function linesOf(
  { calls, gates, elapsed, commits, events, looks, abandoned }: History,
  horizon: number,
): readonly Line[] {
  const lines: Line[] = [
    ...calls.map((call) => lineOf(call, horizon)),
    ...gates.map(({ gate, op, with: how, at }) => point(at, "world", `${gate} ${op} is answered ${how}`, "v")),
    ...elapsed.map(({ ms, at }) => point(at, "clock", `${ms} ms pass`, "v")),
    ...events.map(({ event, at }) => point(at, "event", short(event), "*")),
    ...commits.map(({ tag, at, settled }) => {
      const until = settled !== null && settled.at <= horizon ? settled : null;
      const what = `commit${tag === null ? "" : ` for #${tag}`}`;
      return { at, who: "archive", what, until: until?.at ?? null, marks: [], end: until?.answer ?? "" };
    }),
    ...looks.map(({ at }) => point(at, "client", "looks at the view", "v")),
    ...(abandoned === null ? [] : [point(abandoned, "host", "abandons the session", "X")]),
  ];
  return lines.filter(({ at }) => at <= horizon).sort((one, other) => one.at - other.at);
}
const point = (at: number, who: string, what: string, mark: string): Line => ({
  ...{ at, who, what, until: at, end: "" },
  marks: [[at, mark]],
});
function lineOf({ id, client, asked, at, begun, aborted, answered }: Call, horizon: number): Line {
  const seen = answered !== null && answered.at <= horizon ? answered : null;
  const marks = [
    ...(begun === null ? [] : [[begun.at, "o"] as const]),
    ...(aborted === null ? [] : [[aborted, "x"] as const]),
  ].filter(([when]) => when <= horizon);
  const end = seen === null ? "" : short(seen.outcome);
  return { at, who: client, what: `#${id} ${said(asked)}`, until: seen?.at ?? null, marks, end };
}

function drawn(lines: readonly Line[], horizon: number): readonly string[] {
  const scale = Math.max(1, horizon / columnsMax);
  const column = (at: number): number => Math.floor((at - 1) / scale);
  return lines.map(({ who, what, at, until, marks, end }) => {
    const bar = Array.from({ length: column(horizon) + 1 }, () => " ");
    const last = column(until ?? horizon);
    for (let index = column(at); index <= last; index++) bar[index] = "-";
    bar[column(at)] = "|";
    if (until !== null) bar[last] = "|";
    for (const [when, mark] of marks) bar[column(when)] = mark;
    return `${who.padEnd(9)}${what.padEnd(56)}${bar.join("").trimEnd()} ${end}`.trimEnd();
  });
}

function named({ what }: Item): string {
  switch (what.is) {
    case "call":
      return `#${what.call.id}`;
    case "abort":
      return `signal of #${what.call.id}`;
    case "gate":
      return `${what.answer.gate} ${what.answer.op} ${what.answer.with}`;
    case "elapse":
      return `${what.elapsed.ms} ms`;
    case "look":
      return "a look";
    case "abandon":
      return "the end";
  }
}

/** What was seen at a moment. */
function observation(history: History, at: number): string {
  const event = history.events.find((each) => each.at === at);
  if (event !== undefined) return `the event ${short(event.event)}`;
  for (const call of history.calls) {
    if (call.answered?.at === at) return `#${call.id} is answered ${short(call.answered.outcome)}`;
    if (call.begun?.at === at) return `#${call.id} begins ${call.begun.op}`;
  }
  if (at === history.abandoned) return "the session is abandoned";
  const look = history.looks.find((each) => each.at === at);
  if (look !== undefined) return `a look at ${JSON.stringify(look.view)}`;
  return at === history.end ? "what is there at the end" : "the moment before which it was due";
}

/** What a failed test says. */
export function unexplained(start: World, history: History, order: Order): string {
  const wrong = firstWrong(start, history, order);
  const before = explain(start, history, order, wrong - 1);
  const after = explain(start, history, order, wrong);
  const kind =
    order === "any" ? "No order of steps" : "No order of steps in which calls are decided as they were issued";
  return [
    `${kind} explains this; the shortest beginning of which that is so ends with`,
    `  ${observation(history, wrong)}, at ${wrong} of ${history.end}`,
    ...drawn(linesOf(history, wrong), wrong),
    ...(before.is === "explained" ? [`Up to there: ${before.order.map(named).join(", ")}`] : []),
    ...(after.is === "unexplained" && after.left !== null ? [after.left] : []),
  ].join("\n");
}
