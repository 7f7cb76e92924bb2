/** What has to have happened in some history, or nothing was tried: each asked of what was seen, not of what was meant. */
import type { Call, History } from "./history.ts";

type Goal = (history: History) => boolean;
const someCall =
  (of: (call: Call, history: History) => boolean): Goal =>
  (history) =>
    history.calls.some((call) => of(call, history));
const isRefused = ({ answered }: Call, code: string): boolean =>
  answered !== null && "refused" in answered.outcome && answered.outcome.refused === code;
const isQuit = ({ answered }: Call): boolean => answered !== null && "quit" in answered.outcome;
const someEvent =
  (kind: string): Goal =>
  ({ events }) =>
    events.some(({ event }) => event[0] === kind);

export const goals: { readonly [name: string]: Goal } = {
  "a start quit before its turn": someCall((call) => isQuit(call) && call.begun === null),
  "a start quit at a gate": someCall((call) => isQuit(call) && call.begun !== null),
  "a signal too late": someCall(
    ({ begun, aborted, answered }) =>
      begun !== null && aborted !== null && answered !== null && "ok" in answered.outcome,
  ),
  "a wait given up": someCall((call) => call.asked.do === "wait" && isQuit(call)),
  "a wait ended without a word": someCall(({ answered }) => answered !== null && "silent" in answered.outcome),
  "somebody woken": someEvent("woke"),
  "a callback that calls back": someCall(({ client }) => client === "callback"),
  "a provider that speaks for its turn": someCall(({ asked }) => asked.do === "own_finish"),
  "a turn ended inside its dispatch": someCall(
    ({ answered }) => answered !== null && "ok" in answered.outcome && answered.outcome.ok === "held",
  ),
  "a handler that answered": someEvent("handled"),
  "a handler that threw": ({ gates }) => gates.some((each) => each.with === "throw"),
  "an operation cut off": someCall((call) => call.begun !== null && isRefused(call, "session_closed")),
  "a commit cut off": ({ commits, abandoned }) =>
    commits.some(({ settled }) => settled === null || (abandoned !== null && settled.at > abandoned)),
  "a commit not written": ({ commits }) => commits.some(({ settled }) => settled !== null && settled.answer !== "ok"),
  "closed while somebody asks": someCall(
    ({ asked, answered }, { calls }) =>
      asked.do === "close" &&
      answered !== null &&
      "ok" in answered.outcome &&
      calls.some((other) => other.at < answered.at && isRefused(other, "session_closed")),
  ),
  "closed by the clock": someCall(
    ({ asked, answered }) => asked.do === "close_within" && answered !== null && "fault" in answered.outcome,
  ),
  "two askers of one read": ({ events }) =>
    events.some(({ event, at }, index) => {
      const next = events[index + 1];
      return event[0] === "ended" && next?.event[0] === "ended" && next.at === at + 1 && event[1] !== next.event[1];
    }),
  "a wait that ran out": ({ events }) => events.some(({ event }) => event[0] === "woke" && event[2] === "timeout"),
  "an agent that waits when its turn ends": someCall(
    ({ asked, answered }, { events }) =>
      asked.do === "wait" &&
      asked.by !== "/root" &&
      answered !== null &&
      "silent" in answered.outcome &&
      events.some(({ event, at }) => event[0] === "settled" && event[1] === asked.by && at < answered.at),
  ),
  "an interrupt overtaken by a finish": someCall(
    ({ asked, begun, answered }, { gates }) =>
      asked.do === "interrupt" &&
      begun !== null &&
      answered !== null &&
      "ok" in answered.outcome &&
      gates.every(({ op, at }) => op !== begun.op || at > answered.at),
  ),
  "a settlement offered again": ({ keeps, commits }) =>
    keeps &&
    commits.some(
      ({ tag, settled }, index) =>
        settled?.answer !== "ok" && commits.slice(index + 1).some((next) => next.tag === tag && tag !== null),
    ),
  "a gate not answered in time": ({ gates }) => gates.some((each) => each.isLate),
  "a look while something is under way": ({ looks, calls }) =>
    looks.some(({ at }) => calls.some((call) => call.at < at && (call.answered?.at ?? 0) > at)),
  "abandoned by a callback": ({ abandoned, calls, events }) =>
    abandoned !== null &&
    (events.some(({ at }) => at === abandoned - 1) || calls.some(({ answered }) => answered?.at === abandoned - 1)),
  "another turn while a handler is asked": ({ gates, calls }) =>
    gates.some(
      ({ gate, op, at }) =>
        gate === "handler" &&
        calls.some(
          ({ asked, answered }) =>
            asked.do === "follow_up" &&
            answered !== null &&
            "ok" in answered.outcome &&
            answered.at < at &&
            answered.outcome.ok === op.slice(0, op.lastIndexOf("#")),
        ),
    ),
};
