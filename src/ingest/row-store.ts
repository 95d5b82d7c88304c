// rows.sqlite of a snapshot while it is being built: tables as their sources create them, and the catalogue of all
// that is served (`tablegate_*`). It is attached to a connection that may have the source attached, too.
import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import type { Kind } from '../columns/column-buffer.ts';
import type { RemoteRelation } from '../dialect/remote.ts';
import { askOf, type Cell } from '../snapshot/ask.ts';
import type { ColumnFacts } from '../snapshot/facts.ts';
import type { RemoteTable } from '../snapshot/remote.ts';
import { ImportError } from './failure.ts';
import type { NewTable } from './snapshot-table.ts';
import { quoteName } from './sqlite-tables.ts';
import { asWrite } from './write-statement.ts';
import { beginLog, endLog } from './written-pages.ts';

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
  CREATE TABLE IF NOT EXISTS rows.tablegate_remote(name TEXT COLLATE NOCASE PRIMARY KEY, catalog TEXT NOT NULL,
    schema TEXT NOT NULL, relation TEXT NOT NULL, created TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS rows.tablegate_blocks(chain_id INTEGER PRIMARY KEY, block_number INTEGER NOT NULL) STRICT;`;

export interface TableAbout {
  readonly rows: number;
  /** Id of the snapshot in which it changed last. */
  readonly version: string;
  /** Of each column; undefined where the table is not in columns.duckdb. */
  readonly facts: readonly ColumnFacts[] | undefined;
}

export interface Catalogue {
  readonly sqlite: string;
  /** By table: its rows, and the id of the snapshot in which it changed last. */
  readonly rows: Readonly<Record<string, number>>;
  readonly versions: Readonly<Record<string, string>>;
  /** Rows by table, of those in columns.duckdb. */
  readonly columnar: ReadonlyMap<string, number>;
  readonly blocks: Readonly<Record<string, number>>;
  /** Tables without rows here, and where those are. */
  readonly remote: Readonly<Record<string, RemoteRelation>>;
  /** Bytes of the file that nothing uses. */
  readonly free: number;
}

export interface Finished extends Catalogue {
  /** Where pages begin that are not as they were, in bytes from the start of the file; undefined where that is not known. */
  readonly written: readonly number[] | undefined;
}

type Before = Pick<Catalogue, 'rows' | 'versions'>;

/** What is to be done needs another schema than there is. */
export class SchemaIsFixed extends Error {}

export class RowStore {
  readonly database: DatabaseSyncInstance;
  /** Whether it began as a copy of all pages of the source. */
  readonly isCopy: boolean;
  /** Whether the schema stays as it is: the connection may know some of its tables only. */
  readonly isFixed: boolean;
  readonly #path: string;
  #indexes = 0;
  /** Tables that were entered in the catalogue, with their columns' names and types. */
  readonly described = new Map<string, readonly string[]>();
  readonly #statements = new Map<string, StatementSyncInstance>();

  private constructor(database: DatabaseSyncInstance, path: string, isCopy: boolean, isFixed: boolean) {
    this.database = database;
    this.#path = path;
    this.isCopy = isCopy;
    this.isFixed = isFixed;
  }

  /**
   * @param path of a new file, of a copy of a source's pages, or of one of a snapshot that is to be changed
   * @param served where it is a copy of a source's pages: the tables of it that stay, by their names
   * @param isFixed see {@link RowStore.isFixed}
   */
  static attach(
    database: DatabaseSyncInstance,
    path: string,
    served?: ReadonlySet<string>,
    isFixed = false,
  ): RowStore {
    try {
      database.prepare(`attach ? as ${ROWS_SCHEMA}`).run(path);
    } catch (error) {
      if (!/text encoding/.test(String(error))) throw error;
      throw new ImportError(
        'its texts are UTF-16 and those of the snapshot UTF-8, or the reverse, and SQLite has one of both in a file: make a copy of it with `sqlite3 FILE .dump`',
        { cause: error },
      );
    }
    // What is half-done is thrown away as a whole, and the finished file is synced before it is published.
    database.enableDefensive(false);
    database.exec('pragma ignore_check_constraints=on');
    if (isFixed) beginLog(database, ROWS_SCHEMA);
    else database.exec('pragma rows.journal_mode=off');
    database.enableDefensive(true);
    if (!database.isTransaction) database.exec('begin');
    if (served !== undefined) keepOnly(database, served);
    if (!isFixed) database.exec(CATALOGUE);
    return new RowStore(database, path, served !== undefined, isFixed);
  }

  /** @param sql changes the schema @throws SchemaIsFixed */
  alter(sql: string): void {
    if (this.isFixed) throw new SchemaIsFixed(sql);
    this.database.exec(sql);
  }

  /** @param sql CREATE TABLE or CREATE INDEX, as SQLite keeps it in a schema: its first words are normal */
  create(sql: string): void {
    const [start = ''] = /^CREATE (TABLE|INDEX|UNIQUE INDEX) /.exec(sql) ?? [];
    if (start === '') throw new Error(`not a table and no index: ${sql.slice(0, 60)}`);
    this.alter(`${start}${ROWS_SCHEMA}.${sql.slice(start.length)}`);
  }

  dropTable(name: string): void {
    this.alter(`drop table if exists rows.${quoteName(name)}`);
    this.forgetTable(name);
  }

  /** Takes the table out of the catalogue. */
  forgetTable(name: string): void {
    this.#write('delete from rows.tablegate_tables where name = ?').run(name);
    this.#write('delete from rows.tablegate_columns where table_name = ?').run(name);
    this.#write('delete from rows.tablegate_remote where name = ?').run(name);
  }

  /** What the catalogue says of a table; undefined where it has none of that name. */
  known(name: string): TableAbout | undefined {
    const found = this.#prepare(
      'select rows, version, columnar from rows.tablegate_tables where name = ?',
    ).get(name) as { rows: number; version: string; columnar: number } | undefined;
    if (found === undefined) return undefined;
    const facts = this.#prepare(
      'select facts from rows.tablegate_columns where table_name = ? order by position',
    ).all(name) as { facts: string | null }[];
    return {
      rows: found.rows,
      version: found.version,
      facts: found.columnar === 1 ? facts.map(({ facts }) => JSON.parse(facts ?? 'null')) : undefined,
    };
  }

  /** Names of its indexes, but for those that SQLite made by itself. */
  indexesOf(name: string): readonly string[] {
    const listed = this.#prepare('select name from pragma_index_list(?, ?)').all(name, ROWS_SCHEMA) as {
      name: string;
    }[];
    return listed.map(({ name }) => name).filter((name) => !name.startsWith('sqlite_'));
  }

  /** Counts the indexes that are made; false where there are so many already. */
  reserveIndex(most: number): boolean {
    if (this.#indexes >= most) return false;
    this.#indexes += 1;
    return true;
  }

  countRows(name: string): number {
    // Prepared for this once: thousands of tables are counted.
    const counted = this.database.prepare(`select count(*) as rows from rows.${quoteName(name)}`).get();
    return (counted as { rows: number }).rows;
  }

  /** Enters the table in the catalogue. */
  describe(table: NewTable, kinds: readonly Kind[], { rows, version, facts }: TableAbout): void {
    this.#write('insert into rows.tablegate_tables values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)').run(
      table.name,
      table.chainId ?? null,
      table.tableId ?? null,
      table.prefix ?? null,
      table.createdAt ?? null,
      table.kind,
      rows,
      version,
      Number(facts !== undefined),
      table.rowid ?? null,
      Number(table.hasHiddenRowid),
      JSON.stringify(table.unique),
      JSON.stringify(table.tableConstraints),
    );
    this.described.set(
      table.name,
      table.columns.map(({ name, declaredType }, i) => `${name} ${declaredType || (kinds[i] ?? 'any')}`),
    );
    const add = this.#write('insert into rows.tablegate_columns values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
    for (const [i, column] of table.columns.entries())
      add.run(
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
        facts === undefined ? null : JSON.stringify(facts[i]),
      );
  }

  /** Enters where a table lies that has no rows here. */
  setRemote(name: string, { catalog, schema, table, create }: RemoteTable): void {
    this.#write('insert into rows.tablegate_remote values (?, ?, ?, ?, ?)').run(
      ...[name, catalog, schema, table, create],
    );
  }

  setBlocks(blocks: readonly (readonly [chainId: number, blockNumber: number])[]): void {
    this.database.exec('delete from rows.tablegate_blocks');
    const add = this.#write('insert into rows.tablegate_blocks values (?, ?)');
    for (const [chainId, block] of blocks) add.run(chainId, block);
  }

  /**
   * Writes what the snapshot is, and everything else to the file.
   * @param before what it had, where it has the same tables now
   * @returns what it has now
   */
  finish(about: Readonly<Record<string, string>>, before?: Before): Finished {
    this.database.exec('delete from rows.tablegate_snapshot');
    const add = this.#write('insert into rows.tablegate_snapshot values (?, ?)');
    for (const [key, value] of Object.entries(about)) add.run(key, value);
    const catalogue = readCatalogue(this.database, before, about['id'] ?? '');
    this.#statements.clear();
    this.database.exec('commit');
    // Where rows alone change. Whatever else changes may be most of the file: a log would have all of it written twice.
    const written = this.isFixed ? endLog(this.database, ROWS_SCHEMA, this.#path) : undefined;
    return { ...catalogue, written };
  }

  #write(sql: string): StatementSyncInstance {
    return asWrite(this.#prepare(sql));
  }

  #prepare(sql: string): StatementSyncInstance {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

/** Tables whose version is not that of the snapshot are as they were: of tens of thousands these are nearly all. */
function readCatalogue(database: DatabaseSyncInstance, before: Before | undefined, id: string): Catalogue {
  const all = askOf(database);
  const listed = 'select name, rows, version, columnar from rows.tablegate_tables';
  const tables = (
    before === undefined ? all(listed) : all(`${listed} where version = ? or columnar = 1`, id)
  ) as readonly (readonly [string, number, string, number])[];
  const blocks = all('select chain_id, block_number from rows.tablegate_blocks') as [number, number][];
  const remote = all('select name, catalog, schema, relation from rows.tablegate_remote') as [
    string,
    string,
    string,
    string,
  ][];
  const one = (sql: string): Cell => all(sql)[0]?.[0] ?? null;
  return {
    sqlite: String(one('select sqlite_version()')),
    rows: { ...before?.rows, ...Object.fromEntries(tables.map(([name, rows]) => [name, rows])) },
    versions: {
      ...before?.versions,
      ...Object.fromEntries(tables.map(([name, , version]) => [name, version])),
    },
    columnar: new Map(tables.flatMap(([name, rows, , columnar]) => (columnar === 1 ? [[name, rows]] : []))),
    blocks: Object.fromEntries(blocks),
    remote: Object.fromEntries(
      remote.map(([name, catalog, schema, table]) => [name, { catalog, schema, table }]),
    ),
    free: Number(one('pragma rows.freelist_count')) * Number(one('pragma rows.page_size')),
  };
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
