/**
 * What goes from lane to lane in one step: the call, the answers of the world, the commit, mail that arrives, who is woken;
 * in the order in which it happens. Read off the model's two moments; mail that only one side delivers is told apart.
 */
import type { Event, Gate, MailView, Reply, Step, View } from "../../src/contract.ts";
import { pathOf, pathsOf } from "../about.ts";
import { equal } from "../compare.ts";
import type { Frame, Side } from "./explanation.ts";
import { repliesIn } from "./say.ts";

export interface Mark {
  readonly kind: "call" | "answer" | "provider" | "commit" | "mail" | "own";
  /** Lanes; `null` comes from outside: the user, a process, the clock. */
  readonly from: number | null;
  readonly to: number;
  readonly label: string;
  /** It was refused, failed or came too late. */
  readonly bad: boolean;
  /** Only one side has it. */
  readonly only: "model" | "target" | null;
}

export interface Act {
  readonly step: Step;
  readonly index: ReadonlyMap<string, number>;
  readonly before: Frame | undefined;
  readonly after: Frame | undefined;
}

interface Draft {
  readonly index: ReadonlyMap<string, number>;
  readonly marks: Mark[];
}

export function actsOf({ step, index, before, after }: Act): readonly Mark[] {
  const draft: Draft = { index, marks: [] };
  if (before === undefined || after === undefined) return [];
  const reply = after.model.reply ?? { ok: "done" };
  const posted = mailMarks(draft, step.as ?? "w1", before, after);
  const steps = step.do === "together" ? step.steps : [step];
  const replies = step.do === "together" ? (repliesIn(reply) ?? []) : [reply];
  for (const [at, each] of steps.entries()) {
    const given = replies[at] ?? reply;
    command(draft, each, given, before.model.view, posted.length > 0);
    if (!("answers" in each && each.answers?.dispatch !== undefined)) provider(draft, given.events ?? [], "started");
    provider(draft, given.events ?? [], "stopped");
  }
  if (step.do === "together") provider(draft, reply.events ?? [], "started");
  commit(draft, step, reply, before.model, after.model);
  draft.marks.push(...posted);
  for (const each of replies) told(draft, each.events ?? []);
  if (step.do === "together") told(draft, reply.events ?? []);
  return draft.marks;
}

function put(
  { index, marks }: Draft,
  mark: Partial<Mark> & Pick<Mark, "kind" | "label">,
  from: string | null,
  to: string,
): void {
  const [source, goal] = [from === null ? null : index.get(from), index.get(to)];
  if (goal === undefined || source === undefined) return;
  marks.push({ bad: false, only: null, ...mark, from: source, to: goal });
}

/** Turned away at once; how it ends otherwise is told by its answers and its commit. */
const bad = (reply: Reply): boolean =>
  ("refused" in reply && reply.refused !== "task_refused") || ("ok" in reply && reply.ok === "late");
const how = (reply: Reply): string =>
  "refused" in reply && bad(reply) ? `: ${reply.refused}` : "ok" in reply && reply.ok === "late" ? ": late" : "";
/** Who answers at a gate: what is read comes from the archive. */
const answering = (gate: Gate): string => (gate === "hydrate" ? "archive" : "provider");
const words = (code: string): string => code.replaceAll("_", " ");

function command(draft: Draft, step: Step, reply: Reply, before: View, posted: boolean): void {
  const [path = "/root", by = "/root"] = pathsOf(step);
  const wrong = { bad: bad(reply) };
  const label = `${words(step.do)}${words(how(reply))}`;
  switch (step.do) {
    case "spawn":
    case "follow_up":
    case "interrupt":
      put(draft, { kind: "call", label, ...wrong }, by, path);
      ahead(draft, step, reply.events ?? [], before);
      return;
    case "send":
      if (!posted) put(draft, { kind: "call", label, ...wrong }, by, path);
      return;
    case "execution":
    case "steer":
      if (!posted) put(draft, { kind: "call", label, ...wrong }, null, path);
      return;
    case "answer":
      put(
        draft,
        {
          kind: "answer",
          label: `${step.gate} ${step.with}${how(reply) === ": late" ? ": late" : ""}`,
          bad: step.with !== "ok" || how(reply) === ": late",
        },
        answering(step.gate),
        path,
      );
      return;
    case "finish":
      put(draft, { kind: "answer", label: `${step.outcome}${words(how(reply))}`, ...wrong }, "provider", path);
      return;
    case "say":
      put(draft, { kind: "answer", label, ...wrong }, "provider", path);
      return;
    case "cancel":
    case "elapse":
      put(draft, { kind: "call", label: step.do === "elapse" ? `${step.ms} ms` : label, ...wrong }, null, path);
      return;
    case "save":
    case "verify":
    case "fork":
      put(draft, { kind: "call", label, ...wrong }, "/root", "archive");
      return;
    case "damage":
    case "mend":
      put(draft, { kind: "call", label, bad: step.do === "damage" }, null, "archive");
      return;
    case "crash":
    case "close":
    case "restore":
    case "together":
      return;
    default:
      put(draft, { kind: "own", label, ...wrong }, path, path);
  }
}

