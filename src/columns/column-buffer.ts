// One column of a chunk, filled value by value and handed to the engine's vector in one copy. Lays out numbers,
// validity and short texts as DuckDB keeps them; this is several times faster than its appender's calls a cell.

import duckdb, { type DataChunk, type LogicalType, type Vector } from '@duckdb/node-bindings';

export type Kind = 'integer' | 'real' | 'text' | 'blob' | 'any';
/** As SQLite gives it: integers as bigint where they may pass 2^53. */
export type SqlValue = number | bigint | string | Uint8Array | null;

/** Rows of a chunk; the engine's own vector size. */
export const CHUNK_ROWS = duckdb.vector_size();

export interface ColumnBuffer {
  /**
   * @returns the bytes of the value where it is a text (in UTF-8) or a blob, else 0
   * @throws Misfit where the value is not of the column's kind
   */
  put(row: number, value: SqlValue): number;
  /** Writes the rows into the vector, which was reset, and starts anew. */
  flush(vector: Vector, rows: number): void;
}

/** A value that is not of its column's kind. */
export class Misfit extends Error {}

/** As they are written in a CREATE TABLE. */
export const DUCKDB_TYPES: Readonly<Record<Kind, string>> = {
  integer: 'BIGINT',
  real: 'DOUBLE',
  text: 'VARCHAR',
  blob: 'BLOB',
  any: 'UNION(i BIGINT, r DOUBLE, t VARCHAR, b BLOB)',
};

/** An empty chunk for rows of these kinds. */
export function createChunk(kinds: readonly Kind[]): DataChunk {
  return duckdb.create_data_chunk(kinds.map(logicalType));
}

const LOGICAL = {
  integer: duckdb.Type.BIGINT,
  real: duckdb.Type.DOUBLE,
  text: duckdb.Type.VARCHAR,
  blob: duckdb.Type.BLOB,
} as const;
const MEMBERS = ['integer', 'real', 'text', 'blob'] as const;

function logicalType(kind: Kind): LogicalType {
  return kind === 'any'
    ? duckdb.create_union_type(
        MEMBERS.map((member) => duckdb.create_logical_type(LOGICAL[member])),
        ['i', 'r', 't', 'b'],
      )
    : duckdb.create_logical_type(LOGICAL[kind]);
}

export function createColumnBuffer(kind: Kind): ColumnBuffer {
  return MAKERS[kind]();
}

const MAKERS: Readonly<Record<Kind, () => ColumnBuffer>> = {
  integer: () => new IntegerBuffer(),
  real: () => new RealBuffer(),
  text: () => new TextBuffer(),
  blob: () => new BlobBuffer(),
  any: () => new AnyBuffer(),
};

/** Which rows are not NULL, one bit each. */
class Validity {
  readonly #bits = new Uint8Array(CHUNK_ROWS / 8);

  set(row: number): void {
    const at = row >> 3;
    this.#bits[at] = (this.#bits[at] as number) | (1 << (row & 7));
  }
  flush(vector: Vector): void {
    duckdb.vector_ensure_validity_writable(vector);
    duckdb.copy_data_to_vector_validity(vector, 0, this.#bits.buffer as ArrayBuffer, 0, this.#bits.length);
    this.#bits.fill(0);
  }
}

const TWO_32 = 2 ** 32;

class IntegerBuffer implements ColumnBuffer {
  readonly #values = new BigInt64Array(CHUNK_ROWS);
  /** The same memory in halves, little-endian as everywhere DuckDB runs: no BigInt has to be made. */
  readonly #halves = new Uint32Array(this.#values.buffer);
  readonly #validity = new Validity();

  put(row: number, value: SqlValue): number {
    if (value === null) return 0;
    if (typeof value === 'number') {
      if (!Number.isInteger(value)) throw new Misfit('real');
      this.#halves[2 * row] = value;
      this.#halves[2 * row + 1] = Math.floor(value / TWO_32);
    } else if (typeof value === 'bigint') {
      this.#values[row] = value;
    } else throw new Misfit(typeof value === 'string' ? 'text' : 'blob');
    this.#validity.set(row);
    return 0;
  }
  flush(vector: Vector, rows: number): void {
    duckdb.copy_data_to_vector(vector, 0, this.#values.buffer, 0, rows * 8);
    this.#validity.flush(vector);
  }
}

class RealBuffer implements ColumnBuffer {
  readonly #values = new Float64Array(CHUNK_ROWS);
  readonly #validity = new Validity();

  put(row: number, value: SqlValue): number {
    if (value === null) return 0;
    if (typeof value !== 'number' && typeof value !== 'bigint')
      throw new Misfit(typeof value === 'string' ? 'text' : 'blob');
    this.#values[row] = Number(value);
    this.#validity.set(row);
    return 0;
  }
  flush(vector: Vector, rows: number): void {
    duckdb.copy_data_to_vector(vector, 0, this.#values.buffer, 0, rows * 8);
    this.#validity.flush(vector);
  }
}

/** DuckDB's string: 16 bytes, the length in four, then up to twelve bytes in place or a pointer. */
const STRING_BYTES = 16;
const INLINE = 12;
/** ASCII up to this length is copied faster here than by a call of the encoder. */
const BY_HAND = 64;
const encoder = new TextEncoder();

/** Short strings are laid out here, long ones collected and given to the engine one by one. */
class Strings {
  readonly #bytes = new Uint8Array(CHUNK_ROWS * STRING_BYTES);
  readonly #lengths = new Uint32Array(this.#bytes.buffer);
  readonly #validity = new Validity();
  #heap = new Uint8Array(1 << 16);
  #used = 0;
  /** Row and place in the heap of each long string. */
  readonly #long: number[] = [];

