/**
 * Our registry, or a twin, as something that can be offered over the line protocol. Over SQLite its archive lies in the folder of
 * the story, so that another process can go on with it; the others end with theirs.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Step } from "../../src/contract.ts";
import type { Target } from "../target.ts";
import { Unusable } from "../unusable.ts";
import { coldToolDropped } from "./cold-tools.ts";
import type { Offered } from "./offer.ts";
import { type KeptPlaces, keptPlaces } from "./places.ts";
import { type Production, productionTarget } from "./production.ts";
import type { Damages } from "./stage.ts";

const undamaged: Damages = { originals: [], originalSession: null, broken: null };

/** What was damaged is written down for the process that may go on. */
function resumable(target: Production, places: KeptPlaces): Offered {
  let file = "";
  const damages = (): Damages => {
    if (!existsSync(file)) return undamaged;
    const read: Damages = JSON.parse(readFileSync(file, "utf8"));
    return read;
  };
  const at = (place: string, process: number): void => {
    if (!existsSync(place)) throw new Unusable(4, `there is no folder ${place}`);
    places.at(place, process);
    file = join(place, "damages.json");
  };
  return {
    target,
    reset: async (scope, place) => {
      at(place, 1);
      await target.reset(scope);
    },
    resume: async (scope, place, openings) => {
      at(place, openings + 1);
      await target.resume(scope, openings, damages());
    },
    applied: (step) => {
      if (harms(step)) writeFileSync(file, JSON.stringify(target.damages()));
    },
  };
}

const harms = (step: Step): boolean =>
  step.do === "together" ? step.steps.some(harms) : step.do === "damage" || step.do === "mend";

function unresumable(target: Target): Offered {
  return {
    target,
    reset: async (scope) => {
      await target.reset(scope);
    },
    resume: () =>
      Promise.reject(new Unusable(4, `${target.name} keeps its archive in memory: it ends with the process`)),
    applied: () => {},
  };
}

export async function served(name: string, fault: string | undefined): Promise<Offered> {
  if (name === "sqlite") {
    const places = keptPlaces();
    if (fault === undefined) return resumable(productionTarget("sqlite", places), places);
    if (fault === "cold_tool_dropped") return resumable(coldToolDropped(`sqlite, ${fault}`, places), places);
  }
  if (fault !== undefined) throw new Unusable(2, `there is no fault ${fault} of ${name}; sqlite has cold_tool_dropped`);
  // Not before it is asked for: a process over SQLite starts the faster.
  const { targetNamed } = await import("./named.ts");
  return unresumable(await (await targetNamed(name))());
}