/** Answers given in advance, as far as they were asked for; a provider is started when its gate opens. */
function ahead(draft: Draft, step: Step, events: readonly Event[], before: View): void {
  const [path = "/root"] = pathsOf(step);
  const answers = "answers" in step ? (step.answers ?? {}) : {};
  const resident = before.agents?.[path]?.residency === "writable";
  for (const gate of ["hydrate", "prepare", "dispatch", "abort"] as const) {
    const given = answers[gate];
    if (given === undefined || (gate === "hydrate" && (step.do !== "follow_up" || resident))) continue;
    if (gate === "dispatch") provider(draft, events, "started");
    put(draft, { kind: "answer", label: `${gate} ${given}`, bad: given !== "ok" }, answering(gate), path);
    if (given !== "ok") return;
  }
}

function provider(draft: Draft, events: readonly Event[], which: "started" | "stopped"): void {
  for (const event of events)
    if (event[0] === "provider" && (event[2] === "stopped") === (which === "stopped"))
      put(draft, { kind: "provider", label: which === "stopped" ? "stop" : "start" }, event[1], "provider");
}

const unwritten: readonly string[] = [
  "not_written",
  "disk_full",
  "busy",
  "io_failed",
  "read_only_file",
  "ownership_lost",
  "record_invalid",
];

function commit(draft: Draft, step: Step, reply: Reply, before: Side, after: Side): void {
  const [path = "/root"] = pathsOf(step);
  const actor = draft.index.has(path) ? path : "/root";
  const failed = "fault" in reply && unwritten.includes(reply.fault) ? reply.fault : null;
  const crashed = "crashed" in reply ? "crash" : null;
  if (failed !== null || crashed !== null)
    put(draft, { kind: "commit", label: words(failed ?? step.commit ?? "crash"), bad: true }, actor, "archive");
  else if (before.stored !== null && after.stored !== null && !equal(before.stored, after.stored))
    put(draft, { kind: "commit", label: "commit" }, actor, "archive");
}

interface Post {
  readonly to: string;
  readonly mail: MailView;
}

/** Mail that is in a box after the step and was not before. */
function arrived(before: View, after: View): readonly Post[] {
  if (before.mode === "closed") return [];
  const boxes: readonly (readonly [string, readonly MailView[], readonly MailView[]])[] = [
    ["/root", before.root?.mail ?? [], after.root?.mail ?? []],
    ...Object.entries(after.agents ?? {}).map(
      ([path, agent]) => [path, before.agents?.[path]?.mail ?? [], agent.mail ?? []] as const,
    ),
  ];
  return boxes.flatMap(([to, was, is]) => less(is, was, equal).map((mail) => ({ to, mail })));
}

/** The items of one list without those of another, each taken away once. */
function less<Item>(
  list: readonly Item[],
  taken: readonly Item[],
  same: (one: Item, other: Item) => boolean,
): readonly Item[] {
  const left = [...taken];
  return list.filter((item) => {
    const at = left.findIndex((other) => same(item, other));
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

const closed: View = { mode: "closed" };

function mailMarks({ index }: Draft, as: string, before: Frame, after: Frame): readonly Mark[] {
  const of = ({ view }: Side): View => (as === "w1" ? view : (view.others?.[as] ?? closed));
  const own = arrived(of(before.model), of(after.model));
  const others = after.target === null ? own : arrived(of(before.target ?? before.model), of(after.target));
  const draft: Draft = { index, marks: [] };
  const missing = less(own, others, equal);
  for (const post of own) post_(draft, post, missing.includes(post) ? "model" : null);
  for (const post of less(others, own, equal)) post_(draft, post, "target");
  return draft.marks;
}

function post_(draft: Draft, { to, mail }: Post, only: Mark["only"]): void {
  const [kind, sender] = mail;
  const from = sender === "user" || (kind === "execution" && sender === to) ? null : sender;
  const known = from !== null && draft.index.has(from) ? from : null;
  put(draft, { kind: "mail", label: kind, only }, known, to);
}

/** What happened on the way. */
function told(draft: Draft, events: readonly Event[]): void {
  for (const event of events) {
    if (event[0] === "woke") put(draft, { kind: "own", label: `wakes: ${event[2]}` }, event[1], event[1]);
    if (event[0] === "warned")
      put(draft, { kind: "own", label: `warned: ${words(event[1])}`, bad: true }, event[2], event[2]);
    if (event[0] === "handled") put(draft, { kind: "own", label: "handled" }, event[1], event[1]);
    if (event[0] === "set_aside")
      put(draft, { kind: "own", label: `aside: ${words(event[2])}`, bad: true }, event[1], event[1]);
    if (event[0] === "ended") put(draft, { kind: "own", label: "ended" }, pathOf(event[1]), pathOf(event[1]));
  }
}
