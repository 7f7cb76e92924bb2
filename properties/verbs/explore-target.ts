/** The part of `rollcall explore` that tells small worlds to a target, and says what came of it. */
import { createColors } from "picocolors";
import { counted, type Io, interruptible, progress, seconds } from "../io.ts";
import { tellWorld, type WorldTold } from "../orders/world.ts";
import { reasons, story } from "../report.ts";
import type { SmallWorld } from "../worlds.ts";
import { type Chosen, opened } from "./on-target.ts";

interface ToldWorld {
  readonly world: SmallWorld;
  readonly told: WorldTold;
  readonly interrupted: boolean;
  readonly ms: number;
}
export const heldThrough = ({ told: { failed }, interrupted }: ToldWorld): boolean => failed === null && !interrupted;

/** Until one fails, or Ctrl-C. */
export async function tellAll(all: readonly SmallWorld[], chosenTarget: Chosen, io: Io): Promise<readonly ToldWorld[]> {
  const target = await (await opened(chosenTarget))();
  const { name } = chosenTarget;
  const shown = progress(io);
  const ended: ToldWorld[] = [];
  try {
    await interruptible(async (signal) => {
      for (const world of all) {
        if (signal.aborted || !ended.every(heldThrough)) break;
        const started = performance.now();
        const tell = (so: WorldTold): void =>
          shown.tell(
            `${name}  ${world.name}: ${counted(so.states, "state")}, ${counted(so.stories, "story", "stories")}`,
          );
        const one = await tellWorld(target, world.small, { signal, progress: tell });
        shown.done();
        ended.push({ world, told: one, interrupted: signal.aborted, ms: performance.now() - started });
        io.out(saidThrough(ended.slice(-1), name, io));
      }
    });
    return ended;
  } finally {
    shown.done();
    await target.close();
  }
}

function saidThrough(ended: readonly ToldWorld[], name: string, io: Io): string {
  const { green, red, dim } = createColors(io.color);
  return ended
    .map(({ world, told: { states, transitions, stories, steps, fixpoint, failed }, interrupted, ms }) => {
      const word = failed === null && !interrupted ? green("held") : red(failed === null ? "interrupted" : "failed");
      const size = `${counted(states, "state")}, ${counted(transitions, "transition")}${fixpoint ? " to a fixpoint" : ""}`;
      const work = `in ${counted(stories, "story", "stories")}, ${counted(steps, "step")}`;
      const head = `${word}  ${name}, ${world.name}: ${size} ${work}  ${dim(seconds(ms))}\n`;
      if (failed === null) return head;
      const paper = { columns: Math.min(io.columns, 160), texts: true };
      return `${head}\n${reasons(failed.failure, name)}\n\n${story(failed.told, failed.failure, name, paper)}\n`;
    })
    .join("");
}

export const machineTold =
  (target: string) =>
  ({ world, told: { failed, ...counts }, interrupted, ms }: ToldWorld): object => ({
    ...{ target, world: world.name, says: world.says, ...counts, interrupted, seconds: ms / 1_000 },
    failed: failed === null ? null : { kinds: failed.failure.kinds, steps: failed.told },
  });
