// A digest of each leaf of a table's b-tree, with the rowids that it holds (fileformat2.html, section 1.6). Two
// leaves of equal digest hold the same rows, so comparing the lists tells which rows may have changed, for certain
// and without a look at the others. Nothing is read by SQL.
import { createHash } from 'node:crypto';
import type { PageReader } from './sqlite-pages.ts';

/** First rowid, last rowid (64-bit, little-endian), digest; by rowid ascending. */
export const LEAF_BYTES = 32;
const DIGEST_BYTES = 16;
const LOWEST = -(2n ** 63n);
const HIGHEST = 2n ** 63n - 1n;

const INTERIOR_INDEX = 2;
const INTERIOR_TABLE = 5;
const LEAF_INDEX = 10;
const LEAF_TABLE = 13;
/** Page 1 begins with the header of the file. */
const FILE_HEADER_BYTES = 100;

/**
 * @param visit called with each page of the tree, overflow pages included
 * @throws Error where the pages make no tree: the file is damaged, or was changed while it was read
 */
export function readLeaves(
  of: Tree,
  root: number,
  visit: (page: number, content: Buffer) => void = () => {},
): Buffer {
  const pages: Tree = {
    pages: of.pages,
    usableSize: of.usableSize,
    read: (number) => {
      const content = of.read(number);
      visit(number, content);
      return content;
    },
  };
  const records: Buffer[] = [];
  // Of tens of thousands of trees hardly one is that of an index.
  let index: ReturnType<typeof createHash> | undefined;
  let left = pages.pages;
  // The tree is walked from its lowest rowid to its highest; children wait here in reverse order.
  const waiting = [root];
  for (let number = waiting.pop(); number !== undefined; number = waiting.pop()) {
    if (number < 1 || number > pages.pages || left-- <= 0) throw new Error(`page ${number} is in no tree`);
    const page = pages.read(number);
    const at = number === 1 ? FILE_HEADER_BYTES : 0;
    const type = page[at];
    if (type === LEAF_TABLE) {
      const record = leafRecord(pages, page, at);
      if (record !== undefined) records.push(record);
    } else if (type === LEAF_INDEX || type === INTERIOR_INDEX) {
      index ??= createHash('sha256');
      hashIndexPage(pages, page, at, type === INTERIOR_INDEX, index);
    }
    if (type === INTERIOR_TABLE || type === INTERIOR_INDEX) pushChildren(page, at, waiting);
    else if (type !== LEAF_TABLE && type !== LEAF_INDEX)
      throw new Error(`page ${number} is of no known type`);
  }
  return index !== undefined ? record(LOWEST, HIGHEST, index.digest()) : Buffer.concat(records);
}

type Tree = Pick<PageReader, 'pages' | 'usableSize' | 'read'>;

function record(first: bigint, last: bigint, digest: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(LEAF_BYTES);
  bytes.writeBigInt64LE(first, 0);
  bytes.writeBigInt64LE(last, 8);
  digest.copy(bytes, 16, 0, DIGEST_BYTES);
  return bytes;
}

function pushChildren(page: Buffer, at: number, waiting: number[]): void {
  waiting.push(page.readUInt32BE(at + 8));
  for (let cell = page.readUInt16BE(at + 3) - 1; cell >= 0; cell--)
    waiting.push(page.readUInt32BE(page.readUInt16BE(at + 12 + 2 * cell)));
}

function leafRecord(pages: Tree, page: Buffer, at: number): Buffer | undefined {
  const cells = page.readUInt16BE(at + 3);
  if (cells === 0) return undefined;
  const hash = createHash('sha256').update(page);
  const most = pages.usableSize - 35;
  for (let i = 0; i < cells; i++) {
    const pointer = at + 8 + 2 * i;
    const cell = ((page[pointer] as number) << 8) | (page[pointer + 1] as number);
    // A payload of so few bytes, or of any that fit, is all on this page.
    if ((page[cell] as number) < 0x80) continue;
    const [bytes, afterBytes] = varint(page, cell);
    if (bytes <= most) continue;
    const [, afterRowid] = varint(page, afterBytes);
    hashOverflow(pages, page, afterRowid + localBytes(pages, Number(bytes), most), hash);
  }
  const rowidOf = (i: number): bigint => {
    const [, afterBytes] = varint(page, page.readUInt16BE(at + 8 + 2 * i));
    return BigInt.asIntN(64, varint(page, afterBytes)[0]);
  };
  return record(rowidOf(0), rowidOf(cells - 1), hash.digest());
}

