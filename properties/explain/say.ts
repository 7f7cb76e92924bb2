/**
 * Steps, replies and values in plain words, the same on a terminal, on the page and in a diagram. Short names: `a/b` for
 * `/root/a/b`, `root` for `/root`. A sentence is in pieces, so that values can be shown to matter or not.
 */
import type { Event, Reply, Step, StepOutcome } from "../../src/contract.ts";
import { standIn } from "./redact.ts";
import { clipped, visible } from "./visible.ts";

/** Plain words, or the value that stands under this key in the step. */
export type Piece = string | { readonly key: string; readonly says: string };

/** Code points of a text in a sentence; elsewhere as much as views show. */
const sentencePointsMax = 32;
const textPointsMax = 64;

/** `/root/a#1.2` is `a#1.2`. What is no path stays as it is, made visible. */
export const short = (path: string): string =>
  visible(path === "/root" ? "root" : path.startsWith("/root/") ? path.slice("/root/".length) : path);

function sayText(text: unknown, most: number = textPointsMax): string {
  if (typeof text === "string") return standIn.test(text) ? text : `"${clipped(visible(text), most)}"`;
  if (typeof text === "object" && text !== null && "length" in text && "sha256" in text)
    return `⟨${String(text.length)} units ${String(text.sha256)}⟩`;
  return text === null || text === undefined ? "nothing" : visible(JSON.stringify(text));
}

const value = (key: string, says: string): Piece => ({ key, says });

export function sentence(step: Step): readonly Piece[] {
  const as = step.as === undefined ? [] : [`[${visible(step.as)}] `];
  return [...as, ...own(step), ...riding(step)];
}
export const plainly = (pieces: readonly Piece[]): string =>
  pieces.map((piece) => (typeof piece === "string" ? piece : piece.says)).join("");

function own(step: Step): readonly Piece[] {
  const text = "text" in step ? value("text", sayText(step.text, sentencePointsMax)) : "";
  const by = "by" in step ? value("by", short(step.by)) : "";
  switch (step.do) {
    case "spawn":
      return [by, " spawns ", value("name", visible(step.name)), " as ", value("role", visible(step.role)), ": ", text];
    case "follow_up":
      return [by, " follows up on ", target(step.by, step.to), ": ", text];
    case "cancel":
      return ["the user cancels ", short(step.op)];
    case "answer":
      return [`${step.gate} of ${short(step.op)} is answered `, value("with", step.with)];
    case "say":
      return [`${short(step.path)} says in turn ${step.turn}: `, text];
    case "finish":
      return [
        "op" in step ? `the turn begun by ${short(step.op)} ends ` : `turn ${step.turn} of ${short(step.path)} ends `,
        value("outcome", step.outcome),
        ": ",
        text,
      ];
    case "interrupt":
      return [by, " interrupts ", target(step.by, step.to)];
    case "block":
      return [`${short(step.path)} is `, value("kind", step.kind.replace("_", "-"))];
    case "release":
      return [`${short(step.token)} is released`];
    case "send":
      return [by, " sends to ", target(step.by, step.to), ": ", text];
    case "execution":
      return [`a process of ${short(step.owner)} ends: `, text];
    case "steer":
      return ["the user steers root: ", text];
    case "wait":
      return [by, " waits", ...after(step)];
    case "cancel_wait":
      return [by, " stops waiting"];
    case "elapse":
      return [value("ms", String(step.ms)), " ms pass"];
    case "sample":
      return [`${short(step.path)} samples its mail`];
    case "roster":
      return [
        "the roster is read",
        ...(step.prefix === undefined ? [] : [" below ", value("prefix", short(step.prefix))]),
      ];
    case "read_result":
      return [`the result of ${short(step.path)} is read`];
    case "read_history":
      return [`the history of ${short(step.path)} is read`];
    case "inspect":
      return [`${short(step.path)} is inspected`];
    case "evict":
      return [`${short(step.path)} is evicted`];
    case "compact":
      return [`${short(step.path)} is compacted`];
    case "change_role":
      return [`role ${visible(step.role)} is changed`];
    case "set_capacity":
      return ["capacity becomes ", value("capacity", String(step.capacity))];
    case "save":
      return ["the session is saved"];
    case "verify":
      return ["the archive is verified"];
    case "fork":
      return ["the session is forked"];
    case "close":
      return ["the session is closed"];
    case "crash":
      return ["the process crashes"];
    case "restore":
      return [
        "the session is restored to ",
        value("mode", step.mode),
        ...(step.takeover === true ? [", ", value("takeover", "taking over")] : []),
      ];
    case "damage":
      return [`${damaged(step)} is damaged: `, value("how", step.how)];
    case "mend":
      return [`${damaged(step)} is mended`];
    case "together":
      return [`${step.steps.length} steps at once`];
  }
}

const target = (by: string, to: string): string => short(to.startsWith("/") ? to : `${by}/${to}`);
const damaged = (step: Extract<Step, { do: "damage" | "mend" }>): string =>
  step.what === "record"
    ? `the record of ${short(step.path)}`
    : step.what === "session"
      ? "the session's data"
      : "the archive";

function after(step: Extract<Step, { do: "wait" }>): readonly Piece[] {
  const ms = step.timeoutMs === undefined ? [] : [" ", value("timeoutMs", `${step.timeoutMs} ms`)];
  if (step.callback === undefined) return ms;
  const then = step.callback === "throws" ? "throws" : plainly(own(step.callback.then));
  return [...ms, ", then ", value("callback", then)];
}

