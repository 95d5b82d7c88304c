// Appends rows to one table of the snapshot that is being built, a chunk of columns at a time. Rows stay in the
// order in which they come.

import { type DuckDBAppender, type DuckDBConnection, DuckDBDataChunk } from '@duckdb/node-api';
import duckdb from '@duckdb/node-bindings';
import {
  CHUNK_ROWS,
  type ColumnBuffer,
  createColumnBuffer,
  DUCKDB_TYPES,
  type Kind,
} from './column-buffer.ts';

const CHUNK_BYTES = 16 * 1024 * 1024;
const HELD_BYTES = 128 * 1024 * 1024;

export class TableWriter {
  readonly columns: readonly ColumnBuffer[];
  readonly #appender: DuckDBAppender;
  readonly #chunk: DuckDBDataChunk;
  /** Row of the chunk that is being filled. */
  row = 0;
  /** Rows of all chunks before this one. */
  #appended = 0;
  /** Of the values in the chunk, and of those that the appender holds back. */
  #bytes = 0;
  #held = 0;

  private constructor(appender: DuckDBAppender, kinds: readonly Kind[]) {
    this.#appender = appender;
    this.#chunk = DuckDBDataChunk.create(kinds.map((kind) => DUCKDB_TYPES[kind]));
    this.columns = kinds.map(createColumnBuffer);
  }

  /** @param kinds of the table's columns in order; the table exists already */
  static async open(
    connection: DuckDBConnection,
    table: string,
    kinds: readonly Kind[],
  ): Promise<TableWriter> {
    return new TableWriter(await connection.createAppender(table, 'main'), kinds);
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
    this.#bytes += bytes;
    if (this.row === CHUNK_ROWS || this.#bytes > CHUNK_BYTES) this.#append();
  }

  /** Writes what is left. Not calling it drops what was appended since the last flush. */
  finish(): void {
    if (this.row > 0) this.#append();
    this.#appender.flushSync();
    this.#appender.closeSync();
  }

  #append(): void {
    const { chunk } = this.#chunk;
    duckdb.data_chunk_reset(chunk);
    for (const [index, column] of this.columns.entries())
      column.flush(duckdb.data_chunk_get_vector(chunk, index), this.row);
    duckdb.data_chunk_set_size(chunk, this.row);
    this.#appender.appendDataChunk(this.#chunk);
    this.#appended += this.row;
    this.row = 0;
    this.#held += this.#bytes;
    this.#bytes = 0;
    // The appender gathers 204,800 rows, however large, before it writes them out by itself.
    if (this.#held > HELD_BYTES) {
      this.#appender.flushSync();
      this.#held = 0;
    }
  }
}
