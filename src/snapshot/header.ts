// Reads the heads of a snapshot's files without their engines: is it one, can the engine's release read it, is it
// whole. It does not look at the blocks of a DuckDB file; the engine checks their sums when it reads them.
import { open } from 'node:fs/promises';

/** Storage versions that DuckDB 1.5 reads: 64 is of 1.0, 68 its own, 69 that of 2.0. */
const OLDEST_STORAGE = 64n;
const NEWEST_STORAGE = 68n;

const HEADER_BYTES = 4096;
/** The main header and two database headers that take turns; blocks follow. */
const HEADERS = 3;
const MAGIC_AT = 8;
const VERSION_AT = 12;
const RELEASE_AT = 52;
// Within a database header, after its checksum:
const ITERATION_AT = 8;
const BLOCK_COUNT_AT = 32;
const BLOCK_SIZE_AT = 40;

/** What is wrong with columns.duckdb, in words for an operator; undefined where nothing is. */
export async function faultOfColumns(path: string): Promise<string | undefined> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const head = Buffer.alloc(HEADER_BYTES * HEADERS);
    const { bytesRead } = await file.read(head, 0, head.length, 0);
    if (bytesRead >= VERSION_AT + 8 && head.toString('latin1', MAGIC_AT, MAGIC_AT + 4) !== 'DUCK')
      return 'is damaged: its columns.duckdb is not a DuckDB file';
    if (bytesRead < head.length) return `is half-written: columns.duckdb has only ${size} bytes`;
    const version = head.readBigUInt64LE(VERSION_AT);
    if (version > NEWEST_STORAGE)
      return `was written by a newer DuckDB (storage version ${version}, ${release(head)}; this program reads up to ${NEWEST_STORAGE})`;
    if (version < OLDEST_STORAGE)
      return `was written by a DuckDB that is too old (storage version ${version}, at least ${OLDEST_STORAGE} is needed)`;
    const needed = sizeOfBlocks(head);
    if (needed === undefined) return 'is damaged: the checksum of the header of columns.duckdb is wrong';
    return size < needed ? `is half-written: columns.duckdb has ${size} of ${needed} bytes` : undefined;
  } finally {
    await file.close();
  }
}

const SQLITE_HEADER_BYTES = 100;
const SQLITE_MAGIC = 'SQLite format 3\0';
/** File format versions of a database without a write-ahead log, for writers and for readers. */
const NO_WAL = 1;

/** What is wrong with rows.sqlite, in words for an operator; undefined where nothing is. */
export async function faultOfRows(path: string): Promise<string | undefined> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const head = Buffer.alloc(SQLITE_HEADER_BYTES);
    const { bytesRead } = await file.read(head, 0, head.length, 0);
    if (bytesRead < head.length) return `is half-written: rows.sqlite has only ${size} bytes`;
    if (head.toString('latin1', 0, SQLITE_MAGIC.length) !== SQLITE_MAGIC)
      return 'is damaged: its rows.sqlite is not a SQLite database';
    if (head[18] !== NO_WAL || head[19] !== NO_WAL)
      return 'is damaged: its rows.sqlite wants a write-ahead log';
    const pageSize = head.readUInt16BE(16) === 1 ? 65536 : head.readUInt16BE(16);
    const needed = head.readUInt32BE(28) * pageSize;
    return size < needed ? `is half-written: rows.sqlite has ${size} of ${needed} bytes` : undefined;
  } finally {
    await file.close();
  }
}

/**
 * Lengthens a closed file to what its header says. The engine cuts free blocks off the end after it wrote how
 * many there are; nobody reads those blocks, but without them a whole file cannot be told from a half-written one.
 */
export async function restoreSize(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    const head = Buffer.alloc(HEADER_BYTES * HEADERS);
    await file.read(head, 0, head.length, 0);
    const needed = sizeOfBlocks(head);
    if (needed !== undefined && (await file.stat()).size < needed) await file.truncate(needed);
  } finally {
    await file.close();
  }
}

/** Undefined where no header is whole. */
function sizeOfBlocks(head: Buffer): number | undefined {
  const headers = [0, 1, 2].map((index) => head.subarray(index * HEADER_BYTES, (index + 1) * HEADER_BYTES));
  const whole = headers.map((header) => header.readBigUInt64LE(0) === checksum(header.subarray(8)));
  // The database header of the higher iteration counts; the engine falls back to the other one.
  const valid = headers.slice(1).filter((_, index) => whole[index + 1]);
  const current = valid.sort((a, b) => (iteration(a) < iteration(b) ? 1 : -1))[0];
  if (!whole[0] || current === undefined) return undefined;
  const blocks =
    Number(current.readBigUInt64LE(BLOCK_COUNT_AT)) * Number(current.readBigUInt64LE(BLOCK_SIZE_AT));
  return HEADER_BYTES * HEADERS + blocks;
}

function iteration(header: Buffer): bigint {
  return header.readBigUInt64LE(ITERATION_AT);
}

/** DuckDB's checksum of whole 64-bit words (storage/checksum.cpp). */
function checksum(bytes: Buffer): bigint {
  let sum = 5381n;
  for (let at = 0; at < bytes.length; at += 8)
    sum ^= BigInt.asUintN(64, bytes.readBigUInt64LE(at) * 0xbf58476d1ce4e5b9n);
  return sum;
}

function release(head: Buffer): string {
  return /^v[0-9A-Za-z.-]{1,30}/.exec(head.toString('latin1', RELEASE_AT, RELEASE_AT + 32))?.[0] ?? 'unknown';
}
