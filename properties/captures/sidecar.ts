/**
 * A session's sidecar as mevedel writes it: who was there at its last save, with which results and unread mail. Each agent is
 * placed as a short life that ends as it stands there.
 */
import type { Activity, Config, Json, Outcome, Path, ToolRef } from "../../src/contract.ts";
import { type Lisp, readForm } from "./lisp.ts";
import type { Saw } from "./placing.ts";
import { numberOf, type Plist, plistOf, stringOf, symbolOf } from "./telemetry.ts";
import { veil } from "./texts.ts";

interface Unread {
  readonly kind: string;
  readonly from: string;
  readonly text: string;
}
interface Record {
  readonly path: Path;
  readonly role: string;
  readonly activity: Activity;
  readonly result: { readonly outcome: Outcome; readonly text: string } | null;
  readonly mail: readonly Unread[];
}
export interface Sidecar {
  readonly capacity: number | null;
  readonly roles: { readonly [role: string]: Json };
  readonly tools: readonly ToolRef[];
  readonly saws: readonly Saw[];
  readonly skipped: readonly { readonly what: string; readonly why: string }[];
  readonly agents: number;
}

const activities: { readonly [activity: string]: Activity } = {
  ...{ idle: "idle", starting: "starting", running: "running", waiting: "waiting" },
  ...{ "permission-blocked": "permission_blocked", "interaction-blocked": "interaction_blocked" },
};
const outcomes: { readonly [outcome: string]: Outcome } = {
  ...{ completed: "completed", error: "errored", errored: "errored" },
  ...{ aborted: "interrupted", interrupted: "interrupted" },
};

export function isSidecar(plist: Plist): boolean {
  return (
    plist.get(":session-id") !== undefined && plist.get(":version") !== undefined && plist.get(":event") === undefined
  );
}

/** May throw `Unreadable`; `null` where the file is no sidecar. */
export function readSidecar(text: string, texts: boolean): Sidecar | null {
  const form = readForm(text);
  const plist = form === null ? null : plistOf(form.value);
  if (plist === null || !isSidecar(plist)) return null;
  const skipped: { what: string; why: string }[] = [];
  const entries = listOf(plist.get(":agent-registry"));
  const records: Record[] = [];
  const roles: { [role: string]: Json } = {};
  const tools: ToolRef[] = [];
  for (const entry of entries) {
    const held = recordOf(entry);
    if (held === null || stringOf(held.get(":path")) === null) {
      skipped.push({ what: "a record", why: "it is no property list with a :path" });
      continue;
    }
    const record = readRecord(held, texts);
    records.push(record);
    const config = configOf(held.get(":configuration"), texts);
    tools.push(...config.tools);
    roles[record.role] ??= { ...config };
  }
  records.sort(({ path: one }, { path: other }) => (one < other ? -1 : 1));
  const root = mailOf(plist.get(":messages"), texts);
  return {
    ...{ roles, tools, skipped, agents: records.length, capacity: numberOf(plist.get(":agent-turn-capacity")) },
    saws: lives(records, root, (what, why) => skipped.push({ what, why })),
  };
}

const listOf = (value: Lisp | undefined): readonly Lisp[] => (Array.isArray(value) ? value : []);
/** A record by itself, or behind its key. */
function recordOf(entry: Lisp): Plist | null {
  if (Array.isArray(entry) && symbolOf(entry[0])?.startsWith(":") !== true) return plistOf(entry.slice(1));
  return plistOf(entry);
}
const wordOf = (value: Lisp | undefined): string => symbolOf(value) ?? stringOf(value) ?? "";

function readRecord(held: Plist, texts: boolean): Record {
  const outcome = outcomes[wordOf(held.get(":settled-outcome")).replace(/^:/, "")];
  const text = stringOf(held.get(":settled-result"));
  return {
    path: stringOf(held.get(":path")) ?? "",
    role: wordOf(held.get(":role")) || "agent",
    activity: activities[wordOf(held.get(":activity")).replace(/^:/, "")] ?? "idle",
    result: outcome === undefined || text === null ? null : { outcome, text: veil(text, texts) },
    mail: mailOf(held.get(":mailbox"), texts),
  };
}

