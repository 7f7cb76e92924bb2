/**
 * The rows that the pages of a SQLite file hold, whatever tree leads to them: for a file whose trees are damaged. Nothing here
 * is believed: every row vouches for itself, and whoever reads them checks that. The format is SQLite's own ("Database File Format").
 */

export interface PageRow {
  /** Of a table with numbered rows. */
  readonly rowid: number | null;
  readonly values: readonly unknown[];
  /** All pages that it lies in, from 1. */
  readonly pages: readonly number[];
}

const headerBytes = 100;
const pageBytes = 4_096;
const kinds = { tableLeaf: 0x0d, indexLeaf: 0x0a, indexInner: 0x02 } as const;
/** More than a row of an archive ever takes, so that a damaged length does not. */
const payloadMax = 64 * 1024 * 1024;

export function* rowsInPages(bytes: Buffer): Generator<PageRow> {
  const count = Math.floor(bytes.length / pageBytes);
  const free = freePages(bytes, count);
  for (let page = 1; page <= count; page++) if (!free.has(page)) yield* rowsInPage(bytes, page);
}

/** What lies in them was deleted. */
function freePages(bytes: Buffer, count: number): ReadonlySet<number> {
  const free = new Set<number>();
  if (bytes.length < headerBytes) return free;
  for (let trunk = bytes.readUInt32BE(32); trunk > 1 && trunk <= count && !free.has(trunk); ) {
    free.add(trunk);
    const start = (trunk - 1) * pageBytes;
    const leaves = Math.min(bytes.readUInt32BE(start + 4), pageBytes / 4 - 2);
    for (let index = 0; index < leaves; index++) free.add(bytes.readUInt32BE(start + 8 + index * 4));
    trunk = bytes.readUInt32BE(start);
  }
  return free;
}

function* rowsInPage(bytes: Buffer, page: number): Generator<PageRow> {
  const start = (page - 1) * pageBytes;
  const head = start + (page === 1 ? headerBytes : 0);
  const kind = bytes[head];
  if (kind !== kinds.tableLeaf && kind !== kinds.indexLeaf && kind !== kinds.indexInner) return;
  const cells = head + (kind === kinds.indexInner ? 12 : 8);
  const count = Math.min(bytes.readUInt16BE(head + 3), pageBytes / 4);
  for (let index = 0; index < count && cells + index * 2 + 2 <= start + pageBytes; index++) {
    const at = bytes.readUInt16BE(cells + index * 2);
    const row =
      at === 0 || at >= pageBytes ? null : rowAt(bytes, page, start + at + (kind === kinds.indexInner ? 4 : 0), kind);
    if (row !== null) yield row;
  }
}

function rowAt(bytes: Buffer, page: number, at: number, kind: number): PageRow | null {
  try {
    const isTable = kind === kinds.tableLeaf;
    const [size, afterSize] = varint(bytes, at);
    const [rowid, from] = isTable ? varint(bytes, afterSize) : [null, afterSize];
    if (size > payloadMax || size > bytes.length) return null;
    const pages = [page];
    const values = valuesOf(payloadAt(bytes, from, size, isTable, pages));
    return values === null ? null : { rowid, values, pages };
  } catch {
    // Behind the end of the file: no row.
    return null;
  }
}

/** What does not fit into the page lies in a chain of others. */
function payloadAt(bytes: Buffer, from: number, size: number, isTable: boolean, pages: number[]): Buffer {
  const most = isTable ? pageBytes - 35 : Math.floor(((pageBytes - 12) * 64) / 255) - 23;
  if (size <= most) return within(bytes, from, size);
  const least = Math.floor(((pageBytes - 12) * 32) / 255) - 23;
  const fitting = least + ((size - least) % (pageBytes - 4));
  const local = fitting <= most ? fitting : least;
  const parts = [within(bytes, from, local)];
  let left = size - local;
  let next = bytes.readUInt32BE(from + local);
  while (left > 0) {
    if (next < 2) throw new Error("the chain is broken");
    pages.push(next);
    const start = (next - 1) * pageBytes;
    const part = within(bytes, start + 4, Math.min(left, pageBytes - 4));
    parts.push(part);
    left -= part.length;
    next = bytes.readUInt32BE(start);
  }
  return Buffer.concat(parts);
}
function within(bytes: Buffer, from: number, size: number): Buffer {
  if (from + size > bytes.length) throw new Error("behind the end");
  return bytes.subarray(from, from + size);
}
function varint(bytes: Buffer, at: number): readonly [value: number, next: number] {
  let value = 0n;
  for (let index = 0; index < 9; index++) {
    const byte = bytes.readUInt8(at + index);
    if (index === 8) return [Number((value << 8n) | BigInt(byte)), at + 9];
    value = (value << 7n) | BigInt(byte & 0x7f);
    if (byte < 0x80) return [Number(value), at + index + 1];
  }
  return [Number(value), at + 9];
}

const integerBytes = [0, 1, 2, 3, 4, 6, 8];
function valuesOf(payload: Buffer): readonly unknown[] | null {
  const [headSize, first] = varint(payload, 0);
  let at = first;
  let body = headSize;
  const values: unknown[] = [];
  while (at < headSize) {
    const [type, next] = varint(payload, at);
    at = next;
    const size = type >= 12 ? Math.floor((type - 12) / 2) : type === 7 ? 8 : type <= 6 ? (integerBytes[type] ?? 0) : 0;
    if (body + size > payload.length || type === 10 || type === 11) return null;
    values.push(valueOfType(payload.subarray(body, body + size), type));
    body += size;
  }
  return values;
}
function valueOfType(part: Buffer, type: number): unknown {
  if (type === 0) return null;
  if (type === 8 || type === 9) return type - 8;
  if (type === 7) return part.readDoubleBE(0);
  if (type === 6) return Number(part.readBigInt64BE(0));
  if (type <= 5) return part.readIntBE(0, part.length);
  return part.toString("utf8");
}
