// columns.duckdb of a snapshot while it is being built: tables, their metadata, indexes; and the check of the
// finished file.
import { access } from 'node:fs/promises';
import { availableParallelism, freemem } from 'node:os';
import { type DuckDBConnection, DuckDBDataChunk, DuckDBInstance } from '@duckdb/node-api';
import { DUCKDB_TYPES, type Kind } from '../columns/column-buffer.ts';
import { TableWriter } from '../columns/table-writer.ts';
import { restoreSize } from '../snapshot/header.ts';
import { ImportError, reasonOf } from './failure.ts';
import type { NewTable } from './snapshot-table.ts';
import { quoteName } from './sqlite-tables.ts';

/** Of the layout of the tables below; readers refuse any other. */
const FORMAT_VERSION = '1';

const LAYOUT = `
  CREATE SCHEMA IF NOT EXISTS tablegate;
  CREATE TABLE IF NOT EXISTS tablegate.snapshot(key VARCHAR, value VARCHAR);
  CREATE TABLE IF NOT EXISTS tablegate.tables(name VARCHAR, chain_id BIGINT, table_id VARCHAR, prefix VARCHAR,
    created_at BIGINT, kind VARCHAR, rows BIGINT, rowid_column VARCHAR, unique_sets VARCHAR,
    table_constraints VARCHAR);
  CREATE TABLE IF NOT EXISTS tablegate.columns(table_name VARCHAR, position INTEGER, name VARCHAR,
    declared_type VARCHAR, kind VARCHAR, affinity VARCHAR, not_null BOOLEAN, "collation" VARCHAR,
    constraints VARCHAR, written_name VARCHAR);
  CREATE TABLE IF NOT EXISTS tablegate.blocks(chain_id BIGINT, block_number BIGINT);`;

/** Rows from which an index beats the engine's pruning by ranges (docs/IMPORT.md has the figures). */
export const INDEX_ROWS = 10_000;
/**
 * Tables of fewer rows keep their texts as they are: to open a compressed column costs a lookup 75 to 100 us,
 * whatever it reads. Scans of large tables are quicker over compressed ones, and their files a quarter as large.
 */
export const PLAIN_ROWS = 50_000;
const MIB = 1024 * 1024;

const text = (value: string): string => `'${value.replaceAll("'", "''")}'`;
const optional = (value: string | number | undefined): string =>
  value === undefined ? 'NULL' : typeof value === 'number' ? String(value) : text(value);

export class ColumnStore {
  readonly #path: string;
  readonly #instance: DuckDBInstance;
  readonly connection: DuckDBConnection;
  #open = true;

  private constructor(path: string, instance: DuckDBInstance, connection: DuckDBConnection) {
    this.#path = path;
    this.#instance = instance;
    this.connection = connection;
  }

  /**
   * @param path of a new file, or of a copy of one that is to be changed
   * @param scratch a folder for what does not fit into memory
   */
  static async open(path: string, scratch: string): Promise<ColumnStore> {
    const instance = await DuckDBInstance.create(path, {
      threads: String(Math.min(availableParallelism(), 4)),
      memory_limit: `${Math.round(Math.max(512, Math.min(2048, freemem() / MIB / 4)))}MiB`,
      temp_directory: scratch,
      // Its compression of texts scans twice as fast as that of the format of 1.0, which is the default.
      storage_compatibility_version: 'v1.5.0',
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
    });
    const connection = await instance.connect();
    const builder = new ColumnStore(path, instance, connection);
    await connection.run(LAYOUT);
    return builder;
  }

  /**
   * @param rows how many it will have, or at least {@link PLAIN_ROWS}
   * @throws Error where the engine does not take one of its names
   */
  async createTable(
    table: NewTable,
    kinds: readonly Kind[],
    rows: number,
    name = `main.${quoteName(table.name)}`,
  ): Promise<void> {
    const columns = table.columns.map(({ name }, i) => {
      const kind = kinds[i] ?? 'any';
      const plain = kind === 'text' && rows < PLAIN_ROWS ? ' USING COMPRESSION uncompressed' : '';
      return `${quoteName(name)} ${DUCKDB_TYPES[kind]}${plain}`;
    });
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
    await this.forgetTable(name);
  }

  /** Takes the table out of the metadata. */
  async forgetTable(name: string): Promise<void> {
    for (const [table, column] of [
      ['tables', 'name'],
      ['columns', 'table_name'],
    ] as const)
      await this.connection.run(
        `DELETE FROM tablegate.${table} WHERE lower(${column}) = lower(${text(name)})`,
      );
  }