  /** UTF-8; a lone surrogate, which has none, becomes U+FFFD. */
  text(row: number, value: string): number {
    this.#validity.set(row);
    const { length } = value;
    if (length <= INLINE) {
      const bytes = this.#bytes;
      const start = row * STRING_BYTES + 4;
      let at = 0;
      for (; at < length; at++) {
        const code = value.charCodeAt(at);
        if (code > 127) break;
        bytes[start + at] = code;
      }
      if (at === length) return this.#finishInline(row, length);
    }
    this.#reserve(length * 3);
    if (length <= BY_HAND) {
      const heap = this.#heap;
      const start = this.#used;
      let at = 0;
      for (; at < length; at++) {
        const code = value.charCodeAt(at);
        if (code > 127) break;
        heap[start + at] = code;
      }
      if (at === length) return this.#take(row, length);
    }
    const { written } = encoder.encodeInto(value, this.#heap.subarray(this.#used));
    return this.#take(row, written);
  }
  blob(row: number, value: Uint8Array): number {
    this.#validity.set(row);
    this.#reserve(value.length);
    this.#heap.set(value, this.#used);
    return this.#take(row, value.length);
  }
  flush(vector: Vector, rows: number): void {
    duckdb.copy_data_to_vector(vector, 0, this.#bytes.buffer, 0, rows * STRING_BYTES);
    const long = this.#long;
    for (let i = 0; i < long.length; i += 3)
      duckdb.vector_assign_string_element_len(
        vector,
        long[i] as number,
        this.#heap.subarray(long[i + 1], long[i + 2]),
      );
    this.#validity.flush(vector);
    this.#long.length = 0;
    this.#used = 0;
    // One chunk of huge values must not hold its memory for the rest of the import.
    if (this.#heap.length > 1 << 24) this.#heap = new Uint8Array(1 << 16);
  }

  #finishInline(row: number, length: number): number {
    this.#lengths[row * 4] = length;
    // What is behind a short string is compared with it, so it must be zero.
    for (let at = length; at < INLINE; at++) this.#bytes[row * STRING_BYTES + 4 + at] = 0;
    return length;
  }
  /** The value is in the heap behind what is used. */
  #take(row: number, length: number): number {
    if (length <= INLINE) {
      const start = row * STRING_BYTES + 4;
      for (let at = 0; at < length; at++) this.#bytes[start + at] = this.#heap[this.#used + at] as number;
      return this.#finishInline(row, length);
    }
    // The engine overwrites this; until then it is an empty string and no wild pointer.
    this.#lengths[row * 4] = 0;
    this.#long.push(row, this.#used, this.#used + length);
    this.#used += length;
    return length;
  }
  #reserve(bytes: number): void {
    if (this.#used + bytes <= this.#heap.length) return;
    const larger = new Uint8Array((this.#used + bytes) * 2);
    larger.set(this.#heap.subarray(0, this.#used));
    this.#heap = larger;
  }
}

class TextBuffer implements ColumnBuffer {
  readonly #strings = new Strings();

  put(row: number, value: SqlValue): number {
    if (typeof value === 'string') return this.#strings.text(row, value);
    if (value === null) return 0;
    throw new Misfit(value instanceof Uint8Array ? 'blob' : 'number');
  }
  flush(vector: Vector, rows: number): void {
    this.#strings.flush(vector, rows);
  }
}

class BlobBuffer implements ColumnBuffer {
  readonly #strings = new Strings();

  put(row: number, value: SqlValue): number {
    if (value === null) return 0;
    if (!(value instanceof Uint8Array)) throw new Misfit(typeof value === 'string' ? 'text' : 'number');
    return this.#strings.blob(row, value);
  }
  flush(vector: Vector, rows: number): void {
    this.#strings.flush(vector, rows);
  }
}

/** UNION(i, r, t, b): a struct of a tag and the four members, of which one is not NULL. */
class AnyBuffer implements ColumnBuffer {
  readonly #tags = new Uint8Array(CHUNK_ROWS);
  readonly #valid = new Validity();
  readonly #tagValid = new Validity();
  readonly #members = [new IntegerBuffer(), new RealBuffer(), new TextBuffer(), new BlobBuffer()] as const;

  put(row: number, value: SqlValue): number {
    if (value === null) return 0;
    this.#valid.set(row);
    this.#tagValid.set(row);
    const tag =
      typeof value === 'bigint' ? 0 : typeof value === 'number' ? 1 : typeof value === 'string' ? 2 : 3;
    this.#tags[row] = tag;
    return this.#members[tag].put(row, value);
  }
  flush(vector: Vector, rows: number): void {
    this.#valid.flush(vector);
    const tags = duckdb.struct_vector_get_child(vector, 0);
    duckdb.copy_data_to_vector(tags, 0, this.#tags.buffer, 0, rows);
    this.#tagValid.flush(tags);
    for (const [index, member] of this.#members.entries())
      member.flush(duckdb.struct_vector_get_child(vector, index + 1), rows);
  }
}
