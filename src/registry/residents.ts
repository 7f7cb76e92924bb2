/** How many conversations stay in memory: the least recently used go first, never one at work, being read, or not yet written. */
import type { Path } from "../contract.ts";
import type { State } from "./state.ts";

/** `used`: whose agents the command was about. L32: nobody can tell but by what is read again. */
export function keepWithin(state: State, used: Iterable<Path>): void {
  const { conversations, agents, unsaved, reads, setting } = state;
  const { residentsMax } = setting;
  if (residentsMax === Number.POSITIVE_INFINITY) return;
  for (const path of used) {
    const conversation = conversations.get(path);
    if (conversation === undefined) continue;
    // To the end: the order is that of last use.
    conversations.delete(path);
    conversations.set(path, conversation);
  }
  if (conversations.size <= residentsMax) return;
  for (const path of [...conversations.keys()]) {
    const agent = agents.get(path);
    if (agent === undefined || agent.phase.is !== "idle" || unsaved.has(path) || reads.has(path)) continue;
    conversations.delete(path);
    agents.set(path, { ...agent, residency: "cold", marks: [] });
    if (conversations.size <= residentsMax) return;
  }
}
