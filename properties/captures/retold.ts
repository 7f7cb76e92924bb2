/** A recording retold on the specification: the moments it is made of, and every place where the two do not say the same. */
import { begin, step as decide, type World } from "../../model/index.ts";
import type { CommitAnswer, Event, HydrateAnswer, Json, Reply, Scope, Step } from "../../src/contract.ts";
import { equal } from "../compare.ts";
import { digest } from "../digest.ts";
import { specification } from "../specification.ts";
import { Unusable } from "../unusable.ts";
import { commitAnswers } from "../words.ts";
import { type Capture, type Gap, type Moment, momentsMax, type Span } from "./capture.ts";
import { liveOf } from "./placing.ts";
import {
  type Entry,
  type Opened,
  type Recorded,
  type RecordedReply,
  type Restored,
  readRecording,
} from "./recording.ts";

interface Retelling {
  world: World;
  readonly moments: Moment[];
  readonly gaps: Gap[];
  readonly spans: Span[];
  readonly begun: Map<string, number>;
  readonly scope: Scope;
  /** The recorder's clock when the specification's was last set. */
  clock: number;
  /** Milliseconds before this opening. */
  offset: number;
  /** The recording's number of the opening, and the specification's. */
  openings: readonly [recorded: number, told: number];
  /** Under way. */
  opening: { readonly opened: Opened; readonly names: readonly string[]; readonly isFirst: boolean } | null;
  /** A commit of which nobody heard: both ways it may have gone. */
  unfinished: { readonly entry: Entry; readonly line: number } | null;
  line: number;
  at: number;
}

export function retold(text: string, name: string): Capture {
  const recorded = readRecording(text, name);
  const openings = recorded.flatMap((each) => (each.is === "opened" ? [each.opened] : []));
  const [first] = openings;
  if (first === undefined || recorded[0]?.is !== "opened")
    throw new Unusable(2, `${name} does not begin with the opening of a session`);
  const scope = scopeOf(openings, first);
  const on: Retelling = {
    world: begin(digest, scope),
    ...{ moments: [], gaps: [], spans: [], begun: new Map(), scope, clock: first.at, offset: 0 },
    ...{ openings: [first.opening, 1], opening: null, unfinished: null, line: 1, at: 0 },
  };
  const throwers = throwing(recorded);
  for (const [index, each] of recorded.entries()) {
    on.line = each.line;
    if (each.is === "opened") open(on, each.opened, index === 0);
    else if (each.is === "restored") restore(on, each.restored);
    else if (each.is === "entry") tell(on, each.entry, throwers.has(index));
    else if (each.is === "torn") gap(on, "the process died while it wrote this line, and what it says is lost");
    else if (on.unfinished === null) take(on, { do: "crash" });
    if (on.moments.length > momentsMax)
      throw new Unusable(2, `${name}, line ${each.line}: more than ${momentsMax} moments; cut the recording`);
  }
  if (on.unfinished !== null) cut(on, on.unfinished.entry, "crash_before");
  for (const [op] of on.begun) close(on, op, null);
  const { moments, gaps, spans } = on;
  const from = [{ kind: "recording", file: name, read: recorded.length } as const];
  return { capture: 1, spec: specification, from, scope, gaps, spans, skipped: [], moments };
}

const gap = ({ gaps, moments, line }: Retelling, why: string): void => {
  gaps.push({ before: moments.length, may: [], why: `line ${line}: ${why}` });
};

function take(on: Retelling, step: Step, why?: string): Reply {
  const before = liveOf(on.world)?.ops.map(({ op }) => op) ?? [];
  const { world, reply } = decide(on.world, step);
  on.world = world;
  const index = on.moments.length;
  const { line, at } = on;
  on.moments.push(why === undefined ? { step, line, at } : { step, line: null, at, why });
  const now = liveOf(world)?.ops.map(({ op }) => op) ?? [];
  for (const op of now) if (!before.includes(op)) on.begun.set(op, index);
  for (const op of before) if (!now.includes(op)) close(on, op, index);
  return reply;
}
function close({ begun, spans }: Retelling, op: string, to: number | null): void {
  const from = begun.get(op);
  begun.delete(op);
  if (from !== undefined && (to === null || to > from + 1)) spans.push({ from, to });
}

