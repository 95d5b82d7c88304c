// Appends rows to one table of DuckDB, a chunk of columns at a time. Rows stay in the order in which they come.
import duckdb, { type DataChunk } from '@duckdb/node-bindings';
import {
  CHUNK_ROWS,
  type ColumnBuffer,
  createChunk,
  createColumnBuffer,
  type Kind,
} from './column-buffer.ts';

/** The engine's appender, as the API of whoever opened the table has it. */
export interface Appender {
  append(chunk: DataChunk): void;
  flush(): void;
  close(): void;
}

const CHUNK_BYTES = 16 * 1024 * 1024;
const HELD_BYTES = 128 * 1024 * 1024;

export class TableWriter {
  readonly columns: readonly ColumnBuffer[];
  readonly #appender: Appender;
  readonly #chunk: DataChunk;
  /** Row of the chunk that is being filled. */
  row = 0;
  /** Rows of all chunks before this one. */
  #appended = 0;
  /** Of all texts and blobs. */
  valueBytes = 0;
  /** Of the values in the chunk, and of those that the appender holds back. */
  #bytes = 0;
  #held = 0;

  /** @param kinds of the table's columns in order; the table exists already */
  constructor(appender: Appender, kinds: readonly Kind[]) {
    this.#appender = appender;
    this.#chunk = createChunk(kinds);
    this.columns = kinds.map(createColumnBuffer);
  }

  get rows(): number {
    return this.#appended + this.row;
  }

  /**
   * The current row is whole: go on with the next.
   * @param bytes of its texts and blobs, so that memory stays bounded whatever the size of a value
   */
  endRow(bytes: number): void {
    this.row++;
    this.valueBytes += bytes;
    this.#bytes += bytes;
    if (this.row === CHUNK_ROWS || this.#bytes > CHUNK_BYTES) this.#append();
  }

  /** Writes what is left. Not calling it drops what was appended since the last flush. */
  finish(): void {
    if (this.row > 0) this.#append();
    this.#appender.flush();
    this.#appender.close();
  }

  #append(): void {
    const chunk = this.#chunk;
    duckdb.data_chunk_reset(chunk);
    for (const [index, column] of this.columns.entries())
      column.flush(duckdb.data_chunk_get_vector(chunk, index), this.row);
    duckdb.data_chunk_set_size(chunk, this.row);
    this.#appender.append(chunk);
    this.#appended += this.row;
    this.row = 0;
    this.#held += this.#bytes;
    this.#bytes = 0;
    // The appender gathers 204,800 rows, however large, before it writes them out by itself.
    if (this.#held > HELD_BYTES) {
      this.#appender.flush();
      this.#held = 0;
    }
  }
}
