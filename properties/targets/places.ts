/** Where the archives of stories are: in memory, or in files of a temporary folder without fsync; and how to damage them. */
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { ReadRequest } from "../../src/archive/archive.ts";
import { type MemoryDisk, memoryDisk, memoryStore } from "../../src/archive/memory.ts";
import { rawMemory } from "../../src/archive/memory-raw.ts";
import type { RawArchive } from "../../src/archive/raw.ts";
import { type SqliteOptions, sqliteStore } from "../../src/archive/sqlite.ts";
import { rawSqlite } from "../../src/archive/sqlite-raw.ts";
import type { StoredView } from "../../src/contract.ts";
import type { Store } from "../../src/index.ts";
import type { Capabilities } from "../target.ts";
import type { Damages } from "./stage.ts";
import { beginReading, storedIn } from "./stored.ts";

/** One archive. */
export interface Place {
  readonly store: Store;
  readonly raw: RawArchive;
  /** What the archive means now, read from what was written; `null` where that would cost more than it tells. */
  readonly stored: ((damages: Damages) => StoredView | null) | null;
  /** Damages a stored conversation, or takes it away, and answers how to mend it; `null` where there is nothing to damage. */
  readonly spoil: ((request: ReadRequest, how: "missing" | "corrupt") => (() => void) | null) | null;
  /** Lets go of what is on disk. */
  remove(): Promise<void>;
}
/** Makes a place for each story once it is ready, and lets go of all. */
export interface Places {
  /** Whether its archives can be read at any time. */
  readonly stores: boolean;
  /** What its archives count of a commit, where that is no more than its rows. */
  readonly costs: Pick<Capabilities, "rowBytes">;
  ready(): Promise<void>;
  fresh(): Place;
  close(): Promise<void>;
}

export function memoryPlaces(): Places {
  return {
    stores: true,
    costs: { rowBytes: 500 },
    ready: async () => {},
    fresh: () => {
      const disk = memoryDisk();
      const reader = beginReading();
      const stored = (damages: Damages): StoredView | null => storedIn(disk, reader, damages);
      const spoil = spoiling(disk);
      return { store: memoryStore(disk), raw: rawMemory(disk), stored, spoil, remove: async () => {} };
    },
    close: async () => {},
  };
}

/** The newest message that is read gets another text, turn, sender, kind or place, and keeps its checksum. */
function spoiling(disk: MemoryDisk): NonNullable<Place["spoil"]> {
  let times = 0;
  return ({ location, last }, how) => {
    const found = disk.conversations.get(location);
    if (found === undefined) return null;
    if (how === "missing") {
      disk.conversations.delete(location);
      return () => void disk.conversations.set(location, found);
    }
    const at = found.rows.length - 1;
    const row = found.rows[at];
    if (row === undefined || last === 0) return null;
    const cells: readonly unknown[] = JSON.parse(row);
    const [n, kind, turn, from, text] = cells;
    const damaged = [Number(n) + 1, kind === "note" ? "task" : "note", Number(turn) + 1, `${from}/zz`, `${text}!`];
    const column = times++ % damaged.length;
    found.rows[at] = JSON.stringify(cells.with(column, damaged[column]));
    return () => {
      found.rows[at] = row;
    };
  };
}

/** `folder` is made, and removed with everything in it, unless one is given. */
export function sqlitePlaces(given: string | null = null): Places {
  let folder = given;
  let made = 0;
  return {
    stores: false,
    costs: {},
    ready: async () => {
      folder ??= await mkdtemp(join(tmpdir(), "rollcall-stories-"));
    },
    fresh: () => {
      made++;
      return filePlace(join(folder ?? tmpdir(), `${made}.rollcall`));
    },
    close: async () => {
      if (given === null && folder !== null) await rm(folder, { recursive: true, force: true });
    },
  };
}

/** In a folder that is whoever's who gave it, so that another process can go on there: the archive comes first, then forks. */
export interface KeptPlaces extends Places {
  at(folder: string, process: number): void;
}
export function keptPlaces(durability: Durability = "off"): KeptPlaces {
  let [folder, process, made] = ["", 0, 0];
  return {
    at: (given, number) => {
      [folder, process, made] = [given, number, 0];
    },
    stores: false,
    costs: {},
    ready: async () => {},
    fresh: (): Place => {
      const name = made++ === 0 ? "archive" : `fork-${process}-${made}`;
      return { ...filePlace(join(folder, `${name}.rollcall`), durability), remove: async () => {} };
    },
    close: async () => {},
  };
}

type Durability = NonNullable<SqliteOptions["durability"]>;
function filePlace(file: string, durability: Durability = "off"): Place {
  return {
    store: sqliteStore(file, { durability }),
    raw: rawSqlite(file),
    stored: null,
    spoil: null,
    // Beside it lie a log, a lock for each epoch, and the archive as it was before it was damaged.
    remove: async () => {
      const [folder, name] = [dirname(file), basename(file)];
      const names = (await readdir(folder)).filter((each) => each === name || each.startsWith(`${name}-`));
      await Promise.all(names.map((each) => rm(join(folder, each), { force: true })));
    },
  };
}