// ── Openings ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** All that any opening was given; the same category listed otherwise is another registrar. */
function scopeOf(openings: readonly Opened[], { capacity, limits, roles, agents, seq }: Opened): Scope {
  const registrars: { [name: string]: Scope["registrars"][string] } = {};
  for (const opening of openings)
    for (const each of opening.registrars)
      if (nameOf(registrars, each) === null) registrars[freeName(registrars, each.category)] = each;
  if (capacity < 1 || agents + seq < 0) throw new Unusable(2, "a recording begins with a capacity of at least 1");
  return { capacity, limits, roles, registrars, archive: "memory", process: "same" };
}
function nameOf(registrars: Scope["registrars"], { category, tools }: Scope["registrars"][string]): string | null {
  const same = Object.entries(registrars).find(([, each]) => each.category === category && equal(each.tools, tools));
  return same?.[0] ?? null;
}
function freeName(registrars: Scope["registrars"], category: string): string {
  for (let number = 1; ; number++) {
    const name = number === 1 ? category : `${category}_${number}`;
    if (!Object.hasOwn(registrars, name)) return name;
  }
}

function open(on: Retelling, opened: Opened, isFirst: boolean): void {
  const { scope } = on;
  const names = opened.registrars.flatMap((each) => nameOf(scope.registrars, each) ?? []);
  if (on.opening !== null) died(on, opened);
  on.opening = { opened, names, isFirst };
  if (isFirst) {
    if (opened.agents + opened.seq + opened.mail + opened.messages > 0)
      gap(on, `the archive held ${opened.agents} agents before the recording began`);
    if (names.length !== Object.keys(scope.registrars).length)
      gap(on, "a later opening has registrars that this one had not");
    return;
  }
  on.offset = on.at + 1;
  [on.clock, on.at] = [opened.at, on.offset];
  if (on.unfinished !== null) settleUnfinished(on, opened);
  else if (Object.keys(on.world.handles).length > 0)
    take(on, { do: "crash" }, "the process ended without a word, and another goes on");
  const why = printOf(on.world, opened);
  if (why !== null) gap(on, `the archive is not as the recording left it: ${why}`);
}

/** How what the archive shows at an opening differs from what the recording would have left; `null` where it does not. */
function printOf({ disk }: World, { capacity, agents, mail, messages, urgent }: Opened): string | null {
  const own = [disk.capacity, Object.keys(disk.agents).length, disk.root.mail.length, disk.root.messages.length];
  const found = [capacity, agents, mail, messages];
  const words = ["capacity", "agents", "unread mail of the root", "messages of the root"];
  const at = own.findIndex((value, index) => value !== found[index]);
  if (at >= 0) return `${words[at]} ${found[at]}, not ${own[at]}`;
  for (const row of urgent) {
    const [path] = row;
    const agent = typeof path === "string" ? disk.agents[path] : undefined;
    if (agent === undefined || row.length === 2) continue;
    const { activity, turns, mail: unread, messages: said, owed } = agent;
    const known: readonly Json[] = [agent.path, activity, turns, unread.length, said.length, owed.length];
    if (!equal(known, row)) return `${path} is ${JSON.stringify(row)}, not ${JSON.stringify(known)}`;
  }
  const active = Object.values(disk.agents).filter(({ activity, owed }) => activity !== "idle" || owed.length > 0);
  const missing = active.find(({ path }) => !urgent.some(([each]) => each === path));
  return missing === undefined ? null : `${missing.path} is idle, not ${missing.activity}`;
}

/** While it opened; its recovery may have been written. */
function died(on: Retelling, next: Opened): void {
  const { opening } = on;
  if (opening === null || opening.isFirst) return;
  const { opened, names } = opening;
  const { mode } = opened;
  const begun: Step = { do: "restore", mode, registrars: names, answers: { hydrate: "ok" } };
  const commit = (["crash_before", "crash_after"] as const).find(
    (each) => printOf(decide(on.world, { ...begun, commit: each }).world, next) === null,
  );
  take(on, { ...begun, commit: commit ?? "crash_before" }, "the process died while it opened the session");
  if (Object.keys(on.world.handles).length > 0)
    take(on, { do: "crash" }, "the process died while it opened the session");
}

