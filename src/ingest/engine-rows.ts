// Rows into rows.sqlite that DuckDB read from a file, and the CREATE TABLE of what has none of its own.
import { DuckDBBlobValue, type DuckDBConnection, DuckDBUnionValue, type DuckDBValue } from '@duckdb/node-api';
import type { Kind } from '../columns/column-buffer.ts';
import type { RowStore } from './row-store.ts';
import type { NewTable } from './snapshot-table.ts';
import { quoteName } from './sqlite-tables.ts';
import { writeStatement } from './write-statement.ts';

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
    writeStatement(
      store.database,
      `insert into rows.${name}(${into.join(', ')}) values (${cells.join(', ')})`,
    );
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
