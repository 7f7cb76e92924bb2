/**
 * Targets that are not the same twice, two for each source of chance and two with none that can be pinned: production over memory
 * with something of its world made fickle. What varies does so by a count that no reset sets back, as other processes, hash
 * seeds and clocks would vary, so that a test sees the same each time.
 */
import type { Archive, Head, Row } from "../../src/archive/archive.ts";
import type { Store } from "../../src/index.ts";
import type { OpenTarget, Source } from "../target.ts";
import { manualClock } from "./clock.ts";
import { pinnable } from "./pinned.ts";
import { memoryPlaces, type Places } from "./places.ts";
import { productionTarget, usual } from "./production.ts";
import type { Ports } from "./stage.ts";

export interface FickleTarget {
  /** What varies, in a few words. */
  readonly does: string;
  /** `unknown` where nothing that can be pinned is behind it. */
  readonly source: Source | "unknown";
  /** New for each opened target. */
  readonly ports: () => Partial<Ports>;
}

/** Below `count`, another each time. */
function varying(): (count: number) => number {
  let state = 7;
  return (count) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 16) % count;
  };
}

const over =
  (change: (archive: Archive) => Partial<Archive>) =>
  (store: Store): Store => ({
    open: async (request) => {
      const archive = await store.open(request);
      return { ...archive, ...change(archive) };
    },
  });

/** Rows as they come are changed, wherever the archive hands them out. */
const overRows = (change: (rows: readonly Row[]) => readonly Row[]): ((store: Store) => Store) =>
  over((archive) => ({
    head: async (): Promise<Head> => {
      const head = await archive.head();
      return { ...head, urgent: change(head.urgent) };
    },
    rows: async (paths) => change(await archive.rows(paths)),
    scan: async (prefix, after, count) => change(await archive.scan(prefix, after, count)),
  }));

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
};

/** In their order, but at once or some turns later, and nobody hears of it. */
function writtenBehind(): (write: () => Promise<void>) => void {
  const vary = varying();
  let last: Promise<void> = Promise.resolve();
  return (write) => {
    const wait = vary(2) === 0 ? 0 : 4;
    last = last
      .then(() => turns(wait))
      .then(write)
      .catch(() => {});
  };
}

export const fickle: { readonly [name: string]: FickleTarget } = {
  clock_runs_fast: {
    does: "a clock that now and then runs three times as fast, so that waits run out early",
    source: "clock",
    ports: () => {
      const vary = varying();
      const clock = (): ReturnType<typeof manualClock> => {
        const true1 = manualClock();
        return { ...true1, advance: (ms) => true1.advance(vary(2) === 0 ? ms * 3 : ms) };
      };
      return { clock };
    },
  },
  time_in_a_text: {
    does: "messages are read with the time of day in them",
    source: "clock",
    ports: () => ({
      store: over((archive) => ({
        messages: async (request) =>
          (await archive.messages(request)).map((each) => ({ ...each, text: `${each.text} ${performance.now()}` })),
      })),
    }),
  },
  ids_repeat: {
    does: "identities that now and then are given twice",
    source: "ids",
    ports: () => {
      const vary = varying();
      return { ids: () => `id${vary(6)}` };
    },
  },
  id_in_a_text: {
    does: "messages are read with a fresh identity in them",
    source: "ids",
    ports: () => ({
      store: over((archive) => ({
        messages: async (request) =>
          (await archive.messages(request)).map((each) => ({ ...each, text: `${each.text} ${crypto.randomUUID()}` })),
      })),
    }),
  },
  rows_in_any_order: {
    does: "records come out of the archive in another order each time",
    source: "iteration order",
    ports: () => {
      const vary = varying();
      return { order: overRows((rows) => (vary(2) === 0 ? rows.toReversed() : rows)) };
    },
  },
  mail_in_any_order: {
    does: "unread mail comes out of the archive in another order each time",
    source: "iteration order",
    ports: () => {
      const vary = varying();
      const mixed = <Each>(list: readonly Each[]): readonly Each[] => (vary(2) === 0 ? list.toReversed() : list);
      const rows = overRows((all) =>
        all.map((row) => ("record" in row ? { ...row, record: { ...row.record, mail: mixed(row.record.mail) } } : row)),
      );
      const root = over((archive) => ({
        head: async () => {
          const head = await archive.head();
          return { ...head, rootMail: mixed(head.rootMail) };
        },
      }));
      return { order: (store) => root(rows(store)) };
    },
  },
  commit_not_awaited: {
    does: "a commit is answered before it is made",
    source: "unawaited work",
    ports: () => {
      const behind = writtenBehind();
      const late = over((archive) => ({ commit: async (commit) => behind(() => archive.commit(commit)) }));
      return { store: late };
    },
  },
  messages_written_behind: {
    does: "what a conversation gains is written some turns after the rest of its commit",
    source: "unawaited work",
    ports: () => {
      const behind = writtenBehind();
      const late = over((archive) => ({
        commit: async ({ messages, ...commit }) => {
          await archive.commit({ ...commit, messages: [] });
          const rest = { records: [], mailAdded: [], mailRemoved: [], compact: null, capacity: null };
          if (messages.length > 0) behind(() => archive.commit({ ...rest, messages, tag: commit.tag }));
        },
      }));
      return { store: late };
    },
  },
  loses_a_mail: {
    does: "every so often a mail is not written, whatever the story",
    source: "unknown",
    ports: () => {
      const vary = varying();
      return {
        store: over((archive) => ({
          commit: (commit) =>
            archive.commit(vary(5) === 0 ? { ...commit, mailAdded: commit.mailAdded.slice(1) } : commit),
        })),
      };
    },
  },
};

/** Its archive is not read after every step, which would find what is written late before chance has any part in it. */
const unread = (places: Places): Places => ({
  ...places,
  stores: false,
  fresh: () => ({ ...places.fresh(), stored: null }),
});

export function fickleTarget(name: string, { ports }: FickleTarget): OpenTarget {
  return (pinned) => {
    // New for each, also for a pinned one: what varies begins anew with a process.
    const own: Ports = { ...usual, ...ports() };
    return pinnable((given) => productionTarget(name, unread(memoryPlaces()), given), own)(pinned);
  };
}