/** Both ways are tried: one of them is what the archive shows. */
function settleUnfinished(on: Retelling, opened: Opened): void {
  const { unfinished } = on;
  if (unfinished === null) return;
  const { entry } = unfinished;
  const ways = (["crash_before", "crash_after"] as const).map((commit) => {
    const { world } = decide(on.world, stepOf(on, entry, commit));
    const arrived = arrivals(on.world, world) > 0;
    const { disk } = world;
    const agrees = arrived ? opened.seq > (entry.seq ?? 0) : opened.seq === (entry.seq ?? 0);
    return { commit, disk, fits: agrees && printOf(world, opened) === null };
  });
  const [before, after] = ways;
  // Of an idle agent an opening shows nothing.
  if (before?.fits === true && after?.fits === true && !equal(bareDisk(before.disk), bareDisk(after.disk)))
    gap(on, `whether the ${entry.step.do} was written before the process died is not known`);
  cut(on, entry, ways.find(({ fits }) => fits)?.commit ?? "crash_before");
}
const bareDisk = ({ epoch: _, ...disk }: World["disk"]): unknown => disk;
function cut(on: Retelling, entry: Entry, commit: CommitAnswer): void {
  on.unfinished = null;
  take(on, stepOf(on, entry, commit));
  // It may have had nothing to commit.
  if (Object.keys(on.world.handles).length > 0) take(on, { do: "crash" });
}
/** Mails on disk that were not in this mailbox; one that is moved arrives anew. */
function arrivals({ disk: before }: World, { disk: after }: World): number {
  const boxes = [["/root", after.root] as const, ...Object.entries(after.agents)];
  return boxes
    .map(([path, { mail }]) => {
      const had = (path === "/root" ? before.root : before.agents[path])?.mail ?? [];
      return mail.filter((each) => !had.includes(each)).length;
    })
    .reduce((sum, each) => sum + each, 0);
}

const hydrateHow: { readonly [code: string]: HydrateAnswer } = {
  conversation_missing: "missing",
  conversation_corrupt: "corrupt",
};

/** The opening is over. The very first is no step: a story begins with it. */
function restore(on: Retelling, { hydrated, failed }: Restored): void {
  const { opening } = on;
  on.opening = null;
  if (opening === null || opening.isFirst) return;
  const how = Object.values(hydrated).map((code) => (code === null ? "ok" : (hydrateHow[code] ?? "error")));
  const isPlain = failed !== "quit" && how.every((each) => each === "ok");
  const commit = commitAnswers.find((each) => each === failed);
  const failing = commit === undefined ? {} : { commit };
  const begun: Step = { do: "restore", mode: opening.opened.mode, registrars: opening.names };
  take(on, isPlain ? { ...begun, answers: { hydrate: "ok" }, ...failing } : begun);
  const answers: readonly HydrateAnswer[] = failed === "quit" ? [...how, "quit"] : how;
  for (const [index, each] of isPlain ? [] : answers.entries()) {
    const handle = on.world.handles["w1"];
    if (handle?.is !== "restoring") break;
    const last = index === how.length - 1 ? failing : {};
    take(on, { do: "answer", op: handle.op, gate: "hydrate", with: each, ...last });
  }
  const isOpen = liveOf(on.world) !== null;
  if (isOpen === (failed !== undefined))
    gap(on, failed === undefined ? "it was opened, and should not have been" : `it was not opened: ${failed}`);
  on.openings = [opening.opened.opening, on.world.openings];
  for (const [role, config] of Object.entries(isOpen ? opening.opened.roles : {}))
    if (!equal(on.world.roles[role], config))
      take(on, { do: "change_role", role, config }, `it is opened with another definition of ${role}`);
}

// ── Entries ──────────────────────────────────────────────────────────────────────────────────────────────────────

function tell(on: Retelling, entry: Entry, throws: boolean): void {
  on.at = Math.max(on.at, on.offset + entry.at - on.clock);
  if (entry.seq !== undefined) {
    on.unfinished = { entry, line: on.line };
    return;
  }
  const step = stepOf(
    on,
    entry,
    commitAnswers.find((each) => each === entry.commit),
  );
  if (step.do === "elapse") {
    compare(on, entry, step, take(on, { do: "elapse", ms: passed(on, entry.at) }));
    return;
  }
  if (step.do === "wait") {
    // Deadlines count from here.
    const ms = passed(on, entry.at);
    if (ms > 0) take(on, { do: "elapse", ms });
  }
  const told: Step = throws && step.do === "wait" ? { ...step, callback: "throws" } : step;
  compare(on, entry, told, take(on, told));
}
function passed(on: Retelling, at: number): number {
  const ms = Math.max(0, at - on.clock);
  on.clock = Math.max(on.clock, at);
  return ms;
}

