/**
 * Tools belong to registrars. A frozen reference `[category, name]` is looked up exactly, else through the owner of its
 * category, and never by name alone. Nothing here runs a tool.
 */
import type { ToolRef } from "./contract.ts";
import type { Registrar } from "./registry/ports.ts";

export interface Tools {
  /** Whether there is any registrar at all. */
  readonly isAvailable: boolean;
  /** The first reason why these references lead nowhere, or null. Loads nothing. */
  flaw(refs: readonly ToolRef[]): ToolFlaw | null;
  /** Registers those not yet registered, in order; null when there is nothing to wait for. */
  load(refs: readonly ToolRef[]): Promise<void> | null;
}
interface ToolFlaw {
  readonly code: "tool_unknown" | "category_foreign";
  readonly ref: ToolRef;
}

export function openTools(registrars: readonly Registrar[]): Tools {
  const owners = new Map<string, Registrar>();
  // The first in the list owns a category.
  for (const each of registrars) if (!owners.has(each.category)) owners.set(each.category, each);
  const loaded = new Map<string, Set<string>>();
  const isLoaded = ([category, name]: ToolRef) => loaded.get(category)?.has(name) === true;

  const refFlaw = (ref: ToolRef): ToolFlaw | null => {
    if (isLoaded(ref)) return null;
    const owner = owners.get(ref[0]);
    if (owner === undefined) return { code: "category_foreign", ref };
    return owner.names().includes(ref[1]) ? null : { code: "tool_unknown", ref };
  };
  const loadOne = async (ref: ToolRef): Promise<void> => {
    const [category, name] = ref;
    await owners.get(category)?.load(name);
    const names = loaded.get(category) ?? new Set();
    loaded.set(category, names.add(name));
  };

  return {
    isAvailable: registrars.length > 0,
    flaw: (refs) => {
      const flaws = refs.map(refFlaw);
      // An unknown tool comes before a foreign category: the order of codes is the contract.
      return flaws.find((each) => each?.code === "tool_unknown") ?? flaws.find((each) => each !== null) ?? null;
    },
    load: (refs) => {
      const missing = refs.filter((each) => !isLoaded(each));
      if (missing.length === 0) return null;
      return missing.reduce((before, each) => before.then(() => loadOne(each)), Promise.resolve());
    },
  };
}
