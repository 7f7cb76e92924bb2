/**
 * `together`: calls issued in one turn of the event loop are decided in that order, whatever the order is and whatever their
 * gates and commits answer. Every order of a few calls is tried.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as library from "../../../src/index.ts";
import type { Asked } from "./history.ts";
import { judge } from "./judge.ts";
import { scheduled } from "./schedule.ts";

const a = "/root/a";
const send: Asked = { do: "send", by: "/root", to: a, text: "m" };
const followUp: Asked = { do: "follow_up", by: "/root", to: a, text: "again", handler: true };
const finish: Asked = { do: "finish", path: a, turn: 1, outcome: "completed", text: "R1" };
const interrupt: Asked = { do: "interrupt", by: "/root", to: a };
const wait: Asked = { do: "wait", by: "/root" };
const sample: Asked = { do: "sample", path: "/root" };
const spawn: Asked = { do: "spawn", by: a, name: "c", role: "r", text: "t" };

const sets: readonly (readonly [what: string, setup: number, calls: readonly Asked[]])[] = [
  ["ways to end a turn", 1, [finish, interrupt, followUp, wait]],
  ["mail and who waits for it", 2, [send, wait, sample, { do: "execution", owner: "/root", text: "e" }]],
  ["starts of one agent, one asked by nobody any more", 3, [followUp, spawn, { do: "inspect", path: a }, send]],
  ["an end in the middle", 1, [finish, { do: "close" }, send, { do: "save" }]],
];

function orders<Each>(of: readonly Each[]): readonly (readonly Each[])[] {
  if (of.length === 0) return [[]];
  return of.flatMap((first, at) => orders(of.filter((_, other) => other !== at)).map((rest) => [first, ...rest]));
}

describe("calls issued together", () => {
  test.each(sets)("are decided as they were issued: %s", async (_, setup, calls) => {
    for (const [index, together] of orders(calls).entries())
      for (const commits of [[0], [7, 0], [0, 7, 0]]) {
        const [scheduler] = fc.sample(fc.scheduler(), { numRuns: 1, seed: index });
        if (scheduler === undefined) throw new Error("no scheduler");
        const story = { setup, capacity: 3, together, commits, clients: [], callbacks: [], gates: [], verbs: [0] };
        const program = {
          ...story,
          crowd: 1,
          pace: [index % 10],
          hangs: false,
          hurries: false,
          ends: 0,
          endsAfter: 0,
          endsInCallback: 0,
          keeps: index % 2 === 1,
        };
        const schedule = scheduled(scheduler, program.pace);
        const { failure } = await judge(library, library.memoryStore(), program, schedule);
        expect(failure, failure ?? "").toBe(null);
      }
  });
});
