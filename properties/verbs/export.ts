/** `rollcall export`: a recorded story as a test of the host's own framework, with nothing of Rollcall in it. */
import { parseArgs } from "node:util";
import { readWholeTrace } from "../../regressions/files.ts";
import { frameworks, standalone } from "../exports/standalone.ts";
import { exit, type Verb, verb } from "../io.ts";
import { Unusable } from "../unusable.ts";
import { write } from "./drafts.ts";

const help = `
Writes a standalone test: a comment with the story, its calls, a marked place for the functions of your own registry, and what has to
be seen after each call. Who reads or runs it needs no Rollcall.

  --as FRAMEWORK  ${frameworks.join(", ")}
  --out FILE      [standard output]`;

export const exportStory: Verb = verb(
  "export",
  "export TRACE --as vitest|pytest|ert [--out FILE]",
  help,
  async (args, io) => {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { as: { type: "string" }, out: { type: "string" } },
    });
    const [file, ...others] = positionals;
    if (file === undefined || others.length > 0) throw new Unusable(2, "name one trace to export");
    const framework = frameworks.find((each) => each === values.as);
    if (framework === undefined)
      throw new Unusable(2, `--as is ${frameworks.join(", ")}, not ${JSON.stringify(values.as ?? "")}`);
    const { name, trace } = await readWholeTrace(file);
    const text = standalone(trace, name, framework);
    if (values.out === undefined) io.out(text);
    else await write(values.out, text);
    return exit.held;
  },
);
