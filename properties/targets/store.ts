/**
 * A store as the stories want it: each commit is answered as the step says, and a conversation is read only when its gate is
 * answered. Everything else is the real one.
 */
import type { Archive, Commit, Message, ReadRequest } from "../../src/archive/archive.ts";
import type { CommitAnswer } from "../../src/contract.ts";
import { fault, RollcallError } from "../../src/errors.ts";
import type { Store } from "../../src/index.ts";

export interface Interference {
  /** How this commit is answered; asked once for each. */
  commit(commit: Commit): CommitAnswer;
  /** It was written. */
  committed(commit: Commit): void;
  /** Whether all commands of a commit that carries several are answered with "ok"; takes none of the answers. */
  together(group: readonly unknown[]): boolean;
  /** The process is gone, before or after the commit: what nobody hears of any more. */
  crash(commit: Commit): Promise<never>;
  /** At the gate of a read, until the world answers; `null` where the answer is to read. */
  read(request: ReadRequest): Promise<Error | null> | null;
  /** Damages what is about to be read, so that the archive itself has to say so; answers how to mend it, or `null` for no damage. */
  spoil(request: ReadRequest, how: "missing" | "corrupt"): (() => void) | null;
  /** Handed out, so that a session that is not there yet can die as well. */
  opened(archive: Archive): void;
  /** Calls of the archive under way. */
  busy(by: 1 | -1): void;
}

export function storiedStore(store: Store, world: Interference): Store {
  return {
    open: async (request) => {
      const archive = await store.open(request);
      const storied = storiedArchive(archive, world);
      world.opened(storied);
      return storied;
    },
  };
}

function storiedArchive(archive: Archive, world: Interference): Archive {
  async function counted<Value>(call: Promise<Value>): Promise<Value> {
    world.busy(1);
    try {
      return await call;
    } finally {
      world.busy(-1);
    }
  }
  const read = async (request: ReadRequest, gate: Promise<Error | null> | null): Promise<readonly Message[]> => {
    const refused = gate === null ? null : await gate;
    if (refused !== null) return await failing(request, refused);
    return await counted(archive.messages(request));
  };
  /** Missing and corrupt are no words of the world, but what is found: where it can be so, it is. */
  const failing = async (request: ReadRequest, refused: Error): Promise<readonly Message[]> => {
    const code = refused instanceof RollcallError ? refused.code : null;
    const how = code === "conversation_missing" ? "missing" : code === "conversation_corrupt" ? "corrupt" : null;
    const mend = how === null ? null : world.spoil(request, how);
    if (mend === null) throw refused;
    try {
      await counted(archive.messages(request));
    } finally {
      mend();
    }
    throw new Error("a damaged conversation was read without a word");
  };
  return {
    mode: archive.mode,
    epoch: archive.epoch,
    head: () => counted(archive.head()),
    rows: (paths) => counted(archive.rows(paths)),
    scan: (prefix, after, count) => counted(archive.scan(prefix, after, count)),
    messages: (request) => read(request, world.read(request)),
    commit: async (commit) => {
      // What becomes of one of them is its own: they are asked again one by one.
      if (commit.group !== undefined && !world.together(commit.group)) throw fault("not_written", "archive");
      const answer = world.commit(commit);
      if (answer === "ok") {
        await counted(archive.commit(commit));
        world.committed(commit);
        return;
      }
      if (answer !== "crash_before" && answer !== "crash_after") throw fault(answer, "archive");
      if (answer === "crash_after") {
        await counted(archive.commit(commit));
        world.committed(commit);
      }
      return await world.crash(commit);
    },
    bytesWritten: () => archive.bytesWritten(),
    close: () => counted(archive.close()),
    abandon: () => archive.abandon(),
  };
}

/** Tells of every read of an agent's conversation, and changes nothing. */
export function countingStore(store: Store, read: (request: ReadRequest) => void): Store {
  return {
    open: async (request) => {
      const archive = await store.open(request);
      return {
        ...archive,
        messages: (asked) => {
          if (asked.path !== "/root") read(asked);
          return archive.messages(asked);
        },
      };
    },
  };
}
