/**
 * What happened between two moments, worked out once for all laws: the acts (a `together` and callbacks taken apart), and
 * for each handle which agents appeared, changed or vanished.
 */
import type { AgentView, Event, Path, Reply, RootView, Step, StepOutcome, Value, View } from "../../src/contract.ts";
import type { Ledger, Seen, Wait } from "./law.ts";
import { same } from "./same.ts";

/** One command, what it answered, and the events that came with it. */
export interface Act {
  readonly as: string;
  readonly step: Step;
  readonly outcome: StepOutcome;
  /** Of a callback none: they stand, after its waker's own, with the act that woke. */
  readonly events: readonly Event[];
  /** Asked for by a callback. */
  readonly called: boolean;
}

/** One handle, before and after. */
export interface Side {
  readonly as: string;
  readonly before: View;
  readonly now: View;
  readonly acts: readonly Act[];
  /** Open before and after, and no crash, close or restore between. */
  readonly lasts: boolean;
  /** Closed before and open now. */
  readonly opens: boolean;
  readonly born: readonly Path[];
  readonly changed: readonly Path[];
  readonly gone: readonly Path[];
  readonly rootChanged: boolean;
}

export interface Scene {
  readonly acts: readonly Act[];
  readonly sides: readonly Side[];
  /** The act, if there is but one and nobody was called back. */
  readonly only: Act | null;
  /** Callbacks decided in this step. */
  readonly calls: number;
}

const closed: View = { mode: "closed" };
export const none: readonly never[] = [];

/** Whether one handle shows the same; the default one's view also holds the others'. */
export const alike = (a: View, b: View): boolean =>
  a === b ||
  (a.mode === b.mode &&
    a.capacity === b.capacity &&
    a.active === b.active &&
    same(a.root, b.root) &&
    same(a.agents, b.agents) &&
    same(a.open, b.open) &&
    same(a.aside, b.aside));
const nobody: { readonly [path: Path]: never } = {};

const handleOf = (step: Step): string => step.as ?? "w1";
export const viewOf = (view: View, as: string): View => (as === "w1" ? view : (view.others?.[as] ?? closed));
export const agentsOf = (view: View): { readonly [path: Path]: AgentView } => view.agents ?? nobody;
export const agentIn = (view: View, path: Path): AgentView | undefined => view.agents?.[path];
export const holderIn = (view: View, path: Path): RootView | undefined =>
  path === "/root" ? view.root : view.agents?.[path];
export const isOpen = (view: View, op: string): boolean => {
  if (view.open !== undefined) for (const [each] of view.open) if (each === op) return true;
  return false;
};
/** The gates at which operations of this path wait. */
export const openAt = ({ open }: View, path: Path): readonly string[] =>
  (open ?? none).flatMap(([op, gate]) => (pathOf(op) === path ? [gate] : []));
export const parentOf = (path: Path): Path => path.slice(0, path.lastIndexOf("/"));
export const isBelow = (path: Path, above: Path): boolean =>
  path.length > above.length && path.startsWith(above) && path[above.length] === "/";
export const targetOf = (by: Path, to: string): Path => (to.startsWith("/") ? to : `${by}/${to}`);
/** The path in the name of an operation or of a token. */
export const pathOf = (name: string): Path => name.slice(0, Math.max(name.lastIndexOf("#"), name.lastIndexOf("@")));

interface Memo {
  readonly ledger: Ledger;
  readonly before: Seen | null;
  readonly now: Seen;
  readonly scene: Scene;
}
let last: Memo | null = null;

/** The laws of one step ask one after another, so remembering the last answer is enough; it is a function all the same. */
export function sceneOf(ledger: Ledger, before: Seen | null, now: Seen): Scene {
  if (last !== null && last.now === now && last.before === before && last.ledger === ledger) return last.scene;
  const scene = see(ledger, before, now);
  last = { ledger, before, now, scene };
  return scene;
}

