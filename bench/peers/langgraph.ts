/**
 * LangGraph's SQLite saver as its own page shows it: `put` and `get` of checkpoints of a thread. In two ways: everything in
 * one thread of the root, or a thread an agent and one of the root that names them. The page sets no durability; it is set
 * to that of the archive here.
 */
import { join } from "node:path";
import type { Message } from "../../src/index.ts";
import { messageNow } from "./disk.ts";
import { installed } from "./installed.ts";
import { type Filling, type Kept, type PeerKind, parentOf } from "./peer.ts";

interface Letter {
  readonly from: string;
  readonly text: string;
}
interface AgentValues {
  readonly role: string;
  readonly activity: string;
  readonly result: string | null;
  readonly turns: number;
  readonly mail: readonly Letter[];
  readonly messages: readonly Message[];
}
interface RootValues {
  readonly roles: Filling["roles"];
  readonly agents: readonly string[];
  readonly mail: readonly Letter[];
  readonly messages: readonly Message[];
}
type Values = { readonly [channel: string]: unknown };

// The parts of the packages that are used here, as documented.
interface Thread {
  readonly configurable: {
    readonly thread_id: string;
    readonly checkpoint_ns: string;
    readonly checkpoint_id?: string;
  };
}
interface Checkpoint {
  readonly v: number;
  readonly id: string;
  readonly ts: string;
  readonly channel_values: Values;
  readonly channel_versions: { readonly [channel: string]: number };
  readonly versions_seen: object;
}
interface Saver {
  readonly db: { pragma(text: string): unknown; exec(sql: string): void; close(): void };
  get(thread: Thread): Promise<Checkpoint | undefined>;
  put(thread: Thread, checkpoint: Checkpoint, metadata: object, versions: object): Promise<Thread>;
}
interface SqlitePackage {
  readonly SqliteSaver: { fromConnString(file: string): Saver };
}
interface CheckpointPackage {
  uuid6(clock: number): string;
}

/** Threads by name: read once, put with their newest values, each checkpoint after the one before it. */
interface Threads {
  get(name: string): Promise<Values>;
  put(name: string, values: Values): Promise<void>;
  close(): void;
}
async function threadsIn(folder: string, synchronous: "FULL" | "OFF"): Promise<Threads & { readonly saver: Saver }> {
  const { SqliteSaver } = await installed<SqlitePackage>("@langchain/langgraph-checkpoint-sqlite");
  const { uuid6 } = await installed<CheckpointPackage>("@langchain/langgraph-checkpoint");
  const saver = SqliteSaver.fromConnString(join(folder, "checkpoints.sqlite"));
  saver.db.pragma(`synchronous = ${synchronous}`);
  const last = new Map<string, { readonly id: string; readonly step: number }>();
  const threadOf = (name: string, id?: string): Thread => ({
    configurable: { thread_id: name, checkpoint_ns: "", ...(id === undefined ? {} : { checkpoint_id: id }) },
  });
  return {
    saver,
    get: async (name) => {
      const checkpoint = await saver.get(threadOf(name));
      if (checkpoint === undefined) return {};
      last.set(name, { id: checkpoint.id, step: Math.max(0, ...Object.values(checkpoint.channel_versions)) });
      return checkpoint.channel_values;
    },
    put: async (name, values) => {
      const before = last.get(name);
      const step = (before?.step ?? 0) + 1;
      const id = uuid6(step);
      const versions = Object.fromEntries(Object.keys(values).map((channel) => [channel, step]));
      const ts = new Date().toISOString();
      const checkpoint = { v: 4, id, ts, channel_values: values, channel_versions: versions, versions_seen: {} };
      await saver.put(threadOf(name, before?.id), checkpoint, { source: "update", step, parents: {} }, versions);
      last.set(name, { id, step });
    },
    close: () => saver.db.close(),
  };
}

