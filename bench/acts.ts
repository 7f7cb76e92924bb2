/**
 * What is done to a peer and timed, one act after the other, in the process that has the peer open. Each ends at something
 * that can be checked by whoever asked: the roster, how much was read, the mail that is there.
 */
import { createHash } from "node:crypto";
import type { Content } from "./content.ts";
import { memoryOf, traffic } from "./kernel.ts";
import type { Awaitable, Kept, PeerKind } from "./peers/peer.ts";

/** How far a restore goes: the roster, a turn of one agent, or every conversation read. */
export type Until = "roster" | "first" | "all";
export type Ask =
  | { readonly do: "create"; readonly content: Content }
  | { readonly do: "restore"; readonly until: Until; readonly path: string }
  | { readonly do: "open" }
  | { readonly do: "close" }
  | { readonly do: "list" }
  | { readonly do: "history"; readonly path: string; readonly last: number | null }
  | { readonly do: "mail"; readonly to: string; readonly text: string }
  /** The root's, of so many that are sent before. */
  | { readonly do: "drain"; readonly mails: number; readonly text: string }
  /** A turn: begun, and its end. */
  | { readonly do: "turn"; readonly path: string; readonly text: string }
  | { readonly do: "unread"; readonly path: string }
  /** So many reads of whole conversations, or mails, as one sample. */
  | { readonly do: "batch"; readonly of: "hydrate" | "save"; readonly paths: readonly string[]; readonly text: string }
  | { readonly do: "day"; readonly agents: number; readonly operations: number; readonly seed: number }
  | { readonly do: "turns"; readonly agents: number; readonly count: number; readonly text: string };

/** Milliseconds by what was reached; the names of `Laps`. */
export interface Reply {
  readonly laps: { readonly [lap: string]: number };
  /** What was found, to be checked. */
  readonly found: { readonly [what: string]: number | string };
  /** Bytes while it was timed; null where the system does not count. */
  readonly read: number | null;
  readonly written: number | null;
  /** Most memory this process and those that work for it ever had, in bytes. */
  readonly memory: number;
}

/** The same for the same paths and activities, in whatever order they come. */
export function rosterHash(rows: readonly (readonly [path: string, activity: string])[]): string {
  const lines = rows.map(([path, activity]) => `${path} ${activity}`).sort();
  return createHash("sha256").update(lines.join("\n")).digest("hex").slice(0, 16);
}

/** Reads laps, and what the kernel counted, since it was made. */
function watch({ processes }: PeerKind) {
  const others = () => processes?.() ?? [];
  const before = traffic(others());
  const began = performance.now();
  const laps: { [lap: string]: number } = {};
  let after = before;
  return {
    reached: (lap: string) => {
      laps[lap] = performance.now() - began;
      after = traffic(others());
    },
    reply: (found: Reply["found"] = {}): Reply => ({
      ...{ laps, found, memory: process.resourceUsage().maxRSS * 1_024 + memoryOf(others()) },
      read: before === null || after === null ? null : after.read - before.read,
      written: before === null || after === null ? null : after.written - before.written,
    }),
  };
}
/** Only where the process was told to offer it: what one sample leaves is not paid for by the next. */
function collect(): void {
  if (typeof globalThis.gc === "function") globalThis.gc();
}

export interface Performer {
  perform(ask: Ask): Promise<Reply>;
}
export function performer(kind: PeerKind, folder: string, slower = 1): Performer {
  let open: Kept | null = null;
  const kept = (): Kept => {
    if (open === null) throw new Error("nothing is open");
    return open;
  };
  const timed = async <Value>(act: () => Awaitable<Value>, found: (value: Value) => Reply["found"] = () => ({})) => {
    const { reached, reply } = watch(kind);
    const value = await act();
    reached("ms");
    return reply(found(value));
  };
  const perform = async (ask: Ask): Promise<Reply> => {
    switch (ask.do) {
      case "create": {
        const { fillingOf } = await import("./content.ts");
        return timed(() => kind.create(folder, fillingOf(ask.content)));
      }
      case "restore":
        return restore(kind, folder, ask.until, ask.path);
      case "open": {
        const { reached, reply } = watch(kind);
        open = await kind.open(folder);
        reached("ms");
        return reply();
      }
      case "close": {
        const closing = await timed(() => kept().close());
        open = null;
        return closing;
      }
      case "list":
        return timed(
          () => kept().roster(),
          (rows) => ({ agents: rows.length, roster: rosterHash(rows) }),
        );
      case "history":
        return timed(
          () => kept().history(ask.path, ask.last),
          (messages) => ({ messages: messages.length }),
        );
      case "mail":
        return timed(() => kept().send(ask.to, ask.text));
      case "drain":
        for (let sent = 0; sent < ask.mails; sent++) await kept().send("/root", ask.text);
        return timed(
          () => kept().drain(),
          (mails) => ({ mails }),
        );
      case "turn":
        return turn(kind, kept(), ask.path, ask.text);
      case "unread":
        return timed(
          () => kept().unread(ask.path),
          (mails) => ({ mails }),
        );
      case "batch": {
        const [{ reached, reply }, began] = [watch(kind), process.cpuUsage()];
        for (const path of ask.paths) {
          if (ask.of === "save") await kept().send(path, ask.text);
          else await kept().history(path, null);
        }
        if (slower > 1) linger(busy(began) * slower, began);
        const cpu = busy(began);
        reached("ms");
        const { laps, ...rest } = reply();
        return { ...rest, laps: { ...laps, cpu } };
      }
      case "day":
      case "turns": {
        const { day, turns } = await import("./day.ts");
        const live = kept();
        return ask.do === "day"
          ? timed(
              () => day(live, ask.agents, ask.operations, ask.seed),
              (found) => ({ ...found }),
            )
          : timed(() => turns(live, ask.agents, ask.count, ask.text));
      }
    }
  };
  return { perform };
}

/** Milliseconds that this process computed since then, waiting and others' turns left out. */
function busy(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1_000;
}
/** Computes nothing of use until it has computed for so long. */
function linger(untilMs: number, since: NodeJS.CpuUsage): void {
  while (busy(since) < untilMs);
}

async function restore(kind: PeerKind, folder: string, until: Until, path: string): Promise<Reply> {
  collect();
  const { reached, reply } = watch(kind);
  const kept = await kind.open(folder);
  reached("open");
  const rows = await kept.roster();
  reached("roster");
  const found = { agents: rows.length, roster: rosterHash(rows), messages: 0 };
  if (until === "all") {
    for (const [each] of rows) found.messages += (await kept.history(each, null)).length;
    reached("all");
  }
  if (until === "first") {
    await kept.begin(path, "And the tests?");
    reached("first");
    await kept.settle(path, "They pass.");
    await kept.drain();
  }
  await kept.close();
  return reply(found);
}
async function turn(kind: PeerKind, kept: Kept, path: string, text: string): Promise<Reply> {
  const { reached, reply } = watch(kind);
  await kept.begin(path, text);
  reached("begin");
  const settling = performance.now();
  await kept.settle(path, text);
  const settle = performance.now() - settling;
  const { laps, ...rest } = reply();
  return { ...rest, laps: { ...laps, settle } };
}
