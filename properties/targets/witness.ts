/**
 * What a host sees of a session and no view shows: what provider and handlers are given, when their signals are aborted, which
 * tools were registered by then, which timers and deadlines still run. Each function answers what is wrong, or null.
 */
import type { Code, Gate, Op, Path, RefusalCode, Scope, Step, StepOutcome, View } from "../../src/contract.ts";
import type { DispatchRequest, PrepareRequest, SettledTurn } from "../../src/index.ts";
import { equal } from "../compare.ts";
import { digest, hashOf, shown } from "../digest.ts";
import type { Deadline } from "./clock.ts";

type Wrong = Error | null;

export interface Witness {
  readonly requests: Map<Op, PrepareRequest>;
  /** How long the conversation was that a provider was given, by operation. */
  readonly lengths: Map<Op, number>;
  /** How operations ended, where they did. */
  readonly ends: Map<Op, StepOutcome>;
  readonly deadlines: Map<string, { readonly op: Op; readonly gate: Gate; readonly deadline: Deadline }>;
  /** Tools that were registered, and in which step. */
  readonly loads: Map<string, number>;
  /** The first that was wrong where nobody could be told. */
  wrong: Error | null;
}
export function newWitness(): Witness {
  return {
    ...{
      requests: new Map(),
      lengths: new Map(),
      ends: new Map(),
      deadlines: new Map(),
      loads: new Map(),
      wrong: null,
    },
  };
}

const said = (value: unknown): string => JSON.stringify(value);

// ── What is given ────────────────────────────────────────────────────────────────────────────────────────────────

/** The start that was asked for, and no other; `role` is what its role is now, where nothing else can have changed it. */
export function requested(
  witness: Witness,
  step: Step | null,
  request: PrepareRequest,
  view: View,
  role: unknown,
): Wrong {
  witness.requests.set(request.op, request);
  if (step?.do !== "spawn" && step?.do !== "follow_up") return null;
  const { path, by, role: named, text, turn, config } = request;
  const asked = step.do === "spawn" ? `${step.by}/${step.name}` : targetOf(step);
  const isRole = step.do !== "spawn" || (named === step.role && turn === 1);
  if (path !== asked || by !== step.by || text !== step.text || !isRole)
    return new Error(`the provider was given ${said([path, by, named, text, turn])} for ${said(step)}`);
  if (!Object.isFrozen(config) || !Object.isFrozen(config.parameters) || !Object.isFrozen(config.tools))
    return new Error(`the provider was given a configuration of ${path} that it can change`);
  if (step.do === "spawn" && role !== undefined && digest.config(config) !== hashOf(JSON.parse(said(role))))
    return new Error(`the provider was given ${said(config)} for the role ${said(role)}`);
  const known = view.agents?.[path];
  return known === undefined || known.config === digest.config(config)
    ? null
    : new Error(`the provider was given another configuration than that of ${path}`);
}

export function dispatched(witness: Witness, request: DispatchRequest, view: View): Wrong {
  const { op, path, config, tools, conversation } = request;
  const length = view.agents?.[path]?.messages ?? 0;
  witness.lengths.set(op, length);
  if (conversation.length !== length)
    return new Error(`the provider was given ${conversation.length} messages of ${path}, which has ${length}`);
  if (!equal(tools, config.tools)) return new Error(`the provider was given the tools ${said(tools)} for ${path}`);
  const missing = tools.find((each) => !witness.loads.has(each.join("/")));
  return missing === undefined ? null : new Error(`the provider was given ${said(missing)}, which nobody registered`);
}
/** Once it is registered a tool stays so; several starts at once may each have found it missing. */
export function loaded(witness: Witness, category: string, name: string, step: number): void {
  const tool = `${category}/${name}`;
  const before = witness.loads.get(tool);
  if (before !== undefined && before !== step) witness.wrong ??= new Error(`${tool} was registered twice`);
  witness.loads.set(tool, before ?? step);
}
/** A conversation that is continued is what there was before the task: whoever reads it later reads it first. */
export function continued(
  witness: Witness,
  path: Path,
  turn: number | undefined,
  messages: readonly unknown[],
  count: number,
): Wrong {
  const request = [...witness.requests.values()].find((each) => each.path === path && each.turn === turn);
  if (turn === undefined || request === undefined || !("conversation" in request) || messages.length !== count)
    return null;
  const given = (request as DispatchRequest).conversation; // it has one: it was dispatched
  const length = witness.lengths.get(request.op);
  if (given.length !== length) return new Error(`the conversation that was given with ${request.op} has changed`);
  return equal(given, messages.slice(0, length))
    ? null
    : new Error(`another conversation was given with ${request.op}`);
}

export function aborting(view: View, path: Path, turn: number): Wrong {
  const own = view.agents?.[path]?.turn;
  return own === turn ? null : new Error(`turn ${turn} of ${path} was to be aborted, and ${own} is under way`);
}
export function stopped({ requests, lengths }: Witness, op: Op, path: Path): Wrong {
  const isKnown = requests.get(op)?.path === path && lengths.has(op);
  return isKnown ? null : new Error(`the provider was told to stop ${op} of ${path}, which it never began`);
}
/** What is owed is what its handler is told. */
export function settled(view: View, { path, turn, outcome, text }: SettledTurn): Wrong {
  const owed = view.agents?.[path]?.owed ?? [];
  return owed.some((each) => equal(each, [turn, outcome, shown(text)]))
    ? null
    : new Error(`the handler of ${path} was told ${said([turn, outcome, shown(text)])}, owed is ${said(owed)}`);
}

