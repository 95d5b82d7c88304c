// Rows of several chunks gathered column by column, in the memory layout that Arrow defines and Parquet is near
// to: bitmaps of what is not NULL, eight bytes a number, texts one after the other. Writes no file format.
import { type ColumnData, isNull, type Texts } from './column-data.ts';

/** The kinds that a column of one type can have; `any` is none. */
export type BatchKind = Exclude<ColumnData['kind'], 'any'>;

/** One column of the batch. `rows` of the batch tells how much of each is filled. */
export interface BatchColumn {
  readonly kind: BatchKind;
  nulls: number;
  /** A bit a row, the lowest first: 1 where it is not NULL. */
  valid: Uint8Array;
  /** integer, real: eight bytes a row, little endian, zero where NULL. text, blob: all bytes of all rows. */
  values: Uint8Array;
  /** Bytes of `values` that are filled. */
  used: number;
  /** text, blob: where each row ends in `values`, after a leading 0. */
  ends: Int32Array;
}

export interface ColumnBatch {
  readonly columns: readonly BatchColumn[];
  rows: number;
  /** Memory that is filled, about: what limits on the size of a result must know. */
  bytes: number;
}

/** Room of an empty column; grown by doubling and kept from batch to batch. */
const FIRST_ROWS = 2048;

export function createBatch(kinds: readonly BatchKind[]): ColumnBatch {
  return {
    columns: kinds.map((kind) => ({
      kind,
      nulls: 0,
      valid: new Uint8Array(FIRST_ROWS / 8),
      values: new Uint8Array(FIRST_ROWS * 8),
      used: 0,
      ends: new Int32Array(isFixed(kind) ? 0 : FIRST_ROWS + 1),
    })),
    rows: 0,
    bytes: 0,
  };
}

export function isFixed(kind: BatchKind): boolean {
  return kind === 'integer' || kind === 'real';
}

/** @param columns of one chunk, in the batch's order and of its kinds */
export function appendChunk(batch: ColumnBatch, columns: readonly ColumnData[], rows: number): void {
  batch.columns.forEach((into, index) => {
    const from = columns[index] as ColumnData;
    const before = into.used;
    markValid(into, batch.rows, from.validity, rows);
    if (from.kind === 'integer') appendNumbers(into, from.halves, from.validity, rows);
    else if (from.kind === 'real') appendNumbers(into, from.values, from.validity, rows);
    else if (from.kind !== 'any') appendTexts(into, batch.rows, from.texts, rows);
    batch.bytes += into.used - before + (isFixed(into.kind) ? 0 : 4 * rows);
  });
  batch.rows += rows;
}

/** Keeps the memory for the next rows. */
export function emptyBatch(batch: ColumnBatch): void {
  for (const column of batch.columns) {
    column.nulls = 0;
    column.used = 0;
    column.valid.fill(0);
  }
  batch.rows = 0;
  batch.bytes = 0;
}

function markValid(into: BatchColumn, base: number, validity: Uint8Array | null, rows: number): void {
  into.valid = grown(into.valid, (base + rows + 7) >> 3);
  const { valid } = into;
  for (let row = 0; row < rows; row++) {
    const at = base + row;
    if (isNull(validity, row)) into.nulls++;
    else valid[at >> 3] = (valid[at >> 3] as number) | (1 << (at & 7));
  }
}

function appendNumbers(
  into: BatchColumn,
  numbers: Int32Array | Float64Array,
  validity: Uint8Array | null,
  rows: number,
): void {
  const bytes = rows * 8;
  into.values = grown(into.values, into.used + bytes);
  into.values.set(new Uint8Array(numbers.buffer, numbers.byteOffset, bytes), into.used);
  if (validity !== null)
    for (let row = 0; row < rows; row++)
      // What the engine's memory holds in place of a NULL is not for clients.
      if (isNull(validity, row)) into.values.fill(0, into.used + row * 8, into.used + row * 8 + 8);
  into.used += bytes;
}

function appendTexts(into: BatchColumn, base: number, texts: Texts, rows: number): void {
  if (into.ends.length < base + rows + 1) {
    const ends = new Int32Array(Math.max(base + rows + 1, into.ends.length * 2));
    ends.set(into.ends);
    into.ends = ends;
  }
  const { ends } = into;
  let end = into.used;
  let first = -1;
  for (let row = 0; row < rows; row++) {
    const length = texts.lengths[row] as number;
    if (length > 0 && first < 0) first = texts.starts[row] as number;
    end += length;
    ends[base + row + 1] = end;
  }
  const bytes = end - into.used;
  if (bytes === 0) return;
  into.values = grown(into.values, end);
  into.values.set(texts.bytes.subarray(first, first + bytes), into.used);
  into.used = end;
}

function grown(bytes: Uint8Array, needed: number): Uint8Array {
  if (needed <= bytes.length) return bytes;
  const larger = new Uint8Array(Math.max(needed, bytes.length * 2));
  larger.set(bytes);
  return larger;
}
