/** `rollcall explain`: why a recorded story fails on a target, found out by telling it otherwise; as text, page or diagram. */
import { parseArgs } from "node:util";
import { readWholeTrace } from "../../regressions/files.ts";
import { explain as explained } from "../explain/explain.ts";
import { explanationMermaid } from "../explain/mermaid.ts";
import { explanationPage } from "../explain/page.ts";
import { explanationText } from "../explain/text.ts";
import { exit, type Verb, verb } from "../io.ts";
import { Unusable } from "../unusable.ts";
import { configHelp, configured } from "./config.ts";
import { write } from "./drafts.ts";
import { chosen, opened, targetHelp, targetOptions } from "./on-target.ts";

const help = `
Tells a trace to a target again and again, without each of its steps, in other orders, with other values, and says what it takes
for it to fail: which steps, which order, which values, and where specification and target part.

${targetHelp("memory")}
${configHelp}
  --html FILE     also one page that needs nothing else: lanes, gates, mail, and both sides at every step
  --mermaid       a sequence diagram for a pull request in the place of the text
  --texts         show texts as they are, not as lengths and hashes`;

export const explain: Verb = verb(
  "explain",
  "explain TRACE [--target TARGET] [--html FILE] [--mermaid]",
  help,
  async (args, io) => {
    const { values: typed, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        ...targetOptions,
        html: { type: "string" },
        mermaid: { type: "boolean" },
        texts: { type: "boolean" },
      },
    });
    const [file, ...others] = positionals;
    if (file === undefined || others.length > 0) throw new Unusable(2, "name one trace to explain");
    const { name, trace } = await readWholeTrace(file);
    // What is known to diverge can be explained as well, so divergences are left out.
    const { values } = await configured(typed);
    const open = await opened(chosen(values, "memory"));
    const steps = trace.steps.map(([step]) => step);
    const texts = values.texts === true ? "shown" : "hashed";
    const explanation = await explained({ scope: trace.scope, steps, open, title: name, texts });
    if (values.html !== undefined) await write(values.html, explanationPage(explanation));
    const { color, columns } = io;
    const text = explanationText(explanation, { color, columns });
    io.out(values.mermaid === true ? `\`\`\`mermaid\n${explanationMermaid(explanation)}\n\`\`\`\n` : `${text}\n`);
    return explanation.failing === null ? exit.held : exit.broken;
  },
);
