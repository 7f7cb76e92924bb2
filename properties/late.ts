/**
 * For targets that look at idle records only when they are first read: a record that nobody has asked for since a restore is
 * taken to be what the model says it is. Once it was seen it stays seen, and whoever lists all has looked at all. So a story may
 * ask what it likes of a session that has looked at nothing, and the loop makes it look at everything only at its end.
 */
import type { Seen, World } from "../model/index.ts";
import type { Encoded, Event, Path, Reply, Step, View } from "../src/contract.ts";

/** By handle, the paths seen since its restore; of a handle that is not in it everything was looked at. */
export type Unlooked = ReadonlyMap<string, ReadonlySet<Path>>;
export const allLooked: Unlooked = new Map();

const isOpen = (world: World, as: string): boolean => world.handles[as]?.is === "open";

/** Handles that a restore opened in this step. */
export function opened(before: World, after: World): readonly string[] {
  if (before.handles === after.handles) return [];
  return Object.keys(after.handles).filter((as) => isOpen(after, as) && !isOpen(before, as));
}

const shownBy = (view: View, as: string): View | undefined => (as === "w1" ? view : view.others?.[as]);
function pathsIn(view: View | undefined): readonly Path[] {
  return [...Object.keys(view?.agents ?? {}), ...Object.keys(view?.aside ?? {})];
}

/** What is still to be looked at after a step. */
export function stillUnlooked(
  unlooked: Unlooked,
  step: Step | null,
  before: World,
  found: Seen,
  after: World,
): Unlooked {
  const fresh = step === null ? [] : opened(before, after);
  if (unlooked.size === 0 && fresh.length === 0) return unlooked;
  const all = step === null || !looksAtAll(step, found.reply) ? null : (step.as ?? "w1");
  const next = new Map<string, ReadonlySet<Path>>();
  for (const as of new Set([...unlooked.keys(), ...fresh])) {
    if (as === all || !isOpen(after, as)) continue;
    const seen = fresh.includes(as) ? [] : (unlooked.get(as) ?? []);
    next.set(as, new Set([...seen, ...pathsIn(shownBy(found.view, as))]));
  }
  return next;
}
function looksAtAll(step: Step, reply: Reply | null): boolean {
  if (reply === null || !("ok" in reply)) return false;
  return step.do === "verify" || (step.do === "roster" && ["", "/root"].includes(step.prefix ?? ""));
}

/** Who has to look at everything before this step: once another owns the archive, nothing of it is read any more. */
export function dueBefore(step: Step, unlooked: Unlooked, world: World): readonly string[] {
  if (unlooked.size === 0 || step.do !== "restore" || step.mode !== "write") return [];
  return [...unlooked.keys()].filter((as) => {
    const handle = world.handles[as];
    return handle?.is === "open" && handle.mode === "write";
  });
}

/** What the target shows, with what it has not looked at as the model has it. */
export function completed(unlooked: Unlooked, before: World, after: World, expected: Seen, found: Seen): Seen {
  const fresh = expected.step === null ? [] : opened(before, after);
  const reply = reported(expected.reply, found.reply, fresh.length > 0);
  let { view, encoded } = found;
  for (const as of new Set([...unlooked.keys(), ...fresh])) {
    const [own, model] = [shownBy(view, as), shownBy(expected.view, as)];
    if (own === undefined || model === undefined) continue;
    const seen = fresh.includes(as) ? none : (unlooked.get(as) ?? none);
    const filled = filledView(own, model, seen);
    if (as === "w1") encoded = filledEncoding(encoded, expected.encoded, own, filled);
    view = as === "w1" ? filled : { ...view, others: { ...view.others, [as]: filled } };
  }
  return reply === found.reply && view === found.view ? found : { ...found, reply, view, encoded };
}
const none: ReadonlySet<Path> = new Set();

/** What is set aside is said when it is found: by then the model has said so. What was found is compared when all is looked at. */
function reported(expected: Reply | null, found: Reply | null, isOpening: boolean): Reply | null {
  if (found === null) return found;
  const isSaid = ([kind]: Event): boolean => kind === "set_aside";
  const own = found.events ?? [];
  const models = isOpening ? (expected?.events ?? []).filter(isSaid) : [];
  if (models.length === 0 && !own.some(isSaid)) return found;
  const events = [...own.filter((each) => !isSaid(each)), ...models];
  const { events: _, ...outcome } = found;
  return events.length === 0 ? outcome : { ...outcome, events };
}

function filledView(own: View, model: View, seen: ReadonlySet<Path>): View {
  const isUnseen = (path: Path): boolean =>
    !seen.has(path) && own.agents?.[path] === undefined && own.aside?.[path] === undefined;
  const agents = Object.entries(model.agents ?? {}).filter(([path, agent]) => {
    const isAtRest = agent.activity === "idle" && agent.owed === undefined && agent.residency === undefined;
    return isAtRest && isUnseen(path);
  });
  const aside = Object.entries(model.aside ?? {}).filter(([path]) => isUnseen(path));
  if (agents.length === 0 && aside.length === 0) return own;
  return {
    ...own,
    agents: { ...own.agents, ...Object.fromEntries(agents) },
    ...(aside.length === 0 ? {} : { aside: { ...own.aside, ...Object.fromEntries(aside) } }),
  };
}
/** A record that was filled in is written as the model writes it. */
function filledEncoding(own: Encoded, model: Encoded, was: View, filled: View): Encoded {
  if (filled === was || !("ok" in own) || !("ok" in model)) return own;
  const stored = Object.entries(model.ok.agents).filter(
    ([path]) => was.agents?.[path] === undefined && filled.agents?.[path] !== undefined,
  );
  return { ok: { ...own.ok, agents: { ...own.ok.agents, ...Object.fromEntries(stored) } } };
}
