/**
 * Stored rows as they are, behind the back of every check: how an archive is damaged on purpose and mended again, while
 * no handle is open on it. For whoever tests what a damaged archive does to a host; the registry never comes here.
 */
import { canonical, sha256 } from "../config.ts";
import type { ArchiveDamage, Config, Json, Path, RecordDamage, ToolRef } from "../contract.ts";
import { type Cell, type Cells, type RecordRows, sealed, sealedAgent } from "./codec.ts";

export interface RawArchive {
  /** All rows of one record, whatever they hold; null where there is none. */
  record(path: Path): RecordRows | null;
  /** Puts these in the place of all rows of the record, or nothing. */
  putRecord(path: Path, rows: RecordRows | null): void;
  /** The session's own row. */
  session(): Cells;
  putSession(cells: Cells): void;
  /** A number that no mail has had. */
  unusedSeq(): number;
  /** Until `mendArchive` puts the whole of it back. */
  damageArchive(how: ArchiveDamage): void;
  mendArchive(): void;
}

const columns = { config: 4, activity: 5, turns: 6, location: 7 };

function withCell(cells: Cells, column: number, cell: Cell): Cells {
  return cells.with(column, cell);
}
/** The row changed as if it had been written so: its checksum is right. */
function rewritten(rows: RecordRows, column: number, cell: Cell, results: readonly Cells[] = rows.results): RecordRows {
  return { ...rows, agent: sealedAgent(withCell(rows.agent, column, cell).slice(0, -1), results), results };
}
function reconfigured(rows: RecordRows, change: (config: Config) => Json): RecordRows {
  const config: Config = JSON.parse(rows.config ?? "{}");
  const text = canonical(change(config));
  return { ...rewritten(rows, columns.config, sha256(text)), config: text };
}
const anotherTool = (config: Config, tool: ToolRef): Json => ({ ...config, tools: [...config.tools, tool] });

/** What a damaged record needs to know of its surroundings. */
export interface Surroundings {
  /** A number that no mail has had. */
  readonly seq: number;
  /** A category of tools that somebody owns. */
  readonly category: string;
}

/** The rows of a valid record, damaged; each kind is found as the code that goes with it. */
export function damaged(rows: RecordRows, how: RecordDamage, { seq, category }: Surroundings): RecordRows {
  const path = String(rows.agent[0]);
  switch (how) {
    case "malformed":
      return rewritten(rows, columns.turns, -1);
    case "checksum":
      return { ...rows, agent: withCell(rows.agent, columns.turns, Number(rows.agent[columns.turns]) + 1) };
    case "config":
      return reconfigured(rows, (config) => ({ ...config, colour: "red" }));
    case "tool":
      return reconfigured(rows, (config) => anotherTool(config, [category, "no_such_tool"]));
    case "category":
      return reconfigured(rows, (config) => anotherTool(config, ["nobody_owns_this", "tool"]));
    case "mail_sender": {
      const spoofed = sealed([seq, path, "execution", "/root/somebody/else", "spoofed", 0, null, null]);
      return { ...rows, mail: [...rows.mail, spoofed] };
    }
    case "active_with_result": {
      const result = sealed([path, "result", 0, "completed", "left over", null, null]);
      const kept = rows.results.filter((each) => each[1] === "owed");
      return rewritten(rows, columns.activity, "running", [...kept, result]);
    }
    case "location":
      return rewritten(rows, columns.location, `agents/../../outside${path}`);
  }
}
/** The session's own row, damaged. */
export function damagedSession(cells: Cells): Cells {
  return withCell(cells, 0, -1);
}
