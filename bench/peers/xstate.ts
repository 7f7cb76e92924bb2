/**
 * XState 5 as its page on persistence says: `getPersistedSnapshot()` of the root, which holds those of the actors it spawned,
 * written as JSON; `createActor(machine, { snapshot }).start()` brings all of them back. An actor an agent. In two ways:
 * conversations in files beside it, or in the actors' context.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Message } from "../../src/index.ts";
import { append, conversationFile, createConversations, lines, linesIn, messageNow, replace } from "./disk.ts";
import { installed } from "./installed.ts";
import { type Filling, type Kept, type PeerKind, parentOf } from "./peer.ts";

interface Letter {
  readonly from: string;
  readonly text: string;
}
interface AgentContext {
  readonly role: string;
  readonly result: string | null;
  readonly turns: number;
  readonly mail: readonly Letter[];
  /** Null where conversations are in files. */
  readonly messages: readonly Message[] | null;
}
interface RootContext {
  readonly roles: Filling["roles"];
  readonly mail: readonly Letter[];
  readonly messages: readonly Message[];
}
type AgentEvent =
  | { readonly type: "begin"; readonly text: string }
  | { readonly type: "settle"; readonly text: string }
  | { readonly type: "mail"; readonly letter: Letter };
type RootEvent =
  | { readonly type: "spawn"; readonly path: string; readonly input: AgentContext }
  | { readonly type: "mail"; readonly letter: Letter }
  | { readonly type: "drain" };

// The parts of the package that are used here, as documented.
interface Snapshot {
  readonly value: string;
  readonly context: AgentContext & RootContext;
  readonly children: { readonly [id: string]: Actor<AgentEvent> };
}
interface Actor<Event> {
  start(): Actor<Event>;
  stop(): void;
  send(event: Event): void;
  getSnapshot(): Snapshot;
  getPersistedSnapshot(): unknown;
}
interface Xstate {
  setup(has: object): { createMachine(config: object): object };
  createActor(machine: object, options?: { readonly snapshot: unknown }): Actor<RootEvent>;
  assign(of: (given: { readonly context: never; readonly event: never }) => object): object;
  spawnChild(name: string, options: object): object;
}

type Given<Context, Type, Event> = { readonly context: Context; readonly event: Extract<Event, { type: Type }> };

function machine({ setup, assign, spawnChild }: Xstate): object {
  const agent = setup({}).createMachine({
    context: ({ input }: { input: AgentContext }) => input,
    initial: "idle",
    states: {
      idle: {
        on: {
          begin: {
            target: "running",
            actions: assign(({ context, event }: Given<AgentContext, "begin", AgentEvent>) => {
              const [turns, { messages }] = [context.turns + 1, context];
              const task = messageNow("task", "/root", turns, event.text);
              return { turns, result: null, messages: messages === null ? null : [...messages, task] };
            }),
          },
        },
      },
      running: {
        on: {
          settle: {
            target: "idle",
            actions: assign(({ event }: Given<AgentContext, "settle", AgentEvent>) => ({ result: event.text })),
          },
        },
      },
    },
    on: {
      mail: {
        actions: assign(({ context, event }: Given<AgentContext, "mail", AgentEvent>) => ({
          mail: [...context.mail, event.letter],
        })),
      },
    },
  });
  return setup({ actors: { agent } }).createMachine({
    context: ({ input }: { input: RootContext }) => input,
    on: {
      spawn: {
        actions: spawnChild("agent", {
          id: ({ event }: Given<RootContext, "spawn", RootEvent>) => event.path,
          input: ({ event }: Given<RootContext, "spawn", RootEvent>) => event.input,
        }),
      },
      mail: {
        actions: assign(({ context, event }: Given<RootContext, "mail", RootEvent>) => ({
          mail: [...context.mail, event.letter],
        })),
      },
      drain: {
        actions: assign(({ context }: Given<RootContext, "drain", RootEvent>) => ({
          mail: [],
          messages: [...context.messages, ...context.mail.map(({ from, text }) => messageNow("mail", from, 0, text))],
        })),
      },
    },
  });
}

