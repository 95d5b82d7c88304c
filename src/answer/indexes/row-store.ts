// Rows as they are written in an answer, one after the other in blocks, each with the values by which it is found.
// A run of rows is a run of bytes. Knows nothing of how rows are found.
import { isAscii } from 'node:buffer';
import { TEXT_BYTES } from '../../frames.ts';
import type { IndexBlock } from '../../index-block.ts';
import type { IndexDefinition, Limits } from '../../protocol.ts';

export type Value = number | string;

export interface StoredBlock extends IndexBlock {
  /** Number of its first row. */
  readonly first: number;
  readonly ascii: boolean;
}

/** One block after the other. */
export type RowStore = readonly StoredBlock[];

export interface FoundRows {
  readonly rows: number;
  /** A string is ASCII. */
  readonly body: Uint8Array | string;
  /** More of the body, in parts; see protocol.ts `Answered`. */
  readonly rest?: AsyncIterable<Uint8Array>;
}

/** First row and one past the last, of each run in turn. */
export type Runs = readonly number[];

/** @param first number of its first row */
export function storedBlock(block: IndexBlock, first: number): StoredBlock {
  return { ...block, first, ascii: isAscii(block.bytes) };
}

export function rowCount(store: RowStore): number {
  const last = store.at(-1);
  return last === undefined ? 0 : last.first + last.rows;
}

/** The block that holds the row. */
export function blockAt(store: RowStore, row: number): StoredBlock {
  return store[blockOf(store, row)] as StoredBlock;
}

/** Place of the block that holds the row. */
function blockOf(store: RowStore, row: number): number {
  let low = 0;
  let high = store.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((store[middle] as StoredBlock).first <= row) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Bytes of one block. */
interface Piece {
  readonly block: StoredBlock;
  readonly from: number;
  readonly to: number;
}

/** The answer that has these rows, in parts where it passes `partBytes`; undefined where it passes a limit. */
export function writeRuns(
  store: RowStore,
  runs: Runs,
  { open, close, separatorBytes }: IndexDefinition,
  { maxRows, maxBytes }: Limits,
  partBytes: number,
): FoundRows | undefined {
  const pieces: Piece[] = [];
  let bytes = Buffer.byteLength(open) + close.length;
  let rows = 0;
  for (let i = 0; i < runs.length; i += 2) {
    const end = runs[i + 1] as number;
    let row = runs[i] as number;
    for (let at = blockOf(store, row); row < end; at++) {
      const block = store[at] as StoredBlock;
      const stop = Math.min(end, block.first + block.rows);
      const from = row === block.first ? 0 : (block.ends[row - block.first - 1] as number);
      const to = (block.ends[stop - block.first - 1] as number) - (stop === runs.at(-1) ? separatorBytes : 0);
      pieces.push({ block, from, to });
      bytes += to - from;
      rows += stop - row;
      row = stop;
    }
    if (rows > maxRows || bytes > maxBytes) return undefined;
  }
  if (bytes > partBytes) return inParts(pieces, open, close, rows, partBytes);
  return { rows, body: textOf(pieces, open, close, bytes) ?? bytesOf(pieces, open, close) };
}

function inParts(
  pieces: readonly Piece[],
  open: string,
  close: string,
  rows: number,
  partBytes: number,
): FoundRows {
  const parts = partsOf(pieces, open, close, partBytes);
  const first = parts.next().value ?? '';
  async function* others(): AsyncGenerator<Uint8Array, void, void> {
    yield* parts;
  }
  return { rows, body: first, rest: others() };
}

/** Copies: whoever sends a part gives its memory back. */
function* partsOf(
  pieces: readonly Piece[],
  open: string,
  close: string,
  partBytes: number,
): Generator<Uint8Array, void, void> {
  let part: Buffer[] = [Buffer.from(open)];
  let size = part[0]?.length ?? 0;
  for (const { block, from, to } of pieces)
    for (let at = from; at < to; ) {
      // What stands before the rows may be a part by itself.
      const end = Math.min(to, at + Math.max(1, partBytes - size));
      part.push(block.bytes.subarray(at, end));
      size += end - at;
      at = end;
      if (size < partBytes) continue;
      yield Buffer.concat(part);
      part = [];
      size = 0;
    }
  yield Buffer.concat([...part, Buffer.from(close)]);
}

function textOf(pieces: readonly Piece[], open: string, close: string, bytes: number): string | undefined {
  if (bytes > TEXT_BYTES || !isAsciiText(open)) return undefined;
  let text = open;
  for (const { block, from, to } of pieces) {
    if (!block.ascii && !isAscii(block.bytes.subarray(from, to))) return undefined;
    text += block.bytes.toString('latin1', from, to);
  }
  return text + close;
}

/** The names of columns may be none. */
function isAsciiText(text: string): boolean {
  return text.length < 3 || Buffer.byteLength(text) === text.length;
}

function bytesOf(pieces: readonly Piece[], open: string, close: string): Uint8Array {
  const parts = pieces.map(({ block, from, to }) => block.bytes.subarray(from, to));
  return Buffer.concat([Buffer.from(open), ...parts, Buffer.from(close)]);
}
