/**
 * The story as rows of HTML, a step each: its sentence on the left, its piece of the lanes on the right. Lanes stand at
 * percentages, so that they fit any width; what is measured in pixels hangs on them.
 */
import type { Reply } from "../../src/contract.ts";
import type { Chart, Lane, Row, Span } from "./chart.ts";
import type { Explanation, Told } from "./explanation.ts";
import { escaped } from "./html.ts";
import type { Mark } from "./marks.ts";
import { numberOf, parted, races } from "./notes.ts";
import { type Piece, plainly, replyTo, sayOutcome, sayReply, sentence } from "./say.ts";

/** Pixels: a mark, what is above the first and below the last, a span and how far apart spans are. */
const markHeight = 19;
const above = 8;
const below = 9;
const spanWidth = 9;
const spanApart = 12;
/** The sign of a difference stands below all marks. */
const signHeight = 14;
/** A name of a gate needs this much where a span begins. */
const gateHeight = 13;

export function lanesHead({ lanes }: Chart): string {
  const names = lanes.map(({ kind, name }) => `<span class="lane ${kind}"><bdi>${escaped(name)}</bdi></span>`);
  return `<div class="head" aria-hidden="true"><div class="says"></div><div class="lanes">${names.join("")}</div></div>`;
}

export function storyRows(explanation: Explanation, chart: Chart): string {
  const steps = explanation.told.filter(({ at }) => at.length === 1);
  const later = new Set(races(explanation).map(([, each]) => numberOf(each)));
  const rows = steps.map((told, index) => stepRow({ explanation, chart, told, index, later }));
  return [startRow(explanation, chart), ...rows].join("\n");
}

interface Drawn {
  readonly explanation: Explanation;
  readonly chart: Chart;
  readonly told: Told;
  readonly index: number;
  /** Numbers of the steps that must come after their neighbour. */
  readonly later: ReadonlySet<string>;
}

function startRow({ capacity, archive }: Explanation, { lanes, rows }: Chart): string {
  const says = `A new session: capacity ${capacity}, archive ${archive}`;
  const before = rows[0]?.before ?? lanes.map(({ kind }) => (kind === "root" ? "running" : "absent"));
  const rails = lanes.map((lane, at) => rail(lane, at, lanes.length, before[at] ?? "absent", 0, 100));
  return `<li class="row start" data-row="0"><div class="says"><button type="button" data-step="0" data-says="${escaped(says)}"><span class="number">0</span><span class="sentence">${escaped(says)}</span></button></div>${cell(rails.join(""), "", 0)}</li>`;
}

function stepRow({ explanation, chart, told, index, later }: Drawn): string {
  const { failing, parting, frames } = explanation;
  const row = chart.rows[index];
  if (row === undefined) return "";
  const reply = frames[index + 1]?.model.reply ?? null;
  const inner = explanation.told.filter(({ at }) => at.length === 2 && at[0] === index);
  const says = plainly(
    [told, ...inner].flatMap(({ step }, at) => [at < 2 ? (at === 0 ? "" : ": ") : " | ", ...sentence(step)]),
  );
  const answer = reply === null ? "" : sayReply(reply);
  const shown = inner.length > 0 ? "" : answered(reply);
  const fails = failing !== null && index === failing.step;
  const parts = !fails && index === parting?.step;
  const classes = [
    "row",
    ...(fails ? ["fails"] : []),
    ...(parts ? ["parts"] : []),
    ...(row.cut === null ? [] : ["cut", row.cut]),
  ];
  const race = later.has(numberOf(told))
    ? `<span class="race" title="With the two in the other order it does not fail this way">⇅ not the other way round</span>`
    : "";
  const flag = fails
    ? `<span class="flag">${parted(failing) ? "≠ the two part here" : "✗ a law is broken here"}</span>`
    : parts
      ? '<span class="flag">≠ could be told apart from here on</span>'
      : "";
  const nested =
    inner.length === 0
      ? ""
      : `<ol class="inner">${inner.map((each) => innerItem(each, later, replyTo(each.at, reply))).join("")}</ol>`;
  return `<li class="${classes.join(" ")}" data-row="${index + 1}"><div class="says">${race}<button type="button" data-step="${index + 1}" data-says="${escaped(`${says}. ${answer}`)}">${needBadge(told)}<span class="sentence">${pieces(told)}</span>${replyHtml(shown)}${hiddenMarks(chart.lanes, row)}</button>${flag}${nested}</div>${lanesOf(chart, row, index)}</li>`;
}

