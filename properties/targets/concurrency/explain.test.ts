/**
 * The search itself, on histories written by hand: what some order explains is accepted, also when it is not the order of
 * issue; what none does is not, and the shortest such beginning is told. False would be a lost or early answer that passes.
 */
import { describe, expect, test } from "vitest";
import { encode, step, view, type World } from "../../../model/index.ts";
import type { Step } from "../../../src/contract.ts";
import { unexplained } from "./diagram.ts";
import { explain, type Order } from "./explain.ts";
import type { Asked, Call, CommitSeen, History } from "./history.ts";
import { config } from "./program.ts";
import { prepared, reopened } from "./setups.ts";

const roles = { r: config };
const start = prepared({ capacity: 1, roles, registrars: {}, archive: "memory", process: "same" }, []);
const doing = (...steps: readonly Step[]): World => steps.reduce((world, each) => step(world, each).world, start);

const send = (text: string): Asked & { readonly do: "send" } => ({ do: "send", by: "/root", to: "/root", text });
const sample: Asked & { readonly do: "sample" } = { do: "sample", path: "/root" };
const mails = (...texts: readonly string[]) => ({ ok: texts.map((text) => ["mail", "/root", text] as const) });
const done = { ok: "done" } as const;
const cut = { refused: "session_closed" } as const;

type Told = readonly [asked: Asked, at: number, until: number, outcome: NonNullable<Call["answered"]>["outcome"]];
type Written = readonly [tag: number, at: number, settled: number | null];
function seen(
  told: readonly Told[],
  written: readonly Written[],
  left: World,
  abandoned: number | null = null,
): History {
  const calls = told.map(([asked, at, until, outcome], id): Call => {
    return { id, client: `client ${id}`, asked, at, begun: null, aborted: null, answered: { outcome, at: until } };
  });
  const commits = written.map(([tag, at, settled]): CommitSeen => {
    return { tag, group: at, at, settled: settled === null ? null : { answer: "ok", at: settled } };
  });
  const open = abandoned === null;
  const end = { view: open ? view(left) : ({ mode: "closed" } as const), encoded: open ? encode(left) : null };
  const nothing = { gates: [], elapsed: [], events: [], looks: [], rests: [], unhandled: [], keeps: false };
  return { ...nothing, calls, commits, abandoned, end: 100, ...end, restored: view(reopened(left)) };
}
const verdict = (history: History, order: Order = "any"): string => explain(start, history, order).is;

describe("a history", () => {
  const written: readonly Written[] = [
    [1, 3, 4],
    [0, 5, 6],
    [2, 9, 10],
  ];
  const both: readonly Told[] = [
    [send("first"), 1, 7, done],
    [send("second"), 2, 5, done],
  ];
  test("of calls that overlap is explained by either order, but only one is that of issue", () => {
    const left = doing(send("second"), send("first"), sample);
    const history = seen([...both, [sample, 8, 11, mails("second", "first")]], written, left);
    expect([verdict(history), verdict(history, "issued")]).toEqual(["explained", "unexplained"]);
  });
  test("with an acknowledged mail that nobody gets is not", () => {
    const history = seen([...both, [sample, 8, 11, mails("second")]], written, doing(send("second"), sample));
    expect(verdict(history)).toBe("unexplained");
  });
  test("with an answer before its commit is not, and the moment is told", () => {
    const history = seen([[send("m"), 1, 3, done]], [[0, 2, 4]], doing(send("m")));
    expect(verdict(history)).toBe("unexplained");
    expect(unexplained(start, history, "any")).toContain('#0 is answered {"ok":"done"}, at 3 of 100');
  });
  test("with a call that was cut off is explained whether it was written or not, but not in part", () => {
    const told: readonly Told[] = [[send("m"), 1, 5, cut]];
    for (const left of [doing(send("m")), start])
      expect(verdict(seen(told, [[0, 2, null]], left, 4))).toBe("explained");
    expect(verdict(seen(told, [[0, 2, null]], doing(send("other")), 4))).toBe("unexplained");
    expect(verdict(seen([[send("m"), 1, 3, done]], [[0, 2, 3]], start, 4))).toBe("unexplained");
  });
});
