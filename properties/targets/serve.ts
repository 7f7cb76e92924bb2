/**
 * The program behind `rollcall serve`, which the checker starts by itself for its target `child`: it loads no command line, so that a
 * process that begins anew after every crash begins fast.
 */
import { Unusable } from "../unusable.ts";
import { serving } from "./serving.ts";

try {
  await serving(process.argv.slice(2));
  process.exitCode = 0;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = error instanceof Unusable ? error.exit : 2;
}