// ── When all is at rest ──────────────────────────────────────────────────────────────────────────────────────────

const ordinalOf = (op: Op): number => Number(op.slice(op.lastIndexOf(".") + 1));
/** Of every other start the signal is looked at only once it is over. */
const isWatched = (op: Op): boolean => ordinalOf(op) % 2 === 1;

export function atRest(witness: Witness, view: View, timers: number | null): Wrong {
  const { requests, ends, deadlines, wrong } = witness;
  if (wrong !== null) return wrong;
  if (view.mode === "closed") return atEnd(witness, timers);
  const open = new Map(view.open);
  for (const [op, request] of requests) {
    const end = ends.get(op);
    if (end === undefined && !isWatched(op)) continue;
    const isOver = end !== undefined && !("ok" in end);
    if (request.signal.aborted !== isOver)
      return new Error(isOver ? `${op} is over, and its signal is not aborted` : `the signal of ${op} is aborted`);
    if (isOver) requests.delete(op);
  }
  for (const [key, { op, gate, deadline }] of deadlines) {
    if (open.get(op) === gate) continue;
    deadlines.delete(key);
    // A read goes on when all who asked for it have given up.
    if (gate !== "hydrate" && !deadline.isCancelled) return new Error(`the deadline of ${op} at ${gate} still runs`);
  }
  const isAwaited = view.root?.waiting === true || Object.values(view.agents ?? {}).some(({ waiting }) => waiting);
  const due = isAwaited ? 1 : 0;
  return timers === null || timers === due ? null : new Error(`${timers} timers run, and ${due} are needed`);
}
/** Whoever still works for what was under way is told. */
function atEnd({ requests, ends }: Witness, timers: number | null): Wrong {
  for (const [op, { signal }] of requests)
    if (!ends.has(op) && isWatched(op) && !signal.aborted)
      return new Error(`${op} is gone, and its signal is not aborted`);
  requests.clear();
  return timers === null || timers === 0 ? null : new Error(`${timers} timers run after the end of the session`);
}

/** Those beyond the number are at work or being read. */
export function crowded({ agents = {}, open = [] }: View, residentsMax: number | undefined): Wrong {
  if (residentsMax === undefined) return null;
  const writable = Object.entries(agents).filter(([, { residency }]) => residency === "writable");
  if (writable.length <= residentsMax) return null;
  const idle = writable.find(
    ([path, { activity }]) =>
      activity === "idle" && !open.some(([op, gate]) => gate === "hydrate" && op.startsWith(`${path}#`)),
  );
  return idle === undefined ? null : new Error(`${idle[0]} is in memory, where ${residentsMax} were to be`);
}

// ── Where a refusal is ───────────────────────────────────────────────────────────────────────────────────────────

const callerOf = (step: Step): string =>
  "by" in step ? step.by : "path" in step && step.path !== undefined ? step.path : "";
function targetOf(step: Step): string {
  if ("to" in step) return step.to.startsWith("/") ? step.to : `${step.by}/${step.to}`;
  if (step.do === "spawn") return `${step.by}/${step.name}`;
  if (step.do === "execution") return step.owner;
  if (step.do === "steer") return "/root";
  return "path" in step && step.path !== undefined ? step.path : callerOf(step);
}
function asNamed(step: Step): string {
  if ("to" in step) return step.to;
  return step.do === "roster" ? (step.prefix ?? "") : targetOf(step);
}
const session = (): string => "session";
const text = (): string => "text";
const role = (step: Step): string => ("role" in step ? step.role : "");
/** What a refused call names as the place; a set-up that is refused is refused where it was to begin. */
const placeOf: { readonly [code in RefusalCode]: ((step: Step) => string) | null } = {
  ...{ session_closed: session, session_open: null, read_only: session },
  ...{ caller_unknown: callerOf, not_active: callerOf, path_malformed: asNamed },
  ...{ agent_unknown: targetOf, agent_invalid: targetOf, target_root: () => "/root", target_self: targetOf },
  name_malformed: (step) => ("name" in step ? step.name : ""),
  ...{ text_empty: text, text_malformed: text, text_too_long: text },
  ...{ role_unknown: role, config_invalid: role, path_taken: targetOf, capacity_invalid: () => "capacity" },
  ...{ tools_unavailable: () => "tools", tool_unknown: null, category_foreign: null },
  ...{ agents_full: session, at_capacity: session, too_many_operations: session },
  ...{ too_many_blockers: targetOf, already_waiting: targetOf, not_waiting: targetOf, mailbox_full: targetOf },
  ...{ in_use: targetOf, not_ready: targetOf, task_refused: targetOf },
};
/** `at` is where the library says that it was refused. */
export function misplaced(step: Step, code: Code, at: string, { registrars }: Scope): Wrong {
  const place = Object.hasOwn(placeOf, code) ? placeOf[code as RefusalCode] : null; // as just seen
  if (place !== null)
    return at === place(step)
      ? null
      : new Error(`${said(step)} was refused with ${code} at ${said(at)}, not ${said(place(step))}`);
  const owners = Object.values(registrars);
  const [category = "", name = ""] = at.split("/");
  if (code === "tool_unknown" && (name === "" || !owners.some((each) => each.category === category)))
    return new Error(`${at} is no tool of a category that somebody owns`);
  return code === "category_foreign" && name === "" ? new Error(`${at} is no tool`) : null;
}
