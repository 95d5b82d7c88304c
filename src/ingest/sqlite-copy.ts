// What is to be known of a SQLite table before its rows are copied: what its columns hold, and about how many rows.
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import type { Kind } from '../columns/column-buffer.ts';
import type { NewColumn } from './snapshot-table.ts';
import { quoteName, type SourceTable } from './sqlite-tables.ts';

/** What the columns of a table hold: known for STRICT tables, read from the values for others. */
export function columnKinds(database: DatabaseSyncInstance, source: SourceTable): readonly Kind[] {
  const { columns } = source.table;
  return columns.map((column) =>
    source.loose.has(column.name) ? looseKind(database, source, column) : column.kind,
  );
}

function looseKind(database: DatabaseSyncInstance, source: SourceTable, column: NewColumn): Kind {
  const name = quoteName(column.name);
  const found = database
    .prepare(
      `select max(typeof(${name})='integer') as integer, max(typeof(${name})='real') as real,
         max(typeof(${name})='text') as text, max(typeof(${name})='blob') as blob from source.${quoteName(source.table.name)}`,
    )
    .get() as Record<'integer' | 'real' | 'text' | 'blob', number | null>;
  const kinds = (['integer', 'real', 'text', 'blob'] as const).filter((kind) => found[kind] === 1);
  return kinds.length > 1 ? 'any' : (kinds[0] ?? column.kind);
}

/** Largest rowid: an upper bound of the number of rows that costs no scan. */
export function estimateRows(database: DatabaseSyncInstance, source: SourceTable): number {
  if (source.rowid === undefined) return 0;
  const table = `source.${quoteName(source.table.name)}`;
  const found = database.prepare(`select cast(max(${source.rowid}) as real) as last from ${table}`).get() as {
    last: number | null;
  };
  return Math.max(0, found.last ?? 0);
}

/** The number of its rows, but at most so many: what costs no long scan. */
export function countRows(database: DatabaseSyncInstance, source: SourceTable, most: number): number {
  const { rows } = database
    .prepare(
      `select count(*) as rows from (select 1 from source.${quoteName(source.table.name)} limit ${most})`,
    )
    .get() as { rows: number };
  return rows;
}