async function create(folder: string, { agents, messages, roles }: Filling, inOne: boolean): Promise<void> {
  const threads = await threadsIn(folder, "OFF");
  const all: { [path: string]: AgentValues } = {};
  await threads.get("/root");
  threads.saver.db.exec("BEGIN");
  for (const [index, { path, role, activity, result, turns, mail }] of agents.entries()) {
    const letters = mail.map(({ from, text }) => ({ from, text }));
    const values = { role, activity, result, turns, mail: letters, messages: messages(index) };
    if (inOne) all[path] = values;
    else await threads.put(path, { ...values });
  }
  const root: RootValues = { roles, agents: agents.map(({ path }) => path), mail: [], messages: [] };
  await threads.put("/root", inOne ? { ...root, all } : { ...root });
  threads.saver.db.exec("COMMIT");
  threads.saver.db.pragma("wal_checkpoint(TRUNCATE)");
  threads.close();
}

/** All agents are held in memory; a save gets the thread that changes, and puts it. */
async function open(folder: string, inOne: boolean): Promise<Kept> {
  const threads = await threadsIn(folder, "FULL");
  const { all, ...values } = await threads.get("/root");
  let root = values as object as RootValues; // as this file wrote it
  const agents = new Map<string, AgentValues>(Object.entries((all ?? {}) as { [path: string]: AgentValues })); // likewise
  if (!inOne) for (const path of root.agents) agents.set(path, (await threads.get(path)) as object as AgentValues); // likewise
  const agentAt = (path: string): AgentValues => {
    const found = agents.get(path);
    if (found === undefined) throw new Error(`there is no thread ${path}`);
    return found;
  };
  /** As a graph that is invoked does: its thread got, then put. Several threads are several commits: there is no other way. */
  const save = async (...paths: readonly string[]) => {
    for (const path of inOne ? ["/root"] : new Set(paths)) {
      await threads.get(path);
      const values = path === "/root" ? root : agentAt(path);
      await threads.put(path, inOne ? { ...values, all: Object.fromEntries(agents) } : { ...values });
    }
  };
  const mailed = (to: string, letter: Letter) => {
    if (to === "/root") root = { ...root, mail: [...root.mail, letter] };
    else agents.set(to, { ...agentAt(to), mail: [...agentAt(to).mail, letter] });
  };
  return {
    roster: () => [...agents].map(([path, { activity }]) => [path, activity] as const),
    history: (path, last) => {
      const { messages } = agentAt(path);
      return last === null ? messages : messages.slice(Math.max(0, messages.length - last));
    },
    begin: async (path, text) => {
      const agent = agentAt(path);
      const turns = agent.turns + 1;
      const messages = [...agent.messages, messageNow("task", "/root", turns, text)];
      agents.set(path, { ...agent, turns, messages, activity: "running", result: null });
      await save(path);
    },
    settle: async (path, text) => {
      agents.set(path, { ...agentAt(path), activity: "idle", result: text });
      mailed(parentOf(path), { from: path, text });
      await save(path, parentOf(path));
    },
    send: async (to, text) => {
      mailed(to, { from: "/root", text });
      await save(to);
    },
    drain: async () => {
      const { mail, messages } = root;
      const told = mail.map(({ from, text }) => messageNow("mail", from, 0, text));
      root = { ...root, mail: [], messages: [...messages, ...told] };
      await save("/root");
      return mail.length;
    },
    unread: (path) => agentAt(path).mail.length,
    close: threads.close,
  };
}

const bytesMax = 60_000_000;
const kind = (name: string, label: string, about: string, inOne: boolean, agentsMax: number): PeerKind => ({
  ...{ name, label, about },
  cannot: (agents, bytes) => {
    if (agents > agentsMax)
      return inOne
        ? `cannot, because each save puts all ${agents} agents anew and keeps what was there before`
        : `cannot, because a roster gets ${agents} threads one after the other`;
    return bytes > bytesMax ? "cannot, because getting a thread gets its conversation" : null;
  },
  create: (folder, filling) => create(folder, filling, inOne),
  open: (folder) => open(folder, inOne),
});
export const kinds: readonly PeerKind[] = [
  kind(
    "langgraph-one",
    "LangGraph saver, one thread",
    "LangGraph's SQLite saver, all agents and their conversations in one thread of the root",
    true,
    10_000,
  ),
  kind(
    "langgraph-each",
    "LangGraph saver, thread an agent",
    "the same with a thread an agent, and one of the root that names them",
    false,
    10_000,
  ),
];
