// The engine's C interface as this worker uses it: one instance, a connection, results as chunks of raw
// vectors. Below the comfortable API on purpose: a hop to libuv's pool costs 20 us and JavaScript values of
// every cell cost more than the statement (FACTS: 264 ms against 36 ms for 100,000 rows).
import duckdb, {
  type Connection,
  type Database,
  type DataChunk,
  type PreparedStatement,
  type Result,
} from '@duckdb/node-bindings';

import type { Appender } from '../columns/table-writer.ts';

export type { DataChunk } from '@duckdb/node-bindings';

export interface EngineConnection {
  /** Runs a statement of our own to its end; the whole result stays in the engine's memory. One hop. */
  query(sql: string): Promise<Result>;
  /** Runs one statement to its end that must not write, not even tables of this instance's memory. Five hops. */
  read(sql: string): Promise<Result>;
  /** The same lazily: chunks are made as they are fetched. */
  stream(sql: string): Promise<Chunks>;
  /** Stops what runs, if something does. One sent before the engine has begun is lost: repeat it. */
  interrupt(): void;
  /** Writes chunks into a table of schema main. */
  appender(catalog: string, table: string): Appender;
  close(): void;
}

/** Chunks in order. */
export interface Chunks {
  /**
   * Undefined: the end, which is proven.
   * @throws CutStreamError where the engine stopped before the last row
   */
  next(): Promise<DataChunk | undefined>;
  /** Drops what was not fetched. Has to end before the connection runs anything else. */
  close(): Promise<void>;
}

/**
 * A streamed result that ended before its last row: interrupted, or an error in a row. The engine does not say which:
 * its `fetch_chunk` gives an empty chunk, as at the end.
 */
export class CutStreamError extends Error {
  constructor() {
    super('the stream of rows was cut');
  }
}

export interface Engine {
  connect(): Promise<EngineConnection>;
  close(): void;
}

function connection(native: Connection): EngineConnection {
  /** In a transaction of its own that cannot write, and whose end proves that of a stream: see chunksOf. */
  const reading = async <T>(sql: string, run: (prepared: PreparedStatement) => Promise<T>): Promise<T> => {
    await duckdb.query(native, 'BEGIN TRANSACTION READ ONLY');
    try {
      // Takes one statement, and no second one that would end the transaction.
      const prepared = await duckdb.prepare(native, sql);
      try {
        return await run(prepared);
      } catch (error) {
        duckdb.destroy_prepare_sync(prepared);
        throw error;
      }
    } catch (error) {
      await rollback(native);
      throw error;
    }
  };
  return {
    query: (sql) => duckdb.query(native, sql),
    async read(sql) {
      const [result, prepared] = await reading(
        sql,
        async (made) => [await duckdb.execute_prepared(made), made] as const,
      );
      duckdb.destroy_prepare_sync(prepared);
      await rollback(native);
      return result;
    },
    stream: (sql) =>
      reading(sql, async (prepared) =>
        chunksOf(native, await duckdb.execute_prepared_streaming(prepared), prepared),
      ),
    interrupt: () => duckdb.interrupt(native),
    appender(catalog, table) {
      const appender = duckdb.appender_create_ext(native, catalog, 'main', table);
      return {
        append: (chunk) => duckdb.append_data_chunk(appender, chunk),
        flush: () => duckdb.appender_flush_sync(appender),
        close: () => duckdb.appender_close_sync(appender),
      };
    },
    close: () => duckdb.disconnect_sync(native),
  };
}

/**
 * The end of a stream is proven by its transaction. Whatever stops a streamed statement early, an interrupt or an
 * error in a row, aborts the transaction, and an aborted one refuses every further statement; but `fetch_chunk`
 * then gives an empty chunk and no error, just as after the last row.
 */
function chunksOf(native: Connection, result: Result, prepared: PreparedStatement): Chunks {
  let ended = false;
  let closed = false;
  return {
    async next() {
      if (ended || closed) return undefined;
      const chunk = await duckdb.fetch_chunk(result);
      if (chunk !== null && duckdb.data_chunk_get_size(chunk) > 0) return chunk;
      ended = true;
      try {
        await duckdb.query(native, 'SELECT 1');
      } catch {
        throw new CutStreamError();
      }
      return undefined;
    },
    async close() {
      if (closed) return;
      closed = true;
      duckdb.destroy_prepare_sync(prepared);
      await rollback(native);
    },
  };
}

/** An interrupt may meet it: one that is sent again and again ends at some time. */
async function rollback(native: Connection): Promise<void> {
  for (let tries = 0; tries < ROLLBACK_TRIES; tries++) {
    try {
      await duckdb.query(native, 'ROLLBACK');
      return;
    } catch (error) {
      if (error instanceof Error && /no transaction is active/.test(error.message)) return;
      if (tries === ROLLBACK_TRIES - 1) throw error;
    }
  }
}
const ROLLBACK_TRIES = 5;

/** Chunks of a materialized result; free of hops. */
export function materialized(result: Result): readonly DataChunk[] {
  const chunks: DataChunk[] = [];
  const count = duckdb.result_chunk_count(result);
  for (let i = 0; i < count; i++) chunks.push(duckdb.result_get_chunk(result, i));
  return chunks;
}

export async function openEngine(path: string, options: Readonly<Record<string, string>>): Promise<Engine> {
  const config = duckdb.create_config();
  for (const [name, value] of Object.entries(options)) duckdb.set_config(config, name, value);
  const database: Database = await duckdb.open(path, config);
  return {
    connect: async () => connection(await duckdb.connect(database)),
    close: () => duckdb.close_sync(database),
  };
}

/** All rows of a small result of VARCHAR columns as strings: for the worker's own statements, not clients'. */
export async function textRows(on: EngineConnection, sql: string): Promise<(string | null)[][]> {
  const rows: (string | null)[][] = [];
  const result = await on.query(sql);
  const width = duckdb.column_count(result);
  for (const chunk of materialized(result)) {
    const count = duckdb.data_chunk_get_size(chunk);
    const first = rows.length;
    for (let row = 0; row < count; row++) rows.push(new Array<string | null>(width).fill(null));
    for (let column = 0; column < width; column++) {
      const vector = duckdb.data_chunk_get_vector(chunk, column);
      const data = Buffer.from(duckdb.vector_get_data(vector, count * 16));
      const validity = duckdb.vector_get_validity(vector, Math.ceil(count / 64) * 8);
      for (let row = 0; row < count; row++) {
        if (!duckdb.validity_row_is_valid(validity, row)) continue;
        const length = data.readUInt32LE(row * 16);
        const bytes =
          length <= 12
            ? data.subarray(row * 16 + 4, row * 16 + 4 + length)
            : duckdb.get_data_from_pointer(
                data.buffer as ArrayBuffer,
                data.byteOffset + row * 16 + 8,
                length,
              );
        (rows[first + row] as (string | null)[])[column] = Buffer.from(bytes).toString('utf8');
      }
    }
  }
  return rows;
}
