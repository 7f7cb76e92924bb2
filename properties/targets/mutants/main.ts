/**
 * `npm run mutants`: changes the production code in every small way that Stryker knows, one at a time, and looks whether
 * anything notices. What was found is kept in `results/`, and a file that has not changed is not judged again.
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { chosen, groups, hashOf, root } from "./files.ts";
import { isOpen, type Mutant, merged, type Results, readResults, writeResults } from "./results.ts";
import { install, type Judge, rangeOf, scratch, stryker } from "./stryker.ts";
import { isReached, type Known, summary } from "./summary.ts";
import { readExcused, unexcused } from "./survivors.ts";
import { writeTales } from "./tales.ts";
import { UsageError } from "./usage.ts";

const help = `npm run mutants [-- OPTIONS] [FILES AND FOLDERS]

Judges every file of properties/targets/mutants/files.ts, or those named: by stories, and what survives them by the unit tests. A file that has
not changed since it was judged is left alone. Exit code 1 where less is killed than the floor asks for.

  --again       judge them all the same
  --survivors   judge only what survived, once more
  --quick       by stories alone
  --tests       by the unit tests alone, and only what survived
  --summary     judge nothing, tell what is known`;

interface Asked {
  readonly isAgain: boolean;
  readonly isQuick: boolean;
  readonly isTests: boolean;
  readonly isSurvivors: boolean;
  readonly isSummary: boolean;
  readonly files: readonly string[];
}
function parse(args: readonly string[]): Asked | "help" {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        again: { type: "boolean" },
        survivors: { type: "boolean" },
        quick: { type: "boolean" },
        tests: { type: "boolean" },
        summary: { type: "boolean" },
        help: { type: "boolean" },
      },
    });
    if (values.help === true) return "help";
    return {
      isAgain: values.again === true,
      isQuick: values.quick === true,
      isTests: values.tests === true,
      isSurvivors: values.survivors === true || values.tests === true,
      isSummary: values.summary === true,
      files: chosen(positionals),
    };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** Results of these files, all their mutants told to one judge. */
async function judged(judge: Judge, files: readonly Results[], isAll: boolean): Promise<readonly Results[]> {
  const patterns = files.flatMap(({ file, mutants }) =>
    isAll ? [file] : mutants.filter(isOpen).map(({ at }) => rangeOf(file, at)),
  );
  if (patterns.length === 0) return files;
  const found = await stryker(judge, patterns);
  return files.map((each) => {
    const later = found.get(each.file) ?? [];
    return { ...each, mutants: isAll ? later : merged(each.mutants, later) };
  });
}

async function judgeGroup(files: readonly string[], { isAgain, isQuick, isTests, isSurvivors }: Asked): Promise<void> {
  const known = await Promise.all(files.map(readResults));
  const hashes = await Promise.all(files.map(hashOf));
  const fresh = (index: number): boolean => known[index]?.hash === hashes[index];
  const begun = files.flatMap((file, index): Results[] => {
    const before = known[index];
    if (isSurvivors) return before != null && fresh(index) ? [before] : [];
    return isAgain || !fresh(index) ? [{ file, hash: hashes[index] ?? "", mutants: [] satisfies Mutant[] }] : [];
  });
  if (begun.length === 0) return;
  process.stdout.write(`${begun.map(({ file }) => file).join(", ")}\n`);
  const told = isTests ? begun : await judged("stories", begun, !isSurvivors);
  // What took an hour is kept before the next hour begins.
  await Promise.all(told.map(writeResults));
  if (!isQuick) await Promise.all((await judged("tests", told, false)).map(writeResults));
}

/** What was found in a text that is no longer the file's says nothing of it. */
async function known(file: string): Promise<Known> {
  const results = await readResults(file);
  return { file, results: results?.hash === (await hashOf(file)) ? results : null };
}

async function main(args: readonly string[]): Promise<number> {
  const asked = parse(args);
  if (asked === "help") {
    process.stdout.write(`${help}\n`);
    return 0;
  }
  if (!asked.isSummary) {
    await install();
    const folder = join(root, scratch);
    try {
      await writeTales(folder);
      for (const group of groups)
        await judgeGroup(
          group.filter((each) => asked.files.includes(each)),
          asked,
        );
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
  const all = await Promise.all(asked.files.map(known));
  const excused = await readExcused();
  const unknown = all.flatMap(({ results }) => (results === null ? [] : unexcused(excused, results)));
  if (unknown.length > 0)
    process.stdout.write(
      `survive without a reason in properties/targets/mutants/survivors.json:\n${unknown.join("\n")}\n\n`,
    );
  process.stdout.write(summary(all));
  return isReached(all) ? 0 : 1;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(error instanceof UsageError ? `${error.message}\nTry --help.\n` : `${error}\n`);
  process.exitCode = error instanceof UsageError ? 2 : 70;
}
