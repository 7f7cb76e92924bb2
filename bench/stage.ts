/**
 * A process for one peer: `stage.js PEER FOLDER MANNER [ASK…]`. Does what it is asked, on its command line or else line by
 * line, and answers each with a line. It imports what the peer needs and nothing else, so that its start can be measured.
 */
import { type Ask, performer } from "./acts.ts";
import { kindNamed } from "./peers/kinds.ts";
import type { Manner } from "./peers/peer.ts";

const [name = "", folder = "", given = "{}", ...asked] = process.argv.slice(2);

function say(reply: unknown): void {
  process.stdout.write(`${JSON.stringify(reply)}\n`);
}
async function run(): Promise<void> {
  const manner: Manner = JSON.parse(given);
  const { perform } = performer(await kindNamed(name, manner), folder, manner.slower);
  if (asked.length > 0) {
    for (const ask of asked) say(await perform(JSON.parse(ask)));
    return;
  }
  const { createInterface } = await import("node:readline");
  for await (const line of createInterface({ input: process.stdin })) {
    const ask: Ask = JSON.parse(line);
    try {
      say(await perform(ask));
    } catch (error) {
      say({ failed: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  }
}
await run();
