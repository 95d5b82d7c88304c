// The engine's C interface as this worker uses it: one instance, a connection, results as chunks of raw
// vectors. Below the comfortable API on purpose: a hop to libuv's pool costs 20 us and JavaScript values of
// every cell cost more than the statement (FACTS: 264 ms against 36 ms for 100,000 rows).
import duckdb, {
  type Connection,
  type Database,
  type DataChunk,
  type Result,
  type ScalarFunction,
} from '@duckdb/node-bindings';

export type { DataChunk } from '@duckdb/node-bindings';

export interface EngineConnection {
  /** Runs one statement to its end; the whole result stays in the engine's memory. One hop. */
  query(sql: string): Promise<Result>;
  /** Runs one statement lazily: chunks are made as they are fetched. Three hops at least. */
  stream(sql: string): Promise<Chunks>;
  /** Stops what runs, if something does. One sent before the engine has begun is lost: repeat it. */
  interrupt(): void;
  /** Makes a function known to the whole instance. */
  register(native: ScalarFunction): void;
  close(): void;
}

/** Chunks in order. */
export interface Chunks {
  next(): Promise<DataChunk | undefined>;
  /** Drops what was not fetched. */
  close(): void;
}

export interface Engine {
  connect(): Promise<EngineConnection>;
  close(): void;
}

function connection(native: Connection): EngineConnection {
  return {
    query: (sql) => duckdb.query(native, sql),
    async stream(sql) {
      const prepared = await duckdb.prepare(native, sql);
      try {
        const result = await duckdb.execute_prepared_streaming(prepared);
        return chunksOf(result, () => duckdb.destroy_prepare_sync(prepared));
      } catch (error) {
        duckdb.destroy_prepare_sync(prepared);
        throw error;
      }
    },
    interrupt: () => duckdb.interrupt(native),
    register: (scalar) => duckdb.register_scalar_function(native, scalar),
    close: () => duckdb.disconnect_sync(native),
  };
}

function chunksOf(result: Result, release: () => void): Chunks {
  let closed = false;
  return {
    async next() {
      if (closed) return undefined;
      const chunk = await duckdb.fetch_chunk(result);
      return chunk === null || duckdb.data_chunk_get_size(chunk) === 0 ? undefined : chunk;
    },
    close() {
      if (closed) return;
      closed = true;
      release();
    },
  };
}

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
