// The b-tree of sqlite_schema, page by page (fileformat2.html, sections 1.6 and 2.6): its entries as the cells that they
// are, and a smaller tree of some of them. SQLite reads the entries of all tables before it does anything, some 11 us each:
// who changes rows of two tables among tens of thousands lets it see the entries of these two.
import { createHash } from 'node:crypto';
import { localBytes, readLeaves } from './sqlite-leaves.ts';
import type { PageReader } from './sqlite-pages.ts';

export interface SchemaEntry {
  readonly type: string;
  /** The table that it is, or is of. */
  readonly table: string;
  readonly root: number;
  /** Its cell, as it stands in its page. */
  readonly cell: Buffer;
  /** Its rowid: entries are made in this order. */
  readonly rowid: number;
  /** Where the cell goes on; 0 where all of it is in its page. */
  readonly overflow: number;
}

export interface SchemaPages {
  /** Of its tree, but for page 1, which is its root. */
  readonly pages: readonly number[];
  /** Those that were asked for, by rowid. */
  readonly entries: readonly SchemaEntry[];
}

type Pages = Pick<PageReader, 'pages' | 'pageSize' | 'usableSize' | 'read'>;

const ROOT = 1;
/** Page 1 begins with the header of the file. */
export const FILE_HEADER_BYTES = 100;
const INTERIOR = 5;
const LEAF = 13;
const INTERIOR_HEADER_BYTES = 12;
const LEAF_HEADER_BYTES = 8;
/** Of a cell of an interior page: a page, and a rowid. */
const MAX_CHILD_BYTES = 4 + 9;

/** @throws Error where the pages make no such tree */
export function readSchemaPages(of: Pages, isWanted: (table: string) => boolean): SchemaPages {
  const pages: number[] = [];
  const entries: SchemaEntry[] = [];
  const waiting = [ROOT];
  for (let number = waiting.pop(); number !== undefined; number = waiting.pop()) {
    if (number < 1 || number > of.pages || pages.length > of.pages)
      throw new Error(`page ${number} is in no tree`);
    if (number !== ROOT) pages.push(number);
    const page = of.read(number);
    const at = number === ROOT ? FILE_HEADER_BYTES : 0;
    const cells = page.readUInt16BE(at + 3);
    if (page[at] === INTERIOR) {
      waiting.push(page.readUInt32BE(at + 8));
      for (let i = cells - 1; i >= 0; i--)
        waiting.push(page.readUInt32BE(page.readUInt16BE(at + INTERIOR_HEADER_BYTES + 2 * i)));
    } else if (page[at] === LEAF) {
      for (let i = 0; i < cells; i++) {
        const entry = readEntry(of, page, page.readUInt16BE(at + LEAF_HEADER_BYTES + 2 * i), isWanted);
        if (entry !== undefined) entries.push(entry);
      }
    } else throw new Error(`page ${number} is of no known type`);
  }
  return { pages, entries };
}

/**
 * Equal digests are equal entries, roots of tables included. Of a schema that fits in page 1 it is another one after every
 * change of the file: that one is read at once.
 */
export function digestOfEntries(pages: Pages): string {
  return createHash('sha256').update(readLeaves(pages, ROOT)).digest('hex');
}

/** Undefined where it is not wanted. Called for tens of thousands of them: it makes nothing until one is. */
function readEntry(
  pages: Pages,
  page: Buffer,
  at: number,
  isWanted: (table: string) => boolean,
): SchemaEntry | undefined {
  const reader = { page, at };
  const bytes = varint(reader);
  const rowid = varint(reader);
  const start = reader.at;
  const most = pages.usableSize - 35;
  const local = bytes <= most ? bytes : localBytes(pages, bytes, most);
  const headerBytes = varint(reader);
  const typeBytes = textBytes(varint(reader));
  const tableAt = start + headerBytes + typeBytes + textBytes(varint(reader));
  const rootAt = tableAt + textBytes(varint(reader));
  const rootType = varint(reader);
  if (rootAt + MAX_INTEGER_BYTES > start + local && local < bytes)
    throw new Error('an entry has a name that goes on in another page');
  const table = page.toString('utf8', tableAt, rootAt);
  if (!isWanted(table)) return undefined;
  const end = start + local;
  return {
    type: page.toString('utf8', start + headerBytes, start + headerBytes + typeBytes),
    table,
    root: integer(page, rootAt, rootType),
    cell: Buffer.from(page.subarray(at, local < bytes ? end + 4 : end)),
    rowid,
    overflow: local < bytes ? page.readUInt32BE(end) : 0,
  };
}

