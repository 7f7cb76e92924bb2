/**
 * Sessions of @openai/agents, a session an agent and one that lists them. The package keeps them in memory or with its
 * vendor and says to bring a store of one's own, by the `Session` interface and its example: a file of one JSON array a
 * session, each item read through the package's schema. Written here as durably as the archive. It has no mailbox: a mail
 * is an item of the receiver's session.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { replace } from "./disk.ts";
import { installed } from "./installed.ts";
import { type Filling, type Kept, type PeerKind, parentOf } from "./peer.ts";

interface Item {
  readonly role: "system" | "user" | "assistant";
  readonly content: unknown;
  readonly [field: string]: unknown;
}
/** The part of the package's interface that is used here. */
interface Session {
  getItems(limit?: number): readonly Item[];
  addItems(items: readonly Item[]): void;
}
interface AgentsPackage {
  readonly protocol: {
    readonly ModelItem: { safeParse(item: unknown): { readonly success: boolean; readonly data?: Item } };
  };
}

const sessionFile = (folder: string, name: string) =>
  join(folder, "sessions", `${name.slice(1).replaceAll("/", ".")}.json`);
const said = (role: "system" | "user", text: string): Item => ({ type: "message", role, content: text });
const answered = (text: string): Item => ({
  ...{ type: "message", role: "assistant", status: "completed" },
  content: [{ type: "output_text", text }],
});
/** What the listing session holds of an agent; a later item of one agent stands for the earlier ones. */
const listed = (path: string, activity: string): Item => said("system", JSON.stringify({ path, activity }));
const registry = "/registry";
const letter = (from: string, text: string): Item => said("user", `mail from ${from}: ${text}`);
const isLetter = ({ content }: Item): boolean => typeof content === "string" && content.startsWith("mail from ");

function create(folder: string, { agents, messages }: Filling): void {
  mkdirSync(join(folder, "sessions"));
  const write = (name: string, items: readonly Item[]) =>
    writeFileSync(sessionFile(folder, name), JSON.stringify(items));
  write(
    registry,
    agents.map(({ path, activity }) => listed(path, activity)),
  );
  for (const [index, { path, result, mail }] of agents.entries()) {
    const told = messages(index).map(({ kind, text }) => (kind === "partial" ? answered(text) : said("user", text)));
    const last = result === null ? [] : [answered(result)];
    write(path, [...told, ...last, ...mail.map(({ from, text }) => letter(from, text))]);
  }
}

async function open(folder: string): Promise<Kept> {
  const { protocol } = await installed<AgentsPackage>("@openai/agents-core");
  const sessionOf = (name: string): Session => {
    const file = sessionFile(folder, name);
    const raw = (): readonly unknown[] => (existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : []);
    const items = (given: readonly unknown[]) =>
      given.flatMap((item) => {
        const { success, data } = protocol.ModelItem.safeParse(item);
        return success && data !== undefined ? [data] : [];
      });
    return {
      getItems: (limit) => (limit === undefined ? items(raw()) : items(raw()).slice(-limit)),
      addItems: (added) => replace(file, JSON.stringify([...raw(), ...items(added)])),
    };
  };
  const listing = sessionOf(registry);
  const activities = new Map<string, string>();
  for (const { content } of listing.getItems()) {
    const { path, activity }: { path: string; activity: string } = JSON.parse(String(content));
    activities.set(path, activity);
  }
  let unread = 0;
  return {
    roster: () => [...activities],
    history: (path, last) => sessionOf(path).getItems(last ?? undefined),
    begin: (path, text) => {
      const session = sessionOf(path);
      session.getItems();
      session.addItems([said("user", text)]);
      listing.addItems([listed(path, "running")]);
      activities.set(path, "running");
    },
    settle: (path, text) => {
      sessionOf(path).addItems([answered(text)]);
      listing.addItems([listed(path, "idle")]);
      sessionOf(parentOf(path)).addItems([letter(path, text)]);
      activities.set(path, "idle");
      if (parentOf(path) === "/root") unread += 1;
    },
    send: (to, text) => {
      sessionOf(to).addItems([letter("/root", text)]);
      if (to === "/root") unread += 1;
    },
    // A mail is in the conversation already, where a run finds it: there is nothing to write.
    drain: () => {
      const drained = unread === 0 ? 0 : sessionOf("/root").getItems(unread).filter(isLetter).length;
      unread = 0;
      return drained;
    },
    unread: (path) => sessionOf(path).getItems().filter(isLetter).length,
    close: () => {},
  };
}

const agentsMax = 10_000;
export const kinds: readonly PeerKind[] = [
  {
    name: "sessions",
    label: "@openai/agents sessions",
    about: "a session of @openai/agents an agent, in a JSON file each, as its example of a store of one's own",
    cannot: (agents) =>
      agents > agentsMax ? `cannot, because a turn writes the session that lists all ${agents} anew` : null,
    create,
    open,
  },
];
