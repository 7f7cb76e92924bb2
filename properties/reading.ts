/**
 * How a story ends that reads: everything there is, by everyone, then again after a crash and a restore. What a conversation
 * holds is seen in no view, and what a commit left out is seen by whoever comes next.
 */
import type { World } from "../model/index.ts";
import type { Path, Step } from "../src/contract.ts";
import { applicable } from "./applicable.ts";
import type { Capabilities } from "./target.ts";

/** Agents that are read, at most: a story tells many. */
const readMax = 4;
const lastMost = 1_000;

/** The steps of the end, one after another; `null` when all is told. */
export function reading(capabilities: Capabilities): (world: World) => Step | null {
  let left: Step[] | null = null;
  let isAgain = false;
  return (world) => {
    left ??= looks(world);
    for (;;) {
      const step = left.shift();
      if (step !== undefined) {
        if (applicable(step, capabilities, world) === null && !isBlind(step, world)) return step;
        continue;
      }
      if (isAgain) return null;
      isAgain = true;
      left = [
        ...(world.handles["w1"] === undefined ? [] : [{ do: "crash" } as const]),
        { do: "restore", mode: "write", takeover: true, answers: { hydrate: "ok" } },
        ...looks(world),
        { do: "verify" },
      ];
    }
  };
}

function looks(world: World): Step[] {
  const handle = world.handles["w1"];
  const agents = handle?.is === "open" ? handle.agents : world.disk.agents;
  const paths = Object.keys(agents).sort().slice(0, readMax);
  return [
    // Whoever asks first finds a session that has looked at nobody.
    ...paths.slice(-1).map((prefix): Step => ({ do: "roster", prefix })),
    history("/root"),
    ...paths.flatMap((path, index): readonly Step[] => {
      const both: readonly [Step, Step] = [history(path), { do: "read_result", path }];
      return index % 2 === 0 ? both : both.toReversed();
    }),
    ...paths.slice(0, 1).map((prefix): Step => ({ do: "roster", prefix })),
    { do: "roster" },
    ...beside(world),
  ];
}

function history(path: Path, as?: string): Step {
  const step: Step = { do: "read_history", path, last: lastMost, answers: { hydrate: "ok" } };
  return as === undefined ? step : { ...step, as };
}

/** What a reader shows is what there was when it opened, whatever others have written since. */
function beside({ handles }: World): Step[] {
  return Object.entries(handles).flatMap(([as, handle]) => {
    if (as === "w1" || handle.is !== "open" || handle.mode !== "read") return [];
    const paths = Object.keys(handle.agents).sort().slice(0, readMax);
    return ["/root", ...paths].map((path) => history(path, as));
  });
}

/** Whose archive another session writes now cannot tell what a conversation holds. */
function isBlind(step: Step, { handles, disk }: World): boolean {
  if (step.do === "crash" || step.do === "restore") return false;
  const handle = handles[step.as ?? "w1"];
  return handle?.is !== "open" || (handle.mode === "write" && handle.epoch !== disk.epoch);
}
