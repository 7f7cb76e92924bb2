/** Within a turn and at its end: finish, partial text, blockers. */
import type { Outcome } from "../../src/contract.ts";
import { agentPath, common, type Position, wild, worldWords } from "../position.ts";
import { ahead, type Move } from "./move.ts";
import { deadOp } from "./starts.ts";

const outcome = (at: Position): Outcome => at.dice.from(["completed", "completed", "errored", "interrupted"]);

/** The current turn of the agent there; now and then another. */
function turnAt(at: Position, path: string | null): number {
  const agent = at.agents.find((each) => each.path === path);
  const turn = agent?.turns ?? 1;
  return wild(at) ? Math.max(0, turn + at.dice.from([-1, 1, -2])) : turn;
}

const finish: Move = {
  verb: "finish",
  group: null,
  weight: ({ admitted, agents }) =>
    admitted.length > 0 ? 4 + 5 * Math.min(3, admitted.length) : agents.length > 0 ? 1 : 0.2,
  draw: (at) => {
    const path = agentPath(at, at.dice.pick(6) === 1 ? at.idle : at.admitted);
    if (path === null) return null;
    const end = {
      do: "finish",
      path,
      turn: turnAt(at, path),
      outcome: outcome(at),
      text: worldWords(at, "R"),
    } as const;
    return { ...end, ...ahead(at, ["handler"]), ...common(at) };
  },
};

/** A turn that ends inside its own dispatch, or is said to. */
const finishStart: Move = {
  verb: "finish",
  group: null,
  weight: ({ ops }) => (ops.some(({ gate }) => gate === "dispatch") ? 5 : ops.length > 0 ? 0.7 : 0.2),
  draw: (at) => {
    const started = at.dice.some(at.ops.filter(({ gate }) => gate === "dispatch"));
    const op = started === null || wild(at) ? (at.dice.some(at.ops)?.op ?? deadOp(at)) : started.op;
    return { do: "finish", op, outcome: outcome(at), text: worldWords(at, "R"), ...common(at) };
  },
};

const say: Move = {
  verb: "say",
  group: "mail",
  weight: ({ admitted }) => (admitted.length > 0 ? 3 : 0.4),
  draw: (at) => {
    const path = at.dice.pick(8) === 1 ? "/root" : agentPath(at, at.dice.pick(8) === 1 ? at.idle : at.admitted);
    if (path === null) return null;
    const turn = path === "/root" ? at.dice.pick(4) % 2 : turnAt(at, path);
    return { do: "say", path, turn, text: worldWords(at, "p"), ...common(at, false) };
  },
};

const block: Move = {
  verb: "block",
  group: "blocks",
  weight: ({ admitted }) => (admitted.length > 0 ? 4 : 0.4),
  draw: (at) => {
    // Where few blockers are allowed, one that has some is asked for more.
    const isTight = at.shape.scope.limits?.blockersMax !== undefined;
    const full = isTight ? at.admitted.find(({ blocks }) => blocks > 0)?.path : undefined;
    const path =
      at.dice.pick(12) === 1 ? "/root" : (full ?? agentPath(at, at.dice.pick(8) === 1 ? at.idle : at.admitted));
    if (path === null) return null;
    const kind = at.dice.from(["permission_blocked", "interaction_blocked"]);
    return { do: "block", path, kind, ...common(at, false) };
  },
};

/** A token of this turn, released or not, or of an earlier turn. */
const release: Move = {
  verb: "release",
  group: "blocks",
  weight: ({ admitted }) => (admitted.some(({ blocks }) => blocks > 0) ? 5 : 0.4),
  draw: (at) => {
    const live = at.admitted.flatMap(({ path, turn, blocks }) =>
      Array.from({ length: blocks }, (_, index) => `${path}@${turn}.${index + 1}`),
    );
    const dead = at.agents
      .filter(({ turns }) => turns > 0)
      .map(({ path, turns }) => `${path}@${at.dice.pick(turns) + 1}.1`);
    // A token of an earlier turn means nothing, most tellingly while the new turn is blocked as well.
    const stale = at.admitted.filter(({ turn, blockers }) => turn > 1 && blockers.length > 0);
    const [old] = at.dice.pick(4) === 3 ? stale : [];
    if (old !== undefined) return { do: "release", token: `${old.path}@${old.turn - 1}.1`, ...common(at, false) };
    const token = at.dice.some(live.length > 0 && !wild(at) ? live : [...dead, "/root/zz@1.1", "nothing"]);
    return { do: "release", token: token ?? "nothing", ...common(at, false) };
  },
};

export const turns: readonly Move[] = [finish, finishStart, say, block, release];
