/** `rollcall history`: one corpus of stories, replayed on the commits of somebody's repository. */
import { parseArgs } from "node:util";
import { type Recorded, readTrace, tracesIn } from "../../regressions/files.ts";
import type { Verdict } from "../../regressions/replay.ts";
import { replay } from "../../regressions/replay.ts";
import { commitsOf, unpacked } from "../history/commits.ts";
import { byLaw, type Commit, changesIn, type Mark, type Strip, stripSvg, stripText } from "../history/strip.ts";
import { counted, exit, progress, type Verb, verb, whole } from "../io.ts";
import { Unusable } from "../unusable.ts";
import { write } from "./drafts.ts";
import { type Chosen, chosen, opened, targetHelp, targetOptions } from "./on-target.ts";

const commitsUsual = 8;

const help = `
Replays recorded stories on commits of a repository, and says of each story at each commit whether it holds, is broken, or cannot be
told there. What the repository holds at a commit is unpacked into a folder of its own; the repository is only read.

  REPO            a git repository
  COMMITS         A..B, both included, or a list A,B,C
  --at N          so many commits of a range, evenly [${commitsUsual}]
  --stories DIR   where the stories lie; or name FILES
  --by story|law  what the rows are [story]
  --svg FILE      also a picture
  --json FILE     also for programs
${targetHelp("none")}
In the target {} is the folder of the commit ("python3 {}/registry.py"); of mevedel it is --mevedel by itself.`;

const marks: { readonly [is in Verdict["is"]]: Mark } = {
  fixed: "holds",
  reproduces: "broken",
  stale: "stale",
  "not applicable": "not applicable",
};

/** As it is asked for at a commit. */
function at({ name, options }: Chosen, folder: string): Chosen {
  if (name === "mevedel")
    return { name, options: { ...options, mevedel: { ...options.mevedel, mevedel: folder, unknowing: true } } };
  return { name: name.replaceAll("{}", folder), options };
}

async function marksAt(stories: readonly Recorded[], target: Chosen): Promise<readonly Mark[]> {
  try {
    const on = await (await opened(target))();
    try {
      const found: Mark[] = [];
      for (const { trace, rot } of stories) found.push(marks[(await replay(trace, on, rot)).is]);
      return found;
    } finally {
      await on.close();
    }
  } catch (error) {
    if (!(error instanceof Unusable) || error.exit === exit.usage) throw error;
    return stories.map(() => "does not start");
  }
}

export const history: Verb = verb(
  "history",
  "history REPO COMMITS --target TARGET [FILES] [--stories DIR] [--svg FILE]",
  help,
  async (args, io) => {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        ...targetOptions,
        at: { type: "string" },
        stories: { type: "string" },
        by: { type: "string" },
        svg: { type: "string" },
        json: { type: "string" },
      },
    });
    const [repository, range, ...named] = positionals;
    if (repository === undefined || range === undefined) throw new Unusable(2, "name a repository and commits, A..B");
    if (values.target === undefined) throw new Unusable(2, "name a --target");
    if (values.by !== undefined && values.by !== "story" && values.by !== "law")
      throw new Unusable(2, `--by is story or law, not ${JSON.stringify(values.by)}`);
    const files = values.stories === undefined ? named : [...named, ...(await tracesIn(values.stories))];
    if (files.length === 0) throw new Unusable(2, "name stories: FILES or --stories DIR");
    const target = chosen(values, values.target);
    const commits = await commitsOf(repository, range, whole(values.at, commitsUsual, "--at", 2));
    const stories = await Promise.all(files.map(readTrace));
    const line = progress(io);
    const columns: (readonly Mark[])[] = [];
    for (const commit of commits) {
      line.tell(`${commit.id.slice(0, 7)}  ${columns.length} of ${counted(commits.length, "commit")}`);
      columns.push(await unpacked(repository, commit, (folder) => marksAt(stories, at(target, folder))));
    }
    line.done();
    const strip = stripOf(commits, stories, columns, values.by === "law");
    io.out(stripText(strip));
    const title = `${target.name}, ${counted(stories.length, "story", "stories")} on ${counted(commits.length, "commit")}`;
    if (values.svg !== undefined) await write(values.svg, stripSvg(strip, title));
    if (values.json !== undefined)
      await write(values.json, `${JSON.stringify({ ...strip, changes: changesIn(strip) }, null, 2)}\n`);
    const all = columns.flat();
    if (all.includes("stale")) return exit.stale;
    if (all.every((mark) => mark === "does not start"))
      throw new Unusable(4, "the target starts at none of the commits");
    return exit.held;
  },
);

function stripOf(
  commits: readonly Commit[],
  stories: readonly Recorded[],
  columns: readonly (readonly Mark[])[],
  laws: boolean,
): Strip {
  const rows = stories.map(({ name, trace }, row) => ({
    ...{ name, laws: trace.laws },
    marks: columns.map((column) => column[row] ?? "not applicable"),
  }));
  return { commits, rows: laws ? byLaw(rows) : rows.map(({ name, marks: told }) => ({ name, marks: told })) };
}
