/**
 * What an archive in memory means, read from its rows by the registry's own codec: also of what nobody has looked at since a
 * restore. Rows that did not change are not decoded again. Damage is not seen: the rows as they were stand in its place.
 */
import type { Mail, Owed, Result } from "../../src/archive/archive.ts";
import {
  type Cells,
  type Configs,
  configAt,
  decodeMailbox,
  decodeRow,
  decodeSession,
  type RecordRows,
} from "../../src/archive/codec.ts";
import type { MemoryDisk } from "../../src/archive/memory.ts";
import type { MailView, OwedView, Path, StoredAgentView, StoredView } from "../../src/contract.ts";
import { digest, shown } from "../digest.ts";
import type { Damages } from "./stage.ts";
import { mailed, result } from "./values.ts";

/** What was made of the rows of one record when they were last looked at. */
interface Made {
  readonly agent: string;
  readonly results: readonly string[] | undefined;
  readonly mail: string;
  readonly messages: number;
  readonly view: StoredAgentView;
}
/** Of one archive. */
export interface Reader {
  readonly agents: Map<Path, Made>;
  readonly configs: Configs;
  root: { readonly mail: string; readonly view: readonly MailView[] };
}

export function beginReading(): Reader {
  return { agents: new Map(), configs: new Map(), root: { mail: "", view: [] } };
}

/** Numbers of mails are given once, so that equal numbers are equal mails. */
function seqs(disk: MemoryDisk, owner: Path): string {
  const box = disk.mail.get(owner);
  return box === undefined || box.size === 0 ? "" : [...box.keys()].join(" ");
}
const cellsOf = (row: string): Cells => JSON.parse(row);
const mailCells = (disk: MemoryDisk, owner: Path): readonly Cells[] =>
  [...(disk.mail.get(owner)?.values() ?? [])].map(cellsOf);

/** `null` where nothing was written yet. */
export function storedIn(disk: MemoryDisk, reader: Reader, { originals, originalSession }: Damages): StoredView | null {
  if (disk.condition === "absent") return null;
  const session = decodeSession(originalSession ?? cellsOf(disk.session));
  if (session === null) throw new Error("the session's own data in the archive cannot be read");
  const undamaged = new Map(originals);
  const agents: { [path: Path]: StoredAgentView } = {};
  for (const [path, row] of disk.agents) {
    const rows = undamaged.get(path);
    agents[path] =
      rows === undefined ? agentIn(disk, reader, path, row) : viewOf(path, decoded(disk, reader, path, rows));
  }
  const messages = disk.conversations.get("root")?.rows.length ?? 0;
  const mail = rootMail(disk, reader);
  return {
    capacity: session.capacity,
    root: { ...(mail.length === 0 ? {} : { mail }), ...(messages === 0 ? {} : { messages }) },
    agents,
  };
}

function rootMail(disk: MemoryDisk, reader: Reader): readonly MailView[] {
  const now = seqs(disk, "/root");
  if (reader.root.mail !== now) {
    const found = decodeMailbox("/root", mailCells(disk, "/root"));
    if (found === null) throw new Error("the root's mail in the archive cannot be read");
    reader.root = { mail: now, view: inOrder(found) };
  }
  return reader.root.view;
}

function agentIn(disk: MemoryDisk, reader: Reader, path: Path, agent: string): StoredAgentView {
  const results = disk.results.get(path);
  const mail = seqs(disk, path);
  const known = reader.agents.get(path);
  const same = known?.agent === agent && known.results === results && known.mail === mail;
  const cells = same ? null : cellsOf(agent);
  const messages = disk.conversations.get(String((cells ?? cellsOf(agent))[7]))?.rows.length ?? 0;
  if (same && known.messages === messages) return known.view;
  const rows = { agent: cellsOf(agent), results: (results ?? []).map(cellsOf), mail: mailCells(disk, path) };
  const config = disk.configs.get(String(rows.agent[4])) ?? null;
  const view = viewOf(path, decoded(disk, reader, path, { ...rows, config }));
  reader.agents.set(path, { agent, results, mail, messages, view });
  return view;
}

function decoded(disk: MemoryDisk, reader: Reader, path: Path, { agent, results, mail, config }: RecordRows) {
  return decodeRow(path, {
    ...{ agent, results, mail },
    config: configAt(reader.configs, agent[4], () => config),
    messages: disk.conversations.get(String(agent[7]))?.rows.length ?? 0,
  });
}

function viewOf(path: Path, row: ReturnType<typeof decodeRow>): StoredAgentView {
  if (!("record" in row)) throw new Error(`the row of ${path} in the archive is ${row.aside}`);
  const { role, config, activity, turns, result: settled, undo, owed, mail, messages } = row.record;
  const some = (name: string, given: Result | null) => (given === null ? {} : { [name]: result(given) });
  return {
    ...{ role, config: digest.config(config), activity },
    ...(turns === 0 ? {} : { turns }),
    ...some("result", settled),
    ...some("undo", undo),
    ...(owed.length === 0 ? {} : { owed: owed.map(owedView) }),
    ...(mail.length === 0 ? {} : { mail: inOrder(mail) }),
    ...(messages === 0 ? {} : { messages }),
  };
}

function owedView({ turn, result: { outcome, text } }: Owed): OwedView {
  return [turn, outcome, shown(text)];
}
const inOrder = (mail: readonly Mail[]): readonly MailView[] => mail.map(mailed);
