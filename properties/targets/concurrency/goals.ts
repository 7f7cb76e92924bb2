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
};
