/**
 * The fault of 2026-10-06: tools are resolved by exact look-up in a table of the process, as an editor's are, and not through
 * the registrar that owns their category. Where the process has been used for a while every tool is in it; a new process
 * has none, and sets aside whatever names one.
 */
import type { Scope } from "../../src/contract.ts";
import type { Registrar } from "../../src/index.ts";
import { memoryPlaces, type Places } from "./places.ts";
import { type Production, productionTarget, usual } from "./production.ts";

/** Global to the process on purpose: that is the fault. */
const registered = new Set<string>();

const key = (category: string, name: string): string => `${category} ${name}`;

function lookedUp({ category, names, load }: Registrar): Registrar {
  return {
    category,
    names: () => names().filter((name) => registered.has(key(category, name))),
    load: (name) => {
      registered.add(key(category, name));
      return load(name);
    },
  };
}

/** A story begins in an editor that has been used for a while. */
function warm({ registrars }: Scope): void {
  for (const { category, tools } of Object.values(registrars))
    for (const name of tools) registered.add(key(category, name));
}

export function coldToolDropped(name = "memory:cold_tool_dropped", places: Places = memoryPlaces()): Production {
  const target = productionTarget(name, places, { ...usual, registrar: lookedUp });
  return {
    ...target,
    reset: (scope) => {
      warm(scope);
      return target.reset(scope);
    },
  };
}
