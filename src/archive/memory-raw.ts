/** The rows of an archive in memory as they are. */
import type { Cells } from "./codec.ts";
import type { MemoryDisk } from "./memory.ts";
import type { RawArchive } from "./raw.ts";

// Cells that come from text are taken for cells: whoever reads them here is about to damage them.
const cellsIn = (row: string): Cells => JSON.parse(row);

export function rawMemory(disk: MemoryDisk): RawArchive {
  return {
    record: (path) => {
      const row = disk.agents.get(path);
      if (row === undefined) return null;
      const agent = cellsIn(row);
      return {
        agent,
        results: (disk.results.get(path) ?? []).map(cellsIn),
        mail: [...(disk.mail.get(path)?.values() ?? [])].map(cellsIn),
        config: disk.configs.get(String(agent[4])) ?? null,
      };
    },
    putRecord: (path, rows) => {
      disk.order = null;
      disk.agents.delete(path);
      disk.results.delete(path);
      disk.mail.delete(path);
      if (rows === null) return;
      disk.agents.set(path, JSON.stringify(rows.agent));
      disk.results.set(
        path,
        rows.results.map((each) => JSON.stringify(each)),
      );
      disk.mail.set(path, new Map(rows.mail.map((each) => [Number(each[0]), JSON.stringify(each)])));
      if (rows.config !== null) disk.configs.set(String(rows.agent[4]), rows.config);
    },
    session: () => cellsIn(disk.session),
    putSession: (cells) => {
      disk.session = JSON.stringify(cells);
    },
    unusedSeq: () => disk.seq + 1,
    damageArchive: (how) => {
      disk.condition = how;
    },
    mendArchive: () => {
      disk.condition = "ok";
    },
  };
}
