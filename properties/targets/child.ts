/**
 * A target in a process of its own, in any language (see ../PROTOCOL.md). Where the scope says that its process is fresh,
 * whatever ends the last session kills the process, and a new one goes on: tables that were warm cannot hide a fault.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Counters, Encoded, Reply, Scope, Step, StoredView, View } from "../../src/contract.ts";
import { equal } from "../compare.ts";
import type { Capabilities, Target } from "../target.ts";
import { Unusable } from "../unusable.ts";
import { type Lines, openLines } from "./lines.ts";
import { appliedAt, counted, done, greeted, protocolVersion } from "./protocol.ts";
import { type Roles, rolesOf } from "./roles.ts";

export interface ChildOptions {
  /** For one answer [10,000]. */
  readonly timeoutMs?: number;
  /** Takes every story as one whose process is fresh, or is the same [as the story says]. */
  readonly fresh?: boolean;
  /** Starts a new process after so many stories: for one that grows with each [never]. */
  readonly restartAfter?: number;
}

/** What was shown after the last step. */
interface Shown {
  readonly view: View;
  readonly encode: Encoded | null;
  readonly stored: StoredView | null;
  readonly counters: Counters | null;
}

const nothing: Counters = { conversationsHydrated: 0, providerCalls: 0, commits: 0, bytesWritten: 0, toolRuns: 0 };

export async function childTarget(
  name: string,
  /** Of each new process; one that changes is asked for each time. */
  command: readonly string[] | (() => readonly string[]),
  { timeoutMs = 10_000, fresh, restartAfter = Number.POSITIVE_INFINITY }: ChildOptions = {},
): Promise<Target> {
  const started = async (): Promise<readonly [Lines, Capabilities]> => {
    const lines = openLines(name, typeof command === "function" ? command() : command, timeoutMs);
    const { answer } = await lines.ask({ hello: { protocol: protocolVersion } }, greeted);
    return [lines, answer.hello.capabilities];
  };
  let [lines, offered]: readonly [Lines | null, Capabilities] = await started();
  const can = offered;
  const want = ["view", ...(can.encodes ? ["encode"] : []), ...(can.stores ? ["stored"] : [])];
  const applied = appliedAt(can.level);
  const counts = counting();
  let story: { readonly scope: Scope; readonly place: string; readonly roles: Roles; openings: number } | null = null;
  let shown: Shown | null = null;
  /** Stories told to this process. */
  let stories = 0;

  const start = async (): Promise<Lines> => {
    [lines, offered] = await started();
    stories = 0;
    if (!equal(offered, can)) throw new Unusable(4, `${name} offers something else in each of its processes`);
    return lines;
  };
  const kill = async (): Promise<void> => {
    await lines?.kill();
    lines = null;
    counts.ended();
  };
  const leave = async (): Promise<void> => {
    try {
      await lines?.ask({ close: true }, done);
      await lines?.leave();
    } catch {
      // It is let go of, in whatever state it is; what was wrong was told when it mattered.
      await lines?.kill();
    }
    lines = null;
  };
  const open = () => {
    if (story === null) throw new Unusable(4, `${name} was not reset`);
    return story;
  };
  const going = async (): Promise<Lines> => {
    if (lines !== null) return lines;
    const { scope, place, roles, openings } = open();
    const next = await start();
    await next.ask({ resume: { ...scope, roles: roles.now() }, place, opening: openings }, done);
    return next;
  };
  /** The counters are asked for in the same breath. */
  const ask = async (step: Step): Promise<{ readonly reply: Reply; readonly line: string }> => {
    const on = await going();
    const asked = on.ask({ apply: step, want }, applied);
    const work = counts.isCounted() ? on.ask({ counters: true }, counted) : null;
    const [{ answer, line }, also] = await Promise.all([asked, work]);
    const { reply: told, view: seen, encode = null, stored = null } = answer;
    shown = { view: seen, encode, stored, counters: counts.sum(also?.answer.counters ?? null) };
    return { reply: told, line };
  };
  const look = async (): Promise<Shown> => {
    lines?.check();
    // Nothing was asked since the reset: a roster changes nothing.
    if (shown === null && can.verbs?.includes("roster") !== false) await ask({ do: "roster" });
    return shown ?? untouched(open().scope);
  };

  return {
    name,
    capabilities: can,
    reset: async (given) => {
      const before = story;
      const scope = fresh === undefined ? given : fresh ? inFresh(given) : { ...given, process: "same" as const };
      const place = await mkdtemp(join(tmpdir(), "rollcall-child-"));
      story = { scope, place, roles: rolesOf(scope.roles), openings: 1 };
      shown = null;
      counts.clear();
      if (lines !== null && stories++ >= restartAfter) await leave();
      try {
        await (lines ?? (await start())).ask({ reset: scope, place }, done);
      } finally {
        // Not earlier: until then the program may hold what lies there.
        if (before !== null) await remove(before.place);
      }
    },
    apply: async (step) => {
      const now = open();
      const isFresh = now.scope.process === "fresh";
      const before = isFresh ? await look() : null;
      if (before !== null && step.do === "crash" && !othersOpen(before.view, step.as ?? "w1")) {
        if (isOpen(before.view)) await kill();
        shown = { ...before, view: { mode: "closed" }, encode: null };
        return { ok: "done" };
      }
      const { reply: told, line } = await ask(step);
      now.openings += restores(step);
      now.roles.told(step, told);
      const after = shown;
      if (before === null || after === null || isOpen(after.view)) return told;
      // Whatever ended the last session has ended the process: a crash within a commit, or a close. A text cannot hold this.
      if (isOpen(before.view) || line.includes('"crashed":true')) await kill();
      return told;
    },
    view: async () => (await look()).view,
    encode: async () => (await look()).encode,
    stored: async () => (await look()).stored,
    counters: async () => (await look()).counters,
    ...(can.pictures === true
      ? {
          picture: async (file: string) => {
            await lines?.ask({ picture: resolve(file) }, done);
          },
        }
      : {}),
    close: async () => {
      await leave();
      if (story !== null) await remove(story.place);
      story = null;
    },
  };
}

