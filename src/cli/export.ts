/** `rollcall export`: an archive as JSON lines; a recorded story as a test is the checker's. */
import { parseArgs } from "node:util";
import { exportLines } from "../archive/export.ts";
import { told, UsageError } from "./failure.ts";
import { exit, type Verb } from "./io.ts";
import { exportStory } from "./judge.ts";
import { reading } from "./stored.ts";

/** Whatever else is asked for is asked of the checker, its help too. */
export const exported: Verb = async (args, io) => {
  const options = { as: { type: "string" } } as const;
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true, strict: false });
  if (values.as !== "jsonl") return await exportStory(args, io);
  const [file, ...more] = positionals;
  try {
    if (file === undefined || more.length > 0) throw new UsageError("name one archive");
    await reading(file, async (archive) => {
      for await (const line of exportLines(archive)) io.out(`${line}\n`);
    });
    return exit.held;
  } catch (error) {
    return told(error, "export", file ?? "", io);
  }
};
