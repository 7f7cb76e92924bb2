/**
 * Where a story stands when its next step is drawn: what the model says is there, in words a move can choose from. Also
 * the wrong choices: what is reserved, set aside, dead, malformed, or not there at all.
 */
import type { Handle, Live, Operation, World } from "../model/index.ts";
import type { Admitted, Agent, Idle, Restoring, Starting } from "../model/state.ts";
import type { CommitAnswer, Path } from "../src/contract.ts";
import type { Dice } from "./dice.ts";
import type { Shape } from "./shape.ts";
import type { Capabilities } from "./target.ts";
import { commitAnswers } from "./words.ts";

export interface Position {
  readonly world: World;
  readonly shape: Shape;
  readonly capabilities: Capabilities;
  readonly dice: Dice;
  /** Number of the step, for texts that tell themselves apart. */
  readonly index: number;
  /** The handle that acts; `null` is the default one. */
  readonly as: string | null;
  readonly handle: Handle | undefined;
  readonly live: Live | null;
  readonly restoring: Restoring | null;
  readonly agents: readonly Agent[];
  readonly idle: readonly Idle[];
  readonly starting: readonly Starting[];
  readonly admitted: readonly Admitted[];
  readonly ops: readonly Operation[];
  readonly aside: readonly Path[];
  /** The story is about this kind of step. */
  readonly favours: boolean;
  /** Nested in another step: no handles, no further nesting. */
  readonly inner: boolean;
}

const none: readonly never[] = [];

export function position(
  world: World,
  shape: Shape,
  capabilities: Capabilities,
  dice: Dice,
  index: number,
  as: string | null,
  inner = false,
): Position {
  const handle = world.handles[as ?? "w1"];
  const live = handle?.is === "open" ? handle : null;
  const agents = live === null ? none : Object.values(live.agents);
  const idle: Idle[] = [];
  const starting: Starting[] = [];
  const admitted: Admitted[] = [];
  for (const agent of agents) {
    if (agent.is === "idle") idle.push(agent);
    else if (agent.is === "starting") starting.push(agent);
    else admitted.push(agent);
  }
  return {
    world,
    shape,
    capabilities,
    dice,
    index,
    as,
    handle,
    live,
    agents,
    idle,
    starting,
    admitted,
    inner,
    favours: false,
    restoring: handle?.is === "restoring" ? handle : null,
    ops: live?.ops ?? none,
    aside: live === null ? none : Object.keys(live.aside),
  };
}

export const wild = (at: Position): boolean => at.dice.chance(at.shape.wild);

/** Paths whose name is taken by what cannot be addressed. */
function unaddressable(at: Position): readonly Path[] {
  const reserved = at.ops.filter((op) => op.is === "spawn").map((op) => op.path);
  return [...reserved, ...at.aside];
}

const longest = "z".repeat(64);
/** At the edges of the grammar: as long and as deep as a path may be, and one more of each. */
const edges: readonly string[] = [
  `/root/${longest}`,
  `/root/${longest}z`,
  `/root${"/a".repeat(32)}`,
  `/root${"/a".repeat(33)}`,
  "/root/0_9",
];

/** Paths that are no published agent of this session. */
export function wrongPath(at: Position): string {
  const paths = unaddressable(at);
  if (at.dice.pick(4) === 3) return at.dice.some(edges) ?? "/root/zz";
  return (
    at.dice.some([
      ...paths,
      ...paths,
      "/root/zz",
      "/root",
      "/root/A",
      "/root/../a",
      "a//b",
      "",
      "/root/a/b/c/zz",
      // A role, which is no address.
      "/root/r",
    ]) ?? "/root/zz"
  );
}

/** The root or a published agent, by their order; now and then nobody. */
export function anyone(at: Position): Path {
  if (wild(at)) return wrongPath(at);
  if (at.aside.length > 0 && at.dice.pick(5) === 4) return at.dice.some(at.aside) ?? "/root";
  return at.dice.pick(2) === 0 ? "/root" : (at.dice.some(at.agents)?.path ?? "/root");
}

/** A published agent; now and then nobody. `null` where there is none. */
export function agentPath(at: Position, among: readonly { readonly path: Path }[] = at.agents): string | null {
  if (wild(at)) return wrongPath(at);
  if ((at.aside.length > 0 || at.ops.length > 0) && at.dice.pick(8) === 7)
    return at.dice.some(unaddressable(at)) ?? "/root";
  return at.dice.some(among)?.path ?? at.dice.some(at.agents)?.path ?? null;
}

/** As a caller would name it: absolute, or below itself. */
export function named(at: Position, by: Path, path: string): string {
  return path.startsWith(`${by}/`) && at.dice.pick(4) === 1 ? path.slice(by.length + 1) : path;
}

const lone = "\ud800";

/** A text of its own; now and then empty, malformed, too long, or longer than views show. */
export function words(at: Position, letter: string): string {
  const { textMax } = at.world.limits;
  if (at.dice.chance(at.shape.wild / 2))
    return at.dice.from(["", `${letter}${lone}`, textMax < 1_000 ? letter.repeat(textMax + 1) : ""]);
  const text = `${letter}${at.index}`;
  if (textMax < 1_000 && at.dice.pick(3) === 2) return text.padEnd(textMax, "=");
  if (at.dice.chance(at.shape.odd)) return odd(at, text);
  return at.dice.chance(at.shape.wordy) ? longer(at, text) : text;
}

/** From the world: what it says may be malformed, and is never refused. */
export function worldWords(at: Position, letter: string): string {
  if (at.dice.chance(at.shape.wild / 2)) return at.dice.from([`${letter}${lone}`, ""]);
  const text = `${letter}${at.index}`;
  if (at.dice.chance(at.shape.odd)) return odd(at, text);
  return at.dice.chance(at.shape.wordy) ? longer(at, text) : text;
}

/** What somebody once took apart, trimmed, normalised, escaped or cut: whole, it is one text like another. */
function odd(at: Position, text: string): string {
  return at.dice.from([
    ` ${text}\n`,
    `e\u0301${text}`,
    `\u0000${text}\u0000`,
    `\u{1f600}${text}`,
    `"${text}\\'\r\n\t`,
    `\ufeff${text}\u2028`,
    "__proto__",
    "\u{1f600}".repeat(32),
    `${"-".repeat(63)}\u{1f600}`,
  ]);
}

/** Just over what views show, with a zero in it where some end; over what is mailed, in one line and in many; with pairs at every odd place. */
function longer(at: Position, text: string): string {
  return at.dice.from([
    `${text}\0`.padEnd(65, "."),
    `${text}\u{1f600}`.padEnd(34_001, "-"),
    `${text} a line\n`.repeat(3_000),
    `${text}${"\u{1f600}".repeat(17_000)}`,
  ]);
}

export const failing: readonly CommitAnswer[] = commitAnswers.filter((each) => each !== "ok");

export const unwritten = (at: Position): boolean =>
  at.capabilities.commits && at.dice.chance(at.shape.unwritten + (at.favours ? 35 : 0));

/** What rides on a step besides: the handle that acts, and the commit's answer. */
export function common(at: Position, commits = true): { as?: string; commit?: CommitAnswer } {
  const riding: { as?: string; commit?: CommitAnswer } = {};
  if (at.as !== null) riding.as = at.as;
  if (commits && unwritten(at)) riding.commit = at.dice.some(failing) ?? "not_written";
  return riding;
}
