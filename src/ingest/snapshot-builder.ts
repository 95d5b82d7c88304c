// A snapshot while it is being built: its two stores, filled table by table, then its manifest; and the check of
// what was built. Where it is built and when it is published is snapshot/publish.ts's business.
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import type { Kind } from '../columns/column-buffer.ts';
import { COLUMNS, columnsPath, FORMAT_VERSION, ROWS, rowsPath } from '../snapshot/layout.ts';
import { describeFile, type FileEntry, writeManifest } from '../snapshot/manifest.ts';
import { ColumnStore } from './column-store.ts';
import { ImportError, reasonOf } from './failure.ts';
import { RowStore } from './row-store.ts';
import type { NewTable } from './snapshot-table.ts';
import { quoteName } from './sqlite-tables.ts';

export interface Built {
  readonly tables: number;
  readonly rows: number;
  /** Of all files. */
  readonly bytes: number;
}

export class SnapshotBuilder {
  /** The folder that becomes the snapshot. */
  readonly folder: string;
  /** What the snapshot will be called. */
  readonly id: string;
  readonly columns: ColumnStore;
  #rows: RowStore | undefined;
  #own: DatabaseSyncInstance | undefined;

  private constructor(folder: string, id: string, columns: ColumnStore) {
    this.folder = folder;
    this.id = id;
    this.columns = columns;
  }

  /** @param folder empty, or with the files of a snapshot that is to be changed */
  static async open(folder: string, id: string): Promise<SnapshotBuilder> {
    return new SnapshotBuilder(folder, id, await ColumnStore.open(columnsPath(folder), `${folder}.tmp`));
  }

  get rowsPath(): string {
    return rowsPath(this.folder);
  }

  /** Where no source has a connection to lend, the builder makes one. */
  get rows(): RowStore {
    if (this.#rows === undefined) {
      this.#own = new DatabaseSync(':memory:', { enableForeignKeyConstraints: false, defensive: true });
      this.#rows = RowStore.attach(this.#own, this.rowsPath);
    }
    return this.#rows;
  }

  /**
   * Puts rows.sqlite beside the source on its connection, in its transaction. Before anything is written to it.
   * @param served see {@link RowStore.attach}
   */
  attachRows(database: DatabaseSyncInstance, served?: ReadonlySet<string>): void {
    this.#rows = RowStore.attach(database, this.rowsPath, served);
  }

  async dropTable(name: string): Promise<void> {
    await this.columns.dropTable(name);
    this.rows.dropTable(name);
  }

  /** Takes the table out of the catalogue. */
  async forgetTable(name: string): Promise<void> {
    await this.columns.forgetTable(name);
    this.rows.forgetTable(name);
  }

  /** Enters the finished table in the catalogue. @throws ImportError where both stores have not the same rows */
  async describe(table: NewTable, kinds: readonly Kind[], rows: number): Promise<void> {
    const stored = this.rows.countRows(table.name);
    if (stored !== rows)
      throw new ImportError(`the built snapshot has ${stored} rows in ${table.name} where ${rows} were read`);
    await this.columns.describe(table, kinds, rows);
    this.rows.describe(table, kinds, { rows, version: this.id, columnar: true });
  }

  async setBlocks(blocks: readonly (readonly [chainId: number, blockNumber: number])[]): Promise<void> {
    await this.columns.setBlocks(blocks);
    this.rows.setBlocks(blocks);
  }

  /** Writes what the snapshot is and closes its files, whole and without logs beside them. */
  async finish(about: { readonly source: string; readonly createdAt: number }): Promise<Built> {
    const { source, createdAt } = about;
    const version = String(FORMAT_VERSION);
    const { id } = this;
    this.rows.finish({ id, format_version: version, created_at: String(createdAt), source });
    this.#own?.close();
    const engine = await this.columns.finish({ id, source, createdAt });
    return this.#describe(source, createdAt, engine);
  }

  async #describe(source: string, createdAt: number, engine: string): Promise<Built> {
    const [rows, columns] = await Promise.all([
      describeFile(this.rowsPath),
      describeFile(columnsPath(this.folder)),
    ]);
    const built = readBack(this.rowsPath);
    await this.columns.check();
    const files: Record<string, FileEntry> = { [ROWS]: rows, [COLUMNS]: columns };
    await writeManifest(this.folder, {
      formatVersion: FORMAT_VERSION,
      id: this.id,
      createdAt,
      source,
      engines: { sqlite: built.sqlite, duckdb: engine },
      files,
      blocks: built.blocks,
      versions: built.versions,
    });
    return { tables: built.tables, rows: built.rows, bytes: rows.bytes + columns.bytes };
  }

  interrupt(): void {
    this.columns.interrupt();
  }

  /** Harmless when closed already. */
  close(): void {
    this.columns.close();
    if (this.#own?.isOpen === true) this.#own.close();
  }
}

interface ReadBack extends Omit<Built, 'bytes'> {
  readonly sqlite: string;
  readonly versions: Readonly<Record<string, string>>;
  readonly blocks: Readonly<Record<string, number>>;
}

/** Opens the finished file as a reader will. @throws ImportError where that is not possible */
function readBack(path: string): ReadBack {
  try {
    const database = new DatabaseSync(path, { readOnly: true });
    try {
      const tables = database.prepare('select name, rows, version from tablegate_tables').all() as {
        name: string;
        rows: number;
        version: string;
      }[];
      // Prepared, not run: every table that is promised is there.
      for (const { name } of tables) database.prepare(`select 1 from ${quoteName(name)}`);
      const blocks = database.prepare('select chain_id, block_number from tablegate_blocks').all() as {
        chain_id: number;
        block_number: number;
      }[];
      const { version } = database.prepare('select sqlite_version() as version').get() as { version: string };
      return {
        sqlite: version,
        tables: tables.length,
        rows: tables.reduce((sum, { rows }) => sum + rows, 0),
        versions: Object.fromEntries(tables.map(({ name, version }) => [name, version])),
        blocks: Object.fromEntries(blocks.map((each) => [each.chain_id, each.block_number])),
      };
    } finally {
      database.close();
    }
  } catch (error) {
    throw new ImportError(`the built snapshot cannot be read: ${reasonOf(error)}`, { cause: error });
  }
}
