// columns.duckdb of a snapshot while it is being built: plain tables without indexes, in the order of their rowids;
// and the check of the finished file.
import { access } from 'node:fs/promises';
import { type DuckDBConnection, DuckDBDataChunk, DuckDBInstance } from '@duckdb/node-api';
import { readMachine } from '../base/machine.ts';
import { DUCKDB_TYPES, type Kind } from '../columns/column-buffer.ts';
import { TableWriter } from '../columns/table-writer.ts';
import { restoreSize } from '../snapshot/header.ts';
import { ImportError, reasonOf } from './failure.ts';
import type { NewTable } from './snapshot-table.ts';
import { quoteName } from './sqlite-tables.ts';

const MIB = 1024 * 1024;
/** Node, its code, SQLite, and what the engine takes beside what it counts. */
const OWN_BYTES = 272 * MIB;
const LEAST_BYTES = 96 * MIB;
/** A thread needs room for a group of rows that it reads and one that it writes. */
const THREAD_BYTES = 192 * MIB;
const MOST_THREADS = 4;

export interface FinishedColumns {
  /** Of the engine. */
  readonly release: string;
  /** Bytes of the file that nothing uses. */
  readonly free: number;
}

export class ColumnStore {
  readonly #path: string;
  readonly #instance: DuckDBInstance;
  readonly connection: DuckDBConnection;
  /** Of the engine. */
  readonly memoryBytes: number;
  #open = true;

  private constructor(
    path: string,
    instance: DuckDBInstance,
    connection: DuckDBConnection,
    memoryBytes: number,
  ) {
    this.memoryBytes = memoryBytes;
    this.#path = path;
    this.#instance = instance;
    this.connection = connection;
  }

  /**
   * @param path of a new file, or of a copy of one that is to be changed
   * @param scratch a folder for what does not fit into memory
   * @param memoryBytes of the whole process
   */
  static async open(path: string, scratch: string, memoryBytes: number): Promise<ColumnStore> {
    const engineBytes = Math.max(LEAST_BYTES, memoryBytes - OWN_BYTES);
    const threads = Math.min(readMachine().processors, MOST_THREADS, engineBytes / THREAD_BYTES);
    const instance = await DuckDBInstance.create(path, {
      threads: String(Math.max(1, Math.floor(threads))),
      memory_limit: `${Math.floor(engineBytes / MIB)}MiB`,
      temp_directory: scratch,
      // Its compression of texts scans twice as fast as that of the format of 1.0, which is the default.
      storage_compatibility_version: 'v1.5.0',
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
    });
    const connection = await instance.connect();
    // So that it can be asked how far a statement is; it would draw a bar of its own.
    for (const set of [
      'enable_progress_bar_print = false',
      'enable_progress_bar = true',
      'progress_bar_time = 0',
    ])
      await connection.run(`SET ${set}`);
    return new ColumnStore(path, instance, connection, engineBytes);
  }

  /** @throws Error where the engine does not take one of its names */
  async createTable(
    table: NewTable,
    kinds: readonly Kind[],
    name = `main.${quoteName(table.name)}`,
  ): Promise<void> {
    const columns = table.columns.map(
      ({ name }, i) => `${quoteName(name)} ${DUCKDB_TYPES[kinds[i] ?? 'any']}`,
    );
    if (table.hasHiddenRowid && table.rowid !== undefined) columns.push(`${quoteName(table.rowid)} BIGINT`);
    await this.connection.run(`CREATE TABLE ${name} (${columns.join(', ')})`);
  }

  /** @param name of the table in schema main, where that is not the one that it will have in the end */
  async openWriter(table: NewTable, kinds: readonly Kind[], name = table.name): Promise<TableWriter> {
    const appender = await this.connection.createAppender(name, 'main');
    return new TableWriter(
      {
        append: (chunk) => appender.appendDataChunk(new DuckDBDataChunk(chunk)),
        flush: () => appender.flushSync(),
        close: () => appender.closeSync(),
      },
      table.hasHiddenRowid ? [...kinds, 'integer'] : kinds,
    );
  }

  async dropTable(name: string): Promise<void> {
    await this.connection.run(`DROP TABLE IF EXISTS main.${quoteName(name)}`);
  }

  /** Closes the file, whole and without a log beside it. */
  async finish(): Promise<FinishedColumns> {
    await this.connection.run('CHECKPOINT');
    const found = await this.connection.runAndReadAll(
      `SELECT (SELECT library_version FROM pragma_version()), free_blocks * block_size FROM pragma_database_size() LIMIT 1`,
    );
    const [[release, free] = []] = found.getRows();
    this.close();
    await restoreSize(this.#path);
    return { release: String(release), free: Number(free) };
  }

  interrupt(): void {
    if (this.#open) this.connection.interrupt();
  }

  /** Harmless when closed already. */
  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.connection.closeSync();
    this.#instance.closeSync();
  }

  /**
   * Opens the finished file as a worker will and counts the rows of its tables.
   * @param expected rows by table: these tables and no others
   * @throws ImportError where it is not what was built
   */
  async check(expected: ReadonlyMap<string, number>): Promise<void> {
    const log = await access(`${this.#path}.wal`).then(
      () => true,
      () => false,
    );
    if (log) throw new ImportError('the built snapshot was not closed properly: it left a log');
    try {
      const instance = await DuckDBInstance.create(this.#path, { access_mode: 'READ_ONLY', threads: '1' });
      const connection = await instance.connect();
      try {
        await checkTables(connection, expected);
      } finally {
        connection.closeSync();
        instance.closeSync();
      }
    } catch (error) {
      if (error instanceof ImportError) throw error;
      throw new ImportError(`the built snapshot cannot be read: ${reasonOf(error)}`, { cause: error });
    }
  }
}

async function checkTables(
  connection: DuckDBConnection,
  expected: ReadonlyMap<string, number>,
): Promise<void> {
  const listed = await connection.runAndReadAll('SELECT table_name FROM duckdb_tables()');
  const names = listed.getRows().map(([name]) => String(name));
  const stray = names.find((name) => !expected.has(name));
  if (stray !== undefined)
    throw new ImportError(`the built snapshot has columns of ${stray}, which is not served`);
  for (const [name, rows] of expected) {
    const counted = await connection.runAndReadAll(`SELECT count(*) FROM main.${quoteName(name)}`);
    const found = Number(counted.getRows()[0]?.[0]);
    if (found !== rows)
      throw new ImportError(
        `the built snapshot has columns of ${found} rows of ${name} where ${rows} were written`,
      );
  }
}
