/**
 * mevedel (github.com/FrauH0lle/mevedel), a registry that somebody else wrote, in Emacs Lisp: restored, read, saved and closed
 * by its own functions (mevedel.el beside this file) in an Emacs of its own. From checkouts that ROLLCALL_MEVEDEL names.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Emacs, type Image, imageOf, type Step, started } from "./emacs.ts";
import type { Filling, Kept, PeerKind } from "./peer.ts";

/** What an archive is found by: a process that opens one looks for nothing. */
interface Found {
  readonly image: Image;
  /** Where its agents work, and the folder of its session below that. */
  readonly place: string;
  readonly session: string;
}
const foundFile = (folder: string) => join(folder, "found.json");

async function create(folder: string, { agents, roles, messages }: Filling): Promise<void> {
  const image = imageOf(process.env["ROLLCALL_MEVEDEL"] ?? "");
  const place = join(folder, "place");
  mkdirSync(place);
  const emacs = started(image, folder);
  await emacs.ask({ do: "create", place, roles });
  for (const [index, agent] of agents.entries())
    await emacs.ask({ do: "add", agent: { ...agent, messages: messages(index) } });
  const session = String(await emacs.ask({ do: "save" }));
  writeFileSync(foundFile(folder), JSON.stringify({ image, place, session } satisfies Found));
}

/** One Emacs for all openings of a process, as whoever works in one has it. */
let running: Emacs | null = null;

async function open(folder: string): Promise<Kept> {
  const { image, ...found }: Found = JSON.parse(readFileSync(foundFile(folder), "utf8"));
  running ??= started(image, folder);
  const { ask } = running;
  const done = async (step: Step): Promise<void> => void (await ask(step));
  const counted = async (step: Step): Promise<number> => Number(await ask(step));
  await done({ do: "open", ...found });
  return {
    roster: async () => (await ask({ do: "roster" })) as readonly (readonly [string, string])[], // as mevedel.el answers
    history: async (path, last) => {
      const count = await counted({ do: "history", path });
      return new Array<null>(Math.min(count, last ?? count)).fill(null);
    },
    begin: (path, text) => done({ do: "begin", path, text }),
    settle: (path, text) => done({ do: "settle", path, text }),
    send: (to, text) => done({ do: "send", to, text }),
    drain: () => counted({ do: "drain" }),
    unread: (path) => counted({ do: "unread", path }),
    close: () => done({ do: "close" }),
  };
}

const agentsMax = 1_000;
const bytesMax = 20_000_000;
export const kinds: readonly PeerKind[] = [
  {
    name: "mevedel",
    label: "mevedel, in Emacs",
    about:
      "in an Emacs of its own, byte-compiled and loaded before; every save moves a new registry into its place and does not " +
      "wait for the disk, only a conversation's file is synced, as Emacs does; a read is of the whole conversation",
    isLessDurable: true,
    cannot: (agents, bytes) => {
      if (agents > agentsMax)
        return `cannot, because a restore makes a buffer of each conversation, and ${agents} of them take many minutes`;
      return bytes > bytesMax
        ? "cannot, because a restore reads every conversation into a buffer, which takes minutes"
        : null;
    },
    create,
    open,
    takesMail: true,
    processes: () => (running?.pid === undefined ? [] : [running.pid]),
  },
];
