/** What a story may be about that needs many of something: letters at once, messages of one agent, levels of the tree. */
import type { Path, Step } from "../src/contract.ts";
import { common, type Position } from "./position.ts";
import { finish, inTurn, through } from "./turning.ts";

type Drive = (at: Position) => Step;

/** Letters that stand together in the queue and may share a commit, to few owners, some of whom wait for them. */
export const burst: Drive = (at) => {
  const awake = at.admitted.find(({ waiter, mail }) => waiter === null && mail.length === 0);
  const isRootAwake = at.live?.root.waiter === null && at.live.root.mail.length === 0;
  if (at.admitted.length === 0 && at.dice.pick(2) === 0) return inTurn(at, false, (path) => ({ do: "wait", by: path }));
  if (isRootAwake && at.dice.pick(2) === 0) return { do: "wait", by: "/root" };
  if (awake !== undefined && at.dice.pick(2) === 0) return { do: "wait", by: awake.path };
  return letters(at);
};
/** Letters issued at once, with now and then a moment between them. */
export function letters(at: Position): Step {
  const owners: readonly Path[] = ["/root", ...at.admitted.map(({ path }) => path)];
  const known = at.dice.pick(2) === 0 ? owners : [...owners, ...at.agents.map(({ path }) => path)];
  const [first, ...others] = Array.from({ length: 2 + at.dice.pick(4) }, (_, index) => letter(at, known, index));
  if (first === undefined) return { do: "save" };
  const pause: readonly Step[] = at.dice.pick(3) === 0 ? [{ do: "elapse", ms: 1 }] : [];
  return { do: "together", steps: [first, ...pause, ...others] };
}
function letter(at: Position, owners: readonly Path[], index: number): Step {
  const owner = at.dice.some(owners) ?? "/root";
  const text = `m${at.index}_${index}`;
  const letters: readonly Step[] = [
    { do: "send", by: "/root", to: owner, text },
    { do: "sample", path: owner },
    { do: "send", by: owner, to: "/root", text },
    { do: "execution", owner, text },
    { do: "steer", text },
  ];
  const drawn = at.dice.some(letters) ?? { do: "sample", path: owner };
  return { ...drawn, ...common(at) };
}

const usual = 20;
const saidAtOnce = 8;
/** More messages than are shown unless more are asked for. */
export const long: Drive = (at) => {
  const full = at.agents.find(({ messages }) => messages.length > usual);
  if (full !== undefined && at.dice.pick(3) > 0) {
    const { path, messages } = full;
    const last = at.dice.from([null, usual + 1, messages.length, usual]);
    const asked = last === null ? {} : { last };
    const doing = at.dice.pick(4);
    if (doing === 0 && full.is === "idle") return { do: "compact", path, ...asked, ...common(at) };
    if (doing === 1 && full.is === "idle") return { do: "evict", path };
    return { do: "read_history", path, ...asked, answers: { hydrate: "ok" } };
  }
  return inTurn(at, false, (path) => {
    const agent = at.agents.find((each) => each.path === path);
    if ((agent?.messages.length ?? 0) > usual) return at.dice.pick(2) === 0 ? { do: "crash" } : finish(at, path);
    const turn = agent?.turns ?? 1;
    const says = Array.from({ length: saidAtOnce }, (_, index): Step => {
      return { do: "say", path, turn, text: `p${at.index}_${index}` };
    });
    return { do: "together", steps: says };
  });
};

/** An interrupt of somebody who has spawned, and whose children are at work or on their way. */
export const above: Drive = (at) =>
  inTurn(at, false, (path) => {
    const parents = at.admitted.filter(
      (each) =>
        at.admitted.some((other) => other.path.startsWith(`${each.path}/`)) ||
        at.ops.some((op) => op.is === "spawn" && op.path.startsWith(`${each.path}/`)),
    );
    const parent = at.dice.some(parents);
    if (parent !== null && at.dice.pick(4) > 0)
      return { do: "interrupt", by: "/root", to: parent.path, answers: { abort: "ok" }, ...common(at) };
    const by = at.dice.some(at.admitted)?.path ?? path;
    const name = at.shape.names.find((each) => !at.agents.some((agent) => agent.path === `${by}/${each}`));
    if (name === undefined) return finish(at, path);
    const start = { do: "spawn", by, name, role: "r", text: `d${at.index}` } as const;
    return at.dice.pick(2) === 0 ? start : { ...start, answers: through };
  });

/** A line of descendants that are at rest, and what is done to those above: compacted, evicted, restored. */
export const deep: Drive = (at) => {
  const [busy] = at.admitted;
  if (busy !== undefined) return finish(at, busy.path);
  const paths = at.agents.map(({ path }) => path).sort((one, other) => other.length - one.length);
  const [lowest = "/root"] = paths;
  const levels = lowest.split("/").length - 2;
  const above = at.dice.some(at.idle.filter(({ path }) => at.agents.some((each) => each.path.startsWith(`${path}/`))));
  if (levels > 2 || (above !== null && at.dice.pick(4) === 3)) {
    if (above === null || at.dice.pick(3) === 0) return { do: "crash" };
    const then: readonly Step[] = [
      { do: "compact", path: above.path, last: 0, ...common(at) },
      { do: "evict", path: above.path },
      { do: "roster", prefix: above.path },
      { do: "send", by: lowest, to: above.path, text: `m${at.index}` },
      { do: "read_result", path: lowest },
    ];
    return at.dice.some(then) ?? { do: "crash" };
  }
  const [name = "a"] = at.shape.names;
  return { do: "spawn", by: lowest, name, role: "r", text: `d${at.index}`, answers: through };
};
