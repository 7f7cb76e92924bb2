/** How it stands when the clients begin: reached by steps that are made one after another, on both sides. */
import { begin, step, type World } from "../../../model/index.ts";
import type { Scope, Step } from "../../../src/contract.ts";
import { digest } from "../../digest.ts";

/** `reopen`: abandoned and restored, so that everybody is cold and no row was looked at. */
export type Prepared =
  | Extract<Step, { readonly do: "spawn" | "finish" | "send" | "sample" }>
  | { readonly do: "reopen" };

const spawn = (by: string, name: string, handler = false): Prepared => ({
  ...{ do: "spawn", by, name, role: "r", text: `be ${name}`, handler },
});
const finish = (path: string, text: string): Prepared => ({ do: "finish", path, turn: 1, outcome: "completed", text });
const send = (to: string): Prepared => ({ do: "send", by: "/root", to, text: `for ${to}` });

const sample = (path: string): Prepared => ({ do: "sample", path });
const [rest, root] = [spawn("/root", "b"), sample("/root")];

export const setups: readonly (readonly Prepared[])[] = [
  // Somebody runs with a handler and an empty mailbox, somebody is idle with a result, somebody is below.
  [
    ...[spawn("/root", "a", true), spawn("/root/a", "c"), finish("/root/a/c", "C1"), sample("/root/a")],
    ...[rest, finish("/root/b", "B1"), root],
  ],
  [spawn("/root", "a"), finish("/root/a", "A1"), rest, root],
  [spawn("/root", "a"), rest, sample("/root/a")],
  // Nobody is resident, and no row was looked at.
  [
    ...[spawn("/root", "a"), finish("/root/a", "A1"), spawn("/root/a", "c"), finish("/root/a/c", "C1")],
    ...[send("/root/a"), root, { do: "reopen" } as const],
  ],
  // Turns were abandoned, and recovered.
  [spawn("/root", "a"), spawn("/root/a", "c"), send("/root/a/c"), { do: "reopen" }, root],
  [],
];

const all = { hydrate: "ok", prepare: "ok", dispatch: "ok", abort: "ok", handler: "ok" } as const;

/** The specification's side. */
export function prepared(scope: Scope, steps: readonly Prepared[]): World {
  let now = begin(digest, scope);
  for (const each of steps) {
    if (each.do === "reopen") now = reopened(now);
    else now = step(now, each.do === "spawn" ? { ...each, answers: all } : each).world;
  }
  return now;
}
export function reopened(world: World): World {
  return step(step(world, { do: "crash" }).world, { do: "restore", mode: "write", answers: all }).world;
}