/** What rides on a step: a handler, answers in advance, how its commit ends. */
function riding(step: Step): readonly Piece[] {
  const found: Piece[] = [];
  if ("handler" in step && step.handler === true) found.push(", ", value("handler", "with a handler"));
  const answers = "answers" in step ? Object.entries(step.answers ?? {}) : [];
  for (const [gate, how] of answers) found.push(`, ${gate} `, value(`answers.${gate}`, how));
  if (step.do === "restore" && step.epoch !== undefined) found.push(", epoch ", value("epoch", step.epoch));
  if (step.do === "restore" && step.registrars !== undefined)
    found.push(
      ", ",
      value("registrars", step.registrars.length === 0 ? "no registrars" : step.registrars.map(visible).join(" ")),
    );
  if (step.commit !== undefined) found.push(", commit ", value("commit", step.commit));
  return found;
}

/** What a step answered, without what happened on the way. */
export function sayOutcome(outcome: StepOutcome): string {
  if ("ok" in outcome) return sayOk(outcome.ok);
  if ("refused" in outcome) return outcome.refused === undefined ? "refused" : `refused: ${String(outcome.refused)}`;
  if ("fault" in outcome) return `fault: ${outcome.fault} at ${short(outcome.at)}`;
  if ("quit" in outcome) return "given up";
  if ("crashed" in outcome) return "crashed";
  return `waits at ${outcome.gate}`;
}

function sayOk(given: unknown): string {
  if (typeof given === "string") return short(given);
  const replies = repliesIn({ ok: given });
  return replies === null ? sayValue(given) : replies.map(sayOutcome).join(" | ");
}

/** A `together` answers a list of replies; nothing else answers a list of anything but tuples. */
export function repliesIn(reply: { readonly ok?: unknown } | Reply | null): readonly Reply[] | null {
  const given: unknown = reply !== null && "ok" in reply ? reply.ok : null;
  if (!Array.isArray(given) || given.length === 0) return null;
  const all = given.every((each) => typeof each === "object" && each !== null && !Array.isArray(each));
  return all ? (given as readonly Reply[]) : null; // looked at one by one just now
}

/** What was answered to a step, or to one inside a `together`. */
export function replyTo(at: readonly [step: number, inner?: number], reply: Reply | null): Reply | null {
  return at[1] === undefined ? reply : (repliesIn(reply)?.[at[1]] ?? null);
}

export function sayEvent(event: Event): string {
  switch (event[0]) {
    case "woke":
      return `${short(event[1])} wakes (${event[2]})`;
    case "settled":
      return `turn ${event[2]} of ${short(event[1])} settles`;
    case "provider":
      return event[2] === "stopped"
        ? `provider of ${short(event[1])} stopped`
        : `provider of ${short(event[1])} started`;
    case "handled":
      return `turn ${event[2]} of ${short(event[1])} handled`;
    case "ended":
      return `${short(event[1])} ended: ${sayOutcome(event[2])}`;
    case "then":
      return `then: ${sayOutcome(event[1])}`;
    case "warned":
      return `warned: ${event[1]} at ${short(event[2])}`;
    case "set_aside":
      return `${short(event[1])} set aside: ${event[2]}`;
  }
}

/** The answer, and of what happened on the way only what nobody would expect of it. */
export function sayReply(reply: Reply): string {
  const telling = (event: Event): boolean =>
    event[0] !== "settled" && !(event[0] === "provider" && event[2] !== "stopped");
  return [sayOutcome(reply), ...(reply.events ?? []).filter(telling).map(sayEvent)].join("; ");
}

const mailKinds: readonly unknown[] = ["mail", "user", "execution"];
const outcomes: readonly unknown[] = ["completed", "errored", "interrupted"];
const messageKinds: readonly unknown[] = ["task", "partial", "mail", "note"];

/** Any value of a view, of an archive or of a reply; lists item by item. */
export function sayValue(given: unknown): string {
  if (given === undefined || given === null) return "nothing";
  if (typeof given === "string") return short(given);
  if (Array.isArray(given)) return tuple(given) ?? (given.length === 0 ? "nothing" : given.map(sayValue).join(", "));
  if (typeof given === "object" && "sha256" in given) return sayText(given);
  if (typeof given === "object")
    return Object.entries(given)
      .map(([key, value]) => `${visible(key)} ${sayValue(value)}`)
      .join(", ");
  return String(given);
}

function tuple(list: readonly unknown[]): string | null {
  const [one, two, three, four] = list;
  if (list.length === 3 && mailKinds.includes(one)) return `${String(one)} from ${sayValue(two)} ${sayText(three)}`;
  if (list.length === 4 && one === "result") return `result of ${sayValue(two)}: ${sayValue(three)} #${sayValue(four)}`;
  if (list.length === 4 && messageKinds.includes(one) && typeof two === "number")
    return `${String(one)} in turn ${two} from ${sayValue(three)} ${sayText(four)}`;
  if (list.length === 4 && outcomes.includes(one)) {
    const reason = three === null ? "" : ` (${sayValue(three)})`;
    return `${String(one)}${reason} ${sayText(two)}${four === null ? "" : `, partial ${sayText(four)}`}`;
  }
  if (list.length === 3 && typeof one === "number" && outcomes.includes(two))
    return `turn ${one} ${String(two)} ${sayText(three)}`;
  if (list.length === 2 && typeof one === "string" && typeof two === "string" && /[#/]/.test(one))
    return `${short(one)} ${visible(two)}`;
  return null;
}