function hashIndexPage(
  pages: Tree,
  page: Buffer,
  at: number,
  isInterior: boolean,
  hash: ReturnType<typeof createHash>,
): void {
  hash.update(page);
  const most = Math.floor(((pages.usableSize - 12) * 64) / 255) - 23;
  for (let i = page.readUInt16BE(at + 3) - 1; i >= 0; i--) {
    const cell = page.readUInt16BE(at + (isInterior ? 12 : 8) + 2 * i) + (isInterior ? 4 : 0);
    const [bytes, after] = varint(page, cell);
    if (bytes > most) hashOverflow(pages, page, after + localBytes(pages, Number(bytes), most), hash);
  }
}

/** Of a payload that does not fit its page: how many bytes stand there. */
export function localBytes({ usableSize }: Pick<Tree, 'usableSize'>, bytes: number, most: number): number {
  const least = Math.floor(((usableSize - 12) * 32) / 255) - 23;
  const local = least + ((bytes - least) % (usableSize - 4));
  return local <= most ? local : least;
}

function hashOverflow(pages: Tree, page: Buffer, at: number, hash: ReturnType<typeof createHash>): void {
  let left = pages.pages;
  for (let next = page.readUInt32BE(at); next !== 0; ) {
    if (next > pages.pages || left-- <= 0) throw new Error(`page ${next} is in no chain`);
    const more = pages.read(next);
    hash.update(more);
    next = more.readUInt32BE(0);
  }
}

/** @returns the value, and where the next begins */
function varint(page: Buffer, at: number): readonly [bigint, number] {
  let value = 0n;
  for (let i = 0; i < 8; i++) {
    const byte = page[at + i] as number;
    value = (value << 7n) | BigInt(byte & 0x7f);
    if (byte < 0x80) return [value, at + i + 1];
  }
  return [(value << 8n) | BigInt(page[at + 8] as number), at + 9];
}

/** Rowids from and to, both included. */
export type Range = readonly [first: bigint, last: bigint];

export interface Changes {
  /** Outside of these both have the same rows. Ascending, apart from each other. */
  readonly ranges: readonly Range[];
  /** Share of the leaves that are now in the ranges, 0 to 1. */
  readonly share: number;
}

export function compareLeaves(before: Buffer, after: Buffer): Changes {
  const changed: [bigint, bigint][] = [];
  const counts = [before.length / LEAF_BYTES, after.length / LEAF_BYTES] as const;
  let [i, j] = [0, 0];
  while (i < counts[0] || j < counts[1]) {
    const old = i < counts[0] ? before.subarray(i * LEAF_BYTES, (i + 1) * LEAF_BYTES) : undefined;
    const now = j < counts[1] ? after.subarray(j * LEAF_BYTES, (j + 1) * LEAF_BYTES) : undefined;
    if (old !== undefined && now?.equals(old) === true) {
      i++;
      j++;
      continue;
    }
    const isOld = old !== undefined && (now === undefined || old.readBigInt64LE(0) <= now.readBigInt64LE(0));
    const leaf = (isOld ? old : now) as Buffer;
    changed.push([leaf.readBigInt64LE(0), leaf.readBigInt64LE(8)]);
    if (isOld) i++;
    else j++;
  }
  const ranges = mergeRanges(changed);
  let within = 0;
  let at = 0;
  for (let leaf = 0; leaf < after.length; leaf += LEAF_BYTES) {
    while (at < ranges.length && (ranges[at] as Range)[1] < after.readBigInt64LE(leaf)) at++;
    if (at < ranges.length && (ranges[at] as Range)[0] <= after.readBigInt64LE(leaf + 8)) within++;
  }
  return { ranges, share: within / Math.max(1, counts[1]) };
}

/** So few that each can stand in a statement; closing the smallest gaps loses nothing but time. */
const MAX_RANGES = 64;

function mergeRanges(changed: readonly Range[]): readonly Range[] {
  const sorted = [...changed].sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
  const merged: [bigint, bigint][] = [];
  for (const [first, last] of sorted) {
    const before = merged.at(-1);
    if (before !== undefined && first <= before[1] + 1n) {
      if (last > before[1]) before[1] = last;
    } else merged.push([first, last]);
  }
  if (merged.length <= MAX_RANGES) return merged;
  const gaps = merged.slice(1).map(([first], i) => first - (merged[i] as Range)[1]);
  const kept = new Set(
    gaps
      .map((gap, i) => [gap, i + 1] as const)
      .sort((a, b) => (a[0] > b[0] ? -1 : 1))
      .slice(0, MAX_RANGES - 1)
      .map(([, i]) => i),
  );
  const few: [bigint, bigint][] = [];
  for (const [i, [first, last]] of merged.entries()) {
    const before = few.at(-1);
    if (before === undefined || kept.has(i)) few.push([first, last]);
    else before[1] = last;
  }
  return few;
}
