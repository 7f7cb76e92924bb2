/**
 * Work counted at the archive's own interface, by standing between the registry and its store: what a number here says
 * does not depend on what the registry says of itself. And the eager restore everything is compared with.
 */
import type { Archive, Message, OpenRequest, ReadRequest, Row, Store } from "../src/index.ts";

/** So far, over all handles of one store. */
export interface Work {
  /** Reads of a conversation, whole or in part. */
  conversations: number;
  messages: number;
  /** Rows of agents that were brought into memory. */
  rows: number;
  commits: number;
  /** As the archive counts them. */
  bytes: number;
}
export interface CountedStore extends Store {
  readonly work: Work;
}

export function counted(store: Store): CountedStore {
  const work: Work = { conversations: 0, messages: 0, rows: 0, commits: 0, bytes: 0 };
  const rowsSeen = (rows: readonly Row[]): readonly Row[] => {
    work.rows += rows.length;
    return rows;
  };
  const open = async (request: OpenRequest): Promise<Archive> => {
    const archive = await store.open(request);
    return {
      ...archive,
      head: async () => {
        const head = await archive.head();
        rowsSeen(head.urgent);
        return head;
      },
      rows: async (paths) => rowsSeen(await archive.rows(paths)),
      scan: async (prefix, after, count) => rowsSeen(await archive.scan(prefix, after, count)),
      messages: async (request) => {
        const messages = await archive.messages(request);
        work.conversations += 1;
        work.messages += messages.length;
        return messages;
      },
      commit: async (commit) => {
        const before = archive.bytesWritten();
        await archive.commit(commit);
        work.commits += 1;
        work.bytes += archive.bytesWritten() - before;
      },
    };
  };
  return { open, work };
}
/** What was done between two looks. */
export function workSince(work: Work, before: Work): Work {
  return {
    conversations: work.conversations - before.conversations,
    messages: work.messages - before.messages,
    rows: work.rows - before.rows,
    commits: work.commits - before.commits,
    bytes: work.bytes - before.bytes,
  };
}

const page = 1_000;
async function allRows(archive: Archive): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (;;) {
    const next = await archive.scan("/root", rows.at(-1)?.path ?? null, page);
    rows.push(...next);
    if (next.length < page) return rows;
  }
}
/**
 * A store whose archives are open only once every conversation is in memory, as restores used to be: the same bytes through
 * the same checks, and each conversation is then handed out without being read again.
 */
export function eager(store: Store): Store {
  const open = async (request: OpenRequest): Promise<Archive> => {
    const archive = await store.open(request);
    const intent = request.mode === "write" ? "writable" : "inspection";
    const resident = new Map<string, readonly Message[]>();
    for (const row of await allRows(archive)) {
      if (!("record" in row)) continue;
      const { path, location } = row.record;
      resident.set(path, await archive.messages({ path, location, intent }));
    }
    const messages = async (read: ReadRequest) => {
      const found = resident.get(read.path);
      if (found === undefined) return archive.messages(read);
      // Whole once: whoever took it keeps it from here on, and what is written later is not in this copy.
      if (read.last === undefined) resident.delete(read.path);
      return read.last === undefined ? found : found.slice(Math.max(0, found.length - read.last));
    };
    return { ...archive, messages };
  };
  return { open };
}
