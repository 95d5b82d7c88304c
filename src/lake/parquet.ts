// Tables of columns.duckdb as Parquet files, for a reader that is no part of this program.
import { DuckDBInstance } from '@duckdb/node-api';
import { identifier, textLiteral } from '../dialect/value.ts';

export interface Copy {
  readonly table: string;
  readonly columns: readonly string[];
  /** Of the new file. */
  readonly path: string;
}

const MIB = 1024 * 1024;
/** Two write as fast as most disks take it, and leave the other cores to whoever answers. */
const THREADS = 2;
/** Of a row group while it is written: the least that the engine works with. */
const LEAST_BYTES = 256 * MIB;

/**
 * In the order of their rowids.
 * @param path of columns.duckdb, which is only read
 * @param memoryBytes for the engine
 * @throws Error of the engine; the signal's reason
 */
export async function writeParquet(
  path: string,
  copies: readonly Copy[],
  memoryBytes: number,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  const instance = await DuckDBInstance.create(path, {
    access_mode: 'READ_ONLY',
    threads: String(THREADS),
    memory_limit: `${Math.floor(Math.max(LEAST_BYTES, memoryBytes) / MIB)}MiB`,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  });
  const connection = await instance.connect();
  const interrupt = (): void => connection.interrupt();
  signal.addEventListener('abort', interrupt);
  try {
    for (const { table, columns, path: file } of copies) {
      signal.throwIfAborted();
      const list = columns.map(identifier).join(', ');
      await connection.run(
        `COPY (SELECT ${list} FROM main.${identifier(table)}) TO ${textLiteral(file)} (FORMAT parquet, COMPRESSION zstd)`,
      );
    }
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', interrupt);
    connection.closeSync();
    instance.closeSync();
  }
}