  /** Enters the table in the metadata. */
  async describe(table: NewTable, kinds: readonly Kind[], rows: number): Promise<void> {
    await this.connection.run(
      `INSERT INTO tablegate.tables VALUES (${text(table.name)}, ${optional(table.chainId)},
        ${optional(table.tableId)}, ${optional(table.prefix)}, ${optional(table.createdAt)}, ${text(table.kind)},
        ${rows}, ${optional(table.rowid)}, ${text(JSON.stringify(table.unique))},
        ${text(JSON.stringify(table.tableConstraints))})`,
    );
    const columns = table.columns.map(
      (column, i) =>
        `(${text(table.name)}, ${i}, ${text(column.name)}, ${text(column.declaredType)}, ${text(kinds[i] ?? 'any')},
          ${text(column.affinity)}, ${column.notNull}, ${text(column.collation)},
          ${text(JSON.stringify(column.constraints))}, ${text(column.written)})`,
    );
    await this.connection.run(`INSERT INTO tablegate.columns VALUES ${columns.join(', ')}`);
  }

  /** Indexes for look-ups by one column; the engine uses none of several columns. */
  async index(table: NewTable, kinds: readonly Kind[], rows: number): Promise<void> {
    if (rows < INDEX_ROWS) return;
    let number = 0;
    for (const name of indexedColumns(table, kinds)) {
      await this.connection
        .run(
          `CREATE INDEX ${quoteName(`${table.name}_${++number}`)} ON main.${quoteName(table.name)} (${quoteName(name)})`,
        )
        // Without it the same statements give the same answers, so an index too large for memory is left out.
        .catch((error: unknown) => {
          if (!/out of memory/i.test(String(error))) throw error;
        });
    }
  }

  async setBlocks(blocks: readonly (readonly [chainId: number, blockNumber: number])[]): Promise<void> {
    await this.connection.run('DELETE FROM tablegate.blocks');
    for (const [chainId, block] of blocks)
      await this.connection.run(`INSERT INTO tablegate.blocks VALUES (${chainId}, ${block})`);
  }

  /** Writes what the snapshot is and closes the file, whole and without a log beside it. @returns the engine's release */
  async finish(about: {
    readonly id: string;
    readonly source: string;
    readonly createdAt: number;
  }): Promise<string> {
    await this.connection.run(
      `DELETE FROM tablegate.snapshot; INSERT INTO tablegate.snapshot VALUES
        ('id', ${text(about.id)}), ('format_version', ${text(FORMAT_VERSION)}), ('created_at', '${about.createdAt}'),
        ('source', ${text(about.source)}), ('engine_version', (SELECT library_version FROM pragma_version()));
      CHECKPOINT`,
    );
    const found = await this.connection.runAndReadAll('SELECT library_version FROM pragma_version()');
    this.close();
    await restoreSize(this.#path);
    return String(found.getRows()[0]?.[0]);
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
   * Opens the finished file as a worker will and counts the rows of every table.
   * @throws ImportError where it is not what was built
   */
  async check(): Promise<void> {
    const log = await access(`${this.#path}.wal`).then(
      () => true,
      () => false,
    );
    if (log) throw new ImportError('the built snapshot was not closed properly: it left a log');
    try {
      const instance = await DuckDBInstance.create(this.#path, { access_mode: 'READ_ONLY', threads: '1' });
      const connection = await instance.connect();
      try {
        await countTables(connection);
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

/** Columns that have an index where the table is large enough. */
export function indexedColumns(table: NewTable, kinds: readonly Kind[]): readonly string[] {
  const wanted = new Set(table.unique.flatMap((set) => (set.length === 1 ? [set[0] as string] : [])));
  // Receipts are asked for by their hash, which is unique within a chain.
  if (table.name === 'system_txn_receipts') wanted.add('txn_hash');
  return [...wanted].filter((name) => {
    const kind = kinds[table.columns.findIndex((column) => column.name === name)];
    return kind !== undefined && kind !== 'any' && kind !== 'real';
  });
}

async function countTables(connection: DuckDBConnection): Promise<void> {
  const listed = await connection.runAndReadAll('SELECT name, rows FROM tablegate.tables ORDER BY name');
  for (const [name, rows] of listed.getRows() as [string, bigint][]) {
    const counted = await connection.runAndReadAll(`SELECT count(*) FROM main.${quoteName(name)}`);
    const found = counted.getRows()[0]?.[0];
    if (found !== rows)
      throw new ImportError(`the built snapshot has ${found} rows in ${name} where ${rows} were written`);
  }
}