/** Oldest first: they stand there newest first. */
function mailOf(value: Lisp | undefined, texts: boolean): readonly Unread[] {
  return listOf(value)
    .map((entry) => plistOf(entry))
    .filter((plist) => plist !== null)
    .map((plist) => ({
      kind: wordOf(plist.get(":type")).replace(/^:/, "").toUpperCase(),
      from: wordOf(plist.get(":sender")),
      text: veil(stringOf(plist.get(":payload")) ?? "", texts),
    }))
    .reverse();
}

function configOf(value: Lisp | undefined, texts: boolean): Config {
  const plist = value === undefined ? null : plistOf(value);
  const agent = plist === null ? null : plistOf(plist.get(":agent") ?? null);
  const local = listOf(plist?.get(":request-locals")).find(
    (entry) => Array.isArray(entry) && symbolOf(entry[0]) === "gptel-tools",
  );
  const pairs = Array.isArray(local) ? local.slice(1) : [];
  const seen = new Set<string>();
  const tools = pairs.flatMap((pair): ToolRef[] => {
    const [category, name] = Array.isArray(pair) ? pair.map((each) => wordOf(each)) : [];
    if (category === undefined || name === undefined || seen.has(`${category}\n${name}`)) return [];
    seen.add(`${category}\n${name}`);
    return [[category, name]];
  });
  const turns = numberOf(agent?.get(":max-turns"));
  return {
    instructions: veil(stringOf(agent?.get(":system-prompt")) ?? "", texts),
    ...{ model: "m", effort: null, tools, limits: turns === null ? {} : { turns }, parameters: {} },
  };
}

// ── Lives ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Results that were read come first, then what is unread, in its order, then who is still at it. */
function lives(
  records: readonly Record[],
  root: readonly Unread[],
  skip: (what: string, why: string) => void,
): readonly Saw[] {
  const saws: Saw[] = [];
  const boxes = [{ path: "/root", mail: root }, ...records];
  const unread = new Set(
    boxes.flatMap(({ mail }) => mail.filter(({ kind }) => kind === "RESULT").map(({ from }) => from)),
  );
  const settle = ({ path, result }: Record): void => {
    saws.push({ is: "settled", path, outcome: result?.outcome ?? "completed", text: result?.text ?? "result" });
  };
  for (const { path, role } of records)
    saws.push({ is: "started", path, role, retained: false }, { is: "admitted", path });
  for (const record of records) if (record.activity === "idle" && !unread.has(record.path)) settle(record);
  for (const { path } of boxes) if (path === "/root") saws.push({ is: "read", path });
  for (const { path, mail } of boxes)
    for (const { kind, from, text } of mail) {
      const sender = records.find((each) => each.path === from);
      if (kind === "EXECUTION") saws.push({ is: "execution", owner: path, text });
      else if (kind === "RESULT" && sender?.activity === "idle") settle(sender);
      else if (kind === "MAIL" && (from === "/root" || sender !== undefined))
        saws.push({ is: "mailed", from, to: path, text });
      else skip(`unread ${kind === "" ? "mail" : kind} for ${path}`, "nobody who is there could have sent it so");
    }
  for (const record of records) saws.push(...busy(record));
  return saws;
}

function busy(record: Record): readonly Saw[] {
  const { path, role, activity } = record;
  switch (activity) {
    case "starting":
      return [
        { is: "settled", path, outcome: record.result?.outcome ?? "completed", text: record.result?.text ?? "result" },
        { is: "started", path, role, retained: true },
      ];
    case "waiting":
      return [{ is: "waits", path, timeoutMs: null, atOnce: false }];
    case "permission_blocked":
    case "interaction_blocked":
      return [{ is: "blocked", path, kind: activity, id: `sidecar ${path}` }];
    case "idle":
    case "running":
      return [];
  }
}
