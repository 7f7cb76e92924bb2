/**
 * What a disk may hold when its power is lost after a given act of a tape: everything that was synced, and of the rest whatever
 * the seed says: nothing, a beginning, some writes in any order, some sectors of them. As weak as POSIX lets a file system be:
 * a name is there for certain once its folder was synced, a file's bytes once the file was.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Chance } from "./chance.ts";
import type { Act } from "./tape.ts";

/** `kept` is what a process that is killed leaves: the cache of the system lives on. */
export type Loss = "dropped" | "begun" | "reordered" | "torn" | "kept";
export const losses: readonly Loss[] = ["dropped", "begun", "reordered", "torn", "kept"];

const sectorBytes = 512;

type Change = Extract<Act, { is: "write" | "size" }>;
interface Inode {
  synced: Buffer;
  pending: Change[];
}
type Naming = readonly [name: string, inode: Inode | null];

/** Files by name, with their bytes. */
export type Disk = ReadonlyMap<string, Buffer>;

/** After the first `count` acts. */
export function diskAfter(tape: readonly Act[], count: number, loss: Loss, chance: Chance): Disk {
  const now = new Map<string, Inode>();
  const durable = new Map<string, Inode>();
  let names: Naming[] = [];
  for (const act of tape.slice(0, count)) {
    if (act.is === "said") continue;
    if (act.is === "sync folder") {
      for (const naming of names) rename(durable, naming);
      names = [];
    } else if (act.is === "create") {
      const inode: Inode = { synced: Buffer.alloc(0), pending: [] };
      now.set(act.file, inode);
      names.push([act.file, inode]);
    } else if (act.is === "remove") {
      now.delete(act.file);
      names.push([act.file, null]);
    } else {
      const inode = now.get(act.file);
      if (inode === undefined) throw new Error(`the tape writes to ${act.file}, which is not there`);
      if (act.is === "write" || act.is === "size") inode.pending.push(act);
      else {
        inode.synced = changed(inode.synced, inode.pending);
        inode.pending = [];
      }
    }
  }
  for (const naming of some(names, loss, chance)) rename(durable, naming);
  const left = new Map<Inode, Buffer>();
  const disk = new Map<string, Buffer>();
  for (const [name, inode] of durable) {
    const bytes = left.get(inode) ?? leftOf(inode, loss, chance);
    left.set(inode, bytes);
    disk.set(name, bytes);
  }
  return disk;
}

export async function writeDisk(disk: Disk, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [name, bytes] of disk) await writeFile(join(folder, name), bytes, { mode: 0o600 });
}

function rename(names: Map<string, Inode>, [name, inode]: Naming): void {
  if (inode === null) names.delete(name);
  else names.set(name, inode);
}

/** Of what was not synced, what is there all the same. */
function some<Item>(all: readonly Item[], loss: Loss, chance: Chance): readonly Item[] {
  if (loss === "dropped") return [];
  if (loss === "kept") return all;
  if (loss === "begun") return all.slice(0, chance.below(all.length + 1));
  return all.filter(() => chance.in100(50));
}

function leftOf({ synced, pending }: Inode, loss: Loss, chance: Chance): Buffer {
  const changes = some(pending, loss, chance).flatMap((each) => (loss === "torn" ? torn(each, chance) : [each]));
  const bytes = changed(synced, changes);
  const whole = changed(synced, pending).length;
  // That a file has grown may be on the disk before what it has grown by.
  return loss === "torn" && chance.in100(30) ? resized(bytes, Math.max(bytes.length, whole)) : bytes;
}

/** Sectors are written whole or not at all. */
function torn(change: Change, chance: Chance): readonly Change[] {
  if (change.is === "size") return [change];
  const { file, at, data } = change;
  const parts: Change[] = [];
  for (let from = 0; from < data.length; ) {
    const to = Math.min(data.length, from + sectorBytes - ((at + from) % sectorBytes));
    if (chance.in100(60)) parts.push({ is: "write", file, at: at + from, data: data.subarray(from, to) });
    from = to;
  }
  return parts;
}

function changed(before: Buffer, changes: readonly Change[]): Buffer {
  let size = before.length;
  let most = size;
  for (const each of changes) {
    size = each.is === "size" ? each.size : Math.max(size, each.at + each.data.length);
    most = Math.max(most, size);
  }
  const bytes = resized(before, most);
  let end = before.length;
  for (const each of changes) {
    if (each.is === "write") {
      each.data.copy(bytes, each.at);
      end = Math.max(end, each.at + each.data.length);
    } else {
      // What lies behind the end reads as zeros when the file grows again.
      bytes.fill(0, Math.min(end, each.size), most);
      end = each.size;
    }
  }
  return bytes.subarray(0, size);
}
function resized(bytes: Buffer, size: number): Buffer {
  const to = Buffer.alloc(size);
  bytes.copy(to);
  return to;
}
