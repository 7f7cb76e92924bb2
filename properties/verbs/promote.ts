/** `rollcall promote`: a draft becomes a recorded story, once it is seen that it shows something and shows it first. */
import { statSync } from "node:fs";
import { parseArgs } from "node:util";
import { createColors } from "picocolors";
import { readWholeTrace } from "../../regressions/files.ts";
import { promote as promoted, wordsMin } from "../../regressions/promote.ts";
import { commitNamed } from "../../regressions/sources.ts";
import { counted, exit, type Verb, verb } from "../io.ts";
import { Unusable } from "../unusable.ts";

const folderUsual = "regressions";
/** Words of the reason that make the name of the file. */
const nameWords = 8;

const help = `
Records a draft as a story of the folder, YYYY-MM-DD-NAME.json: in readable names, with the answers of the specification and
what it comes to. It must fail on the fault that it is said to show, and hold on the specification and on production, in memory
and in a file. A draft that shows what another story of the folder shows (the same laws, reduced to the same steps) is not
recorded again; that story is named.

  --why SENTENCES   what the story shows, for whoever reads it aloud; at least ${wordsMin} words
  --twin NAME       the faulty twin it is red on; [the draft's own, where it was found on one]
  --plant NAME      or the fault planted in a copy of the production source
  --commit REF      or the production source of an old commit
  --name NAME       [the first words of the reason]
  --day YYYY-MM-DD  [today]
  --into FOLDER     [${folderUsual}]`;

export const promote: Verb = verb(
  "promote",
  'promote DRAFT --why "…" [--twin NAME | --plant NAME | --commit REF]',
  help,
  async (args, io) => {
    const text = { type: "string" } as const;
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { why: text, twin: text, plant: text, commit: text, name: text, day: text, into: text },
    });
    const [file, ...others] = positionals;
    if (file === undefined || others.length > 0) throw new Unusable(2, "name one draft to record");
    const why = (values.why ?? "").trim();
    if (why.split(/\s+/).length < wordsMin)
      throw new Unusable(2, `say with --why what the story shows, in a sentence of at least ${wordsMin} words`);
    const folder = values.into ?? folderUsual;
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
      throw new Unusable(2, `there is no folder ${folder} to record it in; name one with --into`);
    const draft = await readWholeTrace(file);
    const fault = await faultOf(values, draft.trace.fault);
    const name = `${dayOf(values.day)}-${nameOf(values.name, why)}`;
    const found = await promoted({ draft, why, fault, folder, name });
    const { green, red, yellow } = createColors(io.color);
    switch (found.is) {
      case "recorded": {
        const { steps, laws } = found.trace;
        const about = laws.length === 0 ? "no law alone" : laws.map((law) => `L${law}`).join(", ");
        io.out(`${green("recorded")}  ${found.file}: ${counted(steps.length, "step")}, ${about}\n`);
        io.out(`          red on ${fault} at step ${found.step}, green on the specification and production\n`);
        return exit.held;
      }
      case "known":
        io.out(
          `${yellow("known")}  ${file} shows what ${found.as} shows, reduced to the same steps; nothing was written\n`,
        );
        return exit.broken;
      case "not red":
        io.out(`${red("not red")}  ${file}: ${found.why}, so it shows nothing of it; nothing was written\n`);
        return exit.broken;
      case "not green":
        io.out(`${red("not green")}  ${file} on ${found.target}: ${found.why}\n`);
        io.out("           A story is recorded with its cure: mend that first. Nothing was written\n");
        return exit.broken;
    }
  },
);

type Given = { readonly [kind in "twin" | "plant" | "commit"]?: string | undefined };

async function faultOf({ twin, plant, commit }: Given, own: string | undefined): Promise<string> {
  const given = [
    ...(twin === undefined ? [] : [`twin:${twin}`]),
    ...(plant === undefined ? [] : [`plant:${plant}`]),
    ...(commit === undefined ? [] : [`commit:${await commitNamed(commit)}`]),
  ];
  const [fault = own, ...others] = given;
  if (others.length > 0) throw new Unusable(2, "name one fault only: --twin, --plant or --commit");
  if (fault === undefined) throw new Unusable(2, "say what it was red on: --twin NAME, --plant NAME or --commit REF");
  return fault;
}

/** Of the calendar that the person lives by. */
function dayOf(given: string | undefined): string {
  const now = new Date();
  const today = [now.getFullYear(), now.getMonth() + 1, now.getDate()]
    .map((part) => String(part).padStart(2, "0"))
    .join("-");
  const day = given ?? today;
  const read = /^\d{4}-\d{2}-\d{2}$/.test(day) ? new Date(`${day}T00:00:00Z`) : null;
  if (read === null || Number.isNaN(read.getTime()) || !read.toISOString().startsWith(day))
    throw new Unusable(2, `--day is a day such as 2026-11-30, not ${JSON.stringify(day)}`);
  return day;
}

function nameOf(given: string | undefined, why: string): string {
  if (given !== undefined && !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(given))
    throw new Unusable(2, `--name takes words of a-z and 0-9 with dashes between them, not ${JSON.stringify(given)}`);
  const words =
    why
      .toLowerCase()
      .replaceAll(/['’]/g, "")
      .match(/[a-z0-9]+/g) ?? [];
  if (given === undefined && words.length === 0)
    throw new Unusable(2, "the reason has no word to name the file by; give one with --name");
  return given ?? words.slice(0, nameWords).join("-");
}
