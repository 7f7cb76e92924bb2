/** `rollcall explore`: every story of small worlds at once, over the specification, under every law; or told to a target. */
import { setImmediate as moment } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createColors } from "picocolors";
import { type Explored, explorable, exploring } from "../../model/explore.ts";
import { counted, exit, grouped, type Io, interruptible, progress, seconds, type Verb, verb, whole } from "../io.ts";
import { line } from "../report.ts";
import { Unusable } from "../unusable.ts";
import { type SmallWorld, worlds } from "../worlds.ts";
import { configHelp, configured } from "./config.ts";
import { write } from "./drafts.ts";
import { heldThrough, machineTold, tellAll } from "./explore-target.ts";
import { chosen, targetHelp, targetOptions } from "./on-target.ts";

const statesUsual = 2_000_000;
const memoryUsual = 1_024;
const agentsMost = 3;

const help = `
Explores small worlds over the specification until no new state is found: every law in every state and across every step, and
that every turn and every wait can come to rest. A law that breaks is told by the shortest story that breaks it.

  WORLD           ${worlds.map(({ name, says }) => `${name}: ${says}`).join("\n                  ")}
                  [all of them]
  --json FILE     what was found, for programs

or a world of your own:

  --agents N      so many siblings, at most ${agentsMost}
  --depth D       only what D steps reach [until nothing new is found]
  --commands LIST spawn,finish,... [every command there is]
  --handlers      results may go to a handler
  --faultless     every commit is written

and for either, where to stop:

  --states N      [${grouped(statesUsual)}]
  --memory MB     of the heap [${grouped(memoryUsual)}]

With a target every step from every state is told to it, too, and compared; a state is come to by its shortest story:

${targetHelp("none: the specification alone")}
${configHelp}

Siblings that could be exchanged count once. Ctrl-C ends it with what there was.`;

export const explore: Verb = verb(
  "explore",
  "explore [WORLD ... | --agents N] [--depth D] [--target TARGET] [--json FILE]",
  help,
  async (args, io) => {
    const { values: typed, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        ...targetOptions,
        json: { type: "string" },
        agents: { type: "string" },
        depth: { type: "string" },
        commands: { type: "string" },
        handlers: { type: "boolean" },
        faultless: { type: "boolean" },
        states: { type: "string" },
        memory: { type: "string" },
      },
    });
    const unknown = positionals.find((name) => !worlds.some((world) => world.name === name));
    if (unknown !== undefined)
      throw new Unusable(2, `there is no world ${unknown}; there are ${worlds.map(({ name }) => name).join(", ")}`);
    const { values, judged: more } =
      typed.target === undefined ? { values: typed, judged: {} } : await configured(typed);
    const own = ownWorld(values);
    if (own !== null && positionals.length > 0)
      throw new Unusable(2, `${positionals[0]} is a world of its own: name worlds, or say --agents`);
    const named = (positionals.length === 0 ? worlds : worlds.filter(({ name }) => positionals.includes(name))).map(
      (world) => cut(world, values.depth),
    );
    const bounds = {
      statesMax: whole(values.states, statesUsual, "--states", 1),
      memoryMbMax: whole(values.memory, memoryUsual, "--memory", 32),
    };
    const all = own === null ? named : [own];
    if (values.target !== undefined) {
      const target = chosen(values, "", more);
      const ended = await tellAll(all, target, io);
      if (values.json !== undefined)
        await write(values.json, `${JSON.stringify(ended.map(machineTold(target.name)), null, 2)}\n`);
      return ended.every(heldThrough) ? exit.held : exit.broken;
    }
    const found = await exploreAll(all, io, bounds);
    for (const each of found) io.out(`${told(each, io)}${details(each)}`);
    if (values.json !== undefined) await write(values.json, `${JSON.stringify(found.map(machine), null, 2)}\n`);
    return found.every(holds) ? exit.held : exit.broken;
  },
);

interface Own {
  readonly agents?: string;
  readonly depth?: string;
  readonly commands?: string;
  readonly handlers?: boolean;
  readonly faultless?: boolean;
}
/** Null where none of its options is given. */
function ownWorld({ agents, depth, commands, handlers, faultless }: Own): SmallWorld | null {
  if (agents === undefined) {
    const [lone] = Object.entries({ commands, handlers, faultless }).filter(([, each]) => each !== undefined);
    if (lone !== undefined) throw new Unusable(2, `--${lone[0]} is for a world of your own: say --agents N as well`);
    return null;
  }
  const count = whole(agents, 1, "--agents", 1);
  if (count > agentsMost) throw new Unusable(2, `--agents takes at most ${agentsMost}: ${count} is no small world`);
  const chosen = commands?.split(",").map((each) => each.trim());
  const strange = chosen?.find((each) => !explorable.some((verb) => verb === each));
  if (strange !== undefined)
    throw new Unusable(
      2,
      `--commands: there is no ${JSON.stringify(strange)} here; there are ${explorable.join(", ")}`,
    );
  const until = depth === undefined ? {} : { depth: whole(depth, 0, "--depth", 1) };
  const verbs = chosen === undefined ? {} : { verbs: explorable.filter((each) => chosen.includes(each)) };
  const says = chosen === undefined ? "every command there is" : chosen.join(", ");
  return {
    name: `${counted(count, "agent")}${depth === undefined ? "" : `, ${counted(until.depth ?? 0, "step")}`}`,
    says,
    small: { agents: count, ...until, ...verbs, handlers: handlers === true, faults: faultless !== true },
    quick: false,
  };
}