function stepOf(on: Retelling, { step }: Entry, commit?: CommitAnswer): Step {
  const named = renamed(step, on);
  return commit === undefined ? named : { ...named, commit };
}
/**
 * Operations are named after their opening, which the specification counts by itself. One of an earlier opening is over, whatever
 * its number would be there: it is named after an opening that never was, so that it is not taken for one of this.
 */
function renamed(step: Step, { openings: [recorded, told] }: Retelling): Step {
  if (!("op" in step) || recorded === told) return step;
  const op = step.op.replace(/#(\d+)\./, (_, opening) => `#${Number(opening) === recorded ? told : 0}.`);
  return { ...step, op };
}

function compare(on: Retelling, { reply, commit, events = [] }: Entry, step: Step, told: Reply): void {
  const say = (what: string): void => gap(on, `${step.do} ${what}`);
  if (commit !== undefined && !commitAnswers.some((each) => each === commit))
    say(`was not written (${commit}), which no recording of one session explains`);
  else if (!repliesAlike(on, step, reply ?? null, told))
    say(`was answered ${JSON.stringify(reply)}, and the specification says ${shortly(told)}`);
  const expected = eventsOf(told);
  const own = "op" in step ? step.op : "gate" in told ? told.op : null;
  // What is set aside is told when it is looked at, and by the specification when the session is opened.
  const found = events
    .filter((event) => event[0] !== "set_aside" && !isEndOf(event, own, on))
    .map((event) => eventOf(event, on));
  const due = expected
    .filter((event) => event[0] !== "set_aside" && !isEndOf(event, own, null))
    .map((event) => eventOf(event, null));
  if (!equal(found, due)) say(`told ${JSON.stringify(found)}, and the specification tells ${JSON.stringify(due)}`);
}
const shortly = (told: Reply): string => JSON.stringify(told).slice(0, 120);
const eventsOf = ({ events = [] }: Reply): readonly Event[] => events;

function opOf(op: string, on: Retelling | null): string {
  return on === null ? op : op.replace(`#${on.openings[0]}.`, `#${on.openings[1]}.`);
}
/** The end of a step's own operation is its reply. */
const isEndOf = (event: Event, own: string | null, on: Retelling | null): boolean =>
  event[0] === "ended" && opOf(event[1], on) === own;
/** Of an end, how it ended; what a conversation said is not recorded. */
function eventOf(event: Event, on: Retelling | null): Json {
  if (event[0] !== "ended") return JSON.parse(JSON.stringify(event));
  const [, op, outcome] = event;
  return ["ended", opOf(op, on), "ok" in outcome ? "ok" : JSON.parse(JSON.stringify(outcome))];
}

function repliesAlike(on: Retelling, step: Step, reply: RecordedReply | null, told: Reply): boolean {
  if (reply === null) return false;
  if ("refused" in reply) return "refused" in told && told.refused === reply.refused;
  if ("begun" in reply) return begunAlike(opOf(reply.begun, on), told);
  if ("fault" in reply) return "fault" in told && told.fault === reply.fault && told.at === reply.at;
  const { ok } = reply;
  if ("ok" in told) {
    if ((ok === "late") !== (told.ok === "late")) return false;
    if (typeof ok === "string" && typeof told.ok === "string") return ok === told.ok || ok === "done";
    return typeof ok !== "number" || !Array.isArray(told.ok) || told.ok.length === ok;
  }
  // An answer is taken; what comes of it is told by its events.
  return step.do === "answer" || !("refused" in told);
}
const begunAlike = (op: string, told: Reply): boolean => "gate" in told && told.op === op;

const isWaiting = ({ reply }: Entry): boolean => reply != null && "ok" in reply && reply.ok === "waiting";

/** Waits whose callback threw: it is told where they were woken. */
function throwing(recorded: readonly Recorded[]): ReadonlySet<number> {
  const found = new Set<number>();
  const waiting = new Map<string, number>();
  for (const [index, each] of recorded.entries()) {
    if (each.is !== "entry") continue;
    const { step, events = [] } = each.entry;
    for (const [at, event] of events.entries()) {
      const next = events[at + 1];
      if (event[0] !== "woke" || next?.[0] !== "warned" || next[1] !== "callback_failed" || next[2] !== event[1])
        continue;
      const wait = waiting.get(event[1]);
      if (wait !== undefined) found.add(wait);
    }
    if (step.do === "wait" && isWaiting(each.entry)) waiting.set(step.by, index);
  }
  return found;
}