function see(ledger: Ledger, before: Seen | null, now: Seen): Scene {
  const { acts, calls } =
    now.step === null || now.reply === null ? { acts: none, calls: 0 } : tell(ledger, now.step, now.reply);
  const earlier = before?.view ?? closed;
  const sides = [side("w1", earlier, now.view, acts)];
  if (earlier.others !== undefined || now.view.others !== undefined) {
    const names = new Set([...Object.keys(earlier.others ?? nobody), ...Object.keys(now.view.others ?? nobody)]);
    for (const as of names) sides.push(side(as, viewOf(earlier, as), viewOf(now.view, as), acts));
  }
  return { acts, sides, only: acts.length === 1 ? (acts[0] ?? null) : null, calls };
}

/** Takes a step and its reply apart. What a callback did is known from the wait it was given to, first woken first. */
function tell(ledger: Ledger, first: Step, answer: Reply): Pick<Scene, "acts" | "calls"> {
  const acts: Act[] = [];
  const waits = new Map<string, Wait["callback"]>();
  const asked: Step[] = [];
  let calls = 0;

  const add = (step: Step, outcome: StepOutcome, events: readonly Event[], called = false): void => {
    const as = handleOf(step);
    acts.push({ as, step, outcome, events, called });
    if (step.do === "wait" && "ok" in outcome && outcome.ok === "waiting")
      waits.set(`${as} ${step.by}`, step.callback ?? null);
  };
  const woke = (as: string, path: Path): void => {
    const key = `${as} ${path}`;
    const here = waits.get(key);
    const callback = here === undefined ? (ledger.sessions[as]?.waits[path]?.callback ?? null) : here;
    waits.delete(key);
    if (callback !== null && callback !== "throws") asked.push(callback.then);
  };
  const then = (outcome: StepOutcome): void => {
    calls += 1;
    const step = asked.shift();
    if (step !== undefined) add(step, outcome, none, true);
  };
  const walk = (step: Step, reply: Reply): void => {
    if (step.do === "together" && "ok" in reply && isReplies(reply.ok)) {
      for (let i = 0; i < step.steps.length; i += 1) {
        const each = step.steps[i];
        const own = reply.ok[i];
        if (each !== undefined && own !== undefined) walk(each, own);
      }
      if (reply.events !== undefined)
        acts.push({ as: handleOf(step), step, outcome: reply, events: reply.events, called: false });
    } else add(step, reply, reply.events ?? none);
    if (reply.events === undefined) return;
    for (const event of reply.events) {
      if (event[0] === "woke") woke(handleOf(step), event[1]);
      else if (event[0] === "then") then(event[1]);
    }
  };

  walk(first, answer);
  return { acts, calls };
}

const isReplies = (value: Value): value is readonly Reply[] => Array.isArray(value);

function side(as: string, before: View, now: View, acts: readonly Act[]): Side {
  const own = acts.every((act) => act.as === as) ? acts : acts.filter((act) => act.as === as);
  const open = now.mode !== "closed";
  const was = before.mode !== "closed";
  const born: Path[] = [];
  const changed: Path[] = [];
  const gone: Path[] = [];
  const earlier = agentsOf(before);
  const later = agentsOf(now);
  if (earlier !== later) {
    for (const path in later) {
      const old = earlier[path];
      if (old === undefined) born.push(path);
      else if (old !== later[path] && !same(old, later[path])) changed.push(path);
    }
    for (const path in earlier) if (later[path] === undefined) gone.push(path);
  }
  return {
    as,
    before,
    now,
    acts: own,
    lasts: was && open && !own.some(reopens),
    opens: open && !was,
    born,
    changed,
    gone,
    rootChanged: !same(before.root, now.root),
  };
}

const reopens = ({ step, outcome }: Act): boolean =>
  step.do === "crash" || ((step.do === "close" || step.do === "restore") && "ok" in outcome) || "crashed" in outcome;
