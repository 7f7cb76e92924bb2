/** Offers a target of ours over this process's own standard input and output, until the requests end. */
import { parseArgs } from "node:util";
import { offer } from "./offer.ts";
import { served } from "./served.ts";

export async function serving(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { fault: { type: "string" } },
    allowPositionals: true,
  });
  // Whoever asked is gone.
  process.stdout.on("error", () => process.exit(0));
  await offer(await served(positionals[0] ?? "sqlite", values.fault), process.stdin, process.stdout);
}
