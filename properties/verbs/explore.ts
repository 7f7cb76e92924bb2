/** `rollcall explore`: every story of small worlds at once, over the specification, under every law. */
import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { createColors } from "picocolors";
import { type Explored, explore as explored } from "../../model/explore.ts";
import { counted, exit, type Io, progress, seconds, type Verb, verb } from "../io.ts";
import { line } from "../report.ts";
import { Unusable } from "../unusable.ts";
import { type SmallWorld, worlds } from "../worlds.ts";

const help = `
Explores small worlds over the specification until no new state is found: every law in every state and across every step, and
that every turn and every wait can come to rest.

  WORLD           ${worlds.map(({ name, says }) => `${name}: ${says}`).join("\n                  ")}
                  [all of them]
  --json FILE     what was found, for programs`;

export const explore: Verb = verb("explore", "explore [WORLD ...] [--json FILE]", help, async (args, io) => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { json: { type: "string" } },
  });
  const unknown = positionals.find((name) => !worlds.some((world) => world.name === name));
  if (unknown !== undefined)
    throw new Unusable(2, `there is no world ${unknown}; there are ${worlds.map(({ name }) => name).join(", ")}`);
  const chosen = positionals.length === 0 ? worlds : worlds.filter(({ name }) => positionals.includes(name));
  const found = exploreAll(chosen, io);
  for (const each of found) io.out(told(each, io));
  if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(found.map(machine), null, 2)}\n`);
  return found.every(holds) ? exit.held : exit.broken;
});

export interface ExploredWorld {
  readonly world: SmallWorld;
  readonly found: Explored;
}

export function exploreAll(chosen: readonly SmallWorld[], io: Io): readonly ExploredWorld[] {
  const shown = progress(io);
  return chosen.map((world) => {
    shown.tell(`exploring ${world.name}: ${world.says}`);
    const found = explored({ ...world.small, clock: () => performance.now() });
    shown.done();
    return { world, found };
  });
}

export const holds = ({ found }: ExploredWorld): boolean =>
  found.broken === null && found.restless === null && found.fixpoint;

export function told({ world, found }: ExploredWorld, { color }: Pick<Io, "color">): string {
  const { green, red, dim } = createColors(color);
  const size = `${counted(found.states, "state")}, ${counted(found.transitions, "transition")}`;
  const head = `${holds({ world, found }) ? green("held") : red("failed")}  ${world.name}: ${size}  ${dim(seconds(found.seconds * 1_000))}`;
  const { broken, restless } = found;
  const lines = [head];
  if (broken !== null) lines.push(`  L${broken.law.number}  ${broken.law.sentence}`, `      ${broken.what}`);
  if (restless !== null) lines.push("  L41  From here some turn or wait cannot come to rest:");
  if (!found.fixpoint && broken === null)
    lines.push("  not explored completely: there are more states than were allowed");
  for (const step of broken?.story ?? restless ?? []) lines.push(`      ${line(step, { texts: true })}`);
  return `${lines.join("\n")}\n`;
}

function machine({ world, found }: ExploredWorld): object {
  const { broken, ...rest } = found;
  const law =
    broken === null
      ? null
      : { number: broken.law.number, sentence: broken.law.sentence, what: broken.what, story: broken.story };
  return { world: world.name, says: world.says, ...rest, broken: law };
}