/** Only what so many steps reach. */
function cut(world: SmallWorld, depth: string | undefined): SmallWorld {
  if (depth === undefined) return world;
  const most = whole(depth, 0, "--depth", 1);
  return { ...world, name: `${world.name}, ${counted(most, "step")}`, small: { ...world.small, depth: most } };
}

export interface ExploredWorld {
  readonly world: SmallWorld;
  readonly found: Explored;
  /** Why it was left before its end, if it was. */
  readonly stopped: string | null;
}

export interface Bounds {
  readonly statesMax: number;
  readonly memoryMbMax: number;
}

export async function exploreAll(
  all: readonly SmallWorld[],
  io: Io,
  { statesMax, memoryMbMax }: Bounds = { statesMax: statesUsual, memoryMbMax: memoryUsual },
): Promise<readonly ExploredWorld[]> {
  return interruptible((signal) => exploreEach(all, io, { statesMax, memoryMbMax }, signal));
}

async function exploreEach(
  chosen: readonly SmallWorld[],
  io: Io,
  { statesMax, memoryMbMax }: Bounds,
  signal: AbortSignal,
): Promise<readonly ExploredWorld[]> {
  const shown = progress(io);
  const all: ExploredWorld[] = [];
  try {
    for (const world of chosen) {
      if (signal.aborted) break;
      let stopped: string | null = null;
      const going = exploring({ ...world.small, statesMax, clock: () => performance.now() });
      let next = going.next();
      while (next.done !== true) {
        const { states, transitions, depth } = next.value;
        const size = `${counted(states, "state")}, ${counted(transitions, "transition")}, ${counted(depth, "step")} deep`;
        shown.tell(`exploring ${world.name}: ${size}`);
        await moment();
        if (process.memoryUsage().heapUsed > memoryMbMax * 1e6) stopped = `the heap has grown over ${memoryMbMax} MB`;
        if (signal.aborted) stopped = "it was interrupted";
        next = going.next(stopped !== null);
      }
      shown.done();
      const found = next.value;
      if (stopped === null && found.states >= statesMax) stopped = `there are more than ${counted(statesMax, "state")}`;
      all.push({ world, found, stopped });
    }
    return all;
  } finally {
    shown.done();
  }
}

/** To its end, or to the depth that was asked for, and nothing wrong on the way. */
export const holds = ({ world, found, stopped }: ExploredWorld): boolean =>
  found.broken === null &&
  found.restless === null &&
  stopped === null &&
  (found.fixpoint || world.small.depth !== undefined);

export function told({ world, found, stopped }: ExploredWorld, { color }: Pick<Io, "color">): string {
  const { green, red, dim } = createColors(color);
  const size = `${counted(found.states, "state")}, ${counted(found.transitions, "transition")}`;
  const head = `${holds({ world, found, stopped }) ? green("held") : red("failed")}  ${world.name}: ${size}  ${dim(seconds(found.seconds * 1_000))}`;
  const { broken, restless } = found;
  const lines = [head];
  if (broken !== null) lines.push(`  L${broken.law.number}  ${broken.law.sentence}`, `      ${broken.what}`);
  if (restless !== null) lines.push("  L41  From here some turn or wait cannot come to rest:");
  if (stopped !== null && broken === null) lines.push(`  not explored completely: ${stopped}`);
  for (const step of broken?.story ?? restless ?? []) lines.push(`      ${line(step, { texts: true })}`);
  return `${lines.join("\n")}\n`;
}

/** What was met on the way. */
function details({ found }: ExploredWorld): string {
  const rate = found.seconds > 0 ? Math.round(found.transitions / found.seconds) : 0;
  const { depth, goals, refusals, fixpoint } = found;
  const end = fixpoint ? "to a fixpoint" : "and no further";
  return `      ${counted(depth, "step")} deep ${end}, ${grouped(rate)} transitions/s, ${counted(goals.length, "goal")}; refusals: ${refusals.join(", ") || "none"}\n`;
}

function machine({ world, found, stopped }: ExploredWorld): object {
  const { broken, ...rest } = found;
  const law =
    broken === null
      ? null
      : { number: broken.law.number, sentence: broken.law.sentence, what: broken.what, story: broken.story };
  return { world: world.name, says: world.says, ...rest, stopped, broken: law };
}
