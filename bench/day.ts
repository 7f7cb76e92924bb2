/** A day in a life: mixed operations in an order that is the same for every peer, and many turns one after the other. */
import { pathOf, strides } from "./content.ts";
import type { Kept } from "./peers/peer.ts";
import { generator, prose } from "./prose.ts";

/** Of twenty operations. */
const mix = [
  "mail",
  "mail",
  "mail",
  "mail",
  "mail",
  "mail",
  "mail",
  "mail",
  "history",
  "history",
  "history",
  "history",
  "history",
  "turn",
  "turn",
  "turn",
  "turn",
  "drain",
  "drain",
  "list",
] as const;
const lastFew = 20;

type Done = { readonly [what in (typeof mix)[number] | "drained"]: number };
/** Answers what was done, so that it can be told that every peer did the same. */
export async function day(kept: Kept, agents: number, operations: number, seed: number): Promise<Done> {
  const draw = generator(seed);
  const next = strides(agents);
  const done = { mail: 0, history: 0, turn: 0, drain: 0, list: 0, drained: 0 };
  for (let at = 0; at < operations; at++) {
    const what = mix[draw(mix.length)] ?? "mail";
    done[what] += 1;
    if (what === "mail") await kept.send(next(), prose(at, 200));
    else if (what === "history") await kept.history(next(), lastFew);
    else if (what === "drain") done.drained += await kept.drain();
    else if (what === "list") await kept.roster();
    else {
      const path = next();
      await kept.begin(path, prose(at, 100));
      await kept.settle(path, prose(at, 1_000));
    }
  }
  return done;
}

/** So many turns of the agents in turn, what they say drained by the root every hundredth. */
export async function turns(kept: Kept, agents: number, count: number, text: string): Promise<void> {
  for (let at = 0; at < count; at++) {
    // Leads only answer to the root: a worker's mail would stay in its lead's box, and mailboxes have limits.
    const path = pathOf((at * 25) % (Math.ceil(agents / 25) * 25));
    await kept.begin(path, text);
    await kept.settle(path, text);
    if (at % 100 === 99) await kept.drain();
  }
  await kept.drain();
}
