/** The shortest way to a turn under way, and to its end: where most of what a story is about begins. */
import type { Answers, Path, Step } from "../src/contract.ts";
import type { Position } from "./position.ts";

export const through: Answers = { hydrate: "ok", prepare: "ok", dispatch: "ok" };

/** A turn under way, or the step that leads to one. */
function turn(at: Position, handler: boolean): Step | Path {
  const admitted = at.admitted.find((agent) => !handler || agent.handler);
  if (admitted !== undefined) return admitted.path;
  const start = { by: "/root", text: `d${at.index}`, answers: through, ...(handler ? { handler } : {}) } as const;
  const [idle] = at.idle;
  if (idle !== undefined) return { do: "follow_up", to: idle.path, ...start };
  const taken = at.agents.map(({ path }) => path);
  const name = at.shape.names.find((each) => !taken.includes(`/root/${each}`));
  if (name === undefined && at.admitted[0] !== undefined) return finish(at, at.admitted[0].path);
  return { do: "spawn", name: name ?? "a", role: "r", ...start };
}

export function finish(at: Position, path: Path): Step {
  const turns = at.agents.find((agent) => agent.path === path)?.turns ?? 1;
  return { do: "finish", path, turn: turns, outcome: "completed", text: `R${at.index}` };
}

export const inTurn = (at: Position, handler: boolean, act: (path: Path) => Step): Step => {
  const found = turn(at, handler);
  return typeof found === "string" ? act(found) : found;
};