/** What stands beside the sentence; nothing where all was as it should be. */
const answered = (reply: Reply | null): string => {
  const says = reply === null ? "" : sayOutcome(reply);
  return says === "done" ? "" : says;
};
const replyHtml = (says: string): string =>
  says === "" ? "" : ` <span class="reply">→ <bdi>${escaped(says)}</bdi></span>`;

function innerItem(told: Told, later: ReadonlySet<string>, reply: Reply | null): string {
  const race = later.has(numberOf(told)) ? '<span class="race">⇅ not the other way round</span> ' : "";
  return `<li>${race}${needBadge(told)}<span class="sentence">${pieces(told)}</span>${replyHtml(answered(reply))}</li>`;
}

const needs: Record<Told["need"], string> = {
  required: "required: without it the story does not fail this way",
  order: "needed only for its order",
  free: "not needed",
  untried: "not tried without it",
};
const needBadge = (told: Told): string =>
  `<span class="number ${told.need}" title="${needs[told.need]}">${numberOf(told)}<span class="unseen"> (${needs[told.need]}) </span></span>`;

const worths = {
  no: "anything else does as well",
  length: "any other of this length does as well",
  yes: "it has to be this",
  untried: "no other was tried",
} as const;

function pieces(told: Told): string {
  const each = (piece: Piece): string => {
    if (typeof piece === "string") return escaped(piece);
    const worth = told.worths.find(({ key }) => key === piece.key);
    if (worth === undefined) return `<bdi>${escaped(piece.says)}</bdi>`;
    const tried = [
      ...(worth.keeps.length === 0 ? [] : [`alike with ${worth.keeps.join(", ")}`]),
      ...(worth.breaks.length === 0 ? [] : [`not with ${worth.breaks.join(", ")}`]),
    ];
    const title = `${worths[worth.matters]}${tried.length === 0 ? "" : `: ${tried.join("; ")}`}`;
    return `<bdi class="value ${worth.matters}" title="${escaped(title)}">${escaped(piece.says)}</bdi>`;
  };
  return sentence(told.step).map(each).join("");
}

/** What the lanes show, for who cannot see them. */
function hiddenMarks(lanes: readonly Lane[], { marks }: Row): string {
  const named = (lane: number | null): string => (lane === null ? "outside" : (lanes[lane]?.name ?? ""));
  const said = marks.map(({ from, to, label, only }) =>
    [
      label,
      from === to ? `at ${named(to)}` : `from ${named(from)} to ${named(to)}`,
      ...(only === null ? [] : [`only in the ${only}`]),
    ].join(" "),
  );
  return said.length === 0 ? "" : `<span class="unseen">${escaped(`. ${said.join("; ")}.`)}</span>`;
}

const percent = (lane: number, count: number): string => `${(((lane + 0.5) / count) * 100).toFixed(2)}%`;

function lanesOf(chart: Chart, row: Row, index: number): string {
  const { lanes, spans } = chart;
  const count = lanes.length;
  const middle = 50;
  const rails = lanes.map((lane, at) => {
    const [before, after] = [row.before[at] ?? "absent", row.after[at] ?? "absent"];
    if (before === after) return rail(lane, at, count, before, 0, 100);
    return rail(lane, at, count, before, 0, middle) + rail(lane, at, count, after, middle, 100);
  });
  const own = spans.flatMap((span) => spanPiece(span, index, count));
  const opens = spans.some(({ from }) => from === index);
  const height = above + row.marks.length * markHeight + (opens ? gateHeight : 0) + below;
  const signs = row.unlike.map(
    (at) =>
      `<g class="sign"><svg x="${percent(at, count)}" y="${height + 1}" overflow="visible"><circle cx="-18" r="8"/><text x="-18" y="4">≠</text></svg></g>`,
  );
  const marks = row.marks.map((mark, at) => markPiece(mark, above + at * markHeight + 13, count));
  return cell(
    [...rails, ...own].join(""),
    [...marks, ...signs].join(""),
    height + (row.unlike.length > 0 ? signHeight : 0),
  );
}

