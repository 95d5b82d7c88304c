// Rows into rows.sqlite: all or some of a table that stands in another database on the same connection, all pages
// of a source at once, or what DuckDB read from a file.
import { open } from 'node:fs/promises';
import { DuckDBBlobValue, type DuckDBConnection, DuckDBUnionValue, type DuckDBValue } from '@duckdb/node-api';
import type { Kind } from '../columns/column-buffer.ts';
import type { RowRange } from '../columns/row-copy.ts';
import type { RowStore } from './row-store.ts';
import type { NewTable } from './snapshot-table.ts';
import type { PageReader } from './sqlite-pages.ts';
import { quoteName, type SourceTable } from './sqlite-tables.ts';

/** Pages of a write, and between two turns of the event loop. */
const RUN_BYTES = 4 * 1024 * 1024;
/** Where a SQLite header says that a write-ahead log is used, for writers and readers. */
const WAL_FLAGS_AT = 18;
const NO_WAL = Buffer.from([1, 1]);

/**
 * The whole database as its transaction sees it, page by page: rowids, keys and indexes as they are.
 * @returns false where it cannot be read like this
 */
export async function copyPages(pages: PageReader, path: string, signal: AbortSignal): Promise<boolean> {
  const file = await open(path, 'w');
  try {
    const run = Buffer.allocUnsafe(Math.max(pages.pageSize, RUN_BYTES));
    let filled = 0;
    for (let number = 1; number <= pages.pages; number++) {
      filled += pages.read(number).copy(run, filled);
      if (filled < run.length && number < pages.pages) continue;
      // One call may write less, such as where the disk is full: the next one says why.
      for (let at = 0; at < filled; ) at += (await file.write(run, at, filled - at)).bytesWritten;
      filled = 0;
      signal.throwIfAborted();
    }
    await file.write(NO_WAL, 0, NO_WAL.length, WAL_FLAGS_AT);
    return pages.confirm();
  } finally {
    await file.close();
  }
}

/**
 * Puts the rows of the ranges in place of those that the store has there; all rows into a new table without them.
 * @returns by how many rows the table grew
 */
export function copyFromSource(store: RowStore, source: SourceTable, ranges?: readonly RowRange[]): number {
  const { database } = store;
  const { table, rowid, stored } = source;
  const name = quoteName(table.name);
  const from = quoteName(source.name);
  const columns = stored.map(quoteName);
  // A key that is the rowid is one of the columns already.
  if (rowid !== undefined && table.hasHiddenRowid) columns.unshift(rowid);
  const list = columns.join(', ');
  // NOT INDEXED: rows come in the order of the table, not of an index that has all their columns.
  const copy = `insert into rows.${name}(${list}) select ${list} from source.${from} not indexed`;
  if (ranges === undefined) {
    database.exec(rowid === undefined ? copy : `${copy} order by ${rowid}`);
    return 0;
  }
  const within = `where ${rowid} between ? and ?`;
  const remove = database.prepare(`delete from rows.${name} ${within}`);
  const add = database.prepare(`${copy} ${within} order by ${rowid}`);
  // First all that goes: a value may have moved from one range to another.
  let grown = 0;
  for (const [first, last] of ranges) grown -= remove.run(first, last).changes;
  for (const [first, last] of ranges) grown += add.run(first, last).changes;
  return grown;
}

/** A CREATE TABLE for what has none of its own: of a file, or of a test. */
export function createTableSql(table: NewTable): string {
  const columns = table.columns.map(({ name, declaredType, collation, notNull }) => {
    const isKey = !table.hasHiddenRowid && table.rowid === name;
    const parts = [quoteName(name), declaredType.toUpperCase()];
    if (isKey) parts.push('PRIMARY KEY');
    else if (notNull) parts.push('NOT NULL');
    if (collation !== 'binary') parts.push(`COLLATE ${collation.toUpperCase()}`);
    return parts.join(' ');
  });
  const unique = table.unique
    .filter((set) => table.hasHiddenRowid || set.length !== 1 || set[0] !== table.rowid)
    .map((set) => `UNIQUE(${set.map(quoteName).join(', ')})`);
  return `CREATE TABLE ${quoteName(table.name)}(${[...columns, ...unique].join(', ')}) STRICT`;
}

/** @param rows a SELECT of the table's columns, with a hidden rowid behind them where the table has one */
export async function copyFromEngine(
  store: RowStore,
  connection: DuckDBConnection,
  rows: string,
  table: NewTable,
  kinds: readonly Kind[],
  onRows: (more: number) => void,
): Promise<void> {
  const name = quoteName(table.name);
  const columns = table.columns.map((column) => quoteName(column.name));
  const hidden = table.hasHiddenRowid && table.rowid !== undefined;
  const into = hidden ? [...columns, 'rowid'] : columns;
  const types: readonly Kind[] = hidden ? [...kinds, 'integer'] : kinds;
  const insert = (cells: readonly string[]) =>
    store.database.prepare(`insert into rows.${name}(${into.join(', ')}) values (${cells.join(', ')})`);
  const plain = insert(types.map(() => '?'));
  // The binding ends a text at a NUL, and makes an integer of a real that is whole: such rows go by way of casts.
  const exact = insert(
    types.map(
      (_, i) => `case ?${2 * i + 1} when 'text' then cast(?${2 * i + 2} as text)
       when 'real' then cast(?${2 * i + 2} as real) else ?${2 * i + 2} end`,
    ),
  );
  const hasAny = types.includes('any');
  const result = await connection.stream(rows);
  for (;;) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) break;
    for (const row of chunk.getRows()) {
      const values = row.map(sqliteValue);
      if (hasAny || values.some((value) => typeof value === 'string' && value.includes('\0')))
        exact.run(...values.flatMap(exactValue));
      else plain.run(...values);
    }
    onRows(chunk.rowCount);
  }
}

type SqliteValue = number | bigint | string | Uint8Array | null;

function sqliteValue(value: DuckDBValue): SqliteValue {
  if (value instanceof DuckDBBlobValue) return value.bytes;
  if (value instanceof DuckDBUnionValue) return sqliteValue(value.value);
  return value as SqliteValue;
}

function exactValue(value: SqliteValue): readonly [kind: string, value: SqliteValue] {
  if (typeof value === 'string') return ['text', Buffer.from(value)];
  return [typeof value === 'number' ? 'real' : '', value];
}