const inFresh = (scope: Scope): Scope => ({ ...scope, archive: "sqlite", process: "fresh" });
const remove = (place: string): Promise<void> => rm(place, { recursive: true, force: true });

const isOpen = ({ mode, open, others }: View): boolean =>
  mode !== "closed" || open !== undefined || others !== undefined;
function othersOpen(all: View, as: string): boolean {
  const { others = {}, ...own } = all;
  return (as !== "w1" && isOpen(own)) || Object.keys(others).some((each) => each !== as);
}
/** A new archive has nobody. */
const untouched = ({ capacity }: Scope): Shown => {
  const stored = { capacity, root: {}, agents: {} };
  return { view: { mode: "write", ...stored }, encode: { ok: stored }, stored, counters: null };
};
const restores = (step: Step): number =>
  step.do === "together" ? step.steps.reduce((sum, one) => sum + restores(one), 0) : step.do === "restore" ? 1 : 0;

/** Counters over all processes of a story. */
function counting() {
  let before = nothing;
  let now = nothing;
  let isCounted = true;
  return {
    isCounted: () => isCounted,
    sum: (given: Counters | null): Counters | null => {
      isCounted = given !== null;
      now = given ?? nothing;
      return given === null ? null : added(before, given);
    },
    ended: () => {
      before = added(before, now);
      now = nothing;
    },
    clear: () => {
      before = nothing;
      now = nothing;
    },
  };
}
const added = (one: Counters, other: Counters): Counters => ({
  conversationsHydrated: one.conversationsHydrated + other.conversationsHydrated,
  providerCalls: one.providerCalls + other.providerCalls,
  commits: one.commits + other.commits,
  bytesWritten: one.bytesWritten + other.bytesWritten,
  toolRuns: one.toolRuns + other.toolRuns,
});
