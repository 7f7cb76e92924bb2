/** `rollcall shrink`: a recorded story that fails on a target, as short as it can be and still fail alike. */
import { parseArgs } from "node:util";
import { createColors } from "picocolors";
import { readWholeTrace } from "../../regressions/files.ts";
import { replay } from "../../regressions/replay.ts";
import { counted, exit, interruptible, type Verb, verb, whole } from "../io.ts";
import { run } from "../loop.ts";
import { reasons, story } from "../report.ts";
import { shrink as shrunk } from "../shrink.ts";
import { specification } from "../specification.ts";
import { printTrace } from "../trace.ts";
import { Unusable } from "../unusable.ts";
import { configHelp, configured } from "./config.ts";
import { write } from "./drafts.ts";
import { chosen, opened, targetHelp, targetOptions } from "./on-target.ts";

const executionsUsual = 2_000;

const help = `
Tells a trace that fails on a target again and again, with steps taken out and everything said more plainly, and shows the
shortest story found that fails alike. One that does not fail is said to be so, and nothing is written.

${targetHelp("memory")}
${configHelp}
  --out FILE        write the short story there, as a trace
  --executions N    tell so many stories at most [${executionsUsual}]
  --texts           show texts as they are, not as lengths and hashes`;

export const shrink: Verb = verb("shrink", "shrink TRACE [--target TARGET] [--out FILE]", help, async (args, io) => {
  const { values: typed, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      ...targetOptions,
      out: { type: "string" },
      executions: { type: "string" },
      texts: { type: "boolean" },
    },
  });
  const { values, judged: more } = await configured(typed);
  const judged = chosen(values, "memory", more);
  const [file, ...others] = positionals;
  if (file === undefined || others.length > 0) throw new Unusable(2, "name one trace to shrink");
  const executions = whole(values.executions, executionsUsual, "--executions", 1);
  const { name, trace } = await readWholeTrace(file);
  const of = judged.name;
  const { red, green, yellow, bold } = createColors(io.color);
  const target = await (await opened(judged))();
  try {
    const verdict = await replay(trace, target);
    if (verdict.is === "not applicable") {
      io.out(`${yellow(`not applicable at step ${verdict.step}`)}  ${name} on ${of}: ${verdict.why}\n`);
      return exit.broken;
    }
    const steps = trace.steps.map(([step]) => step);
    const failed = await run(target, trace.scope, (_, index) => steps[index] ?? null);
    if (failed.failure === null) {
      if (verdict.is === "stale")
        throw new Unusable(3, `${name} does not fail on ${of}, and is stale at step ${verdict.step}: ${verdict.why}`);
      io.out(`${green("holds")}  ${name} on ${of}: it does not fail, so there is nothing to shrink\n`);
      return exit.held;
    }
    const found = await interruptible((signal) => shrunk(target, trace.scope, failed, executions, "both", signal));
    const { failure } = found.run;
    if (found.fickle || failure === null) {
      io.out(`${red(`${name} failed on ${of} once and then did not: it is not deterministic there`)}\n`);
      return exit.stale;
    }
    const laws = [...new Set(failure.broken.map(({ law }) => law.number))].sort((one, other) => one - other);
    const { ends: _, steps: __, ...head } = trace;
    const short = { ...head, spec: specification, laws, scope: found.scope, steps: found.run.told };
    if (values.out !== undefined) await write(values.out, printTrace(short));
    const texts = values.texts === true || !of.includes(".");
    const paper = { columns: Math.min(io.columns, 160), texts };
    const length = found.run.told.length;
    const how = `shrunk from ${counted(steps.length, "step")} in ${counted(found.executions, "execution")}`;
    io.out(`${red(bold(`${name} fails on ${of}`))}\n${reasons(failure, of)}\n\n${counted(length, "step")}, ${how}:\n`);
    io.out(`${story(found.run.told, failure, of, paper)}\n`);
    if (values.out !== undefined) io.out(`\nwritten:  ${values.out}\n`);
    return exit.broken;
  } finally {
    await target.close();
  }
});