const snapshotFile = (folder: string) => join(folder, "snapshot.json");

async function create(folder: string, filling: Filling, inside: boolean): Promise<void> {
  const xstate = await installed<Xstate>("xstate");
  const { agents, messages, roles } = filling;
  const input: RootContext = { roles, mail: [], messages: [] };
  const root = xstate.createActor(machine(xstate), { input } as object as { snapshot: unknown }).start(); // input is documented, too
  for (const [index, { path, role, result, turns, mail }] of agents.entries()) {
    const letters = mail.map(({ from, text }) => ({ from, text }));
    const context = { role, result, turns, mail: letters, messages: inside ? messages(index) : null };
    root.send({ type: "spawn", path, input: context });
  }
  writeFileSync(snapshotFile(folder), JSON.stringify(root.getPersistedSnapshot()));
  root.stop();
  if (!inside) createConversations(folder, filling);
}

async function open(folder: string): Promise<Kept> {
  const xstate = await installed<Xstate>("xstate");
  const snapshot: unknown = JSON.parse(readFileSync(snapshotFile(folder), "utf8"));
  const root = xstate.createActor(machine(xstate), { snapshot }).start();
  const agentAt = (path: string) => {
    const found = root.getSnapshot().children[path];
    if (found === undefined) throw new Error(`there is no actor ${path}`);
    return found;
  };
  const save = () => replace(snapshotFile(folder), JSON.stringify(root.getPersistedSnapshot()));
  const history = (path: string, last: number | null): readonly unknown[] => {
    const { messages } = agentAt(path).getSnapshot().context;
    if (messages === null) return linesIn(conversationFile(folder, path), last);
    return last === null ? messages : messages.slice(Math.max(0, messages.length - last));
  };
  const mailed = (to: string, letter: Letter) =>
    to === "/root" ? root.send({ type: "mail", letter }) : agentAt(to).send({ type: "mail", letter });
  return {
    roster: () =>
      Object.entries(root.getSnapshot().children).map(([path, actor]) => [path, actor.getSnapshot().value] as const),
    history,
    begin: (path, text) => {
      const agent = agentAt(path);
      history(path, null);
      agent.send({ type: "begin", text });
      const { turns, messages } = agent.getSnapshot().context;
      if (messages === null) append(conversationFile(folder, path), lines([messageNow("task", "/root", turns, text)]));
      save();
    },
    settle: (path, text) => {
      agentAt(path).send({ type: "settle", text });
      mailed(parentOf(path), { from: path, text });
      save();
    },
    send: (to, text) => {
      mailed(to, { from: "/root", text });
      save();
    },
    drain: () => {
      const unread = root.getSnapshot().context.mail.length;
      root.send({ type: "drain" });
      save();
      return unread;
    },
    unread: (path) => agentAt(path).getSnapshot().context.mail.length,
    close: () => root.stop(),
  };
}

const agentsMax = 10_000;
const bytesMax = 60_000_000;
function cannot(agents: number, bytes: number): string | null {
  if (agents > agentsMax) return `cannot, because each save writes the snapshots of all ${agents} actors anew`;
  return bytes > bytesMax ? "cannot, because the snapshot is one JSON text of all conversations" : null;
}
export const kinds: readonly PeerKind[] = [
  {
    name: "xstate",
    label: "XState 5, registry only",
    about:
      "an XState 5 actor an agent; the persisted snapshot of the root in a JSON file, conversations in files beside it",
    cannot: (agents) => cannot(agents, 0),
    create: (folder, filling) => create(folder, filling, false),
    open: (folder) => open(folder),
  },
  {
    name: "xstate-all",
    label: "XState 5, with conversations",
    about: "the same with conversations in the context of the actors, so in the snapshot",
    cannot,
    create: (folder, filling) => create(folder, filling, true),
    open: (folder) => open(folder),
  },
];
