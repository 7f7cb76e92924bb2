/**
 * A story as something to draw: a lane for the root, for each agent that takes part, for the provider and for the archive;
 * what goes from lane to lane at each step, how agents stand after it, and gates as spans of steps. Where the sides part,
 * the target's mail is told apart from the model's. No pixels here.
 */
import type { Gate, Step, View } from "../../src/contract.ts";
import { pathOf, pathsOf } from "../about.ts";
import { equal } from "../compare.ts";
import type { Explanation, Told, Unlike } from "./explanation.ts";
import { actsOf, type Mark } from "./marks.ts";
import { short } from "./say.ts";

export interface Lane {
  /** A path, or `provider`, or `archive`. */
  readonly key: string;
  readonly kind: "root" | "agent" | "provider" | "archive";
  readonly name: string;
}
type State = "absent" | "reserved" | "idle" | "starting" | "running" | "waiting" | "blocked" | "aside" | "closed";

export interface Row {
  /** How each lane stands before and after the step, in the model. */
  readonly before: readonly State[];
  readonly after: readonly State[];
  readonly marks: readonly Mark[];
  /** All that is live is gone, or comes back. */
  readonly cut: "crash" | "close" | "restore" | null;
  /** Lanes on which the two sides differ after this step. */
  readonly unlike: readonly number[];
}
/** A gate that stays open over some steps. */
export interface Span {
  readonly op: string;
  readonly gate: Gate;
  readonly lane: number;
  /** Of several at once on a lane, the how manyth. */
  readonly depth: number;
  /** Opened by this step, and gone with that one; `null`: still open at the end. */
  readonly from: number;
  readonly to: number | null;
}
export interface Chart {
  readonly lanes: readonly Lane[];
  readonly rows: readonly Row[];
  readonly spans: readonly Span[];
  /** Agents that were there and are not drawn: they took no part, or not one that matters. */
  readonly omitted: number;
}

/** Lanes of agents, unless more are needed. */
const agentsMax = 8;

export function chartOf(explanation: Explanation): Chart {
  const { frames, failing } = explanation;
  const steps = explanation.told.filter(({ at }) => at.length === 1).map(({ step }) => step);
  const views = frames.map(({ model }) => openView(model.view));
  const { paths, omitted } = partaking(explanation.told, views, failing?.unlike ?? []);
  const lanes: readonly Lane[] = [
    { key: "/root", kind: "root", name: "root" },
    ...paths.map((path): Lane => ({ key: path, kind: "agent", name: short(path) })),
    { key: "provider", kind: "provider", name: "provider" },
    { key: "archive", kind: "archive", name: "archive" },
  ];
  const index = new Map(lanes.map(({ key }, at) => [key, at]));
  const states = views.map((view) => lanes.map((lane) => stateOf(lane, view)));
  const rows = steps.map((step, at): Row => {
    const unlike = at === failing?.step ? failing.unlike : [];
    return {
      before: states[at] ?? [],
      after: states[at + 1] ?? [],
      marks: actsOf({ step, index, before: frames[at], after: frames[at + 1] }),
      cut: cutOf(step, views[at], views[at + 1]),
      unlike: [...new Set(unlike.flatMap((each) => lanesOf(each, index, step)))],
    };
  });
  return { lanes, rows, spans: spansOf(views, index), omitted };
}

/** The default handle's session, or another one's while it is closed. */
function openView(view: View): View {
  if (view.mode !== "closed") return view;
  return Object.values(view.others ?? {}).find(({ mode }) => mode !== "closed") ?? view;
}

function stateOf({ key, kind }: Lane, view: View): State {
  if (kind === "provider" || kind === "archive") return "idle";
  if (view.mode === "closed") return "closed";
  if (kind === "root") return view.root?.waiting === true ? "waiting" : "running";
  if (view.aside?.[key] !== undefined) return "aside";
  const agent = view.agents?.[key];
  if (agent === undefined) return (view.open ?? []).some(([op]) => pathOf(op) === key) ? "reserved" : "absent";
  if (agent.activity === "permission_blocked" || agent.activity === "interaction_blocked") return "blocked";
  return agent.activity;
}

function cutOf(step: Step, before: View | undefined, after: View | undefined): Row["cut"] {
  const [was, is] = [before?.mode ?? "closed", after?.mode ?? "closed"];
  if (was !== "closed" && is === "closed") return step.do === "close" ? "close" : "crash";
  return was === "closed" && is !== "closed" ? "restore" : null;
}

/** Agents of the steps that are needed, and those on which the sides differ; then, as far as there is room, who else does or changes. */
function partaking(
  told: readonly Told[],
  views: readonly View[],
  unlike: readonly Unlike[],
): { readonly paths: readonly string[]; readonly omitted: number } {
  const all = new Set(views.flatMap((view) => [...Object.keys(view.agents ?? {}), ...Object.keys(view.aside ?? {})]));
  const needed = told
    .filter(({ need }) => need === "required" || need === "order")
    .flatMap(({ step }) => pathsOf(step));
  const first = agentPaths([...unlike.flatMap(({ at }) => at), ...needed]);
  const begun = views.flatMap(({ open }) => (open ?? []).map(([op]) => pathOf(op)));
  const rest = agentPaths([...told.flatMap(({ step }) => pathsOf(step)), ...begun, ...changing(views, all)]);
  const drawn = agentPaths([...first, ...rest]).slice(0, Math.max(first.length, agentsMax));
  return { paths: [...drawn].sort(), omitted: [...all].filter((path) => !drawn.includes(path)).length };
}

/** Each once, in order; a story may name what is no path. */
const agentPaths = (paths: readonly string[]): readonly string[] => [
  ...new Set(paths.filter((path) => /^\/root(\/[a-z0-9_]+)+$/.test(path))),
];

const changing = (views: readonly View[], all: ReadonlySet<string>): readonly string[] =>
  [...all].filter((path) =>
    views.some((view, at) => {
      const [was, is] = [views[at - 1]?.agents?.[path], view.agents?.[path]];
      return was !== undefined && is !== undefined && !equal(was, is);
    }),
  );

function lanesOf({ sight, at }: Unlike, index: ReadonlyMap<string, number>, step: Step): readonly number[] {
  const named = at.find((key) => index.has(key)) ?? (at[0] === "root" ? "/root" : undefined);
  const key = named ?? (sight === "stored" ? "archive" : pathsOf(step).find((path) => index.has(path)));
  const lane = index.get(key ?? "/root");
  return lane === undefined ? [] : [lane];
}

function spansOf(views: readonly View[], index: ReadonlyMap<string, number>): readonly Span[] {
  const found: Span[] = [];
  const opened = views.map((view) => view.open ?? []);
  for (const [at, gates] of opened.entries())
    for (const [op, gate] of gates) {
      const same = ([other, kind]: readonly [string, Gate]): boolean => other === op && kind === gate;
      if (at === 0 || opened[at - 1]?.some(same) === true) continue;
      let end = at + 1;
      while (end < opened.length && opened[end]?.some(same) === true) end++;
      const lane = index.get(pathOf(op));
      if (lane === undefined) continue;
      const [from, to] = [at - 1, end < opened.length ? end - 1 : null];
      const beside = found.filter((span) => span.lane === lane && span.op !== op && (span.to ?? from + 1) > from);
      const depths = beside.map(({ depth }) => depth);
      const own = found.find((span) => span.op === op)?.depth;
      const depth = own ?? [0, 1, 2, 3, 4, 5].find((free) => !depths.includes(free)) ?? 5;
      found.push({ op, gate, lane, depth, from, to });
    }
  return found;
}
