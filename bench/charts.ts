/**
 * Charts of what was measured beside peers, drawn by Vega-Lite (installed with the peers): both axes in logarithms, a line a
 * peer, its middle half as a bar. One file is readable on light and on dark: colours of ink and ground follow the reader's.
 */
import type { Measurement, Workload } from "./cells.ts";
import { bytesLabel, sentences, sizeLabel } from "./cells.ts";
import { installed } from "./peers/installed.ts";

interface Chart {
  /** Of the file. */
  readonly name: string;
  readonly title: string;
  readonly what: Workload;
  /** What changes along the chart; the other stays. */
  readonly along: "agents" | "conversation";
  readonly fixed: number;
}
const charts: readonly Chart[] = [
  {
    name: "process",
    what: "process_roster",
    along: "agents",
    fixed: 0,
    title: "From the start of a process to its roster",
  },
  { name: "open", what: "open", along: "agents", fixed: 0, title: "Open in a warm process" },
  { name: "restore", what: "all", along: "conversation", fixed: 28, title: "Every conversation of 28 agents read" },
  { name: "mail", what: "mail", along: "agents", fixed: 0, title: "Save one mail, on the disk" },
  { name: "last", what: "last", along: "conversation", fixed: 28, title: "Read the last 20 messages of one of 28" },
];

/** Ours, and nobody else, in blue; shapes tell them apart as well. */
const looks: readonly (readonly [peer: string, colour: string, shape: string])[] = [
  ["rollcall", "#2f81f7", "circle"],
  ["files", "#d4762c", "square"],
  ["journal", "#b8960c", "diamond"],
  ["table", "#8b949e", "cross"],
  ["xstate", "#3fa34d", "triangle-up"],
  ["xstate-all", "#2a9d8f", "triangle-down"],
  ["langgraph-one", "#c65bb5", "triangle-right"],
  ["langgraph-each", "#8b6fe0", "triangle-left"],
  ["sessions", "#d1495b", "wedge"],
];
const ink = "#24292f";
const faint = "#d0d7de";
const ground = "#ffffff";
/** What the same colours become where the reader's page is dark. */
const dark: { readonly [colour: string]: string } = { [ink]: "#e6edf3", [faint]: "#3d444d", [ground]: "#0d1117" };

function style(): string {
  const rules = Object.entries(dark).map(
    ([light, other]) => `[fill="${light}"]{fill:${other}}[stroke="${light}"]{stroke:${other}}`,
  );
  return `<style>@media (prefers-color-scheme:dark){${rules.join("")}}</style>`;
}

interface Point {
  readonly x: number;
  readonly peer: string;
  readonly median: number;
  readonly low: number;
  readonly high: number;
}
function pointsOf({ what, along, fixed }: Chart, all: readonly Measurement[]): readonly Point[] {
  return all.flatMap((each) => {
    const [x, other] = along === "agents" ? [each.agents, each.conversation] : [each.conversation, each.agents];
    if (each.what !== what || other !== fixed || each.timing === null || x === 0) return [];
    const { median, low, high } = each.timing;
    return [{ x, peer: each.peer, median, low, high }];
  });
}

const decades: readonly number[] = [0.01, 0.1, 1, 10, 100, 1_000, 10_000, 100_000];
/** In the words of Vega-Lite. */
function specification(chart: Chart, points: readonly Point[]): object {
  const present = looks.filter(([peer]) => points.some((point) => point.peer === peer));
  const [peers, colours, shapes] = [0, 1, 2].map((at) => present.map((look) => look[at]));
  const values = [...new Set(points.map(({ x }) => x))].sort((one, other) => one - other);
  const labels = values.map((x) => (chart.along === "agents" ? sizeLabel(x) : bytesLabel(x)));
  const named = values.map((x, at) => `datum.value==${x}?'${labels[at]}':`).join("");
  const text = { labelColor: ink, titleColor: ink, gridColor: faint, domainColor: faint, tickColor: faint };
  const x = {
    field: "x",
    type: "quantitative",
    scale: { type: "log" },
    title: chart.along === "agents" ? "agents kept" : "each conversation",
    axis: { values, labelExpr: `${named}''`, ...text },
  };
  const y = {
    field: "median",
    type: "quantitative",
    scale: { type: "log" },
    title: "milliseconds",
    axis: { values: decades, format: ",~r", ...text },
  };
  const color = { field: "peer", type: "nominal", scale: { domain: peers, range: colours }, title: null };
  const shape = { field: "peer", type: "nominal", scale: { domain: peers, range: shapes }, title: null };
  const ours = { condition: { test: "datum.peer=='rollcall'", value: 3 }, value: 1.3 };
  return {
    $schema: "https://vega.github.io/schema/vega-lite/v6.json",
    width: 560,
    height: 320,
    padding: 12,
    background: ground,
    title: {
      text: chart.title,
      subtitle: `${sentences[chart.what]}; bars: the middle half of the samples`,
      color: ink,
      subtitleColor: ink,
      anchor: "start",
    },
    data: { values: points },
    config: {
      font: "system-ui, sans-serif",
      view: { stroke: faint },
      legend: { labelColor: ink, symbolStrokeWidth: 2, labelFontSize: 12 },
    },
    layer: [
      { mark: { type: "rule" }, encoding: { x, y: { ...y, field: "low" }, y2: { field: "high" }, color } },
      { mark: { type: "line" }, encoding: { x, y, color, strokeWidth: ours } },
      { mark: { type: "point", filled: true, size: 55, opacity: 1 }, encoding: { x, y, color, shape } },
    ],
  };
}

// The parts of the packages that are used here, as documented.
interface Vega {
  parse(specification: object): object;
  View: new (runtime: object, options: { readonly renderer: "none" }) => { toSVG(): Promise<string> };
}
interface VegaLite {
  compile(specification: object): { readonly spec: object };
}

export interface Drawn {
  /** Of the file. */
  readonly name: string;
  readonly title: string;
  readonly svg: string;
}
/** Every chart for which there are numbers. */
export async function drawn(all: readonly Measurement[]): Promise<readonly Drawn[]> {
  const { parse, View } = await installed<Vega>("vega");
  const { compile } = await installed<VegaLite>("vega-lite");
  const found: Drawn[] = [];
  for (const chart of charts) {
    const points = pointsOf(chart, all);
    if (points.length === 0) continue;
    const view = new View(parse(compile(specification(chart, points)).spec), { renderer: "none" });
    const svg = (await view.toSVG()).replace(/(<svg[^>]*>)/, `$1${style()}`);
    found.push({ name: `${chart.name}.svg`, title: chart.title, svg: `${svg}\n` });
  }
  return found;
}
