/** The life of a session: save, close, crash, restore, damage and mending, and what the host may change. */
import type { Step } from "../../src/contract.ts";
import { common, failing, type Position, unwritten, wild, wrongPath } from "../position.ts";
import { registrars, roles } from "../shape.ts";
import { archiveDamages, recordDamages } from "../words.ts";
import { ahead, type Move } from "./move.ts";

const save: Move = {
  verb: "save",
  group: null,
  weight: ({ live }) => (live === null ? 0.3 : 1.5),
  draw: (at) => ({ do: "save", ...common(at) }),
};
const verify: Move = {
  verb: "verify",
  group: "reads",
  weight: () => 0.7,
  draw: (at) => ({ do: "verify", ...common(at, false) }),
};
const fork: Move = {
  verb: "fork",
  group: "host",
  weight: () => 0.7,
  draw: (at) => ({ do: "fork", ...common(at, false) }),
};

/** A reader, or an owner that was taken over from, is soon told all it has to say. */
function restless(at: Position): number {
  if (at.restoring !== null) return 3;
  if (at.live === null) return 0.3;
  const spent = at.live.mode === "read" || at.live.epoch !== at.world.disk.epoch;
  return at.shape.restless * (spent ? 6 : 1) + (spent ? 2 : 0);
}

const close: Move = {
  verb: "close",
  group: null,
  weight: (at) => 0.4 * restless(at),
  draw: (at) => ({ do: "close", ...common(at) }),
};
const crash: Move = {
  verb: "crash",
  group: null,
  weight: restless,
  draw: (at) => ({ do: "crash", ...common(at, false) }),
};

const sets: readonly (readonly string[])[] = [["core"], [], ["web", "core"], ["late", "core", "web"]];

const restore: Move = {
  verb: "restore",
  group: null,
  weight: (at) => (at.handle === undefined ? 45 : at.as === null ? 0.4 : 0.8),
  draw: (at) => {
    const mode = at.dice.from(["write", "write", "write", "write", "write", "read"]);
    // Without registrars no tools are checked, and damaged ones would pass for the agent's own.
    const tampered = Object.values(at.world.disk.damaged).some((how) => how === "tool" || how === "category");
    const fewer = at.dice.chance(at.shape.unregistered) ? at.dice.some(sets) : null;
    const found = tampered && fewer?.length === 0 ? null : fewer;
    const takeover = Object.keys(at.world.handles).length > 0 && at.dice.pick(2) === 1 ? { takeover: true } : {};
    const step: Step = { do: "restore", mode, registrars: [...(found ?? Object.keys(registrars))], ...takeover };
    const epoch = mode === "write" && unwritten(at) ? { epoch: at.dice.some(failing) ?? "not_written" } : {};
    return { ...step, ...ahead(at, ["hydrate"]), ...epoch, ...common(at) };
  },
};

const everyone = (at: Position): readonly string[] => Object.keys(at.world.disk.agents);
/** Damage makes sense while nothing is open, and is refused else. */
const apart = (at: Position, weight: number): number => (Object.keys(at.world.handles).length === 0 ? weight : 0.3);

const damage: Move = {
  verb: "damage",
  group: "damage",
  weight: (at) => apart(at, 14),
  draw: (at) => {
    const what = at.dice.pick(8);
    if (what === 1) return { do: "damage", what: "session", how: "malformed", ...common(at, false) };
    if (what === 2) return { do: "damage", what: "archive", how: at.dice.from(archiveDamages), ...common(at, false) };
    const path = wild(at) ? wrongPath(at) : at.dice.some(everyone(at));
    return path === null
      ? null
      : { do: "damage", what: "record", path, how: at.dice.from(recordDamages), ...common(at, false) };
  },
};

const mend: Move = {
  verb: "mend",
  group: "damage",
  weight: (at) => {
    const { condition, session, damaged } = at.world.disk;
    const broken = condition !== "ok" || session !== "ok";
    return apart(at, broken ? 40 : Object.keys(damaged).length > 0 ? 35 : 1);
  },
  draw: (at) => {
    const { condition, session, damaged } = at.world.disk;
    if (condition !== "ok" && !wild(at)) return { do: "mend", what: "archive", ...common(at, false) };
    if (session !== "ok" && !wild(at)) return { do: "mend", what: "session", ...common(at, false) };
    const path = at.dice.some(Object.keys(damaged)) ?? at.dice.some(everyone(at)) ?? wrongPath(at);
    return { do: "mend", what: "record", path, ...common(at, false) };
  },
};

const changeRole: Move = {
  verb: "change_role",
  group: "host",
  weight: ({ live }) => (live === null ? 0.2 : 1.5),
  draw: (at) => ({
    do: "change_role",
    role: wild(at) ? "nobody" : "r",
    config: roles[wild(at) ? "malformed" : at.dice.from(["q", "r"])] ?? null,
    ...common(at, false),
  }),
};

const setCapacity: Move = {
  verb: "set_capacity",
  group: "host",
  weight: ({ live }) => (live === null ? 0.2 : 1.5),
  draw: (at) => ({
    do: "set_capacity",
    capacity: wild(at) ? at.dice.from([0, -1, 1.5]) : at.dice.pick(4) + 1,
    ...common(at),
  }),
};

export const life: readonly Move[] = [save, verify, fork, close, crash, restore, damage, mend, changeRole, setCapacity];
