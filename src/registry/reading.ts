/**
 * One read for all who ask for the same conversation: asking for it, and no longer wanting it. What its answer does is
 * in hydrate.ts. L31
 */
import type { Op, Path } from "../contract.ts";
import type { ReadAct } from "./decision.ts";
import { type Draft, readAt, setRead } from "./draft.ts";
import type { Agent } from "./state.ts";

/** Joins the read under way, or begins one. */
export function askRead(draft: Draft, agent: Agent, op: Op, asked: Pick<ReadAct, "intent" | "last">): void {
  const { path, location } = agent;
  const read = readAt(draft, path);
  if (read !== undefined) {
    setRead(draft, path, { ...read, askers: [...read.askers, op] });
    return;
  }
  setRead(draft, path, { op, path, askers: [op] });
  draft.acts.push({ do: "read", read: op, isGate: true, request: { path, location, ...asked } });
}

/** The others are still served; with the last asker the read is dropped. */
export function forgetRead(draft: Draft, path: Path, op: Op): void {
  const read = readAt(draft, path);
  if (read === undefined) return;
  const askers = read.askers.filter((each) => each !== op);
  setRead(draft, path, askers.length === 0 ? null : { ...read, askers });
}
