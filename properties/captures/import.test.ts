/**
 * An import would be wrong if a moment of it made no sense where it stands, if a line that cannot be read cost more than itself, or if
 * something that was read were neither a moment nor said to be left out.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { begin, step as decide } from "../../model/index.ts";
import { digest } from "../digest.ts";
import { Unusable } from "../unusable.ts";
import { type Capture, parseCapture, printCapture } from "./capture.ts";
import { importCapture } from "./import.ts";
import { synthetic } from "./synthetic.ts";

const event = (elapsed: number, name: string, properties: string): string =>
  `(:schema-version 1 :time "2030-01-05T09:00:00.000+0100" :elapsed-ms ${elapsed} :sequence ${elapsed} :event ${name} :session-id "s" :turn 1 :profiler-run-id nil ${properties})\n`;
const rev = ':agent-id "r--1" :agent-path "/root/rev" :agent-type "reviewer"';
const race = [
  event(100, "agent-dispatch", `${rev} :retained t`),
  event(200, "execution-finished", ':execution-id "x7" :owner "/root" :exit-code 0'),
  event(300, "agent-request-sent", `${rev} :retained t`),
  event(400, "agent-settled", `${rev} :outcome completed`),
];
const read = (text: string, name = "telemetry-log.el"): Capture => importCapture([{ name, text }], false);
const verbs = ({ moments }: Capture): readonly string[] => moments.map(({ step, line }) => `${line ?? "-"} ${step.do}`);

/** Moments that the specification turns away where they stand. */
function turnedAway({ scope, moments }: Capture): readonly string[] {
  let world = begin(digest, scope);
  const away: string[] = [];
  for (const [index, { step }] of moments.entries()) {
    const after = decide(world, step);
    world = after.world;
    if ("refused" in after.reply || ("ok" in after.reply && after.reply.ok === "late"))
      away.push(`${index + 1} ${JSON.stringify(step)}: ${JSON.stringify(after.reply)}`);
  }
  return away;
}

/** Lines of one session in any order: whatever of it was lost, what is left has to be placed. */
const jumble = fc
  .tuple(fc.integer({ min: 1, max: 999 }), fc.array(fc.nat(119), { minLength: 1, maxLength: 80 }))
  .map(([seed, order]) => {
    const lines = synthetic(120, seed, true).split("\n");
    const waits = [
      event(1, "agent-wait-started", ':agent-path "/root" :timeout-ms 30000'),
      event(1, "agent-wait-immediate", ':agent-path "/root/rev" :timeout-ms 30000'),
      ...["mailbox", "steering", "user", "timeout", "cancelled"].flatMap((why) =>
        ["/root", "/root/rev"].map((path) => event(1, "agent-wait-ended", `:agent-path "${path}" :outcome ${why}`)),
      ),
      event(1, "agent-settled", `${rev} :outcome aborted`),
      event(1, "agent-settled", `${rev} :outcome error`),
    ].map((line) => line.trim());
    return `${order.map((at) => (at % 7 === 0 ? waits[at % waits.length] : lines[at])).join("\n")}\n`;
  });

