/**
 * A registry may keep fewer conversations in memory than were used: whom it has dropped is evicted from the model, too. Whoever
 * could not have been evicted is not, and then the two differ.
 */
import { step as decide, type World } from "../model/index.ts";
import type { Step, View } from "../src/contract.ts";

export function evicted(world: World, shown: View): World {
  let after = world;
  for (const [as, handle] of Object.entries(world.handles)) {
    const view = as === "w1" ? shown : shown.others?.[as];
    if (handle.is !== "open" || view === undefined) continue;
    for (const { path, is, residency } of Object.values(handle.agents)) {
      const found = view.agents?.[path];
      if (is !== "idle" || residency !== "writable" || found === undefined || found.residency !== undefined) continue;
      const evict: Step = as === "w1" ? { do: "evict", path } : { do: "evict", path, as };
      const told = decide(after, evict);
      if ("ok" in told.reply) after = told.world;
    }
  }
  return after;
}
