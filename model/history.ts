/** A story told to the specification, and any history, whoever made it, judged by the laws. */
import type { Scope, Step } from "../src/contract.ts";
import type { Law, Seen } from "./laws/law.ts";
import { emptyLedger, remember } from "./laws/ledger.ts";
import { laws as allLaws } from "./laws.ts";
import type { Rules } from "./rules.ts";
import type { Digest, World } from "./state.ts";
import { begin, step as decide, encode, rules, stored, view } from "./step.ts";

/** Short texts and plain configs are their own digests. */
export const plainDigest: Digest = {
  text: (text) => (text.length <= 64 ? text : { length: text.length, sha256: text.slice(0, 16) }),
  hash: (text) => text.slice(0, 16),
  config: ({ instructions, model, tools }) => `${instructions} ${model} ${tools.join(" ")}`,
};

/** One role, one tool. */
export function smallScope(capacity: number): Scope {
  const config = { instructions: "i", model: "m", effort: null, limits: {}, parameters: {}, tools: [["core", "read"]] };
  return {
    capacity,
    roles: { r: config },
    registrars: { core: { category: "core", tools: ["read"] } },
    archive: "memory",
    process: "same",
  };
}

export function seen(step: Step | null, reply: Seen["reply"], world: World, m: Rules = rules): Seen {
  return {
    step,
    reply,
    view: view(world, m),
    encoded: encode(world, m),
    stored: stored(world, m),
    counters: null,
  };
}

/** Every moment, the beginning too. */
export function tell(scope: Scope, steps: readonly Step[], m: Rules = rules): readonly Seen[] {
  let world = begin(plainDigest, scope);
  const moments = [seen(null, null, world, m)];
  for (const step of steps) {
    const next = decide(world, step, m);
    world = next.world;
    moments.push(seen(step, next.reply, world, m));
  }
  return moments;
}

export interface Verdict {
  /** The moment at which laws break first. */
  readonly at: number;
  readonly broken: readonly { readonly law: Law; readonly what: string }[];
}

export function judge(history: readonly Seen[], laws: readonly Law[] = allLaws): Verdict | null {
  let ledger = emptyLedger;
  let before: Seen | null = null;
  for (const [at, now] of history.entries()) {
    const broken: { law: Law; what: string }[] = [];
    for (const law of laws) {
      const what = law.check(ledger, before, now);
      if (what !== null) broken.push({ law, what });
    }
    if (broken.length > 0) return { at, broken };
    ledger = remember(ledger, before, now);
    before = now;
  }
  return null;
}
