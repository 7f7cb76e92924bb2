/** More of what a story may be about: what needs two of something, or something old while there is something new. */
import type { Path, Step } from "../src/contract.ts";
import { common, type Position } from "./position.ts";
import { finish, inTurn, through } from "./turning.ts";

type Drive = (at: Position) => Step;

/** A token of the turn before, while the new turn is blocked as well. */
export const tokens: Drive = (at) =>
  inTurn(at, false, (path) => {
    const agent = at.admitted.find((each) => each.path === path);
    const blocked = (agent?.blockers ?? []).some(({ token }) => token !== null);
    const turns = agent?.turns ?? 1;
    if (!blocked) return { do: "block", path, kind: at.dice.from(["permission_blocked", "interaction_blocked"]) };
    if (turns === 1) return finish(at, path);
    return at.dice.pick(3) === 2
      ? { do: "release", token: `${path}@${turns}.1` }
      : { do: "release", token: `${path}@${turns - 1}.1` };
  });

/** Executions of a child, handed to its parent, who settles in its turn. */
export const nested: Drive = (at) => {
  const child = at.admitted.find(({ path }) => at.admitted.some((above) => path.startsWith(`${above.path}/`)));
  if (child !== undefined) {
    const own = child.mail.some(({ kind }) => kind === "execution");
    return own
      ? { ...finish(at, child.path), ...common(at) }
      : { do: "execution", owner: child.path, text: `e${at.index}` };
  }
  const handed = at.admitted.find(({ mail, path }) =>
    mail.some(({ kind, from }) => kind === "execution" && from !== path),
  );
  if (handed !== undefined) return { ...finish(at, handed.path), ...common(at) };
  return inTurn(at, false, (by) => {
    const [name = "a"] = at.shape.names;
    const below = at.idle.find(({ path }) => path.startsWith(`${by}/`));
    const start = { by, text: `d${at.index}`, answers: through };
    return below === undefined
      ? { do: "spawn", name, role: "r", ...start }
      : { do: "follow_up", to: below.path, ...start };
  });
};

/** Whatever is addressed to a path that is only reserved. */
export const reserved: Drive = (at) => {
  const open = at.ops.find((op) => op.is === "spawn");
  const name = at.shape.names.find((each) => !at.agents.some(({ path }) => path === `/root/${each}`));
  if (open === undefined) {
    const free = name ?? "b";
    if (at.admitted[0] !== undefined && at.dice.pick(2) === 0) return finish(at, at.admitted[0].path);
    return { do: "spawn", by: "/root", name: free, role: "r", text: `t${at.index}`, ...common(at) };
  }
  const { path } = open;
  const text = `m${at.index}`;
  const steps: readonly Step[] = [
    { do: "send", by: "/root", to: path, text },
    { do: "send", by: path, to: "/root", text },
    { do: "execution", owner: path, text },
    { do: "follow_up", by: "/root", to: path, text },
    { do: "interrupt", by: "/root", to: path },
    { do: "read_result", path },
    { do: "read_history", path },
    { do: "inspect", path },
    { do: "wait", by: path },
    { do: "spawn", by: path, name: "a", role: "r", text },
    { do: "roster", prefix: path },
    { do: "save", ...common(at) },
    { do: "answer", op: open.op, gate: open.gate, with: at.dice.pick(2) === 0 ? "ok" : "error", ...common(at) },
  ];
  return at.dice.some(steps) ?? { do: "roster" };
};

/** What several turns have said, and who ends without an answer. */
export const saying: Drive = (at) =>
  inTurn(at, false, (path): Step => {
    const turns = at.agents.find((each) => each.path === path)?.turns ?? 1;
    const what = at.dice.pick(8);
    // What is read after what was said, and written with it.
    const unread = at.admitted.find((each) => each.path === path)?.mail.length ?? 0;
    if (what > 5) return unread > 0 ? { do: "sample", path } : { do: "execution", owner: path, text: `e${at.index}` };
    if (what < 3) return { do: "say", path, turn: turns, text: `p${at.index}` };
    if (what === 3) return { do: "interrupt", by: "/root", to: path, answers: { abort: "ok" }, ...common(at) };
    return what === 4 ? finish(at, path) : { do: "crash" };
  });

/** Two results of one agent that handlers have not answered yet. */
export const owing: Drive = (at) => {
  const open = at.ops.filter(({ gate }) => gate === "handler");
  const paths: readonly Path[] = open.map(({ path }) => path);
  const twice = open.find(({ path }, index) => paths.indexOf(path) !== index);
  if (twice !== undefined) {
    const op = at.dice.some(open.filter(({ path }) => path === twice.path)) ?? twice;
    if (at.dice.pick(5) === 4) return { do: "crash" };
    return { do: "answer", op: op.op, gate: "handler", with: at.dice.pick(2) === 0 ? "ok" : "throw", ...common(at) };
  }
  // A start while something is owed, and the end of the process in the middle of it.
  if (at.starting.some(({ path }) => paths.includes(path))) return { do: "crash" };
  const idle = at.idle.find(({ path }) => paths.includes(path));
  if (idle !== undefined) {
    const start = { do: "follow_up", by: "/root", to: idle.path, text: `u${at.index}`, handler: true } as const;
    return at.dice.pick(4) === 3 ? start : { ...start, answers: through };
  }
  return inTurn(at, true, (path) => finish(at, path));
};