const cell = (rails: string, marks: string, height: number): string =>
  `<div class="lanes" aria-hidden="true"><svg class="rails" width="100%" height="100%">${rails}</svg>${height === 0 ? "" : `<svg class="marks" width="100%" height="${height}">${marks}</svg>`}</div>`;

function rail({ kind }: Lane, lane: number, count: number, state: string, from: number, to: number): string {
  if (state === "absent") return "";
  const x = percent(lane, count);
  const top = from === 0 ? "" : ` y1="${from}%"`;
  return `<line class="rail ${kind} ${state}" x1="${x}" x2="${x}"${top} y2="${to}%"/>`;
}

/** The part of a span that lies in one row. */
function spanPiece({ gate, lane, depth, from, to }: Span, index: number, count: number): readonly string[] {
  if (index < from || (to !== null && index > to)) return [];
  const [top, bottom] = [index === from ? 50 : 0, index === to ? 50 : 100];
  const x = depth * spanApart - spanWidth / 2;
  const bar = `<rect class="gate ${gate}" x="${x}" width="${spanWidth}" y="${top}%" height="${bottom - top}%"/>`;
  const ends = [
    ...(index === from
      ? [`<line class="end ${gate}" x1="${x - 3}" x2="${x + spanWidth + 3}" y1="50%" y2="50%"/>`]
      : []),
    ...(index === to ? [`<line class="end ${gate}" x1="${x - 3}" x2="${x + spanWidth + 3}" y1="50%" y2="50%"/>`] : []),
  ];
  const name =
    index === from ? `<text class="gate ${gate}" x="${x + spanWidth + 4}" y="100%" dy="-4">${gate}</text>` : "";
  return [
    `<svg x="${percent(lane, count)}" width="100%" height="100%" overflow="visible">${bar}${ends.join("")}${name}</svg>`,
  ];
}

function markPiece({ kind, from, to, label, bad, only }: Mark, y: number, count: number): string {
  const classes = ["mark", kind, ...(bad ? ["bad"] : []), ...(only === null ? [] : ["only", only])].join(" ");
  const head = only !== null || bad ? "bad" : kind;
  const says = escaped(only === null ? label : `${label}, only ${only}`);
  const x = percent(to, count);
  if (from === to)
    return `<g class="${classes}"><svg x="${x}" y="${y}" overflow="visible"><circle cy="-4" r="4"/><text class="beside" x="9">${says}</text></svg></g>`;
  if (from === null)
    return `<g class="${classes}"><svg x="${x}" y="${y}" overflow="visible"><circle class="outside" cx="-34" cy="-4" r="3"/><line x1="-30" x2="-8" y1="-4" y2="-4" marker-end="url(#head-${head})"/>${kind === "mail" ? envelope(-22) : ""}<text class="beside" x="8">${says}</text></svg></g>`;
  const way = from < to ? "right" : "left";
  const start = percent(from, count);
  const middle = percent((from + to) / 2, count);
  const letter = kind === "mail" ? `<svg x="${middle}" y="${y}" overflow="visible">${envelope(0)}</svg>` : "";
  return `<g class="${classes} ${way}"><line x1="${start}" x2="${x}" y1="${y}" y2="${y}" marker-end="url(#head-${head})"/>${letter}<text class="middle" x="${middle}" y="${y - 4}">${says}</text></g>`;
}

const envelope = (x: number): string =>
  `<g class="letter"><rect x="${x - 7}" y="-5" width="14" height="10" rx="1"/><path d="M${x - 7} -4 L${x} 1.5 L${x + 7} -4"/></g>`;