describe("what a session left behind", () => {
  test("always becomes moments that make sense where they stand", () => {
    fc.assert(
      fc.property(jumble, (text) => {
        const capture = read(text);
        expect(turnedAway(capture)).toEqual([]);
        expect(parseCapture(printCapture(capture), "again")).toEqual(capture);
      }),
      { numRuns: 60, seed: 11 },
    );
  });

  test("shows the September race: the agent was there, and an execution finished while it was started", () => {
    const capture = read(race.join(""));
    expect(verbs(capture)).toEqual(["- spawn", "- finish", "1 follow_up", "2 execution", "3 answer", "4 finish"]);
    expect(capture.spans).toEqual([{ from: 2, to: 4 }]);
    expect(capture.gaps.find(({ before }) => before === 1)?.why).toContain("the end of a turn of /root/rev");
  });

  test("loses a torn last line, and no other line with it", () => {
    const [whole] = [race.join("")];
    const torn = read(`${whole}${race[0]?.slice(0, 60)}`);
    expect(verbs(torn)).toEqual(verbs(read(whole)));
    expect(torn.skipped).toContainEqual(expect.objectContaining({ what: "the torn last line", line: 5, times: 1 }));
    const middle = read(`${race[0]}${race[0]?.slice(0, 60)}\n${race.slice(1).join("")}`);
    expect(verbs(middle)).toEqual(["- spawn", "- finish", "1 follow_up", "3 execution", "4 answer", "5 finish"]);
    expect(middle.skipped).toContainEqual(expect.objectContaining({ what: "a line that cannot be read", line: 2 }));
  });

  test("takes the first of a key that stands there twice, and says which keys the writer dropped", () => {
    const capture = read(event(1, "execution-finished", ':owner "/root" :owner "/root/rev" :dropped-keys (:output)'));
    expect(capture.moments.map(({ step }) => step)).toEqual([{ do: "execution", owner: "/root", text: "execution 1" }]);
    expect(capture.skipped.map(({ what }) => what)).toEqual([
      "a key that stands there twice",
      "keys that the writer dropped",
    ]);
  });

  test("counts lines through texts with line ends in them", () => {
    const capture = read(`${event(1, "prompt", ':note "one\ntwo\nthree"')}${race.join("")}`);
    expect(verbs(capture)).toEqual(["- spawn", "- finish", "4 follow_up", "5 execution", "6 answer", "7 finish"]);
  });

  test("takes a clock that goes back for another process", () => {
    const capture = read(`${race.join("")}${event(50, "session-save", ":kind full :stage finish")}`);
    expect(verbs(capture).slice(-3)).toEqual(["- crash", "5 restore", "5 save"]);
  });

  test("holds nothing of a text unless it is asked for", () => {
    const sidecar = `(:version 3 :session-id "s" :agent-turn-capacity 2 :messages ((:type MAIL :sender "/root/rev" :recipient "/root" :payload "secret mail"))
 :agent-registry ((:id "r" :path "/root/rev" :parent-path "/root" :role "reviewer" :activity idle :settled-outcome completed :settled-result "secret result of some length, longer than a hash"
  :configuration (:agent (:name "reviewer" :system-prompt "secret prompt" :max-turns 4) :request-locals ((gptel-tools ("mevedel" "Read") ("core" "run"))))
  :mailbox nil)))`;
    const capture = importCapture([{ name: "session.meta.el", text: sidecar }], false);
    expect(JSON.stringify(capture)).not.toContain("secret");
    expect(turnedAway(capture)).toEqual([]);
    expect(capture.scope.capacity).toBe(2);
    expect(Object.keys(capture.scope.registrars)).toEqual(["mevedel", "core"]);
    expect(verbs(capture)).toEqual(["1 spawn", "1 answer", "1 finish", "- sample", "1 send"]);
    expect(JSON.stringify(importCapture([{ name: "session.meta.el", text: sidecar }], true))).toContain("secret mail");
  });

  test.each([
    ["", "is empty"],
    ["hello", "is no capture"],
    ["(1 2 3)", "neither telemetry"],
    ["(:version 1 #s(hash-table))", "(record)"],
    ['{"capture": 2}', "a.el"],
    [
      '{"capture": 1, "spec": 1, "from": [], "moments": [], "gaps": [{"before": 5, "may": [], "why": "w"}], "spans": [], "skipped": [], "scope": {"capacity": 1, "roles": {}, "registrars": {}, "archive": "memory", "process": "same"}}',
      "names a moment that is not there",
    ],
  ])("says what is wrong with %j", (text, why) => {
    expect(() => read(text, "a.el")).toThrow(Unusable);
    expect(() => read(text, "a.el")).toThrow(why);
  });
});
