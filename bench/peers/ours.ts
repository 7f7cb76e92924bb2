/** Ours, through the public surface of this build or, where one is named, of another: what a host writes that embeds it. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { DispatchRequest, Message, SessionOptions } from "../../src/index.ts";
import type { Filling, Kept, Manner, PeerKind } from "./peer.ts";

type Library = typeof import("../../src/index.ts");
/** Tools of the fixtures: an agent whose tools nobody registers is set aside when it is looked at. */
const registrars: SessionOptions["registrars"] = [
  { category: "core", names: () => ["read", "write", "search"], load: () => undefined },
];
const here: string = fileURLToPath(new URL("../../", import.meta.url));
/** Enough to read all of any conversation here. */
const everything = 1_000_000;

/** What is installed is one file; a build from before that has modules, and a test runs the sources themselves. */
const surfaces: readonly string[] = import.meta.url.endsWith(".ts")
  ? ["src/index.ts"]
  : ["rollcall.js", "src/index.js"];
async function libraryOf(build: string): Promise<Library> {
  const found = surfaces.map((each) => join(build, each)).find((each) => existsSync(each));
  return import(pathToFileURL(found ?? build).href);
}

async function create(library: Library, folder: string, filling: Filling): Promise<void> {
  // Writing through the store takes knowledge of records, which a process that only opens does not load.
  const { fill } = await import("../fixtures.ts");
  await fill(library.sqliteStore(join(folder, "run.rollcall"), { durability: "off" }), filling.content);
}

async function open({ openSession, sqliteStore }: Library, folder: string, { durability }: Manner): Promise<Kept> {
  const running = new Map<string, DispatchRequest>();
  const file = join(folder, "run.rollcall");
  const session = await openSession(durability === undefined ? file : sqliteStore(file, { durability }), {
    ...{ roles: {}, registrars, owner: "bench", create: false },
    provider: { dispatch: (request) => void running.set(request.path, request) },
  });
  return {
    roster: async () => (await session.roster()).slice(1).map(([path, , activity]) => [path, activity] as const),
    history: async (path, last): Promise<readonly Message[]> => {
      const messages = await session.agent(path).readHistory({ last: last ?? everything });
      // Nobody keeps every conversation that was looked at; one that is continued is kept.
      if (!running.has(path)) await session.agent(path).evict();
      return messages;
    },
    begin: async (path, text) => void (await session.agent(path).followUp(text)),
    settle: async (path, text) => {
      const request = running.get(path);
      running.delete(path);
      if ((await request?.finish("completed", text)) !== "settled") throw new Error(`${path} did not settle`);
    },
    send: (to, text) => session.agent(to).send(text),
    drain: async () => (await session.root.sample()).length,
    unread: async (path) => {
      // Idle records are looked at when they are asked for; a view shows those that were.
      await session.agent(path).readResult();
      return session.view().agents?.[path]?.mail?.length ?? 0;
    },
    close: () => session.close(),
  };
}

export function ours(manner: Manner): PeerKind {
  const { build = here } = manner;
  return {
    name: "rollcall",
    label: "rollcall",
    about: "this registry, opened for writing with full durability",
    cannot: () => null,
    create: async (folder, filling) => create(await libraryOf(build), folder, filling),
    open: async (folder) => open(await libraryOf(build), folder, manner),
  };
}
