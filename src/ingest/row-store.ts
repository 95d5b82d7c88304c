// rows.sqlite of a snapshot while it is being built: tables as their sources create them, and the catalogue of all
// that is served (`tablegate_*`). It is attached to a connection that may have the source attached, too.
import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import type { Kind } from '../columns/column-buffer.ts';
import type { SourceRecord } from './known-tables.ts';
import type { NewTable } from './snapshot-table.ts';
import { quoteName } from './sqlite-tables.ts';

/** Name of the database on its connection. */
export const ROWS_SCHEMA = 'rows';

const CATALOGUE = `
  CREATE TABLE IF NOT EXISTS rows.tablegate_snapshot(key TEXT PRIMARY KEY, value TEXT) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS rows.tablegate_tables(name TEXT COLLATE NOCASE PRIMARY KEY, chain_id INTEGER, table_id TEXT,
    prefix TEXT, created_at INTEGER, kind TEXT NOT NULL, rows INTEGER NOT NULL, version TEXT NOT NULL,
    columnar INTEGER NOT NULL, rowid_column TEXT, rowid_hidden INTEGER NOT NULL, unique_sets TEXT NOT NULL,
    table_constraints TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS rows.tablegate_tables_order ON tablegate_tables(chain_id, length(table_id), table_id)
    WHERE kind = 'user';
  CREATE TABLE IF NOT EXISTS rows.tablegate_columns(table_name TEXT COLLATE NOCASE, position INTEGER, name TEXT NOT NULL,
    declared_type TEXT NOT NULL, kind TEXT NOT NULL, affinity TEXT NOT NULL, not_null INTEGER NOT NULL,
    collation TEXT NOT NULL, constraints TEXT NOT NULL, written_name TEXT NOT NULL, facts TEXT,
    PRIMARY KEY(table_name, position)) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS rows.tablegate_blocks(chain_id INTEGER PRIMARY KEY, block_number INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS rows.tablegate_sources(table_name TEXT COLLATE NOCASE PRIMARY KEY, layout TEXT NOT NULL,
    kinds TEXT NOT NULL, leaves BLOB NOT NULL) STRICT, WITHOUT ROWID;`;

export class RowStore {
  readonly database: DatabaseSyncInstance;
  /** Whether it began as a copy of all pages of the source. */
  readonly isCopy: boolean;
  readonly #statements = new Map<string, StatementSyncInstance>();

  private constructor(database: DatabaseSyncInstance, isCopy: boolean) {
    this.database = database;
    this.isCopy = isCopy;
  }

  /**
   * @param path of a new file, of a copy of a source's pages, or of one of a snapshot that is to be changed
   * @param served where it is a copy of a source's pages: the tables of it that stay, by their names
   */
  static attach(database: DatabaseSyncInstance, path: string, served?: ReadonlySet<string>): RowStore {
    database.prepare(`attach ? as ${ROWS_SCHEMA}`).run(path);
    // What is half-done is thrown away as a whole, and the finished file is synced before it is published.
    database.enableDefensive(false);
    database.exec('pragma rows.journal_mode=off; pragma ignore_check_constraints=on');
    database.enableDefensive(true);
    if (!database.isTransaction) database.exec('begin');
    if (served !== undefined) keepOnly(database, served);
    database.exec(CATALOGUE);
    return new RowStore(database, served !== undefined);
  }

  /** @param sql CREATE TABLE or CREATE INDEX, as SQLite keeps it in a schema: its first words are normal */
  create(sql: string): void {
    const [start = ''] = /^CREATE (TABLE|INDEX|UNIQUE INDEX) /.exec(sql) ?? [];
    if (start === '') throw new Error(`not a table and no index: ${sql.slice(0, 60)}`);
    this.database.exec(`${start}${ROWS_SCHEMA}.${sql.slice(start.length)}`);
  }

  dropTable(name: string): void {
    this.database.exec(`drop table if exists rows.${quoteName(name)}`);
    this.forgetTable(name);
  }

  /** Takes the table out of the catalogue. */
  forgetTable(name: string): void {
    this.#run('delete from rows.tablegate_tables where name = ?', name);
    this.#run('delete from rows.tablegate_columns where table_name = ?', name);
    this.#run('delete from rows.tablegate_sources where table_name = ?', name);
  }

  countRows(name: string): number {
    // Prepared for this once: thousands of tables are counted.
    return (
      this.database.prepare(`select count(*) as rows from rows.${quoteName(name)}`).get() as { rows: number }
    ).rows;
  }

  /** Enters the table in the catalogue. @param version id of the snapshot in which it changed last */
  describe(
    table: NewTable,
    kinds: readonly Kind[],
    about: { readonly rows: number; readonly version: string; readonly columnar: boolean },
  ): void {
    this.#run(
      'insert into rows.tablegate_tables values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
      table.name,
      table.chainId ?? null,
      table.tableId ?? null,
      table.prefix ?? null,
      table.createdAt ?? null,
      table.kind,
      about.rows,
      about.version,
      Number(about.columnar),
      table.rowid ?? null,
      Number(table.hasHiddenRowid),
      JSON.stringify(table.unique),
      JSON.stringify(table.tableConstraints),
    );
    for (const [i, column] of table.columns.entries())
      this.#run(
        'insert into rows.tablegate_columns values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, null)',
        table.name,
        i,
        column.name,
        column.declaredType,
        kinds[i] ?? 'any',
        column.affinity,
        Number(column.notNull),
        column.collation,
        JSON.stringify(column.constraints),
        column.written,
      );
  }

  /** Keeps what tells later whether the table changed in its source. */
  recordSource(name: string, { layout, kinds, leaves }: SourceRecord): void {
    this.#run(
      'insert into rows.tablegate_sources values (?, ?, ?, ?)',
      name,
      layout,
      JSON.stringify(kinds),
      leaves,
    );
  }

  setBlocks(blocks: readonly (readonly [chainId: number, blockNumber: number])[]): void {
    this.database.exec('delete from rows.tablegate_blocks');
    for (const [chainId, block] of blocks)
      this.#run('insert into rows.tablegate_blocks values (?, ?)', chainId, block);
  }

  /** Writes what the snapshot is, and everything else to the file. */
  finish(about: Readonly<Record<string, string>>): void {
    this.database.exec('delete from rows.tablegate_snapshot');
    for (const [key, value] of Object.entries(about))
      this.#run('insert into rows.tablegate_snapshot values (?, ?)', key, value);
    this.#statements.clear();
    this.database.exec('commit');
  }

  #run(sql: string, ...values: (string | number | null | Uint8Array)[]): void {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    statement.run(...values);
  }
}

/** Removes whatever is neither one of these tables nor an index of one, and statistics: they change plans. */
function keepOnly(database: DatabaseSyncInstance, served: ReadonlySet<string>): void {
  const listed = database.prepare('select type, name from rows.sqlite_schema').all() as {
    type: string;
    name: string;
  }[];
  const drop = (type: string, name: string): void =>
    database.exec(`drop ${type} if exists rows.${quoteName(name)}`);
  for (const { type, name } of listed) if (type === 'trigger' || type === 'view') drop(type, name);
  for (const { type, name } of listed)
    if (type === 'table' && !served.has(name) && (/^sqlite_stat\d/i.test(name) || !/^sqlite_/i.test(name)))
      drop('table', name);
}
