// A chunk of the engine's result as columns of plain memory. Texts are made of few large reads: the engine lays a
// chunk's strings one after the other, so that runs of them are read at once (25 reads for 10,000 rows, not 10,000).
import duckdb, { type DataChunk, type Vector } from '@duckdb/node-bindings';
import type { ColumnKind } from '../dialect/plan.ts';
import { memoryOf } from '../encode/byte-writer.ts';
import { type ColumnData, isNull, type Texts } from '../encode/column-data.ts';

const MEMBERS = ['integer', 'real', 'text', 'blob'] as const;
/** Bytes of the engine's string_t: u32 length, then up to 12 bytes inline or 4 bytes of prefix and a pointer. */
const STRING_BYTES = 16;
const INLINE_BYTES = 12;

/**
 * Texts of one chunk at a time are copied here, so that chunks make no garbage. Good until the next call of
 * readColumns: whoever keeps a text copies it.
 */
let arena = memoryOf(new Uint8Array(256 * 1024));
let arenaUsed = 0;
/** An arena that huge texts left behind is dropped. */
const KEEP_ARENA_BYTES = 8 * 1024 * 1024;

function takeArena(bytes: number): number {
  const { length } = arena.bytes;
  if (arenaUsed === 0 && length > KEEP_ARENA_BYTES && bytes < KEEP_ARENA_BYTES / 4)
    arena = memoryOf(new Uint8Array(KEEP_ARENA_BYTES / 4));
  if (arenaUsed + bytes > arena.bytes.length) {
    // Columns that were read before keep the old one.
    arena = memoryOf(new Uint8Array(Math.max(bytes, length * 2)));
    arenaUsed = 0;
  }
  const start = arenaUsed;
  arenaUsed += bytes;
  return start;
}

/** Where the texts of each column of one chunk start, and how long they are: kept for the next chunk, as the arena is. */
const spans: Pick<Texts, 'starts' | 'lengths'>[] = [];
let spansUsed = 0;
/** Columns of more are seldom read. */
const KEEP_SPANS = 64;

function takeSpans(rows: number): Pick<Texts, 'starts' | 'lengths'> {
  const kept = spans[spansUsed];
  const taken =
    kept !== undefined && kept.starts.length >= rows
      ? kept
      : { starts: new Int32Array(rows), lengths: new Int32Array(rows) };
  if (spansUsed < KEEP_SPANS) spans[spansUsed++] = taken;
  return taken;
}

/** The chunk must stay referenced while what this gives is read: it is the chunk's memory. */
export function readColumns(chunk: DataChunk, kinds: readonly ColumnKind[]): ColumnData[] {
  arenaUsed = 0;
  spansUsed = 0;
  const rows = duckdb.data_chunk_get_size(chunk);
  return kinds.map((kind, index) => readVector(duckdb.data_chunk_get_vector(chunk, index), kind, rows));
}

export function chunkRows(chunk: DataChunk): number {
  return duckdb.data_chunk_get_size(chunk);
}

function readVector(vector: Vector, kind: ColumnKind, rows: number): ColumnData {
  // The engine gives null where every row is valid, whatever the binding's type says.
  const validity = duckdb.vector_get_validity(vector, Math.ceil(rows / 64) * 8) as Uint8Array | null;
  if (kind === 'any') {
    const tags = duckdb.vector_get_data(duckdb.struct_vector_get_child(vector, 0), rows);
    const members = MEMBERS.map((member, index) =>
      readVector(duckdb.struct_vector_get_child(vector, index + 1), member, rows),
    );
    return { kind, validity, tags, members };
  }
  if (kind === 'integer') {
    const data = duckdb.vector_get_data(vector, rows * 8);
    return { kind, validity, halves: new Int32Array(data.buffer, data.byteOffset, rows * 2) };
  }
  if (kind === 'real') {
    const data = duckdb.vector_get_data(vector, rows * 8);
    return { kind, validity, values: new Float64Array(data.buffer, data.byteOffset, rows) };
  }
  return { kind, validity, texts: readTexts(vector, validity, rows) };
}

function readTexts(vector: Vector, validity: Uint8Array | null, rows: number): Texts {
  const data = duckdb.vector_get_data(vector, rows * STRING_BYTES);
  const words = new Uint32Array(data.buffer, data.byteOffset, rows * 4);
  const { starts, lengths } = takeSpans(rows);
  let total = 0;
  for (let row = 0; row < rows; row++) {
    // What a NULL's place holds is not ours to read.
    const length = isNull(validity, row) ? 0 : (words[row * 4] as number);
    starts[row] = total;
    lengths[row] = length;
    total += length;
  }
  if (total > 0x7fffffff) throw new RangeError('texts of one chunk pass 2 GiB');
  const base = takeArena(total + INLINE_BYTES);
  const { bytes, view } = arena;
  for (let row = 0; row < rows; row++) starts[row] = (starts[row] as number) + base;
  let row = 0;
  while (row < rows) {
    const length = lengths[row] as number;
    if (length <= INLINE_BYTES) {
      // What is copied behind its end is written over by the next one.
      const at = starts[row] as number;
      if (length > 0) view.setUint32(at, words[row * 4 + 1] as number, true);
      if (length > 4) {
        view.setUint32(at + 4, words[row * 4 + 2] as number, true);
        view.setUint32(at + 8, words[row * 4 + 3] as number, true);
      }
      row++;
      continue;
    }
    // A run: each text starts in memory where the one before ended. NULLs and inline texts end it.
    const first = row;
    let runBytes = length;
    let low = (words[row * 4 + 2] as number) + length;
    let high = words[row * 4 + 3] as number;
    row++;
    while (row < rows) {
      if (low >= 0x1_0000_0000) {
        low -= 0x1_0000_0000;
        high += 1;
      }
      const next = lengths[row] as number;
      if (next <= INLINE_BYTES || words[row * 4 + 2] !== low || words[row * 4 + 3] !== high) break;
      runBytes += next;
      low += next;
      row++;
    }
    bytes.set(
      duckdb.get_data_from_pointer(
        data.buffer as ArrayBuffer,
        data.byteOffset + first * STRING_BYTES + 8,
        runBytes,
      ),
      starts[first] as number,
    );
  }
  return { bytes, view, starts, lengths };
}

/** A chunk's memory must not be freed while it is read, and an optimizer sees no use of it after the first. */
export let held: DataChunk | undefined;

/** Gives the chunk's columns to whoever reads them, and their number of rows. */
export function withColumns(
  chunk: DataChunk,
  kinds: readonly ColumnKind[],
  read: (columns: readonly ColumnData[], rows: number) => void,
): void {
  held = chunk;
  read(readColumns(chunk, kinds), chunkRows(chunk));
  held = undefined;
}