/** By the serial type of a text. */
function textBytes(type: number): number {
  if (type < 13 || type % 2 === 0) throw new Error('an entry of the schema has no name');
  return (type - 13) / 2;
}

const MAX_INTEGER_BYTES = 8;

/** By the serial type of an integer. */
function integer(page: Buffer, at: number, type: number): number {
  if (type === 8 || type === 9) return type - 8;
  if (type === 0) return 0;
  if (type > 4) throw new Error('an entry of the schema has no page');
  return page.readIntBE(at, type);
}

/** Reads one that is no larger than a safe integer, and goes behind it. */
function varint(reader: { readonly page: Buffer; at: number }): number {
  let value = 0;
  for (let i = 0; i < 8; i++) {
    const byte = reader.page[reader.at++] as number;
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) return value;
  }
  throw new Error('a number is too large');
}

/**
 * The tree with these entries alone. It stands in page 1, and where that has no room, in pages of the whole tree.
 * @returns whole pages by their numbers; undefined where there is no room for so many
 */
export function treeOf(of: Pages, { pages, entries }: SchemaPages): ReadonlyMap<number, Buffer> | undefined {
  const root = Buffer.alloc(of.pageSize);
  of.read(ROOT).copy(root, 0, 0, FILE_HEADER_BYTES);
  const made = new Map([[ROOT, root]]);
  const inRoot = fitting(entries, of.usableSize - FILE_HEADER_BYTES);
  if (inRoot === entries.length) {
    writeLeaf(root, FILE_HEADER_BYTES, of.usableSize, entries);
    return made;
  }
  const children: (readonly [page: number, last: number])[] = [];
  for (let at = 0; at < entries.length; ) {
    const count = fitting(entries.slice(at), of.usableSize);
    const number = pages[children.length];
    if (number === undefined || count === 0) return undefined;
    const some = entries.slice(at, at + count);
    const page = Buffer.alloc(of.pageSize);
    writeLeaf(page, 0, of.usableSize, some);
    made.set(number, page);
    children.push([number, some.at(-1)?.rowid ?? 0]);
    at += count;
  }
  const room = of.usableSize - FILE_HEADER_BYTES - INTERIOR_HEADER_BYTES;
  if (children.length * (2 + MAX_CHILD_BYTES) > room) return undefined;
  writeInterior(root, of.usableSize, children);
  return made;
}

/** How many of the first entries a leaf has room for. */
function fitting(entries: readonly SchemaEntry[], bytes: number): number {
  let left = bytes - LEAF_HEADER_BYTES;
  let count = 0;
  for (const { cell } of entries) {
    left -= 2 + cell.length;
    if (left < 0) break;
    count++;
  }
  return count;
}

function writeLeaf(page: Buffer, at: number, usableSize: number, entries: readonly SchemaEntry[]): void {
  const cells = entries.map(({ cell }) => cell);
  writePage(page, at, LEAF, LEAF_HEADER_BYTES, usableSize, cells);
}

function writeInterior(
  page: Buffer,
  usableSize: number,
  children: readonly (readonly [page: number, last: number])[],
): void {
  const cells = children.slice(0, -1).map(([child, last]) => {
    const head = Buffer.alloc(4);
    head.writeUInt32BE(child);
    return Buffer.concat([head, varintOf(last)]);
  });
  writePage(page, FILE_HEADER_BYTES, INTERIOR, INTERIOR_HEADER_BYTES, usableSize, cells);
  page.writeUInt32BE(children.at(-1)?.[0] ?? 0, FILE_HEADER_BYTES + 8);
}

function writePage(
  page: Buffer,
  at: number,
  type: number,
  headerBytes: number,
  usableSize: number,
  cells: readonly Buffer[],
): void {
  let content = usableSize;
  for (const [i, cell] of cells.entries()) {
    content -= cell.length;
    cell.copy(page, content);
    page.writeUInt16BE(content, at + headerBytes + 2 * i);
  }
  page[at] = type;
  page.writeUInt16BE(cells.length, at + 3);
  // 65,536 is written as 0.
  page.writeUInt16BE(content % 65536, at + 5);
}

function varintOf(value: number): Buffer {
  const bytes: number[] = [value % 128];
  for (let left = Math.floor(value / 128); left > 0; left = Math.floor(left / 128))
    bytes.unshift(128 + (left % 128));
  return Buffer.from(bytes);
}
