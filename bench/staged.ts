/** The other side of stage.ts: starts a process for a peer, asks it one thing after the other, and ends it. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Ask, Reply } from "./acts.ts";
import type { Manner } from "./peers/peer.ts";

const program = fileURLToPath(new URL("./stage.js", import.meta.url));

export interface Place {
  readonly peer: string;
  readonly folder: string;
  readonly manner?: Manner;
}
export interface Staged {
  ask(ask: Ask): Promise<Reply>;
  end(): Promise<void>;
}

function started({ peer, folder, manner = {} }: Place, flags: readonly string[], asks: readonly Ask[]) {
  const args = [...flags, program, peer, folder, JSON.stringify(manner), ...asks.map((ask) => JSON.stringify(ask))];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  const over = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  return { child, over, answers: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
}
async function answer(peer: string, answers: AsyncIterator<string>): Promise<Reply> {
  const { value, done } = await answers.next();
  if (done === true) throw new Error(`the process of ${peer} ended without an answer`);
  const reply: Reply | { readonly failed: string } = JSON.parse(value);
  if ("failed" in reply) throw new Error(`${peer}: ${reply.failed}`);
  return reply;
}

/** A process that stays warm until it is ended. */
export function staged(place: Place): Staged {
  const { child, over, answers } = started(place, ["--expose-gc"], []);
  return {
    ask: async (ask) => {
      child.stdin.write(`${JSON.stringify(ask)}\n`);
      return answer(place.peer, answers);
    },
    end: async () => {
      child.stdin.end();
      await over;
    },
  };
}

/** A process for one thing: the time from its start until it answers, and until it is gone, beside its own laps. */
export async function whole(place: Place, ask: Ask): Promise<Reply> {
  const began = performance.now();
  const { over, answers } = started(place, [], [ask]);
  const reply = await answer(place.peer, answers);
  const answered = performance.now() - began;
  if ((await over) !== 0) throw new Error(`the process of ${place.peer} failed`);
  return { ...reply, laps: { ...reply.laps, answered, gone: performance.now() - began } };
}
