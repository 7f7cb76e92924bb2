/**
 * What a careful host does today: a registry in one JSON file and a file of JSON lines a conversation. Saved in two ways, the
 * registry written anew and moved into its place, or a line added to a journal that is folded in when it is opened. None of
 * them checks what it reads, keeps a second writer out, or writes registry and conversation in one step.
 */
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Mail } from "../../src/index.ts";
import { append, conversationFile, createConversations, lines, linesIn, messageNow, replace } from "./disk.ts";
import { type Filling, type Kept, type PeerAgent, type PeerKind, parentOf } from "./peer.ts";

interface Entry extends Omit<PeerAgent, "mail" | "activity" | "result" | "turns"> {
  activity: string;
  result: string | null;
  turns: number;
  mail: readonly Mail[];
}
interface Registry {
  readonly roles: Filling["roles"];
  seq: number;
  readonly agents: Entry[];
  rootMail: readonly Mail[];
}
/** What changed, so that a journal can hold just that. */
type Change =
  | { readonly set: string; readonly activity: string; readonly result: string | null; readonly turns: number }
  | { readonly mail: Mail }
  | { readonly drained: number };

function registryOf({ agents, roles }: Filling): Registry {
  return { roles, seq: agents.length + 1, agents: agents.map((agent) => ({ ...agent })), rootMail: [] };
}
function byPath(registry: Registry): ReadonlyMap<string, Entry> {
  return new Map(registry.agents.map((agent) => [agent.path, agent]));
}
function entryAt(agents: ReadonlyMap<string, Entry>, path: string): Entry {
  const found = agents.get(path);
  if (found === undefined) throw new Error(`there is no agent ${path}`);
  return found;
}
function applied(registry: Registry, agents: ReadonlyMap<string, Entry>, change: Change): void {
  if ("set" in change) {
    const { set, ...fields } = change;
    Object.assign(entryAt(agents, set), fields);
  } else if ("drained" in change) registry.rootMail = registry.rootMail.slice(change.drained);
  else {
    const { mail } = change;
    registry.seq = mail.seq;
    if (mail.to === "/root") registry.rootMail = [...registry.rootMail, mail];
    else {
      const entry = entryAt(agents, mail.to);
      entry.mail = [...entry.mail, mail];
    }
  }
}

/** A session over a registry in memory; `save` makes changes durable that have been applied. */
function kept(
  folder: string,
  registry: Registry,
  agents: ReadonlyMap<string, Entry>,
  save: (changes: readonly Change[]) => void,
): Kept {
  const change = (...changes: readonly Change[]) => {
    for (const each of changes) applied(registry, agents, each);
    save(changes);
  };
  const mailed = (kind: Mail["kind"], from: string, to: string, text: string): Change => {
    const outcome = kind === "result" ? "completed" : null;
    return { mail: { seq: registry.seq + 1, kind, from, to, text, at: Date.now(), outcome, digest: null } };
  };
  return {
    roster: () => registry.agents.map(({ path, activity }) => [path, activity] as const),
    history: (path, last) => linesIn(conversationFile(folder, path), last),
    begin: (path, text) => {
      const turns = entryAt(agents, path).turns + 1;
      linesIn(conversationFile(folder, path));
      append(conversationFile(folder, path), lines([messageNow("task", "/root", turns, text)]));
      change({ set: path, activity: "running", result: null, turns });
    },
    settle: (path, text) => {
      const { turns } = entryAt(agents, path);
      change({ set: path, activity: "idle", result: text, turns }, mailed("result", path, parentOf(path), text));
    },
    send: (to, text) => change(mailed("mail", "/root", to, text)),
    drain: () => {
      const unread = registry.rootMail;
      const told = unread.map(({ from, text }) => messageNow("mail", from, 0, text));
      append(conversationFile(folder, "/root"), lines(told));
      change({ drained: unread.length });
      return unread.length;
    },
    unread: (path) => entryAt(agents, path).mail.length,
    close: () => {},
  };
}

const registryFile = (folder: string) => join(folder, "registry.json");
const journalFile = (folder: string) => join(folder, "journal.jsonl");

function readRegistry(folder: string): Registry {
  return JSON.parse(readFileSync(registryFile(folder), "utf8"));
}
function create(folder: string, filling: Filling): void {
  createConversations(folder, filling);
  writeFileSync(registryFile(folder), JSON.stringify(registryOf(filling)));
}

const files: PeerKind = {
  name: "files",
  label: "JSON registry, rewritten",
  about:
    "a registry in one JSON file, written anew and moved into its place at every save, and a file of JSON lines a conversation",
  cannot: () => null,
  create,
  open: (folder) => {
    const registry = readRegistry(folder);
    const save = () => replace(registryFile(folder), JSON.stringify(registry));
    return kept(folder, registry, byPath(registry), save);
  },
};

/** A journal longer than the registry is folded in, as a host would do lest it grow for ever. */
const journal: PeerKind = {
  name: "journal",
  label: "JSON registry, journal",
  about:
    "the same files, with a journal of JSON lines beside the registry: a save adds a line, opening folds a long journal in",
  cannot: () => null,
  create,
  open: (folder) => {
    const registry = readRegistry(folder);
    const agents = byPath(registry);
    const [at, beside] = [registryFile(folder), journalFile(folder)];
    // A line is whole or, being the last, was never acknowledged; here none is cut, since nobody crashes.
    for (const change of linesIn(beside)) applied(registry, agents, change as Change); // as this file wrote it
    if (existsSync(beside) && statSync(beside).size > statSync(at).size) {
      replace(at, JSON.stringify(registry));
      replace(beside, "");
    }
    return kept(folder, registry, agents, (changes) => append(beside, lines(changes)));
  },
};

export const kinds: readonly PeerKind[] = [files, journal];
