/**
 * What is measured beside peers: which sizes, and every number of it with what it was taken from. A cell that nobody
 * can fill says why.
 */
import type { Reply } from "./acts.ts";
import type { Content } from "./content.ts";
import { ratios, type Timing } from "./measure.ts";

/** One number of one peer, at one size. */
export interface Measurement {
  readonly what: Workload;
  readonly agents: number;
  /** UTF-16 units each. */
  readonly conversation: number;
  readonly peer: string;
  /** Milliseconds; null where it cannot be done. */
  readonly timing: Timing | null;
  /** Why not. */
  readonly cannot: string | null;
  /** Its time against ours, pair by pair; null for ours. */
  readonly ratio: Timing | null;
  /** Bytes to and from the kernel while it was timed, the median; null where the system does not count. */
  readonly written: number | null;
  readonly read: number | null;
  /** Most memory of its process, in bytes. */
  readonly memory: number;
}
export type Workload =
  | "process_roster"
  | "process_first"
  | "process_all"
  | "open"
  | "roster"
  | "first"
  | "all"
  | "list"
  | "last"
  | "whole"
  | "mail"
  | "drain"
  | "begin"
  | "settle"
  | "day";

export const sentences: { readonly [workload in Workload]: string } = {
  process_roster: "whole process: start to the roster printed",
  process_first: "whole process: start to the first follow-up",
  process_all: "whole process: start to every conversation read",
  open: "warm restore: opened",
  roster: "warm restore: to the roster",
  first: "warm restore: to the first follow-up",
  all: "warm restore: to every conversation read",
  list: "list all agents",
  last: "read the last 20 messages",
  whole: "read one whole conversation",
  mail: "save one mail",
  drain: "drain 10 mails of the root",
  begin: "begin a turn of an idle agent",
  settle: "settle a turn",
  day: "1,000 mixed operations",
};

const bytesMax = 1_000_000_000;
export function tooMuch({ agents, conversation }: Content): string | null {
  const bytes = agents * conversation;
  return bytes > bytesMax ? `cannot, because ${bytes / 1e9} GB of conversations are more than the bench writes` : null;
}

/** Samples of all peers for one content, taken in turn. */
export interface Sampled {
  readonly content: Content;
  /** Of each peer and each of its laps. */
  readonly timings: ReadonlyMap<string, ReadonlyMap<string, Timing>>;
  readonly replies: ReadonlyMap<string, readonly Reply[]>;
  readonly cannot: ReadonlyMap<string, string>;
}
function middle(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null).sort((one, other) => one - other);
  return known[Math.floor(known.length / 2)] ?? null;
}
export function measurementOf(what: Workload, lap: string, peer: string, sampled: Sampled): Measurement | null {
  const { content, timings, replies, cannot } = sampled;
  const [timing, ours] = [timings.get(peer)?.get(lap) ?? null, timings.get("rollcall")?.get(lap) ?? null];
  const why = cannot.get(peer) ?? null;
  if (timing === null && why === null) return null;
  const of = replies.get(peer) ?? [];
  return {
    ...{ what, ...content, peer, timing, cannot: why },
    ratio: timing === null || ours === null || peer === "rollcall" ? null : ratios(timing, ours),
    written: middle(of.map(({ written }) => written)),
    read: middle(of.map(({ read }) => read)),
    memory: Math.max(0, ...of.map(({ memory }) => memory)),
  };
}

// ── Looking numbers up ───────────────────────────────────────────────────────────────────────────────────────────

export function found(all: readonly Measurement[], what: Workload, content: Content, peer: string): Measurement | null {
  const at = (each: Measurement) =>
    each.what === what &&
    each.agents === content.agents &&
    each.conversation === content.conversation &&
    each.peer === peer;
  return all.find(at) ?? null;
}
export function sizeLabel(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}
export function bytesLabel(bytes: number): string {
  if (bytes >= 1_000_000) return `${bytes / 1_000_000} MB`;
  return bytes >= 1_000 ? `${bytes / 1_000} KB` : `${bytes} B`;
}
